#!/bin/sh
# release.sh: the archive of genattn itself, out/dist/genattn-VERSION.tar.gz: sh tools/dist/release.sh. It has the files
# that git knows, as they are now; where there is no git, as in the archive itself, all that lies beside out/.
set -eu

readonly out="$PWD/out/dist"
cd -P "$(dirname "$0")/../.." # the source, where a build elsewhere has links to it

list_files() {
    if [ -e .git ] && git ls-files --error-unmatch configure >/dev/null 2>&1; then
        git ls-files
    else
        find . \( -path ./out -o -path ./.git \) -prune -o ! -type d -print | sed 's,^\./,,'
    fi
}

version=$(sed -n 's/^#define GA_VERSION "\(.*\)"$/\1/p' program/commands/program.h)
readonly full="genattn-$version"
mkdir -p "$out/stage/$full"
list_files | LC_ALL=C sort >"$out/stage/files"
tar -cf - -T "$out/stage/files" | tar -xf - -C "$out/stage/$full"
sh tools/dist/tarball.sh "$out/stage" "$full" "$out/$full.tar.gz"
rm "$out/stage/files"
echo "out/dist/$full.tar.gz"
