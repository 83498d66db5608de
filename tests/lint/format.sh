#!/bin/sh
# format.sh: lays out the hand-written C as .clang-format says; generated C has its layout from its templates.
set -eu
cd -P "$(dirname "$0")/../.." # the source, where a build elsewhere has links to it

if ! command -v clang-format >/dev/null; then
    echo "format: clang-format is missing (Debian: clang-format)" >&2
    exit 1
fi
sh tests/lint/sources.sh c | xargs clang-format -i
