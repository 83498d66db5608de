"""Vectors in fewer bits, with the values of sentence_transformers: a byte or a bit for each number. Knows no model."""
from typing import Any, List, Literal, Optional, get_args

import numpy as np

from ._similarity import FLOATS, as_array

Precision = Literal["float32", "int8", "uint8", "binary", "ubinary"]
_PRECISIONS = get_args(Precision)
_BYTES = {"int8": np.int8, "uint8": np.uint8}
_BITS = ("binary", "ubinary")
_STEPS = 255  # from the least to the largest number of a byte


def check_precision(precision: Any) -> None:
    """Raises where there is no such precision; None is float32."""
    if precision is not None and precision not in _PRECISIONS:
        raise ValueError("precision is %r; expected %s or None" % (precision, ", ".join(map(repr, _PRECISIONS))))


def _checked_ranges(ranges: Any, width: int) -> Any:
    ranges = np.asarray(ranges, np.float32)
    if ranges.shape != (2, width):
        raise ValueError("ranges has shape %s; expected %s, the least and the largest value of each number"
                         % (list(ranges.shape), [2, width]))
    with np.errstate(over="ignore", invalid="ignore"):
        spread = ranges[1] - ranges[0]
    if not (np.isfinite(spread) & (spread >= 0)).all():
        raise ValueError("ranges of some numbers have no width of 0 or more; expected finite numbers, the least first")
    return ranges


def _ranges_of(parts: List[Any], precision: str, calibration: Any) -> Any:
    """The least and the largest value of each number, of vectors that stand for others or of the vectors themselves."""
    if calibration is not None:
        vectors, least = as_array("calibration_embeddings", calibration, FLOATS)[0], 1
    else:
        vectors, least = np.concatenate(parts), 2
    if vectors.ndim < 2 or len(vectors) < least:
        raise ValueError("precision is %r, whose ranges are those of vectors, here of shape %s; expected "
                         "[%d or more, d], or ranges= of quantize_embeddings"
                         % (precision, list(vectors.shape), least))
    return np.stack((vectors.min(axis=0), vectors.max(axis=0)))


def _to_bytes(vectors: Any, precision: str, ranges: Any) -> Any:
    """The 256 values of a byte over each number's range; a number outside takes the nearest."""
    least, steps = ranges[0], (ranges[1] - ranges[0]) / _STEPS
    steps = np.where(steps == 0, 1, steps)
    numbers = np.clip(np.floor((vectors - least) / steps), 0, _STEPS).astype(np.uint8)
    return numbers if precision == "uint8" else (numbers ^ 0x80).view(np.int8)  # which is 128 less


def _to_bits(vectors: Any, precision: str) -> Any:
    """Whether each number is above 0; eight of them are a byte, the first its highest bit."""
    packed = np.packbits(vectors > 0, axis=-1)
    return packed if precision == "ubinary" else (packed ^ 0x80).view(np.int8)


def _quantized(parts: List[Any], precision: str, ranges: Any, calibration: Any) -> List[Any]:
    """Arrays of vectors that have their ranges together."""
    if precision in _BITS:
        return [_to_bits(part, precision) for part in parts]
    if precision not in _BYTES:
        return [part.astype(np.float32, copy=False) for part in parts]
    if not any(part.size for part in parts):
        return [np.zeros(part.shape, _BYTES[precision]) for part in parts]
    if ranges is None:
        ranges = _ranges_of(parts, precision, calibration)
    ranges = _checked_ranges(ranges, parts[0].shape[-1])
    return [_to_bytes(part, precision, ranges) for part in parts]


def quantize_embeddings(embeddings: Any, precision: Optional[Precision], ranges: Any = None,
                        calibration_embeddings: Any = None) -> Any:
    """Vectors in fewer bits, with the values and the arguments of sentence_transformers' function of this name.

    embeddings: [vectors, d] of floats, of numpy or of PyTorch; or a list of such, which have their ranges together.
    precision: "int8" and "uint8" give a byte for each number, 256 steps from the least to the largest value that this
        number has; "binary" and "ubinary" give a bit, 1 above 0, and [vectors, d / 8] of int8 or uint8; "float32".
    ranges: [2, d], the least and the largest value of each number. None takes them from calibration_embeddings, or
        from the vectors themselves, which are two at least then. Vectors that are compared must have the same ranges.

    The result is numpy's. ValueError: a shape, a precision, ranges that cannot be told. TypeError: no floats.
    """
    check_precision(precision)
    several = isinstance(embeddings, (list, tuple)) and len(embeddings) > 0 and np.ndim(embeddings[0]) == 2
    named = enumerate(embeddings) if several else [(0, embeddings)]
    parts = [as_array("embeddings[%d]" % i if several else "embeddings", part, FLOATS)[0] for i, part in named]
    made = _quantized(parts, precision or "float32", ranges, calibration_embeddings)
    return made if several else made[0]
