#!/bin/sh
# run.sh: the benchmark against the peers, in a virtual environment of its own under out/bench-venv; arguments go to
# run.py (--help lists them). Packages that only some variants need are tried once, and may be missing. Measures nothing
# itself.
set -eu
cd "$(dirname "$0")/.."

venv=out/bench-venv
export PYTHONDONTWRITEBYTECODE=1

sh bench/install.sh "$venv" bench/requirements.txt

# optional NAME: installs requirements-NAME.txt where that was not tried before.
optional() {
    list=bench/requirements-$1.txt
    if ! cmp -s "$list" "$venv/requirements-$1.txt"; then
        echo "bench: installing $1 into $venv; delete $venv/requirements-$1.txt to try again" >&2
        "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$list" >&2 ||
            echo "bench: $1 could not be installed: its variants are left out" >&2
        cp "$list" "$venv/requirements-$1.txt"
    fi
}

optional nncf
# llama.cpp is built from source, which takes minutes, for this machine; it runs whole models alone.
case " $* " in
*models*) CMAKE_ARGS="${CMAKE_ARGS:--DGGML_NATIVE=ON}" optional llamacpp ;;
esac
exec "$venv/bin/python" bench/run.py "$@"
