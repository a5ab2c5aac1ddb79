#!/usr/bin/env bash
# Configures Tamis as a part of another project, which gets its libraries and nothing else.
. "$(dirname "$0")/common.sh" "$@"

cat >"$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(outer LANGUAGES C CXX)
add_subdirectory($source tamis)
tamis_add_model(falling_ball)
add_executable(own_loop own_loop.cpp)
target_link_libraries(own_loop PRIVATE tamis::tamis)
END
cp "$source"/examples/{own_loop,falling_ball}.cpp "$scratch"
quietly cmake -G Ninja -S "$scratch" -B "$scratch/build"
targets=$(ninja -C "$scratch/build" -t targets all)
expect '^falling_ball: ' "$targets"
! grep -Eq '^(test_|bench_|pendulum:)' <<<"$targets" || failed "models, tests or benchmarks of Tamis are built"
# One file compiles with the flags that the library hands on.
quietly ninja -C "$scratch/build" CMakeFiles/own_loop.dir/own_loop.cpp.o
