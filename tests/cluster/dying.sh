#!/bin/sh
# dying.sh: $REAL_PROGRAM, which for shard 1 dies the first time in the middle of a block, at a size of its file, and
# takes the process that started it along. $KILLED is a folder that is made then.
case "$*" in *" --shard 1/"*)
    if mkdir "$KILLED" 2>/dev/null; then
        (ulimit -f 12 && exec "$REAL_PROGRAM" "$@")
        kill -9 "$PPID"
        exit 1
    fi
    ;;
esac
exec "$REAL_PROGRAM" "$@"
