#!/usr/bin/env bash
# A model of a user: written, run from elsewhere, changed, broken; its equations.
. "$(dirname "$0")/common.sh" "$@"
export TAMIS_BUILD=$build
tamis=$source/tamis
mkdir "$scratch/my models"
cd "$scratch/my models"

refuses() { # status, pattern, command
    local status=0 said
    said=$("${@:3}" 2>&1) || status=$?
    ((status == $1)) || failed "'${*:3}' ends with $status, not $1: $said"
    expect "$2" "$said"
}

expect '^tamis [0-9]+\.[0-9]+\.[0-9]+$' "$("$tamis" --version)"
for command in new list run analyse fmu equations plot pictures movie report compare sweep study peers test bench \
    build docs; do
    expect "^tamis $command" "$("$tamis" "$command" --help)"
done
quietly "$tamis" pictures tamping --help
quietly "$tamis" pictures --gallery --help
quietly "$tamis" pictures pendulum --help
quietly "$tamis" movie pendulum --help
quietly "$tamis" report pendulum --help
quietly "$tamis" study dampers --help
quietly "$tamis" compare pendulum --help
quietly "$tamis" sweep pendulum --help
refuses 2 "sweep of which model" "$tamis" sweep --vary a=1,2
refuses 2 "there is no study 'damper_desing' \(did you mean 'damper_design'" "$tamis" study damper_desing

quietly "$tamis" new swing
before=$(<swing.cpp)
refuses 1 "there is a file 'swing.cpp'" "$tamis" new swing
[[ $(<swing.cpp) == "$before" ]] || failed "a model was overwritten"
refuses 2 "cannot be the name" "$tamis" new ../swing
refuses 1 "Tamis has a model 'pendulum'" "$tamis" new pendulum
refuses 2 "there is no file 'absent.cpp'" "$tamis" run absent.cpp
refuses 2 "there is no command 'equation' \(did you mean 'equations'\?\)" "$tamis" equation swing.cpp
refuses 2 "there is no model 'pendulun' \(did you mean 'pendulum'\?\)" "$tamis" run pendulun

cd "$scratch"
quietly "$tamis" run "my models/swing.cpp" --quiet --t-end 0.1 --frames 2 --out results
[[ -f results/swing.pvd ]] || failed "--out is not relative to where the user is"
library=$build/model_host/swing-$(readlink -f "my models/swing.cpp" | sha256sum | head -c 12)/model.so
[[ -f $library ]] || failed "the model is not in '$library'"
trap 'rm -rf "$scratch" "${library%/*}"' EXIT
built=$(stat -c %Y.%i "$library")
cd "my models"
said=$("$tamis" run swing --t-end 0.1 --no-output 2>&1)
expect "running swing.cpp of this folder" "$said"
[[ $(stat -c %Y.%i "$library") == "$built" ]] || failed "an unchanged model was compiled again"

sed -i 's/record("energy"/record("twice", [=](const View\& now) { return 2 * now.q(angle); });\n    &/' swing.cpp
quietly "$tamis" run swing.cpp --quiet --t-end 0.1 --frames 0
expect ',twice,' "$(head -n 1 out/swing/histories.csv)"

refuses 0 '^ *dynamics ' "$tamis" equations swing.cpp --length 2 --out swing.c
quietly cc -std=c99 -Wall -Wextra -Werror -pedantic -c swing.c
refuses 0 'swing_equations.c' "$tamis" equations swing

sed -i 's/hinge_z()/hinge_zz()/' swing.cpp
refuses 1 "swing.cpp:[0-9]+:.*hinge_zz" "$tamis" run swing.cpp

# MBDyn on the PATH, here a stand-in that says what it was asked for, is started with the model's own input; one that is
# to be met elsewhere is not.
mkdir "$scratch/bin"
printf '#!/bin/sh\necho "asked for $*"\nexit 1\n' >"$scratch/bin/mbdyn"
chmod +x "$scratch/bin/mbdyn"
damper=("$tamis" run particle_damper --particles 6 --height 0.02 --quiet --out mbdyn --peer mbdyn)
(
    PATH=$scratch/bin:$PATH
    refuses 1 "asked for -f $source/models/mbdyn/particle_damper.mbd -o mbdyn/mbdyn" "${damper[@]}"
    refuses 1 "Nobody listens at 'elsewhere.sock'" "${damper[@]}" --socket elsewhere.sock --peer-timeout 0.1
) || exit 1
if ! command -v mbdyn >/dev/null; then
    refuses 2 "--peer mbdyn needs --socket PATH" "${damper[@]}"
fi

# FMUs as a user makes them, of a model of Tamis and of a file, unpacked and driven by a master in C.
if [[ -x $build/bin/fmu_master ]]; then
    sed -i 's/hinge_zz()/hinge_z()/' swing.cpp
    refuses 2 "does not tell where it may be cut" "$tamis" fmu swing.cpp -o swing.fmu
    cp "$source/tests/fmi/rattle.cpp" own_box.cpp
    sed -i 's/TAMIS_MODEL(rattle/TAMIS_MODEL(own_box/' own_box.cpp
    quietly "$tamis" fmu particle_damper --particles 6 --height 0.02 -o damper.fmu
    quietly "$tamis" fmu own_box.cpp --balls 3 -o "own box.fmu"
    for fmu in damper "own box"; do
        mkdir "$fmu"
        (cd "$fmu" && quietly cmake -E tar xf "../$fmu.fmu")
        forces=$("$build/bin/fmu_master" "$PWD/$fmu" 100 1e-3) || failed "the FMU '$fmu' cannot be driven"
        [[ $(wc -l <<<"$forces") == 100 ]] || failed "the FMU '$fmu' has not made its steps: $forces"
        (($(awk '$3 < 0' <<<"$forces" | wc -l) > 50)) || failed "no grains weigh on the box of '$fmu': $forces"
    done
fi
