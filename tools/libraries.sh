#!/bin/sh
# libraries.sh: builds jansson, utf8proc and PCRE2 as archives for any compiler, for machines whose own these are not:
#     CC='python3 -m ziglang cc -target aarch64-linux-musl' AR='python3 -m ziglang ar' sh tools/libraries.sh FOLDER
# makes FOLDER/include and FOLDER/lib, for CPPFLAGS=-I and LDFLAGS=-L of ./configure. The sources are Debian's, got by
# `apt-get source` into out/sources; nothing is installed. What is there for the same compiler is not made again. Exits
# with 77, after a word, where the sources cannot be had.
set -eu

readonly CANNOT_GET=77
[ "$#" -eq 1 ] || {
    echo "usage: [CC=...] [AR=...] sh $0 FOLDER" >&2
    exit 2
}
sources=$(dirname "$0")/../out/sources
mkdir -p "$1" "$sources"
root=$(CDPATH='' cd -P -- "$1" && pwd)
sources=$(CDPATH='' cd -P -- "$sources" && pwd)
compiler=${CC:-cc} archiver=${AR:-ar}

# -- Sources ----------------------------------------------------------------------------------------------------------

# The lists of source packages of the system's own mirrors, in a folder of their own.
list_sources() {
    mkdir -p "$sources/apt/parts" "$sources/apt/lists/partial" "$sources/apt/cache/archives/partial"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$sources/apt/parts/${file##*/}"
    done
    if [ -s /etc/apt/sources.list ]; then
        sed -n 's/^deb \|^deb-src /deb-src /p' /etc/apt/sources.list | sort -u >"$sources/apt/parts/system.list"
    fi
    cat >"$sources/apt/conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$sources/apt/parts";
Dir::State::Lists "$sources/apt/lists";
Dir::Cache "$sources/apt/cache";
APT::Sandbox::User "root";
END
    apt-get --quiet --config-file "$sources/apt/conf" update >"$sources/apt.log" 2>&1
}

# The tarball of a package as its authors made it; one that is there is not got again.
get_source() {
    package=$1
    if ! ls "$sources/$package"_*.orig.tar.gz >/dev/null 2>&1; then
        [ -f "$sources/apt/conf" ] || list_sources || return
        (cd "$sources" && apt-get --quiet --config-file "$sources/apt/conf" source --download-only --only-source \
            "$package" >>"$sources/apt.log" 2>&1) || ls "$sources/$package"_*.orig.tar.gz >/dev/null 2>&1 || return
    fi
    mkdir -p "$root/$package"
    tar -xzf "$(ls "$sources/$package"_*.orig.tar.gz)" -C "$root/$package" --strip-components 1
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
        $compiler -O2 -fPIC $flags -c "$source" -o "$object"
        objects="$objects $object"
    done
    # shellcheck disable=SC2086 # a list, and an archiver of several words
    rm -f "$root/lib/lib$name.a" && $archiver rcs "$root/lib/lib$name.a" $objects
}

# With what its configure would find with any C library of POSIX; hashes of objects are seeded from /dev/urandom.
build_jansson() {
    cp "$root"/jansson/src/jansson.h "$root"/jansson/android/jansson_config.h "$root/include/"
    for name in STDINT_H UNISTD_H FCNTL_H SYS_TYPES_H SYS_STAT_H SYS_TIME_H SYS_PARAM_H OPEN READ CLOSE \
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

[ "$(cat "$root/built" 2>/dev/null)" != "$compiler" ] || exit 0
mkdir -p "$root/include" "$root/lib" "$root/obj"
for package in jansson utf8proc pcre2; do
    get_source "$package" || {
        echo "libraries for $compiler: no source of $package; $sources/apt.log says why" >&2
        exit "$CANNOT_GET"
    }
    "build_$package"
done
printf '%s\n' "$compiler" >"$root/built"
