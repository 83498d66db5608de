#!/bin/sh
#SBATCH --job-name=embed
#SBATCH --cpus-per-task=8
#SBATCH --requeue
# slurm.sh: one task of a Slurm array, which computes one shard: sbatch --array=0-15 slurm.sh 16 PROGRAM WEIGHTS CORPUS
# OUTPUT. It writes OUTPUT.K and merges nothing. N is an argument: if only some tasks are submitted again, Slurm counts
# only these.
set -eu

n=$1 program=$2 weights=$3 corpus=$4 output=$5
exec "$program" embed --weights "$weights" --text "$corpus" --shard "$SLURM_ARRAY_TASK_ID/$n" --resume \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --progress json --output "$output.$SLURM_ARRAY_TASK_ID"
