#!/bin/sh
# run.sh: embedders and rerankers of the shapes that people run: saves each with random weights, builds our wheels of
# it in f32, bf16 and int8, and measures them beside the peers in turn. SHAPES="bge_base qwen3_0_6b" chooses some;
# CONFIGURE_ARGS go to configure, such as "--isa avx512" for shorter builds; arguments go to run.py (--help
# lists them). Everything lies under out/bench/shapes and out/bench/shapes_venv. Measures nothing itself.
set -eu
cd "$(dirname "$0")/../.."

here=bench/shapes
work=out/bench/shapes
venv=out/bench/shapes_venv
export PYTHONDONTWRITEBYTECODE=1

sh bench/install.sh "$venv" $here/requirements.txt
sh bench/install.sh "$venv" bench/requirements-llamacpp.txt ||
    echo "bench-shapes: llama.cpp could not be built: its rows are left out" >&2
python=$venv/bin/python

# of_shapes EXPRESSION: what it is, in Python.
of_shapes() { "$python" -c "import sys; sys.path.insert(0, '$here'); import shapes; print($1)"; }

: "${SHAPES:=$(of_shapes "' '.join(shapes.SHAPES)")}"
longest=$(of_shapes shapes.LONGEST)
mkdir -p "$work"
names=$(echo "$SHAPES" | tr ' ' ',')
"$python" $here/run.py --work "$work" --shapes "$names" --make

for name in $SHAPES; do
    pool=$(of_shapes "shapes.SHAPES['$name'][3] or ''")
    for dtype in f32 bf16 int8; do
        build=$work/${name}_$dtype
        [ ! -f "$build/weights.gap" ] || continue
        echo "bench-shapes: building $name, $dtype" >&2
        mkdir -p "$build"
        (
            cd "$build"
            # Word splitting makes the arguments.
            # shellcheck disable=SC2086
            ../../../../configure --from-hf "../$name" --name "$name" --dtype $dtype --seq-len "1..$longest" \
                ${pool:+--pool "$pool"} --python ${CONFIGURE_ARGS:-} >build.log
            ninja >>build.log
        ) || {
            tail -n 40 "$build/build.log" >&2
            exit 1
        }
        rm -rf "$build/site"
        python3 -m zipfile -e "$build"/out/python/"$name"-*.whl "$build/site"
        "$build/out/bin/$name" pack --weights "$work/$name" --output "$build/weights.gap" >/dev/null
    done
done
exec "$python" $here/run.py --work "$work" --shapes "$names" "$@"
