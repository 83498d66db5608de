#!/bin/sh
# run.sh: the benchmark against the peers, in a virtual environment of its own under out/bench-venv; arguments go to
# run.py (--help lists them). Measures nothing itself.
set -eu
cd "$(dirname "$0")/.."

venv=out/bench-venv
requirements=bench/requirements.txt
export PYTHONDONTWRITEBYTECODE=1

# PyTorch's own index holds the build for CPUs, a tenth of the size of PyPI's default; where it cannot be reached PyPI
# serves as well. --no-deps: nothing else is to come from there.
install_torch() {
    torch=$(grep '^torch==' "$requirements")
    "$venv/bin/pip" install --quiet --retries 1 --no-deps --index-url https://download.pytorch.org/whl/cpu "$torch" ||
        echo "bench: $torch comes from PyPI, in its large build" >&2
}

if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    echo "bench: installing the peers into $venv" >&2
    python3 -m venv "$venv"
    install_torch
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
    cp "$requirements" "$venv/requirements.txt"
fi
exec "$venv/bin/python" bench/run.py "$@"
