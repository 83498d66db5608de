"""Weights made from whole numbers: the formula that demo/formula.h documents, in NumPy. Makes nothing random."""

import numpy as np

PRIME = 67108859
STEP = 1000003
TENSOR = 1 << 20  # elements a tensor number spans
ONE = 65536


def integers(tensor, count, r):
    """k of elements 0..count-1 of a tensor: int64 [count] in -r..r."""
    if not (0 <= tensor < 63 and 0 < count <= TENSOR and 0 <= r < 1 << 24):
        raise ValueError(f"formula: tensor {tensor}, count {count}, r {r} out of range")
    n = np.int64(tensor) * TENSOR + np.arange(count, dtype=np.int64)
    c = n * STEP % PRIME
    x = c * c % PRIME * c % PRIME
    return x % (2 * r + 1) - r


def values(tensor, shape, r):
    """A tensor by the formula: float64 of the given shape, every value exact in float32."""
    k = integers(tensor, int(np.prod(shape)), r)
    return (k / ONE).reshape(shape)
