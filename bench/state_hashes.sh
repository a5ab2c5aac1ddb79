#!/usr/bin/env bash
# Makes the sample runs of all models and prints `hash  command` of each: the hash of the last state, or, of a study,
# that of its tables. Where these lines are the same before and after a change, it has changed no bit.
#
#     bench/state_hashes.sh [FOLDER OF THE PROGRAMS]        build/release/bin unless given
set -euo pipefail
root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
bin=$(readlink -f "${1:-$root/build/release/bin}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export TAMIS_PACKINGS=$scratch/packings # made anew

for file in "$root"/models/*.cpp; do
    model=$(basename "$file" .cpp)
    frames=(--frames 0)
    if grep -q '^ *study(' "$file"; then frames=(); fi # has none
    sed -nE "s|^//( +Sample runs:)? +($model( --.*)?)$|\2|p" "$file" | while read -ra words; do
        hash=failed
        if "$bin/$model" "${words[@]:1}" --quiet "${frames[@]}" --out out </dev/null; then
            hash=$(grep -m 1 -oP '"state_hash": "\K\w+' out/summary.json ||
                find out -name '*.csv' -print0 | sort -z | xargs -0 cat | sha256sum | head -c 16)
        fi
        printf '%-16s  %s\n' "$hash" "${words[*]}"
        rm -rf out
    done
done
