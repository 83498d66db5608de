"""What a call takes and gives: names and shapes of struct ga_io, by the properties of the model. Runs nothing.

A shape is a tuple of numbers and of letters: B sequences, Q rows of query, K rows of key.
"""
import ctypes
from typing import Dict, List, Tuple, Union

from . import _declarations as c
from ._library import encoder, lib, model, stack

Axis = Union[int, str]
Shape = Tuple[Axis, ...]

BY_HEAD = model.kind == c.GA_SDPA
HAS_MEMORY = model.kind in (c.GA_DECODER, c.GA_TRANSFORMER)
IS_TRANSFORMER = model.kind == c.GA_TRANSFORMER


def _rows(axis: str, heads: int, width: int) -> Shape:
    return ("B", heads, axis, width // heads) if BY_HEAD else ("B", axis, width)


# Rows of float32.
ROWS: Dict[str, Shape] = {
    "query": _rows("Q", model.n_heads, model.d_model),
    "key": _rows("K", model.n_kv_heads, model.k_dim),
    "value": _rows("K", model.n_kv_heads, model.v_dim),
    "memory": ("B", "K", model.d_model),
    "sublayer": ("B", "Q", model.d_model),
}

# Whole numbers.
NUMBERS: Dict[str, Shape] = {
    "tokens": ("B", "Q"), "token_types": ("B", "Q"), "key_tokens": ("B", "K"), "q_lengths": ("B",),
    "kv_lengths": ("B",), "position": ("B",), "kv_position": ("B",),
}

_OWN_KEYS: Axis = "Q" if stack else "K"
MASKS: Dict[str, Shape] = {
    "mask": ("B", model.n_heads, "Q", _OWN_KEYS), "src_mask": ("B", model.n_heads, "K", "K"),
    "memory_mask": ("B", model.n_heads, "Q", "K"),
}
ADDITIVE: Dict[str, bool] = {
    "mask": model.mask == c.GA_MASK_ADDITIVE, "src_mask": model.mask == c.GA_MASK_ADDITIVE,
    "memory_mask": stack is not None and stack.memory_mask == c.GA_MASK_ADDITIVE,
}


def mask_fields(name: str) -> Tuple[str, str]:
    """Where a mask of that name goes, and its strides."""
    return name.replace("mask", "additive_mask") if ADDITIVE[name] else name, name + "_strides"


# -- Outputs --------------------------------------------------------------------------------------------------------


def _intermediates() -> Dict[str, Tuple[int, Shape]]:
    """Those that the model gives: the place in struct ga_io, and the shape, whose letters are found by odd numbers."""
    found: Dict[str, Tuple[int, Shape]] = {}
    letters: Dict[int, Axis] = {1000003: "B", 1000033: "Q", 1000037: "K"}
    for i in range(c.GA_INTERMEDIATES):
        sizes = (ctypes.c_size_t * 4)()
        rank = lib.ga_intermediate_shape(ctypes.addressof(model), i, 1000003, 1000033, 1000037, sizes)
        if model.intermediates[i]:
            shape = tuple(letters.get(n, n) for n in sizes[:rank])
            found[lib.ga_intermediate_name(i).decode()] = (i, shape)
    return found


INTERMEDIATES = _intermediates()


def _outputs() -> Dict[str, Shape]:
    keys: Axis = "K+%d" % model.extra_keys if model.extra_keys else "K"
    d_out = model.d_out
    list_of = {"output": _rows("Q", model.n_heads, d_out)}
    if model.attention_output:
        list_of["attention"] = ("B", model.n_heads, "Q", keys)
    if model.attention_mean_output:
        list_of["attention_mean"] = ("B", "Q", keys)
    if stack and stack.pool != c.GA_POOL_NONE:
        list_of["embedding"] = ("B", stack.d_embedding)
    if stack and stack.logits != c.GA_LOGITS_NONE:
        list_of["logits"] = ("B", "Q", stack.n_logits)
        list_of["last_logits"] = ("B", stack.n_logits)
    if stack and stack.n_labels:
        list_of["class_logits"] = ("B", stack.n_labels)
    if IS_TRANSFORMER:
        list_of["memory"] = ("B", "K", model.d_model)
    return list_of


OUTPUTS: Dict[str, Shape] = _outputs()


def _lists() -> Dict[str, Tuple[int, Shape]]:
    if not stack:
        return {}
    lists: Dict[str, Tuple[int, Shape]] = {"hidden": (stack.n_layers + 1, ("B", "Q", model.d_model))}
    if stack.attention:
        lists["layer_attention"] = (stack.n_layers, ("B", model.n_heads, "Q", "Q"))
    if stack.cross_attention:
        lists["layer_cross_attention"] = (stack.n_layers, ("B", model.n_heads, "Q", "K"))
    if encoder and encoder.attention:
        lists["src_layer_attention"] = (encoder.n_layers, ("B", model.n_heads, "K", "K"))
    return lists


# Outputs that are a list, of an array for each layer: how many, and the shape of each.
LISTS = _lists()
OUTPUT_NAMES: List[str] = sorted([*OUTPUTS, *INTERMEDIATES, *LISTS])


def default_output() -> str:
    """What a call gives that names no outputs: the last that the model computes."""
    return next(name for name in ("logits", "class_logits", "embedding", "output") if name in OUTPUTS)
