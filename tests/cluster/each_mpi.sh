#!/bin/sh
# each_mpi.sh: mpi.sh, ranks.sh and placement.sh by MPICH and by Open MPI, as Debian names their commands, or by the
# mpirun that is there: each_mpi.sh [LUA]. What is not installed is named. The last line is 'N passed, N failed'.
set -u
cd "$(dirname "$0")/../.." || exit 1
lua=${1:-lua5.4} passed=0 failed=0 tested=

has() { command -v "mpirun$1" >/dev/null && command -v "mpicc$1" >/dev/null; }

# run_script NAME SUFFIX OTHER: adds up what it counted; one that counts nothing has failed.
run_script() {
    MPIRUN=mpirun$2 MPICC=mpicc$2 OTHER_MPIRUN=$3 sh "tests/cluster/$1.sh" "$lua" >out/each_mpi.log 2>&1
    cat out/each_mpi.log
    counts=$(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' out/each_mpi.log)
    counts=${counts:-0 1}
    passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

# test_one SUFFIX OTHER PACKAGES: the commands that end in SUFFIX; OTHER is the suffix of another MPI.
test_one() {
    if ! has "$1"; then
        echo "  skipped: MPI: no mpirun$1 and mpicc$1 (Debian: $3)"
        return
    fi
    echo "== mpirun$1"
    tested=yes other=
    if [ -n "$2" ] && has "$2"; then other=mpirun$2; fi
    run_script mpi "$1" ""
    run_script ranks "$1" "$other"
    run_script placement "$1" ""
}

mkdir -p out
test_one .mpich .openmpi "mpich libmpich-dev"
test_one .openmpi .mpich "openmpi-bin libopenmpi-dev"
if [ -z "$tested" ]; then test_one "" "" "mpich libmpich-dev, or openmpi-bin libopenmpi-dev"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
