#!/bin/sh
# parallel.sh: all shards by GNU parallel, then the merged file: parallel.sh N PROGRAM WEIGHTS CORPUS OUTPUT. Shards are
# OUTPUT.K. $PARALLEL holds further options of parallel, such as --sshloginfile for machines that share these files.
set -eu

n=$1 program=$2 weights=$3 corpus=$4 output=$5
seq 0 "$((n - 1))" | parallel --will-cite --quote --retries 3 --halt soon,fail=1 \
    "$program" embed --weights "$weights" --text "$corpus" --shard "{}/$n" --resume --output "$output.{}"

set --
k=0
while [ "$k" -lt "$n" ]; do
    set -- "$@" "$output.$k"
    k=$((k + 1))
done
exec "$program" embed --merge "$@" --output "$output"
