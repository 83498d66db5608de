#!/bin/sh
# run.sh: the benchmark against the peers, in a virtual environment of its own under out/bench-venv; arguments go to
# run.py (--help lists them). Packages that only some variants need are tried once, and may be missing. Measures nothing
# itself.
set -eu
cd "$(dirname "$0")/.."

venv=out/bench-venv
export PYTHONDONTWRITEBYTECODE=1

# Before anything is installed: helps, refuses wrong arguments, and says which llama.cpp the others ask for.
case " $* " in
*" -h "* | *" --help "*) exec python3 bench/options.py --help ;;
esac
asked=$(python3 bench/options.py "$@")

sh bench/install.sh "$venv" bench/requirements.txt

# optional NAME [ISA]: installs requirements-NAME.txt where that was not tried before.
optional() {
    list=bench/requirements-$1.txt folder=$venv${2:+/$2}
    if ! sh bench/install.sh "$venv" "$list" "${2:-}"; then
        echo "bench: $1 could not be installed: its variants are left out" >&2
        echo "bench: delete $folder/requirements-$1.txt to try again" >&2
        mkdir -p "$folder" && cp "$list" "$folder"
    fi
}

optional nncf
# llama.cpp is built from source, which takes minutes.
case "$asked" in
"llamacpp avx2vnni") optional llamacpp avx2vnni ;;
"llamacpp avx2") optional llamacpp avx2 ;;
llamacpp) optional llamacpp ;;
esac
exec "$venv/bin/python" bench/run.py "$@"
