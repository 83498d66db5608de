#!/bin/sh
# bench.sh: builds the layer of bench/bindings in a folder of its own, and times it from each host: bench.sh LUA FOLDER.
set -eu

lua=$1 folder=$2
source=$(pwd)
mkdir -p "$folder"
(cd "$folder" && "$source/configure" --spec "$source/bench/bindings/layer.lua" --lua >configure.log && ninja >build.log)
exec "$lua" bench/bindings/run.lua "$folder"
