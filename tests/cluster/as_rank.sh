#!/bin/sh
# as_rank.sh: runs $REAL_PROGRAM with these arguments as a rank that mpirun started. Rank 1 gets the signal $SIGNAL when
# it has computed for half a second. $PIDS is a folder in which each rank leaves its process.
set -u
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}

# Hundredths of a second that a process has computed; nothing when it has ended.
computed() {
    cut -d ' ' -f 14 "/proc/$1/stat" 2>/dev/null
}

"$REAL_PROGRAM" "$@" &
pid=$!
echo "$pid" >"$PIDS/$rank"
if [ "$rank" -eq 1 ]; then
    while ticks=$(computed "$pid") && [ "$ticks" -lt 50 ]; do :; done
    kill -s "$SIGNAL" "$pid"
fi
wait "$pid"
