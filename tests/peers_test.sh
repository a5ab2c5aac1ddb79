#!/usr/bin/env bash
# `tamis peers`: what it says with MBDyn and without, and of a build. peers_test.sh ROOT BUILD
set -euo pipefail
root=$1 build=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

says() { # regular expression, command
    local said
    said=$("${@:2}" 2>&1) || said+="; and it fails"
    [[ $said =~ $1 ]] || {
        printf "'%s' does not say '%s' but:\n%s\n" "${*:2}" "$1" "$said"
        exit 1
    }
}
without=$folder/bin
mkdir "$without" "$folder/mbdyn"
for program in bash dirname readlink basename grep head sed cat printf timeout pkg-config env; do
    ln -s "$(command -v "$program")" "$without/$program"
done
peers() { PATH=$1 TAMIS_BUILD=$2 "$root/tamis" peers "${@:3}"; }
says 'MBDyn is not on the PATH' peers "$without" "$build"
says '(FMI 2.0 and 3.0, with libzip [0-9]|FMI is not built in)' peers "$without" "$build"
says '(Simbody [0-9]|Simbody is not built in)' peers "$without" "$build"
printf '#!/bin/sh\necho "MBDyn - MultiBody Dynamics 1.7.3"\n' >"$folder/mbdyn/mbdyn"
chmod +x "$folder/mbdyn/mbdyn"
says "MBDyn 1.7.3, $folder/mbdyn/mbdyn" peers "$folder/mbdyn:$without" "$build"
printf '#!/bin/sh\nexit 3\n' >"$folder/mbdyn/mbdyn"
says 'MBDyn of an unknown version' peers "$folder/mbdyn:$without" "$build"
mkdir "$folder/build"
printf 'pugixml_DIR:PATH=pugixml_DIR-NOTFOUND\nSimbody_DIR:PATH=Simbody_DIR-NOTFOUND\n' >"$folder/build/CMakeCache.txt"
says 'FMI is not built in.*libzip-dev.*Simbody is not built in.*libsimbody-dev' peers "$without" "$folder/build"
says "'tamis peers' has no options; and it fails" peers "$without" "$build" --all
