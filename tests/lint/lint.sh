#!/bin/sh
# lint.sh: static checks of every hand-written file; the last line sums up. Changes nothing.
# A check whose tool is missing has failed: what was not looked at is not clean.
export LC_ALL=C.UTF-8 # columns are counted in characters, whatever the caller speaks

set -u
cd -P "$(dirname "$0")/../.." || exit 1 # the source, where a build elsewhere has links to it

passed=0
failed=0
lua=${1:-lua5.4}

# check NAME TOOL PACKAGE COMMAND...
check() {
    name=$1 tool=$2 package=$3
    shift 3
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "  FAIL $name: $tool is missing (Debian: $package)"
        failed=$((failed + 1))
    elif output=$("$@" 2>&1); then
        echo "  ok   $name"
        passed=$((passed + 1))
    else
        printf '  FAIL %s\n%s\n' "$name" "$output"
        failed=$((failed + 1))
    fi
}

# Runs a command over the files of a kind.
over() {
    kind=$1
    shift
    sh tests/lint/sources.sh "$kind" | xargs "$@"
}

# Tabs and blanks at the end of a line anywhere; lines above 120 columns where no template or table needs them.
hygiene() {
    tab=$(printf '\t')
    ! { over text grep -nHE "$tab|[[:blank:]]\$" ||
        over text grep -nHE '^.{121}' | grep -vE '^[^:]*\.(lt|md):'; }
}

# What spells an intrinsic or an instruction of vectors in the generator and in templates, but for generator/isa/.
intrinsics() {
    ! over text grep -nHE '_mm[0-9]*_|vdp|v[a-z]+q_[a-z]+[0-9]+' | grep -E '^(\./)?(generator|templates)/' |
        grep -vE '^(\./)?generator/isa/'
}

# Files that `ninja format` would change.
layout() {
    sh tests/lint/sources.sh c | {
        unlike=0
        while read -r file; do
            clang-format "$file" | cmp -s - "$file" && continue
            echo "$file: run ninja format"
            unlike=1
        done
        [ "$unlike" -eq 0 ]
    }
}

check "floors: nothing leans on what stands above it" "$lua" lua5.4 "$lua" tests/lint/floors.lua
check "names: what is general names no operation and no feature" "$lua" lua5.4 "$lua" tests/lint/names.lua
check "intrinsics: only the tables of instruction sets spell any" grep grep intrinsics
check "sizes of files and functions" "$lua" lua5.4 over text "$lua" tests/lint/sizes.lua
check "slips: each mutant still has its place" "$lua" lua5.4 "$lua" tests/lint/slips.lua
check "tabs, trailing blanks, long lines" grep grep hygiene
check "luacheck" luacheck lua-check over lua luacheck --no-color -q
check "shellcheck" shellcheck shellcheck over sh shellcheck
check "layout of C" clang-format clang-format layout
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
