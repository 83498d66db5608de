"""Exponentials, logarithms, sums and products of matrices that have the same bits on every machine, in numpy: numpy's
own are those of the C library, of the CPU's vectors and of a BLAS. Float64 and one IEEE 754 operation at a time.
"""
from typing import Any, List

import numpy as np

_LOG2E, _LN2_HIGH, _LN2_LOW = 1.4426950408889634, 0.69314718036912382, 1.9082149292705877e-10
_FACTORIALS = [2.0, 6.0, 24.0, 120.0, 720.0, 5040.0, 40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0,
               6227020800.0]
_ROOT_HALF, _LAST = 0.7071067811865476, 23


def exp(x: Any) -> Any:
    """e^x for x up to 700, with the bits of ga_exp (runtime/base/elementary.c); 0 below -746 and of NaN."""
    is_least = ~(x >= -746)
    x = np.where(is_least, 0.0, x)
    n = np.rint(x * _LOG2E)
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    y = np.full_like(r, 1 / _FACTORIALS[-1])
    for factorial in reversed(_FACTORIALS[:-1]):
        y = y * r + 1 / factorial
    return np.where(is_least, 0.0, np.ldexp(1 + (r + r * r * y), n.astype(np.int32)))


def log(x: Any) -> Any:
    """The natural logarithm of numbers from 0 to 1: -inf of 0."""
    m, n = np.frexp(np.where(x > 0, x, 1.0))
    is_low = m < _ROOT_HALF
    m, n = np.where(is_low, m * 2, m), np.where(is_low, n - 1, n)
    s = (m - 1) / (m + 1)
    y = np.full_like(s, 1 / _LAST)
    for k in range(_LAST - 2, 0, -2):
        y = y * (s * s) + 1 / k
    return np.where(x > 0, n * _LN2_HIGH + (n * _LN2_LOW + 2 * s * y), -np.inf)


def sums(terms: Any) -> Any:
    """Of the last axis, in its order."""
    if terms.shape[-1] == 0:
        return np.zeros(terms.shape[:-1])
    return np.add.accumulate(terms, axis=-1, dtype=np.float64)[..., -1]


# -- Products of matrices -------------------------------------------------------------------------------------------

_BLOCK = 1 << 22  # results at a time


def _parts(rows: Any, count: int, bits: int) -> Any:
    """Each row as a power of two times its numbers, of which part i has whole numbers times 2^-(bits (i + 1))."""
    _, exponents = np.frexp(np.abs(rows).max(axis=1, initial=0.0))
    rest = np.ldexp(rows, -exponents[:, None])
    parts: List[Any] = []
    for _ in range(count):
        rest = rest * 2.0 ** bits
        parts.append(np.rint(rest))
        rest = rest - parts[-1]
    return parts, exponents


def _finite_products(a: Any, b: Any, count: int) -> Any:
    # Sums of products of parts are whole numbers up to 2^53, exact in whatever order a BLAS adds them (K. Ozaki et al.,
    # "Error-free transformations of matrix multiplication", 2012).
    bits = (53 - int(np.ceil(np.log2(max(2, count * a.shape[1]))))) // 2
    (a_parts, a_exponents), (b_parts, b_exponents) = _parts(a, count, bits), _parts(b, count, bits)
    total = np.zeros((len(a), len(b)))
    for last in reversed(range(count)):  # the smallest first
        left = np.concatenate(a_parts[:last + 1], axis=1)
        right = np.concatenate(b_parts[last::-1], axis=1)
        total = total * 2.0 ** -bits + left @ right.T
    return np.ldexp(total * 2.0 ** (-2 * bits), a_exponents[:, None] + b_exponents)


def products(a: Any, b: Any) -> Any:
    """[n, m]: the product of each row of a [n, d] and each of b [m, d], as exact as those of their type."""
    kind = np.result_type(a, b)
    count = 2 if kind == np.float32 else 3
    made = np.empty((len(a), len(b)), kind)
    b = b.astype(np.float64)
    is_finite = np.isfinite(b).all(axis=1)
    step = max(1, _BLOCK // max(1, len(b)))
    with np.errstate(invalid="ignore", over="ignore"):
        for first in range(0, len(a), step):
            rows = a[first:first + step].astype(np.float64)
            are_finite = np.isfinite(rows).all(axis=1)[:, None] & is_finite
            if are_finite.all():
                made[first:first + step] = _finite_products(rows, b, count)
            else:  # infinities and NaN are the same in any order
                finite = _finite_products(np.where(np.isfinite(rows), rows, 0), np.where(np.isfinite(b), b, 0), count)
                made[first:first + step] = np.where(are_finite, finite, rows @ b.T)
    return made
