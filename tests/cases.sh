#!/bin/sh
# cases.sh: builds the models of small files that once gave a wrong result, and checks that each gives the right one:
# cases.sh [FOLDER], tests/cases without. Right values are those of tokenizers 0.23.3, transformers 4.57.6 in double
# precision and sentence-transformers 6.2.0; none is taken from a run of genattn. PYTHON names a Python with numpy.
# Builds in out/cases. The last line is 'N passed, N failed'.
set -eu
cd "$(dirname "$0")/.."

cases=$(cd "${1:-tests/cases}" && pwd)
settings=$cases/settings_about_texts
root=$(pwd)
python=${PYTHON:-python3}
case $python in /*) ;; */*) python=$root/$python ;; esac
build=$root/out/cases
bin=$build/out/bin
export PYTHONDONTWRITEBYTECODE=1
passed=0
failed=0

# check NAME FOUND EXPECTED: counts one case.
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "  ok   $1"
    else
        failed=$((failed + 1))
        printf '  FAIL %s\n    found    %s\n    expected %s\n' "$1" "$2" "$3"
    fi
}

# What a command prints, on one line: errors too, but not that a tokenizer is another than the model was made for.
said() { "$@" 2>&1 | grep -v 'its hash is' | tr '\n' ' ' | sed 's/ *$//' || true; }

# near NAME FOUND EXPECTED: counts a case of numbers with blanks between: each within 2e-6, as six places are known.
near() {
    if printf '%s\n%s\n' "$2" "$3" | awk 'NR == 1 { n = split($0, found) } NR == 2 {
            same = n == split($0, wanted)
            for (i = 1; i <= n; i++) same = same && found[i] - wanted[i] < 2e-6 && wanted[i] - found[i] < 2e-6
        } END { exit !same }'; then
        check "$1" "" ""
    else
        check "$1" "$2" "$3"
    fi
}

# The first COUNT numbers of a command's output with a decimal point.
numbers() {
    count=$1
    shift
    "$@" 2>&1 | grep -oE -- '-?[0-9]+\.[0-9]+(e-?[0-9]+)?' | head -n "$count" | tr '\n' ' ' | sed 's/ $//' || true
}

# Scores of rank by document, in the order of the file.
scores() {
    "$@" 2>/dev/null | sort -n -k 2,2 | cut -f 1 | tr '\n' ' ' | sed 's/ $//'
}

# A folder whose tokenizer gives no types, of another that does; texts become lower case, too.
make_untyped() {
    rm -rf "$build/untyped"
    cp -r "$settings/left" "$build/untyped"
    sed -e '/"token_type_ids"/d' -e 's/"attention_mask",/"attention_mask"/' \
        "$settings/left/tokenizer_config.json" >"$build/untyped/tokenizer_config.json"
    sed 's/"do_lower_case": false/"do_lower_case": true/' "$settings/left/sentence_bert_config.json" \
        >"$build/untyped/sentence_bert_config.json"
}

build_models() {
    mkdir -p "$build"
    make_untyped
    cd "$build"
    set -- --spec "$cases/copies_of_wheel_objects/copied.lua" --from-hf "$cases/encoder" --from-hf "$cases/ranker" \
        --from-hf "$cases/pairs_without_types/distilbert" --from-hf "$cases/pad_in_text/roberta" \
        --from-hf "$cases/sentence_transformers_5_4_folder/compact_mean" \
        --from-gguf "$cases/gguf_chat_templates/templates.gguf" \
        --from-gguf "$cases/linear_rope_of_factor_one/linear_factor_one.gguf" --from-hf "$build/untyped"
    for folder in length_in_tokenizer other_name lower_case left default_prompt identity; do
        set -- "$@" --from-hf "$settings/$folder"
    done
    if ! "$root/configure" --enable-werror --isa scalar CFLAGS=-Og --python "$@" >configure.log 2>&1; then
        cat configure.log
        return 1
    elif ! ninja >ninja.log 2>&1; then
        tail -n 30 ninja.log
        return 1
    fi
    cd "$root"
}

# ids TOKENIZER TEXT: the ids of a text, on one line; json_ids the same from JSON, which is computed with offsets.
ids() { said "$bin/encoder" tokenize --tokenizer "$1" --text "$2"; }
json_ids() {
    said "$bin/encoder" tokenize --tokenizer "$1" --text "$2" --format json | sed -E 's/^\{"ids": *\[([^]]*)\].*/\1/' |
        tr ',' ' '
}

check_tokenizers() {
    for file in nothing:'1 6' mark:5 first:2; do
        path=$cases/replace_space/${file%%:*}
        check "replace_space, ${file%%:*}" "$(ids "$path.json" "$path.txt")" "${file#*:}"
        check "replace_space, ${file%%:*}, with offsets" "$(json_ids "$path.json" "$path.txt")" "${file#*:}"
    done
    path=$cases/added_tokens_beyond_vocabulary
    check added_tokens_beyond_vocabulary "$(ids "$path/unigram.json" "$path/text.txt")" '3 5 6 5 4'
}

# first FOLDER TEXT NUMBER...: the vector of a text begins so.
first() {
    folder=$1 text=$2
    shift 2
    near "$folder, $(basename "$text")" \
        "$(numbers $# "$bin/$(basename "$folder")" embed --weights "$cases/$folder" --text "$text" --format json)" \
        "$*"
}

check_folders() {
    first sentence_transformers_5_4_folder/compact_mean "$settings/long.txt" 0.328651 0.183053 0.264036
    first settings_about_texts/length_in_tokenizer "$settings/long.txt" 0.328651 0.183053
    first settings_about_texts/other_name "$settings/long.txt" 0.328651 0.183053
    first settings_about_texts/lower_case "$settings/upper.txt" 0.278099 0.174586
    first settings_about_texts/left "$settings/long.txt" 0.302522 0.315647
    first settings_about_texts/default_prompt "$settings/short.txt" 0.211467 0.241915
    near settings_about_texts/identity \
        "$(numbers 1 "$bin/identity" rank --weights "$settings/identity" --query rain \
            --documents "$settings/short.txt")" "-0.622170"
}

check_pairs() {
    path=$cases/truncation_strategy
    near truncation_strategy/only_second "$(numbers 2 "$bin/encoder" embed --weights "$cases/encoder" \
        --tokenizer "$path/only_second.json" --text "$path/long.txt" --format json)" "0.264526 0.190172"
    near truncation_strategy/only_first "$(scores "$bin/ranker" rank --weights "$cases/ranker" \
        --tokenizer "$path/only_first.json" --query "$(cut -c1-150 "$path/long.txt")" \
        --documents "$path/documents.txt" --activation none)" "-0.301546872 -0.324879646"
    path=$cases/pad_in_text
    near pad_in_text "$(scores "$bin/roberta" rank --weights "$path/roberta" --query rain \
        --documents "$path/documents.txt" --activation none)" "-0.297038 -0.496251"
}

# A library's name for a program of a GGUF file is that of the file: both were built.
check_gguf() {
    for file in gguf_chat_templates/templates linear_rope_of_factor_one/linear_factor_one; do
        check "$file" "$(said "$bin/$(basename "$file")" info | grep -c 'weights = "gguf"' || true)" 1
    done
}

check_sqlite() {
    if ! command -v sqlite3 >/dev/null; then
        echo "  skipped: misspelt_column: no sqlite3"
        return
    fi
    sed -E "s|[^'\"]*/cases/|$cases/|" "$cases/misspelt_column/misspelt.sql" >"$build/misspelt.sql"
    found=$(cd "$build" && sqlite3 :memory: <misspelt.sql 2>&1) || true
    check misspelt_column "$(echo "$found" | sed -n '/that is not there/,$p' | grep -c 'bodyy.*0\.' || true)" 0
    check "misspelt_column is named" "$(echo "$found" | grep -ci 'error.*bodyy' || true)" 1
}

# encoded FOLDER NUMBER NUMBER TEXT [PAIR]: the vector that a wheel makes of a text, or a pair of texts, begins so.
encoded() {
    folder=$1 wanted="$2 $3"
    shift 3
    near "encode, $(basename "$folder"), $# texts" "$(numbers 2 "$python" -c 'if True:
        import importlib, sys
        texts = [open(path).read().strip() for path in sys.argv[2:]]
        model = importlib.import_module(sys.argv[1].rsplit("/")[-1]).Model(sys.argv[1])
        print(*model.encode([texts[0] if len(texts) == 1 else texts])[0].tolist())' "$folder" "$@")" "$wanted"
}

check_wheels() {
    if ! "$python" -c 'import numpy' 2>/dev/null; then
        echo "  skipped: wheels: $python has no numpy"
        return
    fi
    for wheel in copied distilbert left untyped; do
        "$python" -m zipfile -e "$build/out/python/$wheel"-*.whl "$build/site"
    done
    export PYTHONPATH="$build/site"
    for way in deepcopy_before_a_call deepcopy pickle deepcopy_of_a_module; do
        if [ $way = deepcopy_of_a_module ] && ! "$python" -c 'import torch' 2>/dev/null; then
            echo "  skipped: copies_of_wheel_objects, $way: $python has no torch"
            continue
        fi
        found=$("$python" "$cases/copies_of_wheel_objects/copies.py" $way 2>&1 | grep -c 'same numbers.*True$' || true)
        check "copies_of_wheel_objects, $way" "$found" 2
    done
    found=$("$python" "$cases/big_endian_arrays/big_endian.py" 2>&1 | sed 's/^[^[]*//' | uniq | wc -l || true)
    check big_endian_arrays "$found" 1
    sed -E "s|[^'\"]*/cases/|$cases/|" "$cases/pairs_without_types/pairs.py" >"$build/pairs.py"
    encoded "$settings/left" 0.302522 0.315647 "$settings/long.txt"
    encoded "$build/untyped" 0.277309 0.242655 "$settings/long.txt"
    encoded "$build/untyped" 0.295398 0.130868 "$settings/short.txt" "$settings/upper.txt"
    near pairs_without_types "$(numbers 3 "$python" "$build/pairs.py")" "-0.177329 0.138657 0.012548"
}

build_models || {
    echo "0 passed, 1 failed"
    exit 1
}
check_tokenizers
check_folders
check_pairs
check_gguf
check_sqlite
check_wheels
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
