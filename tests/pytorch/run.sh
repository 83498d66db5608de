#!/bin/sh
# run.sh: holds this project against the real PyTorch, in a virtual environment of its own under out/pytorch.
# First the committed goldens are made again and compared, then programs generated for several specs are run against
# live PyTorch: whole models from the folders that transformers saves and from GGUF files, their blocks one by one,
# PyTorch's own stacks of layers, one layer with a cache as decoders use it, Python wheels with tensors, and layers of
# every kind. Arguments go to ./configure (--isa avx2, CC=clang). The last line is 'N passed, N failed'.
set -eu
cd -P "$(dirname "$0")/../.." # the source, of which a copy is made, where a build elsewhere has links to it

specs="specs/demo.lua tests/specs/golden_maps.lua tests/specs/golden_causal.lua
tests/pytorch/specs/live_240_5.lua tests/pytorch/specs/live_120_8_causal.lua
tests/pytorch/specs/live_sides_60_4.lua tests/specs/exact_10_2.lua
tests/pytorch/specs/live_mask_bool.lua tests/pytorch/specs/live_mask_add.lua tests/pytorch/specs/live_mha_zero.lua
tests/pytorch/specs/live_mask_fill.lua tests/pytorch/specs/live_fill_1e4.lua tests/pytorch/specs/live_fill_1e10.lua
tests/pytorch/specs/live_fill_1e20.lua
tests/pytorch/specs/hf_bert_48_4.lua tests/pytorch/specs/hf_vit_36_3.lua tests/pytorch/specs/hf_gpt2_60_5.lua
tests/pytorch/specs/hf_t5_40_4.lua tests/pytorch/specs/hf_t5_bias_48_4.lua
tests/pytorch/specs/live_head_24.lua tests/specs/sdpa_6_13.lua tests/pytorch/specs/live_shared_60_4.lua
tests/pytorch/specs/live_sinks_48_4.lua tests/pytorch/specs/live_softcap_48_4.lua
tests/pytorch/specs/live_alibi_48_6.lua
tests/pytorch/specs/live_llama.lua tests/pytorch/specs/live_qwen3.lua tests/pytorch/specs/live_gptj.lua"
cached=live_cache_96_6
generating="hf_gpt2 hf_llama hf_qwen2"
generating_gguf="gguf_llama gguf_llama3 gguf_blocks gguf_qwen2 gguf_gpt2"
attending="hf_bert hf_distilbert"
stacks="live_encoder_post live_encoder_pre live_encoder_fill live_decoder_post"
wheels="wheel_golden_causal wheel_golden_maps wheel_live_encoder_post wheel_live_mask_add wheel_live_mask_bool
wheel_live_mha_zero"
transformers="live_tutorial live_tutorial_masks live_tutorial_fill live_transformer_post live_transformer_pre"
here=out/pytorch
venv=$here/venv
tree=$here/tree # the programs are built in a copy, so that what the user configured stays as it is
export PYTHONDONTWRITEBYTECODE=1

mkdir -p "$tree"
sh tests/pytorch/venv.sh
"$venv/bin/python" tests/pytorch/make_goldens.py --check
"$venv/bin/python" tests/pytorch/gguf_blocks.py --check

find "$tree" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
tar -cf - --exclude=./out --exclude='./*/out' --exclude=./.git . | tar -xf - -C "$tree"

# keep_specs "PATH..." OPTION...: the specs that configure makes of some models with these options, in out/given.
keep_specs() {
    paths=$1
    shift
    for path in $paths; do set -- "$@" "$(importer_of "$path")" "$path"; done
    ./configure --isa scalar "$@"
    mkdir -p out/given
    cp out/specs/* out/given
}

# The option that takes a model's folder or file.
importer_of() { case $1 in *.gguf) echo --from-gguf ;; *) echo --from-hf ;; esac }

# Whole models and blocks alone, by one instruction set: what is compared is the way from their folders, and meaning.
# With --enable-werror if that is among the arguments: what knows no model is compiled once for all of this script.
compare_models() {
    rm -rf out/models out/gguf out/given
    "$python" tests/pytorch/from_hf.py make out/models
    "$python" tests/pytorch/from_gguf.py make out/gguf
    # The specs of those with a cache, and of those that give attention, are given back as they were written.
    # Word splitting makes the lists.
    # shellcheck disable=SC2086
    keep_specs "$(printf 'out/models/%s ' $generating; printf 'out/gguf/%s.gguf ' $generating_gguf)" --cache 40
    # shellcheck disable=SC2086
    keep_specs "$(printf 'out/models/%s ' $attending)" --outputs attention
    case " $* " in
        *" --enable-werror "*) set -- --enable-werror ;;
        *) set -- ;;
    esac
    set -- "$@" --isa scalar CFLAGS=-Og # compiles in a third of the time
    programs=
    for path in out/models/* out/gguf/*.gguf; do
        case $path in *-0000[2-9]-of-*) continue ;; esac # which the first part finds
        name=$(basename "$path" .gguf)
        name=${name%-00001-of-*}
        if [ -e "out/given/$name.lua" ]; then
            set -- "$@" "--spec=out/given/$name.lua"
        else
            set -- "$@" "$(importer_of "$path")" "$path"
        fi
        programs="$programs out/bin/$name"
    done
    "$python" tests/pytorch/blocks.py make out/blocks
    for spec in out/blocks/*.lua; do
        set -- "$@" "--spec=$spec"
        name=${spec##*/}
        programs="$programs out/bin/${name%.lua}"
    done
    ./configure "$@"
    # Word splitting makes the list.
    # shellcheck disable=SC2086
    ninja $programs
    "$python" tests/pytorch/from_hf.py compare out/models
    "$python" tests/pytorch/from_gguf.py compare out/gguf
    "$python" tests/pytorch/blocks.py compare out/bin
}

python=$PWD/$venv/bin/python
cd "$tree"
compare_models "$@"
programs=
for spec in $specs; do
    set -- "$@" "--spec=$spec"
    name=${spec##*/}
    programs="$programs out/bin/${name%.lua}"
done
whole=
for name in $transformers; do
    set -- "$@" "--spec=tests/pytorch/specs/$name.lua"
    whole="$whole out/bin/$name"
done
layers=
for name in $stacks; do
    set -- "$@" "--spec=tests/pytorch/specs/$name.lua"
    layers="$layers out/bin/$name"
done
./configure --python "$@" "--spec=tests/pytorch/specs/$cached.lua"
# Word splitting makes the list.
# shellcheck disable=SC2086
ninja $programs "out/bin/$cached" $whole $layers $wheels
# shellcheck disable=SC2086
"$python" tests/pytorch/transformer.py $whole
# shellcheck disable=SC2086
"$python" tests/pytorch/stacks.py $layers
"$python" tests/pytorch/decode.py "out/bin/$cached"
# The types of what is called are looked at here too, as this environment has torch; without mypy the test says so.
"$python" -c 'import mypy' 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check --requirement tests/bindings/python/requirements.txt ||
    echo "skipped: mypy cannot be installed"
sh tests/bindings/python/run.sh "$python" out/wheels out/python/*.whl -- tests/bindings/python/torch_test.py \
    tests/bindings/python/hints_test.py
# shellcheck disable=SC2086
exec "$python" tests/pytorch/compare.py $programs
