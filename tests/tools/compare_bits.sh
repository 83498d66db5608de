#!/bin/sh
# compare_bits.sh REVISION: whether every result of the test models has the bits that it had at a git revision. Builds
# that revision in out/compare, runs the same calls in both, and names the calls whose bits differ.
set -eu

[ $# -eq 1 ] || { echo "usage: sh tests/tools/compare_bits.sh REVISION" >&2; exit 2; }
revision=$(git rev-parse --verify --short=12 "$1^{commit}")
tree=out/compare/$revision

# The program as it is here, so that both run the same calls.
if [ ! -d "$tree" ]; then
    git worktree prune
    git worktree add --force --detach "$tree" "$revision" >/dev/null
fi

# Where a tree has the program: before tests had folders by their role, it had another name and lay in tests/ itself;
# before the tests had a graph of their own, its binary lay beside the other programs.
has_folders() { [ -e "$1/tests/standalone" ]; }
has_graph() { [ -e "$1/generator/configure_tests.lua" ] || [ -d "$1/tests/build" ]; }
name() { if has_folders "$1"; then echo standalone_bits; else echo plain_bits; fi; }
folder() { if has_folders "$1"; then echo tests/standalone; else echo tests; fi; }
program() { if has_graph "$1"; then echo "out/test/all/$(name "$1")"; else echo "out/test/$(name "$1")"; fi; }
cp tests/standalone/standalone_bits.c "$tree/$(folder "$tree")/$(name "$tree").c"
target() { if has_graph "$1"; then echo test-binaries; else program "$1"; fi; }

build() {
    words=$(target "$1") binary=$(program "$1")
    (cd "$1" && { [ -f out/config.ninja ] || ./configure --d-model 64 --heads 4; } && TESTS=$binary ninja "$words") >&2
}
build "$tree"
build .
# Lines "MODEL/ISA/SEED HASH" of one of them, in order.
calls() { "$1" | awk '{ print $1 "/" $2 "/" $3, $4 }' | sort; }
calls "$tree/$(program "$tree")" >out/compare/before
calls "$(program .)" >out/compare/after
join out/compare/before out/compare/after >out/compare/both # models come and go: those of one alone are counted only

awk '$2 != $3 { print "differs: " $1 }' out/compare/both
both=$(wc -l <out/compare/both)
differ=$(awk '$2 != $3' out/compare/both | wc -l)
before=$(wc -l <out/compare/before)
echo "$before calls before, $(wc -l <out/compare/after) now, $both of both"
[ "$both" -gt 0 ] || { echo "nothing to compare" >&2; exit 1; }
echo "$((both - differ)) passed, $differ failed"
[ "$differ" -eq 0 ]
