#!/bin/sh
# fuzz.sh: builds the fuzz targets and runs them side by side, one a core, and sums up: fuzz.sh SECONDS [TARGET...]
# SECONDS 0: until stopped. Inputs that found something new stay in out/fuzz/corpus, those that broke something in
# out/fuzz/crashes. LUA and CLANG may name others than lua5.4 and clang. Where ninja runs this it has made the public
# headers, and says so by HEADERS_ARE_MADE.
set -u

readonly out=out/fuzz

# How much a target may take for one input.
readonly limits='-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=64 -reload=0 -print_final_stats=1'

number_of() { sed -n "s/^stat::$2: *//p" "$1" | tail -n 1; }

# fuzz.sh one SECONDS TARGET: one target; its output in a log, its outcome in a line.
one() {
    seconds=$1 name=$2
    log=$out/$name.log
    words=
    case $name in
        weights | inputs) words='-max_len=4096 -dict=tests/fuzz/safetensors.dict' ;;
        gguf) words='-max_len=4096 -dict=tests/fuzz/gguf.dict' ;;
        pack) words=-max_len=16384 ;;
        tokenizer) words='-max_len=8192 -dict=tests/fuzz/tokenizer.dict' ;;
    esac
    mkdir -p "$out/corpus/$name" "$out/crashes" "$out/seeds/$name"
    # shellcheck disable=SC2086 # options are words
    if UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=quarantine_size_mb=16 \
        "$out/fuzz_$name" -max_total_time="$seconds" $limits $words -artifact_prefix="$out/crashes/$name-" \
        "$out/corpus/$name" "$out/seeds/$name" >"$log" 2>&1 </dev/null; then
        outcome=ok
    else
        outcome=FAIL
    fi
    covered=$(sed -n 's/^#.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    printf '  %-4s %s: %s executions, %s branches covered, %s MiB\n' "$outcome" "$name" \
        "$(number_of "$log" number_of_executed_units)" "${covered:-0}" "$(number_of "$log" peak_rss_mb)"
    if [ "$outcome" = FAIL ]; then
        grep -E '^FOUND|runtime error|^SUMMARY|^ERROR|Test unit written' "$log"
        sed -n "s,.*Test unit written to ,       again: $out/fuzz_$name ,p" "$log"
    fi
}

# Whether the compiler makes a fuzz target: Debian has libFuzzer in a package of its own.
can_fuzz() {
    echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data && size ? 0 : 0; }' |
        "$clang" -fsanitize=fuzzer,address,undefined -x c -o "$out/probe" - >"$out/probe.log" 2>&1
}

if [ "$1" = one ]; then
    one "$2" "$3"
    exit 0
fi
readonly seconds="$1" clang="${CLANG:-clang}"
shift
if [ $# -eq 0 ]; then set -- weights gguf inputs pack text tokenizer; fi
mkdir -p "$out/seeds"
if ! can_fuzz; then
    echo "skipped: fuzzing: no clang with libFuzzer (Debian: clang libclang-rt-dev)"
    echo "0 passed, 0 failed"
    exit 0
fi
[ -n "${HEADERS_ARE_MADE:-}" ] || ninja --quiet public_headers || exit 1
"${LUA:-lua5.4}" tests/fuzz/build.lua "$out" "$clang" && ninja -f "$out/build.ninja" || exit 1
"$out/write_seeds" "$out/seeds" || exit 1
if [ ! -e "$out/fuzz_tokenizer" ]; then
    echo "skipped: fuzzing tokenizer: no libga_text (Debian: libutf8proc-dev libpcre2-dev)"
    # shellcheck disable=SC2046 # targets are words
    set -- $(printf '%s\n' "$@" | grep -vx tokenizer)
fi
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 sh "$0" one "$seconds" | tee "$out/outcomes"
passed=$(grep -c '^  ok ' "$out/outcomes")
failed=$(($# - passed))
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
