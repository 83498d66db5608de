#!/bin/sh
# run.sh: measures ranks on this machine: gathers between two of them, through shared memory and by messages (MPICH,
# which then acts as if each were on a node of its own), and tokens a second of one process and of two ranks. It builds
# bench/ranks/decoder.lua with --with-mpi in out/ranks_bench. network.sh measures messages over TCP.
# docs/scaling.md has the figures.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD work=$PWD/out/ranks_bench
mkdir -p "$work"
mpicc -O2 -std=c11 -I program/io -I runtime/include/genattn -I program/mpi bench/ranks/gather.c program/mpi/*.c \
    -o "$work/gather"
(cd "$work" && "$root/configure" --quiet --with-mpi --spec "$root/bench/ranks/decoder.lua" && ninja >build.log)
program=$work/out/bin/decoder
[ -e "$work/w.gap" ] || "$program" pack --allow-random 1 --output "$work/w.gap"
lua5.4 tests/cluster/prompt.lua "$work/in" 1 1

echo "== gathers through shared memory"
mpirun -n 2 "$work/gather"
echo "== gathers by messages, within this machine"
MPIR_CVAR_NOLOCAL=1 mpirun -n 2 "$work/gather"
for command in "$program" "$program threads" "mpirun -n 2 $program"; do
    echo "== generate: $command"
    case $command in *threads) more="--threads 2" ;; *) more= ;; esac
    for new in 20 220; do
        # shellcheck disable=SC2086 # words of a command
        /usr/bin/env time -f "$new tokens: %e s, %M KiB" ${command% threads} generate --weights "$work/w.gap" \
            --trust-weights --input "$work/in" --output "$work/more.safetensors" --new $new $more >/dev/null
    done
done
