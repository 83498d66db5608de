#!/bin/sh
# mpi.sh: embed by mpirun, compared with one program's bytes: mpi.sh [LUA]. The last
# line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1

. tests/cluster/mpi_build.sh

prepare() {
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
    if [ "$n" -gt 0 ]; then set -- "$MPIRUN" -n "$n" "$@"; fi
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

build_or_end prepare
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
for phase in "MPI_Fetch_and_op 1 claims a block" "MPI_File_write_at 0 writes"; do
    # shellcheck disable=SC2086 # words
    set -- $phase
    lost KILL "$1" "$2" "$work/all.npy" "$work/out/bin/encoder" embed --weights "$work/w.gap" \
        --text "$work/corpus.txt" --cut --output "$work/all.npy" >"$work/log" 2>&1
    count "a rank that dies: $phase" $?
done
for phase in "MPI_Fetch_and_op 1 claims a block" "MPI_Fetch_and_op 0 claims a block" "MPI_File_write_at 2 writes" \
    "MPI_File_open 1 opens the file" "MPI_File_close 0 closes it"; do
    # shellcheck disable=SC2086 # words
    set -- $phase
    lost STOP "$1" "$2" "$work/all.npy" "$work/out/bin/encoder" embed --weights "$work/w.gap" \
        --text "$work/corpus.txt" --cut --timeout 4 --output "$work/all.npy" >"$work/log" 2>&1
    count "a rank that stops: $phase" $?
done
"$work/out/bin/encoder" embed --help >"$work/log" && grep -q "^  --timeout" "$work/log"
count "--help has --timeout" $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
