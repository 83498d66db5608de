#!/bin/sh
# minilm.sh: holds the demo's program, out/bin/minilm, against all-MiniLM-L6-v2 in transformers and, to the bit, against
# its row of tests/bits/bits.txt; and its Python wheel against sentence_transformers. The last line is 'N passed, N
# failed'. Where the package with the model cannot be had it says so and counts nothing; where sentence_transformers
# cannot, minilm.py says so.
set -eu
cd "$(dirname "$0")/../.."

export PYTHONDONTWRITEBYTECODE=1
readonly CANNOT_GET=77 # from setup.sh

status=0
sh demo/minilm/setup.sh --python "$@" || status=$?
if [ "$status" -eq "$CANNOT_GET" ]; then
    echo "SKIPPED: all-MiniLM-L6-v2 was compared with nothing"
    echo "0 passed, 0 failed"
    exit 0
elif [ "$status" -ne 0 ]; then
    exit "$status"
fi
lua=${LUA:-lua5.4}
"$lua" tests/bits/bits.lua check "$lua tests/bits/minilm.lua"
sh tests/pytorch/venv.sh
(cd out/minilm/build && ninja wheel_minilm >>build.log)
rm -rf out/minilm/site
python3 -m zipfile -e out/minilm/build/out/python/minilm-*.whl out/minilm/site

# A few packages of some 200 MB beside PyTorch, which stays what requirements.txt asks for.
venv=out/pytorch/venv
wanted=tests/pytorch/sentence_transformers.txt
if ! cmp -s "$wanted" "$venv/sentence_transformers.txt" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/pytorch/requirements.txt \
        --requirement "$wanted"; then
    cp "$wanted" "$venv/sentence_transformers.txt"
fi
exec "$venv/bin/python" tests/pytorch/minilm.py out/bin/minilm out/minilm/model out/minilm/site
