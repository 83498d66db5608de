#!/bin/sh
# ranks.sh: generate by mpirun, compared with one program's bytes, and ranks that differ, die or stop: ranks.sh [LUA].
# The last line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1

. tests/cluster/mpi_build.sh

program=$work/out/bin/ranks_104_8 other=$work/out/bin/ranks_other

prepare() {
    "$lua" tests/cluster/prompt.lua "$work/in" 1 3 &&
        "$lua" tests/cluster/prompt.lua "$work/in.2" 2 3 &&
        "$program" pack --allow-random 1 --output "$work/d.gap" &&
        "$program" pack --allow-random 2 --output "$work/d.2.gap" &&
        "$other" pack --allow-random 1 --output "$work/other.gap"
}

# The end of a command of generate: arguments WEIGHTS INPUT OUTPUT...
arguments() {
    weights=$1 input=$2 output=$3
    shift 3
    echo generate --weights "$work/$weights" --input "$work/$input" --output "$work/$output.safetensors" "$@"
}

# same N OPTION...: N ranks write what one program does.
same() {
    n=$1
    shift
    rm -f "$work/all.safetensors"
    # shellcheck disable=SC2046 # words of a command
    "$program" $(arguments d.gap in one "$@") && "$MPIRUN" -n "$n" "$program" $(arguments d.gap in all "$@") &&
        cmp "$work/one.safetensors" "$work/all.safetensors"
}

# refused TEXT PROGRAM ARGUMENT...: a second rank of this kind is named, all fail, and there is no file.
refused() {
    text=$1
    shift
    rm -f "$work/all.safetensors"
    # shellcheck disable=SC2046
    ! "$MPIRUN" -n 1 "$program" $(arguments d.gap in all) : -n 1 "$@" >"$work/said" 2>&1 &&
        grep -F "$text" "$work/said" && [ ! -e "$work/all.safetensors" ]
    status=$?
    cat "$work/said"
    return "$status"
}

# unlike COMMAND: each of two programs that another MPI's mpirun starts says so, and there is no file.
unlike() {
    rm -f "$work/all.safetensors"
    # shellcheck disable=SC2046
    ! timeout 60 "$1" -n 2 "$program" $(arguments d.gap in all) >"$work/said" 2>&1 &&
        grep -F "expected the mpirun of the MPI that this program links" "$work/said" &&
        [ ! -e "$work/all.safetensors" ]
    status=$?
    cat "$work/said"
    return "$status"
}

# What three ranks say before they begin, of a model with 4 key heads.
planned() {
    # shellcheck disable=SC2046
    "$MPIRUN" -n 3 "$program" $(arguments d.gap in all) 2>&1 >/dev/null | tee "$work/said"
    [ "$(grep -cE "3 ranks divide .* 4 key heads, 1 to 2 each; predicted for a token: .* and .* 9 gathers" \
        "$work/said")" -eq 1 ]
}

build_or_end prepare
for n in 1 2 3 4 8; do
    same "$n" --new 40 >"$work/log" 2>&1
    count "$n ranks, the most likely tokens" $?
    same "$n" --new 40 --temperature 1 --seed 7 >"$work/log" 2>&1
    count "$n ranks, drawn tokens" $?
done
same 2 --threads 2 --recompute --new 4 >"$work/log" 2>&1
count "2 ranks of 2 threads, all rows again" $?
planned >"$work/log" 2>&1
count "how 3 ranks divide a model, and a token's predicted time" $?
# MPICH then acts as if each rank were on a node of its own.
MPIR_CVAR_NOLOCAL=1 same 4 --temperature 1 >"$work/log" 2>&1
count "4 ranks, by messages" $?

# shellcheck disable=SC2046
{
    refused "rank 1 has another spec than rank 0" "$other" $(arguments other.gap in all) >"$work/log" 2>&1
    count "a rank with another spec" $?
    refused "rank 1 has other weights than rank 0" "$program" $(arguments d.2.gap in all) >"$work/log" 2>&1
    count "a rank with other weights" $?
    refused "rank 1 has other tokens or options than rank 0" "$program" $(arguments d.gap in.2 all) >"$work/log" 2>&1
    count "a rank with other tokens" $?
    refused "rank 1 has other tokens or options than rank 0" "$program" $(arguments d.gap in all --seed 5) \
        >"$work/log" 2>&1
    count "a rank with another seed" $?
    refused "none.gap" "$program" $(arguments none.gap in all) >"$work/log" 2>&1
    count "a rank without weights" $?
}
if [ -n "${OTHER_MPIRUN-}" ]; then
    unlike "$OTHER_MPIRUN" >"$work/log" 2>&1
    count "programs that $OTHER_MPIRUN starts" $?
fi
# A phase is a function that a rank calls in it, the rank, and which of the calls. A rank that is stopped at the end of
# its output is not tried: Open MPI wakes it to end it, so it may still give the file, which is whole, its name.
for phase in "open 0 1 opens weights" "open 1 1 opens weights" "MPI_Iallgather 1 1 compares" \
    "MPI_Barrier 1 2 makes its board" "MPI_Wtime 0 1 begins to gather" "MPI_Wtime 2 1 begins to gather" \
    "MPI_Wtime 1 200 adds tokens" "linkat 0 1 ends its output"; do
    signals="KILL STOP"
    case $phase in linkat*) signals=KILL ;; esac
    # shellcheck disable=SC2046,SC2086 # words
    for signal in $signals; do
        set -- $phase
        export DYING_CALL="$3"
        if [ $signal = STOP ]; then limit=4; else limit=30; fi # a busy machine starts ranks seconds apart
        lost $signal "$1" "$2" "$work/all.safetensors" "$program" $(arguments d.gap in all --new 40 --timeout $limit) \
            >"$work/log" 2>&1
        count "a rank that gets SIG$signal: $phase" $?
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
