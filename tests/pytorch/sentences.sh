#!/bin/sh
# sentences.sh: folders that sentence_transformers saves, with random weights, against the programs made from them: each
# way to pool, linears after it, prompts, shorter vectors, similarities. Arguments go to ./configure. The last line is
# 'N passed, N failed'. Where sentence_transformers cannot be had it says so and counts nothing.
set -eu
cd -P "$(dirname "$0")/../.."

export PYTHONDONTWRITEBYTECODE=1
here=out/sentences
venv=out/pytorch/venv
wanted=tests/pytorch/sentence_transformers.txt

sh tests/pytorch/venv.sh
if ! cmp -s "$wanted" "$venv/sentence_transformers.txt"; then
    if ! "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement tests/pytorch/requirements.txt \
        --requirement "$wanted"; then
        echo "SKIPPED: sentence_transformers cannot be had"
        echo "0 passed, 0 failed"
        exit 0
    fi
    cp "$wanted" "$venv/sentence_transformers.txt"
fi
python=$PWD/$venv/bin/python
rm -rf "$here/models"
mkdir -p "$here/models" "$here/build"
"$python" tests/pytorch/sentence_folders.py make "$here/models"
programs=
set -- --isa scalar CFLAGS=-Og "$@"
for path in "$PWD/$here"/models/*; do
    set -- "$@" --from-hf "$path"
    programs="$programs out/bin/${path##*/}"
done
(
    cd "$here/build"
    ../../../configure "$@" >build.log
    # Word splitting makes the list.
    # shellcheck disable=SC2086
    ninja $programs >>build.log || {
        tail -n 40 build.log >&2
        exit 1
    }
)
exec "$python" tests/pytorch/sentence_folders.py compare "$here/models" "$here/build/out/bin"
