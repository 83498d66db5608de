#!/bin/sh
# combinations.sh: builds the models of combinations.lua, for scalar and the best instruction set of this CPU, in a tree
# of their own under out/combinations, and holds them against the generic kernel with a part of the usual work.
# Arguments go to ./configure (CC=clang). The last line is 'N passed, N failed', models counted.
set -eu
cd "$(dirname "$0")/.."

lua=${LUA:-lua5.4}
effort=15 # percent
tree=out/combinations/tree

best_isa() {
    if grep -qw avx512dq /proc/cpuinfo && grep -qw avx512vl /proc/cpuinfo; then
        echo avx512,scalar
    elif grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
        echo avx2,scalar
    else
        echo scalar
    fi
}

mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
tar -cf - --exclude=./out --exclude=./.git . | tar -xf - -C "$tree"
cd "$tree"
mkdir -p out/combinations
rm -f out/combinations/*.lua
"$lua" tests/combinations.lua out/combinations >out/combinations/list
while read -r spec; do set -- "$@" "--spec=$spec"; done <out/combinations/list
./configure --isa "$(best_isa)" "LUA=$lua" "$@" >out/combinations/configure.log
ninja --quiet out/test/configured_plain
models=$(wc -l <out/combinations/list)
if out/test/configured_plain $effort; then
    echo "$models passed, 0 failed"
else
    echo "0 passed, $models failed"
    exit 1
fi
