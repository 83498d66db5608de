#!/bin/sh
# run.sh: the demo: gets and builds what it needs, then embeds sentences, searches them, and times a fresh process.
# Arguments go to search.py (--help lists them).
set -eu
cd "$(dirname "$0")/../.."

sh demo/minilm/setup.sh
out/minilm/venv/bin/python -B demo/minilm/search.py out/bin/minilm "$@"
exec out/minilm/venv/bin/python -B demo/minilm/start.py out/bin/minilm
