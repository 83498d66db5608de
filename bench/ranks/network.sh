#!/bin/sh
# network.sh: how long gathers of two ranks take over TCP between two network namespaces of this machine, at any rate,
# 10 Gb/s and 1 Gb/s, by MPICH and by Open MPI. It needs root, ip, tc and both, as Debian names their commands, and
# leaves nothing. The link adds no delay of a wire or a switch.
# docs/scaling.md has the figures.
set -eu
cd "$(dirname "$0")/../.."
work=$PWD/out/ranks_bench
mkdir -p "$work"

clean() { for side in a b; do ip netns del "genattn_$side" 2>/dev/null || true; done; }

trap clean EXIT
clean
if ! { ip netns add genattn_a && ip netns add genattn_b; } 2>"$work/network.log"; then
    echo "skipped: no network namespaces: $(cat "$work/network.log")"
    exit 0
fi
ip link add gaveth_a netns genattn_a type veth peer name gaveth_b netns genattn_b
number=1
for side in a b; do
    ip -n "genattn_$side" address add "10.77.0.$number/24" dev "gaveth_$side"
    ip -n "genattn_$side" link set "gaveth_$side" up
    ip -n "genattn_$side" link set lo up
    number=2
done
for side in a b; do # the kernel brings a link up a moment later
    until ip -n "genattn_$side" link show "gaveth_$side" | grep -q "state UP"; do :; done
done

# What mpirun starts on a node: OPTION... NODE COMMAND. A node is a namespace, with a host name of its own, by which
# Open MPI tells nodes apart.
cat >"$work/launcher.sh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
case $1 in 10.77.0.1) side=a ;; *) side=b ;; esac
shift
exec ip netns exec "genattn_$side" unshare --uts sh -c "hostname genattn-$side; $*"
END
chmod +x "$work/launcher.sh"

for mpi in mpich openmpi; do
    "mpicc.$mpi" -O2 -std=c11 -I program/io -I runtime/include/genattn -I program/mpi bench/ranks/gather.c \
        program/mpi/*.c -o "$work/gather_$mpi"
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for rate in any 10gbit 1gbit; do
    echo "== rate: $rate"
    for side in a b; do
        [ "$rate" = any ] || ip netns exec "genattn_$side" tc qdisc replace dev "gaveth_$side" root tbf rate "$rate" \
            burst 64kb latency 50ms
    done
    echo "-- MPICH"
    # Its UCX otherwise takes shared memory between namespaces.
    ip netns exec genattn_a env UCX_TLS=tcp,self mpirun.mpich -launcher ssh -launcher-exec "$work/launcher.sh" \
        -iface gaveth_a -hosts 10.77.0.1,10.77.0.2 -n 2 "$work/gather_mpich"
    echo "-- Open MPI"
    "$work/launcher.sh" 10.77.0.1 mpirun.openmpi -n 2 -host 10.77.0.1,10.77.0.2 -bind-to none \
        -mca plm_rsh_agent "$work/launcher.sh" -mca pml ob1 -mca btl tcp,self "$work/gather_openmpi"
done
