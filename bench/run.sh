#!/bin/sh
# run.sh: the benchmark against the peers, in a virtual environment of its own under out/bench-venv; arguments go to
# run.py (--help lists them). Measures nothing itself.
set -eu
cd "$(dirname "$0")/.."

venv=out/bench-venv
requirements=bench/requirements.txt
export PYTHONDONTWRITEBYTECODE=1

if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    echo "bench: installing the peers into $venv" >&2
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
    cp "$requirements" "$venv/requirements.txt"
fi
exec "$venv/bin/python" bench/run.py "$@"
