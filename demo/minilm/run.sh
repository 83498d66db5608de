#!/bin/sh
# run.sh: the demo: gets and builds what it needs, then has the program search the sentences for queries.txt. Arguments
# go to `search` in place of that file: run.sh "your own words", run.sh --top 10 "these" "and those".
set -eu
cd "$(dirname "$0")/../.."

search() {
    out/bin/minilm search --weights out/minilm/model --corpus demo/minilm/sentences.txt \
        --index out/minilm/sentences.safetensors --threads all "$@"
}

sh demo/minilm/setup.sh
if [ $# -gt 0 ]; then
    search "$@"
else
    search --top 4 <demo/minilm/queries.txt
fi
