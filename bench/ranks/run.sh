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

# seconds NEW COMMAND...: of generating NEW tokens.
seconds() {
    new=$1
    shift
    begun=$(date +%s.%N)
    # shellcheck disable=SC2086 # words
    "$@" generate --weights "$work/w.gap" --trust-weights --input "$work/in" --output "$work/more.safetensors" \
        --new "$new" $more >/dev/null 2>&1
    echo "$(date +%s.%N) $begun" | awk '{ printf "%.3f ", $1 - $2 }'
}

# each MORE COMMAND...: seconds of 10 and of 110 tokens; the difference is without loading.
each() {
    more=$1
    shift
    seconds 10 "$@"
    seconds 110 "$@"
}

echo "== tokens a second, in turns: one rank, two ranks, two threads; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
for round in 1 2 3 4 5 6; do
    { each "" taskset -c 0 "$program" && each "" mpirun -bind-to user:0,1 -n 2 "$program" &&
        each "--threads 2" "$program"; } |
        awk -v round="$round" '{ a = $2 - $1; b = $4 - $3; c = $6 - $5
            printf "%d: %.1f, %.1f (%.2f times), %.1f (%.2f times)\n", round, 100 / a, 100 / b, a / b, 100 / c, a / c }'
done
