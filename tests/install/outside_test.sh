#!/usr/bin/env bash
# Installs Tamis, moves it elsewhere, and builds and runs the examples there, outside the tree.
. "$(dirname "$0")/common.sh" "$@"

quietly cmake --install "$build" --prefix "$scratch/installed"
mv "$scratch/installed" "$scratch/prefix"
[[ -z $(find "$scratch/prefix" -type l) ]] || failed "links are installed"
! grep -rl -e "$source" -e "$build" "$scratch/prefix" --include='*.cmake' || failed "the package refers to the tree"
# Eigen must align in a program as it does in the library, whatever the program is compiled for.
expect 'EIGEN_MAX_ALIGN_BYTES=[0-9]+"' "$(cat "$scratch"/prefix/lib*/cmake/tamis/tamisTargets.cmake)"

cp -r "$source/examples" "$scratch/project"
cd "$scratch/project"
quietly cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$scratch/prefix"
quietly cmake --build build

# Pushed by 4 N over 0.5 m the cart of 2 kg has sqrt(2) m/s, up to 2 mm/s more since the loop looks once in a step of
# 1 ms; it hits the wall after sqrt(1/2) + 0.5 / sqrt(2) s with an impulse of 2 kg (1 + 1/2) v.
said=$(build/own_loop)
expect '^t = 1\.06[01] s: hit with 4\.24[3-8] N s, -1\.41[4-6] m/s -> 0\.70[78] m/s$' "$said"
expect '^at the end: .* energy 0\.50[01] J$' "$said"

said=$(build/two_models 2>&1) && failed "two models without the name of one must be a mistake"
expect '^  falling_ball ' "$said"
expect '^  sliding_block ' "$said"
build/two_models falling_ball --quiet --frames 1 --out ball
build/two_models sliding_block --quiet --frames 1 --out block
# A block of 2 m/s with a friction of 0.3 comes to rest after v^2 / (2 mu g) = 0.6796 m.
expect '^1(\.0*)?,0\.6[78]' "$(tail -n 1 block/histories.csv)"

# Where there is Simbody: the balls in the box on a pendulum, which starts at 0.5 rad and has a period of 1.1 s.
if grep -q '^Simbody_DIR:PATH=/' "$build/CMakeCache.txt"; then
    said=$(build/simbody_damper)
    expect '^at 1\.00 s: angle -?0\.[0-4][0-9]* rad, force of the balls [0-9]+\.[0-9]+ N$' "$said"
fi
