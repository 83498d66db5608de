#!/bin/sh
# cross.sh: a small encoder for AArch64, made on this machine: the program makes of texts, under an emulator, the bytes
# that portable C makes here, and an index of `search` that the program here takes; the wheel and the libraries are of
# that machine and ask for the C library alone; the archive of the model compiles. By Debian's cross compiler, and with
# ZIG ('python3 -m ziglang') once more without shared libraries, by musl; then for macOS, which is linked and not run.
# Skipped, aloud, where a tool or the sources of libraries cannot be had.
# shellcheck disable=SC2317 # check calls the functions
set -eu
cd "$(dirname "$0")/../.."

readonly CANNOT_GET=77 WORK=out/aarch64
root=$PWD
passed=0 failed=0

check() { # check NAME COMMAND...: whether the command succeeds
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
    fi
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] || exit 1
    exit 0
}

# -- Builds -----------------------------------------------------------------------------------------------------------

# build FOLDER TARGET ARGUMENT...: configures the encoder there, with the arguments, and makes the target.
build() {
    folder=$WORK/$1 target=$2
    shift 2
    mkdir -p "$folder"
    (cd "$folder" && "$root/configure" --quiet --enable-werror --spec source/examples/encoder.lua "$@" &&
        ninja "$target") >"$folder.log" 2>&1 || {
        tail -n 40 "$folder.log"
        return 1
    }
}

# cross FOLDER CC AR ARGUMENT...: the same for another machine, with libraries made for it.
cross() {
    folder=$1 cc=$2 ar=$3
    shift 3
    status=0
    CC=$cc AR=$ar sh tools/libraries.sh "$WORK/libraries_$folder" >"$WORK/libraries.log" 2>&1 || status=$?
    if [ "$status" -eq "$CANNOT_GET" ]; then
        cat "$WORK/libraries.log"
        echo "skipped: AArch64, $folder: its libraries cannot be had"
        finish
    fi
    [ "$status" -eq 0 ] && build "$folder" all CC="$cc" AR="$ar" \
        CPPFLAGS="-I $root/$WORK/libraries_$folder/include" LDFLAGS="-L $root/$WORK/libraries_$folder/lib" "$@"
}

# -- Facts ------------------------------------------------------------------------------------------------------------

embed() { # embed NAME ISA PROGRAM...: vectors of the texts
    name=$1 isa=$2
    shift 2
    "$@" embed ${isa:+--isa "$isa"} --allow-random 1 --tokenizer "$WORK/tokenizer.json" --text "$WORK/texts" \
        --output "$WORK/$name.safetensors" >"$WORK/said" 2>&1 || {
        cat "$WORK/said"
        return 1
    }
}

# Whether they are those of portable C here.
vectors() { embed "$@" && cmp "$WORK/$1.safetensors" "$WORK/native.safetensors"; }

search() { # search NAME PROGRAM...: what is found in the texts, by the index that is there or made
    name=$1
    shift
    "$@" search --allow-random 1 --tokenizer "$WORK/tokenizer.json" --corpus "$WORK/texts" --index "$WORK/index" \
        --format json cats >"$WORK/$name.found" 2>"$WORK/said" || {
        cat "$WORK/said"
        return 1
    }
}

# Whether the index that the other machine makes is used here as it is, with the same results.
index() {
    rm -f "$WORK/index"
    search other "$@" && cp "$WORK/index" "$WORK/index.other" && search here "$WORK/native/out/bin/encoder" &&
        grep -q '3 texts, 0 new' "$WORK/said" && cmp "$WORK/index" "$WORK/index.other" &&
        cmp "$WORK/here.found" "$WORK/other.found"
}

is_of_aarch64() { readelf -h "$1" | grep -q 'Machine: *AArch64'; }

needs_libc_alone() { ! readelf -d "$1" | grep NEEDED | grep -vE '\[(lib[cm]\.so(\.6)?|ld-linux-aarch64\.so\.1)\]'; }

wheel() { # wheel FOLDER LIBC: its name, its library
    file=$(ls "$WORK/$1"/out/python/encoder-*-py3-none-"$2"_*_aarch64.whl) && rm -rf "$WORK/wheel" &&
        python3 -m zipfile -e "$file" "$WORK/wheel" && tag=${file##*-py3-none-} &&
        grep -qx "Tag: py3-none-${tag%.whl}" "$WORK"/wheel/*/WHEEL &&
        is_of_aarch64 "$WORK/wheel/encoder/libencoder.so" && needs_libc_alone "$WORK/wheel/encoder/libencoder.so"
}

archive() { # archive FOLDER CC: the C of the model, compiled by its own Makefile
    (cd "$WORK/$1" && ninja dist-encoder >dist.log && rm -rf unpacked && mkdir unpacked &&
        tar -xzf out/dist/encoder-*.tar.gz -C unpacked && make -C unpacked/encoder-* CC="$2" >make.log) &&
        is_of_aarch64 "$(ls "$WORK/$1"/unpacked/encoder-*/libencoder.so.*)"
}

# -- What is made -----------------------------------------------------------------------------------------------------

mkdir -p "$WORK"
cat >"$WORK/tokenizer.json" <<'END'
{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,
"decoder":{"type":"WordPiece","prefix":"##","cleanup":false},
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{"?":0,"cat":1,"##s":2,"a":3,"\"":4,"prüfung":5,"small":6,"測":7,"##試":8}}}
END
printf 'A small cat.\nEine Prüfung mit cats, 測試 a "cat"\ncats a a cats\n' >"$WORK/texts"

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v "$tool" >/dev/null || {
        echo "skipped: AArch64: no $tool (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)"
        exit 0
    }
done
check "a native build" build native out/bin/encoder --isa scalar
check "native vectors" embed native "" "$WORK/native/out/bin/encoder"

qemu="qemu-aarch64 -L /usr/aarch64-linux-gnu"
check "glibc" cross glibc aarch64-linux-gnu-gcc aarch64-linux-gnu-ar --runner "$qemu" --python
for isa in neon scalar; do
    # shellcheck disable=SC2086 # a command
    check "glibc, vectors by $isa" vectors "glibc_$isa" "$isa" $qemu "$WORK/glibc/out/bin/encoder"
done
# shellcheck disable=SC2086 # a command
check "glibc, index by neon" index $qemu "$WORK/glibc/out/bin/encoder"
check "glibc, wheel" wheel glibc manylinux
check "glibc, archive" archive glibc aarch64-linux-gnu-gcc

if [ -z "${ZIG:-}" ]; then
    echo "skipped: AArch64 with musl, and macOS: ZIG names no ziglang"
    finish
fi
check "musl" cross musl "$ZIG cc -target aarch64-linux-musl" "$ZIG ar" --runner qemu-aarch64 --python
check "musl, vectors by neon" vectors musl_neon neon qemu-aarch64 "$WORK/musl/out/bin/encoder"
check "musl, wheel" wheel musl musllinux
check "macOS" cross macos "$ZIG cc -target aarch64-macos" "$ZIG ar"
finish
