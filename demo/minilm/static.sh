#!/bin/sh
# static.sh: builds out/bin/minilm_static: the model's program with the C library of musl, jansson, utf8proc and PCRE2
# in it, so that it needs no file but the weights. The sources of the three libraries are Debian's, got by
# `apt-get source` into out/static; nothing is installed. Exits with 77, after a word, where a tool or the sources
# cannot be had, and as setup.sh does where the model cannot. MUSL_CC: a compiler for musl in the place of musl-gcc.
# Arguments go to ./configure.
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

# -- Sources ----------------------------------------------------------------------------------------------------------

# The lists of source packages of the system's own mirrors, in a folder of their own.
list_sources() {
    mkdir -p "$root/apt/parts" "$root/apt/lists/partial" "$root/apt/cache/archives/partial"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$root/apt/parts/${file##*/}"
    done
    if [ -s /etc/apt/sources.list ]; then
        sed -n 's/^deb \|^deb-src /deb-src /p' /etc/apt/sources.list | sort -u >"$root/apt/parts/system.list"
    fi
    cat >"$root/apt/conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$root/apt/parts";
Dir::State::Lists "$root/apt/lists";
Dir::Cache "$root/apt/cache";
APT::Sandbox::User "root";
END
    apt-get --quiet --config-file "$root/apt/conf" update >"$root/apt.log" 2>&1
}

# The tarball of a package as its authors made it; one that is there is not got again.
get_source() {
    package=$1
    if ! ls "$root/$package"_*.orig.tar.gz >/dev/null 2>&1; then
        [ -f "$root/apt/conf" ] || list_sources || return
        (cd "$root" && apt-get --quiet --config-file "$root/apt/conf" source --download-only --only-source \
            "$package" >>"$root/apt.log" 2>&1) || ls "$root/$package"_*.orig.tar.gz >/dev/null 2>&1 || return
    fi
    mkdir -p "$root/$package"
    tar -xzf "$(ls "$root/$package"_*.orig.tar.gz)" -C "$root/$package" --strip-components 1
}

# -- Libraries --------------------------------------------------------------------------------------------------------

# An archive of C files: archive NAME FLAGS FILE...
archive() {
    name=$1 flags=$2
    shift 2
    objects=
    for source in "$@"; do
        object=$root/obj/$name.${source##*/}.o
        # shellcheck disable=SC2086 # flags and a compiler of several words
        $compiler -O2 $flags -c "$source" -o "$object"
        objects="$objects $object"
    done
    # shellcheck disable=SC2086 # a list
    ar rcs "$root/lib/lib$name.a" $objects
}

# With what its configure would find with musl; hashes of objects are seeded from /dev/urandom.
build_jansson() {
    cp "$root"/jansson/src/jansson.h "$root"/jansson/android/jansson_config.h "$root/include/"
    for name in STDINT_H UNISTD_H FCNTL_H SYS_TYPES_H SYS_STAT_H SYS_TIME_H SYS_PARAM_H ENDIAN_H OPEN READ CLOSE \
        GETPID GETTIMEOFDAY SCHED_H SCHED_YIELD ATOMIC_BUILTINS; do
        echo "#define HAVE_$name 1"
    done >"$root/jansson/src/jansson_private_config.h"
    echo '#define USE_URANDOM 1' >>"$root/jansson/src/jansson_private_config.h"
    archive jansson "-DHAVE_CONFIG_H -I $root/jansson/src -I $root/include" "$root"/jansson/src/*.c
}

build_utf8proc() {
    cp "$root/utf8proc/utf8proc.h" "$root/include/"
    archive utf8proc -DUTF8PROC_STATIC "$root/utf8proc/utf8proc.c"
}

# Without its compiler to machine code, which nothing here asks for.
build_pcre2() {
    cp "$root/pcre2/src/pcre2.h.generic" "$root/include/pcre2.h"
    cp "$root/pcre2/src/config.h.generic" "$root/pcre2/src/config.h"
    cp "$root/pcre2/src/pcre2_chartables.c.dist" "$root/pcre2/src/pcre2_chartables.c"
    files=
    for part in auto_possess chartables compile config context convert dfa_match error extuni find_bracket jit_compile \
        maketables match match_data newline ord2utf pattern_info script_run serialize string_utils study substitute \
        substring tables ucd valid_utf xclass; do
        files="$files $root/pcre2/src/pcre2_$part.c"
    done
    # shellcheck disable=SC2086 # a list
    archive pcre2-8 "-DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_PCRE2_8 -DSUPPORT_UNICODE -I $root/include \
        -I $root/pcre2/src" $files
}

build_libraries() {
    mkdir -p "$root/include" "$root/lib" "$root/obj"
    for package in jansson utf8proc pcre2; do
        get_source "$package" || cannot "no source of $package; $root/apt.log says why"
        "build_$package"
    done
    printf '%s\n' "$compiler" >"$root/built"
}

# -- The program ------------------------------------------------------------------------------------------------------

mkdir -p "$root"
[ "$(cat "$root/built" 2>/dev/null)" = "$compiler" ] || build_libraries
BUILD=static PROGRAM=minilm_static sh demo/minilm/setup.sh CC="$compiler" CFLAGS="-I $root/include" \
    LDFLAGS="-static -L $root/lib" "$@"
strip out/bin/minilm_static
echo "out/bin/minilm_static: $(wc -c <out/bin/minilm_static) bytes"
