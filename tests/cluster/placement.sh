#!/bin/sh
# placement.sh: where ranks lie by hwloc (program/hwloc): the plan on machines that hwloc makes up, and what the system
# says of ranks that were bound by it: placement.sh [LUA]. The last line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1

. tests/cluster/mpi_build.sh

program=$work/out/bin/encoder

prepare() {
    "$lua" -e 'io.write(dofile("tests/examples/bert_tokenizer.lua")())' >"$work/tokenizer.json" &&
        "$program" pack --allow-random 1 --tokenizer "$work/tokenizer.json" --output "$work/w.gap" &&
        "$lua" tests/cluster/corpus.lua >"$work/corpus.txt" &&
        "$program" embed --weights "$work/w.gap" --text "$work/corpus.txt" --cut --output "$work/one.npy"
}

# plan NAME MACHINE RANKS PLACE...: on a machine in hwloc's words, ranks have these CPUs and NUMA nodes, CPUS:NODES.
plan() {
    name=$1 machine=$2 ranks=$3
    shift 3
    HWLOC_SYNTHETIC=$machine "$program" info ${ranks:+--ranks "$ranks"} >"$work/log" 2>&1 &&
        said=$(sed -n 's/^  rank .*: CPUs \(.*\), weights in NUMA nodes \(.*\)$/\1:\2/p' "$work/log") &&
        [ "$(echo "$said" | tr '\n' ' ')" = "$* " ]
    count "$name" $?
}

# bound RANK CPUS COMMAND...: while this rank of two is stopped, the system says that it runs on these CPUs; then it
# goes on, to the bytes of one program.
bound() {
    rank=$1 cpus=$2
    shift 2
    export SIGNAL=STOP DYING=MPI_Fetch_and_op DYING_RANK="$rank" DYING_PID="$work/bound.pid"
    rm -f "$DYING_PID" "$work/all.npy"
    "$MPIRUN" -bind-to none -n 2 env LD_PRELOAD="$work/dying.so" HWLOC_SYNTHETIC="pack:2 [numa] core:1 pu:1" \
        HWLOC_THISSYSTEM=1 "$@" "$program" embed --weights "$work/w.gap" --text "$work/corpus.txt" --cut \
        --output "$work/all.npy" &
    mpirun=$!
    while [ ! -s "$DYING_PID" ] && kill -0 "$mpirun"; do :; done
    pid=$(cat "$DYING_PID") &&
        until grep -q "^State:.T" "/proc/$pid/status"; do kill -0 "$pid" || return 1; done &&
        is=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$pid/status") &&
        echo "rank $rank has CPUs $is" && kill -CONT "$pid"
    wait "$mpirun" && [ "$is" = "$cpus" ] && cmp "$work/one.npy" "$work/all.npy"
}

build_or_end prepare
plan "a rank for each of two sockets" "pack:2 [numa] core:4 pu:1" "" 0-3:0 4-7:1
plan "sockets of two NUMA nodes" "pack:2 group:2 [numa] core:2 pu:1" "" 0-3:0-1 4-7:2-3
plan "a rank for each NUMA node" "pack:2 group:2 [numa] core:2 pu:1" 4 0-1:0 2-3:1 4-5:2 6-7:3
plan "eight ranks on two nodes" "pack:2 [numa] core:4 pu:1" 8 0-3:0 0-3:0 0-3:0 0-3:0 4-7:1 4-7:1 4-7:1 4-7:1
plan "more ranks than cores" "pack:2 [numa] core:1 pu:1" 5 0:0 0:0 0:0 1:1 1:1
plan "fewer ranks than nodes" "pack:3 [numa] core:1 pu:2" 2 0-1:0 2-5:1-2
plan "two memories of a socket" "pack:2 [numa] [numa] core:2 pu:1" 2 0-1:0 2-3:2
plan "memory without CPUs of its own" "[numa] pack:2 [numa] core:2 pu:1" 2 0-1:0 2-3:1
plan "one NUMA node" "pack:1 [numa] core:4 pu:1" 3 0-3:0 0-3:0 0-3:0
HWLOC_SYNTHETIC="pack:2 [numa] core:4 pu:1" "$program" info --ranks 2 --json >"$work/log" 2>&1 &&
    tr -d ' \n' <"$work/log" | grep -F '"machine":{"cpus":8,"sockets":2,"numa_nodes":2,"ranks":[' |
    grep -qF '{"cpus":"4-7","numa_nodes":"1","bound":false}]'
count "info --json" $?
if [ "$(nproc)" -lt 2 ]; then
    echo "  skipped: ranks that are bound: this machine has one CPU"
else
    bound 0 0 >"$work/log" 2>&1
    count "rank 0 is bound" $?
    bound 1 1 >"$work/log" 2>&1
    count "rank 1 is bound" $?
    bound 1 0 taskset -c 0 >"$work/log" 2>&1
    count "a rank that was bound before keeps its CPUs" $?
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
