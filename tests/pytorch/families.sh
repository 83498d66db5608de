#!/bin/sh
# families.sh: compares programs of each family of models that --from-hf reads with transformers (families.py), as
# `ninja check-families` does. FAMILIES="llama gpt2" chooses some, CONFIGURATIONS=2 tries two of each in place of five.
# PYTHON runs it with another release of transformers, in place of the one that requirements.txt asks for; ISA=avx2 by
# another instruction set than portable C. The programs are built in out/families; the user's do not change.
set -eu
cd -P "$(dirname "$0")/../.."

here=$PWD/out/families
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${PYTHON:-}" ]; then
    sh tests/pytorch/venv.sh
    PYTHON=$PWD/out/pytorch/venv/bin/python
fi

mkdir -p "$here"
rm -rf "$here/models"
# Word splitting makes the list.
# shellcheck disable=SC2086
"$PYTHON" tests/pytorch/families.py make "$here/models" ${FAMILIES:-}
source=$PWD
isa=${ISA:-scalar}
set -- --isa "$isa" CFLAGS=-Og # what is compared is meaning
programs=
for path in "$here"/models/*; do
    set -- "$@" --from-hf "$path"
    programs="$programs out/bin/${path##*/}"
done
cd "$here"
"$source/configure" "$@" >configure.log || { cat configure.log; exit 1; }
# shellcheck disable=SC2086
ninja $programs >build.log || { tail -n 40 build.log; exit 1; }
exec "$PYTHON" "$source/tests/pytorch/families.py" compare models out/bin "$isa"
