#!/bin/sh
# sources.sh: prints the hand-written files of a kind, one a line: sources.sh c|lua|sh|text
# Lists nothing that was made, and no golden file.
set -eu

list() { find . \( -name out -o -path ./.git -o -path ./tests/golden \) -prune -o -type f "$@" -print | sort; }

case $1 in
    c) list \( -name '*.c' -o -name '*.h' \) ;;
    lua) list -name '*.lua' ! -path '*/specs/*' ;;
    sh) list \( -name '*.sh' -o -path ./configure -o -path './.ci/run' \) ;;
    text)
        list \( -name '*.[ch]' -o -name '*.lua' -o -name '*.lt' -o -name '*.sh' -o -name '*.py' -o -name '*.md' \
            -o -name '*.ninja' -o -path ./configure -o -path './.ci/run' \)
        ;;
    *) exit 2 ;;
esac
