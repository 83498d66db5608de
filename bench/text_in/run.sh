#!/bin/sh
# run.sh: sentences in, vectors out: gets the model and the peers, builds our programs and wheels of it, and measures
# all of them in turn; arguments go to run.py (--help lists them). Everything lies under out/bench/text_in and
# out/bench/text_in_venv. Measures nothing itself.
set -eu
cd "$(dirname "$0")/../.."

here=bench/text_in
work=out/bench/text_in
venv=out/bench/text_in_venv
export PYTHONDONTWRITEBYTECODE=1

sh demo/minilm/setup.sh
model=$(cd out/minilm/model && pwd -P)
sh bench/install.sh "$venv" $here/requirements.txt
sh bench/install.sh "$venv" bench/requirements-llamacpp.txt ||
    echo "bench-text-in: llama.cpp could not be built: its rows are left out" >&2

# The same model three times, in a build of its own: what the user configured stays as it is.
for dtype in f32 bf16 int8; do
    mkdir -p "$work/$dtype"
    (
        cd "$work/$dtype"
        ../../../../configure --from-hf "$model" --name minilm --dtype $dtype --python >build.log
        ninja >>build.log || {
            tail -n 40 build.log >&2
            exit 1
        }
    )
    rm -rf "$work/$dtype/site"
    python3 -m zipfile -e "$work/$dtype"/out/python/minilm-*.whl "$work/$dtype/site"
    "$work/$dtype/out/bin/minilm" pack --weights "$model" --output "$work/$dtype/minilm.gap" >/dev/null
done
exec "$venv/bin/python" $here/run.py --model "$model" --work "$work" "$@"
