#!/bin/sh
# bench.sh: builds the layer of bench/bindings in a folder of its own, and times it from each host: bench.sh LUA FOLDER.
set -eu

lua=$1 folder=$2
source=$(pwd)
mkdir -p "$folder"
set -- --spec "$source/bench/bindings/layer.lua" --lua
if python3 -c 'import numpy' 2>"$folder/configure.log"; then set -- "$@" --python; fi
(cd "$folder" && "$source/configure" "$@" >configure.log && ninja >build.log)
exec "$lua" bench/bindings/run.lua "$folder"
