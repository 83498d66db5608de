"""layer.py: one attention layer from Python: weights packed once, then calls of numpy's arrays. Its weights are made
up; your own come from a file, mha_512_8.Layer("W.safetensors"), or from a dict such as a module's state_dict().
"""
import mha_512_8
import numpy as np

ROWS, D = 100, 512


def made_up(random, *shape, largest=1.0):
    """Numbers of float32."""
    return random.uniform(-largest, largest, shape).astype(np.float32)


def main():
    random, weights = np.random.default_rng(1), {}
    for name in ("w_q", "w_k", "w_v", "w_o"):
        weights[name + ".weight"] = made_up(random, D, D, largest=0.0625)
        weights[name + ".bias"] = made_up(random, D, largest=0.0625)
    layer = mha_512_8.Layer(weights, threads="all")
    x = made_up(random, 2, ROWS, D)
    y = layer(x, q_lengths=[ROWS, 40])  # of the second sequence 40 rows are real
    bits = "the same" if (y[1:, :40] == layer(x[1:, :40])).all() else "other"
    print("%r: %s rows in, %s rows out" % (layer, x.shape, y.shape))
    print("a shorter sequence, in a batch and alone: %s bits" % bits)
    try:
        layer(x.astype(np.float64))
    except TypeError as error:
        print("refused: %s" % error)


main()
