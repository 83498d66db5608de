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
    if ! sh bench/install.sh "$venv" "$list"; then
        echo "bench: $1 could not be installed: its variants are left out" >&2
        echo "bench: delete $venv/requirements-$1.txt to try again" >&2
        cp "$list" "$venv"
    fi
}

optional nncf
# llama.cpp is built from source, which takes minutes, for this machine; it runs whole models alone.
case " $* " in
*models*) optional llamacpp ;;
esac
exec "$venv/bin/python" bench/run.py "$@"
