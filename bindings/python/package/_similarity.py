"""Similarity of vectors by the names of sentence_transformers, in numpy. Tensors of PyTorch give tensors. Knows no
model.
"""
from typing import Any, Callable, Dict, NamedTuple, Tuple

import numpy as np

from . import _arrays
from . import _elementary as elementary

NUMBERS, FLOATS = "fiub", "f"  # numpy's kinds


def _host(name: str, value: Any) -> Any:
    return _arrays.backend(name, value).host(name, value) if hasattr(value, "detach") else value


def as_array(name: str, given: Any, kinds: str = NUMBERS) -> Tuple[Any, bool]:
    """A vector or vectors as float32, or float64 where they are that; and whether PyTorch's tensors gave them."""
    rows = given if isinstance(given, (list, tuple)) else [given]
    is_tensor = any(hasattr(row, "detach") for row in rows)
    array = np.asarray([_host(name, row) for row in rows] if rows is given else _host(name, given))
    if array.dtype.kind not in kinds and array.size:
        raise TypeError("%s has dtype %s; expected %s"
                        % (name, array.dtype, "floats" if kinds == FLOATS else "numbers"))
    if array.ndim not in (1, 2):
        raise ValueError("%s has shape %s; expected a vector, or [vectors, d]" % (name, list(array.shape)))
    return array if array.dtype == np.float64 else array.astype(np.float32, copy=False), is_tensor


# -- Functions ------------------------------------------------------------------------------------------------------


def _unit(vectors: Any) -> Any:
    """The vectors with a length of 1; zeros stay zeros."""
    squares = elementary.sums(np.square(vectors.astype(np.float64)))
    return vectors / np.maximum(np.sqrt(squares), 1e-12).astype(vectors.dtype)[..., None]


def _dots(a: Any, b: Any) -> Any:
    return elementary.products(a, b)


def _dot(a: Any, b: Any) -> Any:
    return elementary.sums(a.astype(np.float64) * b).astype(np.result_type(a, b))


def _negative_euclidean(a: Any, b: Any) -> Any:
    return -np.sqrt(elementary.sums(np.square(a - b))).astype(np.result_type(a, b))


def _negative_manhattan(a: Any, b: Any) -> Any:
    return -elementary.sums(np.abs(a - b)).astype(np.result_type(a, b))


def _each(pairwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """All vectors of one to all of another, a row of the result at a time: differences, which lose no digits."""
    def matrix(a: Any, b: Any) -> Any:
        made = np.empty((len(a), len(b)), np.result_type(a, b))
        for row, vector in zip(made, a):
            row[:] = pairwise(vector, b)
        return made
    return matrix


class _Function(NamedTuple):
    matrix: Callable[[Any, Any], Any]
    pairwise: Callable[[Any, Any], Any]


FUNCTIONS: Dict[str, _Function] = {
    "cosine": _Function(lambda a, b: _dots(_unit(a), _unit(b)), lambda a, b: _dot(_unit(a), _unit(b))),
    "dot": _Function(_dots, _dot),
    "euclidean": _Function(_each(_negative_euclidean), _negative_euclidean),
    "manhattan": _Function(_each(_negative_manhattan), _negative_manhattan),
}


def of_stack(stack: Any) -> str:
    """The name of what a model's spec says; the order is that of enum ga_similarity."""
    return ("cosine", "dot", "euclidean", "manhattan")[stack.similarity]


def checked_name(name: Any) -> str:
    """The name of a function, of which sentence_transformers has an enum too. None is cosine."""
    name = "cosine" if name is None else getattr(name, "value", name)
    if name not in FUNCTIONS:
        raise ValueError("similarity_fn_name is %r; expected %s" % (name, ", ".join(map(repr, FUNCTIONS))))
    return str(name)


def _result(scores: Any, as_tensor: bool) -> Any:
    if not as_tensor:
        return scores
    import torch

    return torch.from_numpy(np.asarray(scores))


def matrix(name: str, embeddings1: Any, embeddings2: Any) -> Any:
    """[n, m]: how similar each of n vectors is to each of m."""
    (a, one), (b, other) = as_array("embeddings1", embeddings1), as_array("embeddings2", embeddings2)
    a, b = np.atleast_2d(a), np.atleast_2d(b)
    if a.shape[1] != b.shape[1]:
        raise ValueError("embeddings1 has shape %s and embeddings2 %s; expected vectors of one length"
                         % (list(a.shape), list(b.shape)))
    return _result(FUNCTIONS[name].matrix(a, b), one or other)


def pairwise(name: str, embeddings1: Any, embeddings2: Any) -> Any:
    """[n]: how similar each of n vectors is to the other's of the same place."""
    (a, one), (b, other) = as_array("embeddings1", embeddings1), as_array("embeddings2", embeddings2)
    if a.shape != b.shape:
        raise ValueError("embeddings1 has shape %s and embeddings2 %s; expected the same"
                         % (list(a.shape), list(b.shape)))
    return _result(FUNCTIONS[name].pairwise(a, b), one or other)
