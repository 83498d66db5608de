# mpi_build.sh: what mpi.sh and ranks.sh share, read by them: counting, and the programs of three small models with
# --with-mpi in out/mpi: an encoder, and two decoders with room for thousands of tokens, which differ in their spec
# alone. $MPIRUN and $MPICC are the commands of an MPI, mpirun and mpicc where they are not set. Tests nothing.
# shellcheck shell=sh disable=SC2034 # its readers use lua
root=$PWD lua=${1:-lua5.4}
MPIRUN=${MPIRUN:-mpirun} MPICC=${MPICC:-mpicc}
work=$root/out/mpi
passed=0
failed=0

count() { # NAME STATUS
    if [ "$2" -eq 0 ]; then
        echo "  ok   $1"
        passed=$((passed + 1))
    else
        cat "$work/log"
        echo "  FAIL $1"
        failed=$((failed + 1))
    fi
}

build_programs() {
    mkdir -p "$work" && sed 's/cache = 60/cache = 16384/' tests/specs/ranks_104_8.lua >"$work/ranks_104_8.lua" &&
        sed 's/ranks_104_8/ranks_other/; s/theta = 10000/theta = 20000/' "$work/ranks_104_8.lua" \
            >"$work/ranks_other.lua" &&
        (cd "$work" && "$root/configure" --quiet --with-mpi MPICC="$MPICC" --isa scalar \
            --spec "$root/examples/encoder.lua" --spec ranks_104_8.lua --spec ranks_other.lua && ninja)
}

# build_or_end COMMAND: ends the script, aloud, if the build or the command fails.
build_or_end() {
    # Open MPI starts more processes than CPUs, and as root in a container, if it is told so.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    mkdir -p "$root/out"
    if ! { build_programs && "$1"; } >"$work.log" 2>&1; then
        cat "$work.log"
        echo "0 passed, 1 failed"
        exit 1
    fi
}
