#!/bin/sh
# minilm.sh: holds the demo's program, out/bin/minilm, against all-MiniLM-L6-v2 in transformers. The last line is
# 'N passed, N failed'. Where the package with the model cannot be had it says so and counts nothing.
set -eu
cd "$(dirname "$0")/../.."

export PYTHONDONTWRITEBYTECODE=1
readonly CANNOT_GET=77 # from setup.sh

status=0
sh demo/minilm/setup.sh "$@" || status=$?
if [ "$status" -eq "$CANNOT_GET" ]; then
    echo "SKIPPED: all-MiniLM-L6-v2 was compared with nothing"
    echo "0 passed, 0 failed"
    exit 0
elif [ "$status" -ne 0 ]; then
    exit "$status"
fi
sh tests/pytorch/venv.sh
exec out/pytorch/venv/bin/python tests/pytorch/minilm.py out/bin/minilm out/minilm/model
