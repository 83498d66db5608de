#!/bin/sh
# run.sh: the demo: gets and builds what it needs, then embeds sentences and searches them. Arguments go to search.py
# (--help lists them).
set -eu
cd "$(dirname "$0")/../.."

sh demo/minilm/setup.sh
exec out/minilm/venv/bin/python -B demo/minilm/search.py out/bin/minilm "$@"
