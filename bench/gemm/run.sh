#!/bin/sh
# run.sh: products of rows and weights alone, compared with OpenBLAS and oneDNN, in the benchmark's own virtual
# environment; arguments go to run.py (--help lists them). Measures nothing itself.
set -eu
cd "$(dirname "$0")/../.."

export PYTHONDONTWRITEBYTECODE=1
sh bench/install.sh out/bench-venv bench/requirements.txt
exec out/bench-venv/bin/python bench/gemm/run.py "$@"
