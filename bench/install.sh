#!/bin/sh
# install.sh VENV LIST [ISA]: the packages of a list into a Python environment, which is made where there is none;
# nothing where they were installed before. Builds llama.cpp, which is one of them, for this CPU; with ISA for one that
# has no better instruction set, into the folder ISA of the environment.
set -eu
venv=$1 list=$2 isa=${3:-}
folder=$venv${isa:+/$isa}
done=$folder/$(basename "$list")

if ! cmp -s "$list" "$done"; then
    echo "installing $list into $folder" >&2
    [ -d "$venv" ] || python3 -m venv "$venv"
    case "$list" in
    *llamacpp*) CMAKE_ARGS=$(sh "$(dirname "$0")/cmake_args.sh" "$isa") && export CMAKE_ARGS ;;
    esac
    # What pip keeps of a build does not say what CMake was told.
    "$venv/bin/pip" install --quiet --disable-pip-version-check ${isa:+--no-cache-dir --target "$folder"} \
        --requirement "$list" >&2
    cp "$list" "$done"
fi
