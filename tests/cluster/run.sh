#!/bin/sh
# run.sh: the recipes of examples/cluster, each compared with one program's bytes: run.sh [LUA]. It builds a small model
# with a wheel in out/cluster. $CLUSTER_PYTHON is a Python that may have engines. An engine that is not installed is
# skipped, aloud. The last line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1

root=$PWD lua=${1:-lua5.4} python=${CLUSTER_PYTHON:-python3}
work=$root/out/cluster
recipes=$root/examples/cluster
passed=0
failed=0

# check NAME COMMAND...: a recipe that writes $work/NAME, whose bytes are those of the file of the same ending.
check() {
    name=$1
    shift
    rm -f "$work/$name" "$work/$name".[0-9]*
    if "$@" >"$work/log" 2>&1 && cmp "$work/$name" "$work/one.${name##*.}" >>"$work/log" 2>&1; then
        echo "  ok   $name"
        passed=$((passed + 1))
    else
        cat "$work/log"
        echo "  FAIL $name"
        failed=$((failed + 1))
    fi
}

skip() { echo "  skipped: $1: $2"; }

# Whether the Python has a module.
has() { "$python" -c "import $1" >/dev/null 2>&1; }

build() {
    mkdir -p "$work" && cd "$work" &&
        "$root/configure" --quiet --python --isa scalar CFLAGS=-Og --spec "$root/examples/encoder.lua" && ninja &&
        cd "$root" &&
        "$lua" -e 'io.write(dofile("tests/examples/bert_tokenizer.lua")())' >"$work/tokenizer.json" &&
        "$work/out/bin/encoder" pack --allow-random 1 --tokenizer "$work/tokenizer.json" --output "$work/w.gap" &&
        rm -rf "$work/site" && "$python" -m zipfile -e "$work"/out/python/encoder-*.whl "$work/site" &&
        "$lua" tests/cluster/corpus.lua >"$work/corpus.txt"
}

slurm() {
    k=2
    while [ "$k" -ge 0 ]; do
        SLURM_ARRAY_TASK_ID=$k sh "$recipes/slurm.sh" 3 "$@" || return 1
        k=$((k - 1))
    done
    "$program" embed --merge "$4.0" "$4.1" "$4.2" --output "$4"
}

# Shard 1 dies in the middle of a block, and its worker with it.
dask_with_a_dead_worker() {
    rm -rf "$work/killed"
    REAL_PROGRAM=$program KILLED=$work/killed \
        "$python" "$recipes/dask_embed.py" 4 "$root/tests/cluster/dying.sh" "$@" && [ -d "$work/killed" ]
}

mkdir -p "$root/out"
if ! build >"$work.log" 2>&1; then
    cat "$work.log"
    echo "0 passed, 1 failed"
    exit 1
fi
program=$work/out/bin/encoder
for ending in safetensors npy; do
    "$program" embed --weights "$work/w.gap" --text "$work/corpus.txt" --output "$work/one.$ending" \
        >/dev/null 2>&1 || exit 1
done
export PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1

check slurm.safetensors slurm "$program" "$work/w.gap" "$work/corpus.txt" "$work/slurm.safetensors"
if command -v parallel >/dev/null; then
    check parallel.safetensors sh "$recipes/parallel.sh" 5 "$program" "$work/w.gap" "$work/corpus.txt" \
        "$work/parallel.safetensors"
else
    skip "GNU parallel" "not here (Debian: parallel)"
fi
if has dask.distributed && command -v setpriv >/dev/null; then
    check dask.safetensors dask_with_a_dead_worker "$work/w.gap" "$work/corpus.txt" "$work/dask.safetensors"
else
    skip "Dask" "no dask.distributed in $python, or no setpriv (Debian: util-linux)"
fi
if has ray.data; then
    check ray.npy "$python" "$recipes/ray_embed.py" encoder "$work/w.gap" "$work/corpus.txt" "$work/ray.npy"
else
    skip "Ray" "no ray.data in $python"
fi
if has pyspark && has pandas && has pyarrow && command -v java >/dev/null; then
    check spark.npy env PYSPARK_PYTHON="$python" "$python" "$recipes/spark_embed.py" encoder "$work/w.gap" \
        "$work/corpus.txt" "$work/spark.npy"
else
    skip "Spark" "no pyspark, pandas or pyarrow in $python, or no JRE (Debian: default-jre-headless)"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
