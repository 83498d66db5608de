#!/bin/sh
# mpi.sh: embed by mpirun, compared with one program's bytes: mpi.sh [LUA]. It builds a small model with --with-mpi in
# out/mpi. Without mpirun it is skipped, aloud. The last line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1

root=$PWD lua=${1:-lua5.4}
work=$root/out/mpi
passed=0
failed=0

count() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        echo "  ok   $1"
        passed=$((passed + 1))
    else
        cat "$work/log"
        echo "  FAIL $1"
        failed=$((failed + 1))
    fi
}

build() {
    mkdir -p "$work" && cd "$work" &&
        "$root/configure" --quiet --with-mpi --isa scalar --spec "$root/examples/encoder.lua" && ninja && cd "$root" &&
        "$lua" -e 'io.write(dofile("tests/examples/bert_tokenizer.lua")())' >"$work/tokenizer.json" &&
        "$work/out/bin/encoder" pack --allow-random 1 --tokenizer "$work/tokenizer.json" --output "$work/w.gap" &&
        "$lua" tests/cluster/corpus.lua >"$work/corpus.txt" &&
        "$work/out/bin/encoder" tokenize --weights "$work/w.gap" --text "$work/corpus.txt" >"$work/ids.txt"
}

# embed N INPUT FILE OUTPUT: N 0 is one program.
embed() {
    set -- "$1" "$work/out/bin/encoder" embed --weights "$work/w.gap" "$2" "$3" --cut --output "$4"
    n=$1
    shift
    if [ "$n" -gt 0 ]; then set -- mpirun -n "$n" "$@"; fi
    "$@"
}

same() { # N INPUT FILE ENDING
    embed 0 "$2" "$3" "$work/one.$4" && embed "$1" "$2" "$3" "$work/all.$4" && cmp "$work/one.$4" "$work/all.$4"
}

# One rank meets a text that is not UTF-8: all fail, and there is no file.
broken() {
    { cat "$work/corpus.txt" && printf '\377\n'; } >"$work/broken.txt"
    rm -f "$work/all.npy"
    ! embed 3 --text "$work/broken.txt" "$work/all.npy" && [ ! -e "$work/all.npy" ] && [ ! -e "$work/all.npy.mpi.tmp" ]
}

if ! command -v mpirun >/dev/null; then
    echo "  skipped: MPI: no mpirun (Debian: mpich libmpich-dev, or openmpi-bin libopenmpi-dev)"
    echo "0 passed, 0 failed"
    exit 0
fi
# Open MPI starts more processes than CPUs, and as root in a container, if it is told so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mkdir -p "$root/out"
if ! build >"$work.log" 2>&1; then
    cat "$work.log"
    echo "0 passed, 1 failed"
    exit 1
fi
for n in 1 2 8; do
    for ending in safetensors npy; do
        same "$n" --text "$work/corpus.txt" "$ending" >"$work/log" 2>&1
        count "$n ranks, texts to $ending" $?
    done
done
same 3 --tokens "$work/ids.txt" npy >"$work/log" 2>&1
count "3 ranks, token ids" $?
broken >"$work/log" 2>&1
count "a rank that fails" $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
