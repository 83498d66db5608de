#!/bin/sh
# docs.sh: runs the commands of the documents in a copy of this tree, out/docs, so that what the user configured stays
# as it is: docs.sh [DOCUMENT...]. docs_test.lua says what is run, and what in place of the longest ones.
set -eu
cd "$(dirname "$0")/../.."

root=$PWD
tree=out/docs
mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
tar -cf - --exclude=./out --exclude=./.git . | tar -xf - -C "$tree"
cd "$tree"
# What the commands do is tested here, and not the code that they compile: gcc takes a third of the time for it.
export CFLAGS=-Og
exec lua5.4 tests/docs/docs_test.lua "$root" "$@"
