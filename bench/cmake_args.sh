#!/bin/sh
# cmake_args.sh [ISA]: prints what CMake is told where llama.cpp is built: for this CPU, by a compiler that gets it
# right, or what CMAKE_ARGS in the environment says instead; with ISA after that for the CPU that --isa of the benchmark
# means.
set -eu

# Not for this CPU, llama.cpp is for one with AVX2, FMA, F16C and BMI2.
case ${1:-} in
avx2) echo "${CMAKE_ARGS:-} -DGGML_NATIVE=OFF" && exit ;;
avx2vnni) echo "${CMAKE_ARGS:-} -DGGML_NATIVE=OFF -DGGML_AVX_VNNI=ON" && exit ;;
esac
if [ -n "${CMAKE_ARGS:-}" ]; then
    echo "$CMAKE_ARGS"
    exit
fi
args=-DGGML_NATIVE=ON
# gcc before 12.4 and 13.3 supposes that AMX's _tile_loadconfig reads 8 bytes of 64 (GCC bug 114098), and leaves out
# stores of the others: llama.cpp then stops with a general protection fault. clang is right.
if grep -qw amx_tile /proc/cpuinfo 2>/dev/null; then
    if command -v clang++ >/dev/null; then
        args="$args -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++"
    else
        echo "bench: llama.cpp is built without AMX, as there is no clang" >&2
        off="-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
        args="$args '-DCMAKE_C_FLAGS=$off' '-DCMAKE_CXX_FLAGS=$off'"
    fi
fi
echo "$args"
