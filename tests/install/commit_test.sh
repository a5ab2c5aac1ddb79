#!/usr/bin/env bash
# The commit of a build: that of the sources as they are, written only when it is another one; none without git.
. "$(dirname "$0")/common.sh" "$@"

command -v git >/dev/null || exit 0 # sources without git have no commit
tree=$scratch/tree file=$scratch/commit.cpp
write() { quietly cmake -D source="$tree" -D file="$file" -P "$source/cmake/tamis_commit.cmake"; }
commit() {
    git -C "$tree" -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -qam "$1"
    git -C "$tree" rev-parse --short=12 HEAD
}

# An archive in somebody's repository has no commit.
git -C "$scratch" init -q
mkdir "$tree"
write
expect '"";' "$(<"$file")"

git -C "$tree" init -q
echo 1 >"$tree/a.txt"
git -C "$tree" add a.txt
expect "\"$(commit one && write)\";" "$(<"$file")"
touch -d 2000-01-01 "$file"
write
[[ $(stat -c %Y "$file") == $(date -d 2000-01-01 +%s) ]] || failed "an unchanged commit is written again"
echo 2 >"$tree/a.txt"
write
expect '-dirty";' "$(<"$file")"
expect "\"$(commit two && write)\";" "$(<"$file")"

# No git at all.
quietly env PATH=/nowhere "$(command -v cmake)" -D source="$tree" -D file="$file" -P "$source/cmake/tamis_commit.cmake"
expect '"";' "$(<"$file")"
