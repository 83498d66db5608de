#!/bin/sh
# install.sh VENV LIST: the packages of a list into a Python environment, which is made where there is none; nothing
# where they were installed before. Builds llama.cpp, which is one of them, for this CPU.
set -eu
venv=$1 list=$2 done=$1/$(basename "$2")

if ! cmp -s "$list" "$done"; then
    echo "installing $list into $venv" >&2
    [ -d "$venv" ] || python3 -m venv "$venv"
    case "$list" in
    *llamacpp*) CMAKE_ARGS=$(sh "$(dirname "$0")/cmake_args.sh") && export CMAKE_ARGS ;;
    esac
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$list" >&2
    cp "$list" "$done"
fi
