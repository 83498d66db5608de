#!/bin/sh
# uninstall.sh: removes what install.sh wrote below DESTDIR, as its manifest says: sh tools/uninstall.sh MANIFEST
# DESTDIR. Folders go where install.sh made them and nothing else is in them. Removes nothing that is not in the
# manifest.
set -eu

readonly manifest="$1"
case $2 in
    '' | /*) destdir=${2%/} ;;
    *) destdir=$(pwd)/${2%/} ;; # the same folder, however it is written
esac
tab=$(printf '\t')
files=0 folders=0

[ -e "$manifest" ] || : >"$manifest"
LC_ALL=C sort -ru -t "$tab" -k 2 "$manifest" >"$manifest.sorted" # what is in a folder comes before it
: >"$manifest.new"
while IFS=$tab read -r kind path below; do
    if [ "$below" != "$destdir" ]; then
        printf '%s\t%s\t%s\n' "$kind" "$path" "$below" >>"$manifest.new"
    elif [ "$kind" = folder ]; then
        if rmdir "$path" 2>/dev/null; then folders=$((folders + 1)); fi
    elif [ -e "$path" ] || [ -L "$path" ]; then
        rm -f "$path"
        files=$((files + 1))
    fi
done <"$manifest.sorted"
rm -f "$manifest.sorted"
mv "$manifest.new" "$manifest"
if [ "$files" -eq 0 ] && [ "$folders" -eq 0 ]; then
    echo "uninstall: there is nothing that 'ninja install' of this build wrote${destdir:+ below $destdir}"
else
    echo "uninstall: removed $files files and $folders folders"
fi
