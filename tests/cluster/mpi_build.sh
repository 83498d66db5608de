# mpi_build.sh: what mpi.sh, ranks.sh and placement.sh share, read by them: counting, and the programs of three small
# models with --with-mpi --with-hwloc in out/mpi: an encoder, and two decoders, which
# differ in their spec alone; and the library by which a rank is lost. $MPIRUN and $MPICC are the commands of an MPI,
# mpirun and mpicc where they are not set. Tests nothing.
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

# lost SIGNAL FUNCTION RANK OUTPUT COMMAND...: by three ranks, of which RANK gets the signal when it calls the function
# (dying.c). All fail, there is no output, and the rank that died is named; one that stops is late. MPICH's mpirun may
# end the others before they name it, and then names a process that it ended.
lost() {
    SIGNAL=$1 DYING=$2 DYING_RANK=$3 output=$4
    export SIGNAL DYING DYING_RANK DYING_PID="$work/dying.pid"
    shift 4
    rm -f "$output" "$DYING_PID"
    ! timeout 60 "$MPIRUN" -n 3 env LD_PRELOAD="$work/dying.so" "$@" >"$work/said" 2>&1 && pid=$(cat "$DYING_PID") &&
        [ ! -e "$output" ]
    status=$?
    cat "$work/said"
    if [ "$SIGNAL" = STOP ]; then
        kill -9 "$pid" 2>/dev/null
        names="did not come in time"
    else
        names="rank $DYING_RANK, process $pid, has died|BAD TERMINATION|process rank $DYING_RANK "
    fi
    [ "$status" -eq 0 ] && grep -E "$names" "$work/said"
}

build_programs() {
    mkdir -p "$work" && "$MPICC" -std=c11 -shared -fPIC -o "$work/dying.so" tests/cluster/dying.c -ldl &&
        sed 's/cache = 60/cache = 16384/' tests/specs/ranks_104_8.lua >"$work/ranks_104_8.lua" &&
        sed 's/ranks_104_8/ranks_other/; s/theta = 10000/theta = 20000/' "$work/ranks_104_8.lua" \
            >"$work/ranks_other.lua" &&
        (cd "$work" && "$root/configure" --quiet --with-mpi --with-hwloc MPICC="$MPICC" --isa scalar CFLAGS=-Og \
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
