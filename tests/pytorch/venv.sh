#!/bin/sh
# venv.sh: makes the virtual environment of the comparisons with PyTorch, out/pytorch/venv, where it is not what
# requirements.txt asks for.
set -eu
cd "$(dirname "$0")/../.."

venv=out/pytorch/venv

if ! cmp -s tests/pytorch/requirements.txt "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/pytorch/requirements.txt
    cp tests/pytorch/requirements.txt "$venv/requirements.txt"
fi
