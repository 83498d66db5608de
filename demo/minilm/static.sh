#!/bin/sh
# static.sh: builds out/bin/minilm_static: the model's program with the C library of musl, jansson, utf8proc and PCRE2
# in it, so that it needs no file but the weights. tools/libraries.sh makes the three of Debian's sources in out/static;
# nothing is installed. Exits with 77, after a word, where a tool or the sources cannot be had, and as setup.sh does
# where the model cannot. MUSL_CC: a compiler for musl in the place of musl-gcc. Arguments go to ./configure.
set -eu
cd "$(dirname "$0")/../.."

readonly CANNOT_GET=77
root=$PWD/out/static
compiler=${MUSL_CC:-musl-gcc}

cannot() {
    echo "minilm, static: skipped: $1" >&2
    exit "$CANNOT_GET"
}

GA_ONLY_OPTIONS=yes ./configure "$@" # before anything is built
command -v "${compiler%% *}" >"/dev/null" || cannot "no $compiler (Debian: musl-tools)"

CC=$compiler sh tools/libraries.sh "$root"
BUILD=static PROGRAM=minilm_static sh demo/minilm/setup.sh CC="$compiler" CFLAGS="-I $root/include" \
    LDFLAGS="-static -L $root/lib" "$@"
strip out/bin/minilm_static
echo "out/bin/minilm_static: $(wc -c <out/bin/minilm_static) bytes"
