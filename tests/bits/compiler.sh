#!/bin/sh
# compiler.sh [MODEL...]: makes rows of tests/bits/bits.txt by another compiler, other flags or another C library than
# the tree is configured for, and holds them against the table. From the environment: CC, CFLAGS and LDFLAGS; ISAS, the
# instruction sets, without it those of the compiler's machine; RUNNER, which runs a program of another machine; LUA;
# TUNED=least, most or turns: tuning parameters at their extremes, which must change no bit (tests/bits/extremes.lua).
# Without MODEL the models that use every line of the templates. The last line is 'N passed, N failed'.
#
#     CC=clang-14 CFLAGS=-O3 sh tests/bits/compiler.sh
#     CC=musl-gcc CFLAGS=-O1 LDFLAGS=-static sh tests/bits/compiler.sh transformer_40_2 llama_45_3
#     CC='python3 -m ziglang cc -target aarch64-linux-musl' RUNNER=qemu-aarch64 sh tests/bits/compiler.sh
set -eu
cd "$(dirname "$0")/../.."

cc=${CC:-cc}
lua=${LUA:-lua5.4}
if [ -z "${ISAS:-}" ]; then
    case "$($cc -dumpmachine) $cc" in
        *aarch64*) ISAS=neon,scalar ;;
        x86_64*) ISAS=avx512,avx2,scalar ;;
        *) ISAS=scalar ;;
    esac
fi
folder=out/bits/$(printf '%s' "$cc ${CFLAGS:-} ${LDFLAGS:-} $ISAS${TUNED:+ $TUNED}" | tr -c 'A-Za-z0-9\n' '_')

[ -e out/config.ninja ] || { echo "compiler.sh: run ./configure first" >&2; exit 1; }
(unset CC CFLAGS LDFLAGS && ninja public_headers) >/dev/null # which may configure the tree again: not with these
"$lua" tests/bits/build.lua "$folder" "$ISAS" "$cc ${CFLAGS:-}" "${LDFLAGS:-}" "$@"
ninja -f "$folder/build.ninja" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log"; exit 1; }
echo "$cc ${CFLAGS:-} ${LDFLAGS:-}${TUNED:+, tuned: $TUNED}"
exec "$lua" tests/bits/bits.lua check "${RUNNER:-} $folder/bits"
