#!/bin/sh
# install.sh: puts the files of a list where they belong: sh tools/install.sh LIST DESTDIR. A line is a mode or `link`,
# the file and its absolute path there, with a tab between them. Makes nothing and removes nothing.
set -eu

readonly list="$1" destdir="$2"
umask 022 # folders that are made are for all, as files are
tab=$(printf '\t')

while IFS=$tab read -r mode from to; do
    to=$destdir$to
    mkdir -p "$(dirname "$to")"
    if [ "$mode" = link ]; then
        cp -P "$from" "$to"
    else
        install -m "$mode" "$from" "$to"
    fi
done <"$list"
