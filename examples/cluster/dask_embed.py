"""dask_embed.py: all shards as tasks of Dask, then the merged file. It needs dask.distributed and setpriv (util-linux).

python3 dask_embed.py N PROGRAM WEIGHTS CORPUS OUTPUT [SCHEDULER]: without the address of a scheduler, two processes on
this machine. Shards are OUTPUT.K, on a file system that all workers share. If a worker dies, another one goes on with
its shard.
"""
import subprocess
import sys

from dask.distributed import Client, LocalCluster


def embed_shard(index, of, program, weights, corpus, output):
    """Computes one shard. The program ends with its worker, so that the file is free for the next one."""
    name = "%s.%d" % (output, index)
    subprocess.run(["setpriv", "--pdeathsig", "KILL", program, "embed", "--weights", weights, "--text", corpus,
                    "--shard", "%d/%d" % (index, of), "--resume", "--output", name], check=True)
    return name


def embed(client, of, program, weights, corpus, output):
    """Computes all shards by a client of Dask, and merges them."""
    tasks = client.map(embed_shard, range(of), of=of, program=program, weights=weights, corpus=corpus, output=output)
    subprocess.run([program, "embed", "--merge", *client.gather(tasks), "--output", output], check=True)


def main(of, program, weights, corpus, output, scheduler=None):
    cluster = None if scheduler else LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(scheduler or cluster) as client:
        embed(client, int(of), program, weights, corpus, output)
    if cluster:
        cluster.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
