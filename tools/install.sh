#!/bin/sh
# install.sh: puts the files of a list where they belong: sh tools/install.sh LIST DESTDIR MANIFEST. A line of the list
# is a mode or `link`, the file and its absolute path there, with a tab between them. Each file and folder that it makes
# is a line of the manifest, for uninstall.sh. Builds nothing and removes nothing.
set -eu

readonly list="$1" manifest="$3"
case $2 in
    '' | /*) destdir=${2%/} ;;
    *) destdir=$(pwd)/${2%/} ;; # the same folder, however it is written
esac
umask 022 # folders that are made are for all, as files are
tab=$(printf '\t')

# Before it is made, so that half an installation can be removed too. DESTDIR is last, as it may be empty.
note() { printf '%s\t%s\t%s\n' "$1" "$2" "$destdir" >>"$manifest"; }

make_folder() {
    if [ ! -d "$1" ]; then
        make_folder "$(dirname "$1")"
        note folder "$1"
        mkdir "$1"
    fi
}

while IFS=$tab read -r mode from to; do
    to=$destdir$to
    make_folder "$(dirname "$to")"
    note file "$to"
    if [ "$mode" = link ]; then
        cp -P "$from" "$to"
    else
        install -m "$mode" "$from" "$to"
    fi
done <"$list"
LC_ALL=C sort -u "$manifest" >"$manifest.new"
mv "$manifest.new" "$manifest"
