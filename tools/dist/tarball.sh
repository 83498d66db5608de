#!/bin/sh
# tarball.sh: a folder as an archive whose bytes follow from its files alone: sh tools/dist/tarball.sh PARENT NAME OUT.
# Names are sorted, owners are 0, times are SOURCE_DATE_EPOCH or the first of 1980. Removes the folder.
set -eu

tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    --mtime="@${SOURCE_DATE_EPOCH:-315532800}" -C "$1" -cf "$3.tmp" "$2"
gzip -9nc "$3.tmp" >"$3.gz.tmp"
mv "$3.gz.tmp" "$3"
rm -rf "$3.tmp" "${1:?}/$2"
