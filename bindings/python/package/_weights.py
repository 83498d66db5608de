"""Weights of the model, packed: from safetensors files, from files of packed weights, from arrays by their names."""
import ctypes
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _declarations as c
from ._arguments import as_text
from ._library import Block, Constant, check, lib, model, model_address
from ._name import NAME

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_DTYPES = {"float32": "F32", "float16": "F16", "float64": "F64", "bfloat16": "BF16"}


class Packed(Constant):
    """Packed weights: `handle` is what calls take. Constant, so that any number of threads may use them."""

    REFUSED = ("weights that came from arrays cannot be pickled, as they are memory of this process; pickle the "
               "arrays, or make the object of a file, which is opened again where the pickle is read")

    def __init__(self, variant: int, block: Block, handle: int) -> None:
        self.variant, self._block, self.handle = variant, block, handle
        self.isa: str = ctypes.cast(variant, ctypes.POINTER(c.ga_variant)).contents.isa.decode()


def _variant(isa: Optional[str]) -> int:
    found = ctypes.c_void_p()
    check(lib.ga_model_variant, model_address, as_text("isa", isa), ctypes.byref(found))
    assert found.value
    return found.value


def _pack(views: Any, isa: Optional[str]) -> Packed:
    variant = _variant(isa)
    block, handle = Block(lib.ga_model_packed_size(variant)), ctypes.c_void_p()
    check(lib.ga_model_pack, model_address, variant, views, block.address, block.size, ctypes.byref(handle))
    assert handle.value
    return Packed(variant, block, handle.value)


def _from_open(weights: Any, isa: Optional[str], options: Any) -> Packed:
    """Of an open file, which is closed then."""
    try:
        views = (c.ga_weight_view * model.n_roles)()
        check(lib.ga_load_views_with, model_address, weights, ctypes.byref(options), views)
        return _pack(views, isa)
    finally:
        lib.ga_weights_close(weights)


def _from_packed(path: bytes, isa: Optional[str]) -> Packed:
    pack, variant, handle = c.ga_pack(), ctypes.c_void_p(), ctypes.c_void_p()
    check(lib.ga_pack_open, path, ctypes.byref(pack))
    try:
        check(lib.ga_pack_variant, ctypes.byref(pack), model_address, as_text("isa", isa), ctypes.byref(variant))
        block = Block(lib.ga_model_packed_size(variant))
        check(lib.ga_pack_load, ctypes.byref(pack), model_address, variant, c.GA_PACK_VERIFY, block.address, block.size,
              ctypes.byref(handle))
    finally:
        lib.ga_pack_close(ctypes.byref(pack))
    assert variant.value and handle.value
    return Packed(variant.value, block, handle.value)


class Roles(Dict[str, Any]):
    """Contiguous arrays of float32 by the model's own names for its weights, whatever layouts it reads."""


def _from_roles(arrays: Roles, isa: Optional[str]) -> Packed:
    views = (c.ga_weight_view * model.n_roles)()
    for view, role in zip(views, model.roles[: model.n_roles]):
        name, shape = role.name.decode(), tuple(role.shape[: role.rank])
        array = arrays.get(name)
        if array is None or array.shape != shape:
            raise ValueError("%s: %s is %s; expected %s"
                             % (NAME, name, "missing" if array is None else list(array.shape), list(shape)))
        view.data, view.row_stride, view.col_stride = array.ctypes.data, shape[-1] if role.rank > 1 else 1, 1
    for name in set(arrays) - {role.name.decode() for role in model.roles[: model.n_roles]}:
        raise ValueError("%s: %s is there; expected none, as the model was generated without" % (NAME, name))
    return _pack(views, isa)


def _bytes_of(name: str, tensor: Any) -> Tuple[str, List[int], bytes]:
    """Type, shape and bytes of an array of numpy or of a tensor of PyTorch, bfloat16 included."""
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().contiguous()
        word, shape = str(tensor.dtype).replace("torch.", ""), list(tensor.shape)
        if word == "bfloat16":
            tensor = tensor.view(__import__("torch").int16)
        array = tensor.numpy()
    else:
        array = np.asarray(tensor)
        array = array.astype(array.dtype.newbyteorder("="), copy=False)  # whose name says nothing of the order of bytes
        word, shape = array.dtype.name, list(array.shape)
    if word not in _DTYPES:
        raise TypeError("weights[%r] has dtype %s; expected one of %s" % (name, word, ", ".join(sorted(_DTYPES))))
    return _DTYPES[word], shape, np.ascontiguousarray(array).tobytes()


def _safetensors(arrays: Mapping[str, Any]) -> bytes:
    """The arrays as a safetensors file has them, so that they go by the same layouts and through the same checks."""
    header, parts, at = {}, [], 0
    rows = [(name, _bytes_of(name, tensor)) for name, tensor in arrays.items()]
    rows.sort(key=lambda row: (-int(row[1][0].lstrip("BF")), row[0]))  # wider elements first: each is aligned
    for name, (dtype, shape, data) in rows:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def _options(layout: Optional[str], prefix: Optional[str], strict: bool) -> Any:
    return c.ga_load_options(layout=as_text("layout", layout), strict=strict, prefix=as_text("prefix", prefix))


def _from_path(source: Any, isa: Optional[str], options: Any) -> Packed:
    path, opened = os.fsencode(source), ctypes.c_void_p()
    os.stat(source)  # raises what Python raises for a file that is not there
    if lib.ga_pack_is_file(path):
        return _from_packed(path, isa)
    check(lib.ga_weights_open_model, path, None, ctypes.byref(opened))
    return _from_open(opened, isa, options)


def load(source: Optional[Source], layout: Optional[str], prefix: Optional[str], isa: Optional[str],
         strict: bool) -> Packed:
    """Packs what `source` names or holds; None for a model without weights."""
    if isinstance(source, Roles):
        return _from_roles(source, isa)
    if isinstance(source, Mapping):
        data, opened = _safetensors(source), ctypes.c_void_p()
        check(lib.ga_weights_parse, data, len(data), b"weights", ctypes.byref(opened))
        return _from_open(opened, isa, _options(layout, prefix, strict))
    if source is not None and not isinstance(source, (str, os.PathLike)):
        raise TypeError("%s: weights is %s; expected a path, or a dict of arrays by name"
                        % (NAME, type(source).__name__))
    if source is None and model.n_roles > 0:
        raise TypeError("%s: weights is None; expected a file, or a dict of arrays by name" % NAME)
    packed = _pack(None, isa) if source is None else _from_path(source, isa, _options(layout, prefix, strict))
    packed.again = load, (source and os.path.abspath(source), layout, prefix, isa, strict)
    return packed
