"""A layer of attention, or attention alone."""
import ctypes
from typing import Any, Dict, List, Optional, Tuple, TypeVar, Union, overload

import numpy as np

from . import _arrays as arrays
from . import _tables as tables
from ._cache import Cache
from ._call import Runner, Sizes, run_attend, run_attend_to
from ._library import model, refuse

A = TypeVar("A")

_WIDTH = model.d_model
_D_OUT = model.d_out
_IS_PLAIN = not tables.BY_HEAD and model.cache == 0
_ndarray, _empty, _F32 = np.ndarray, np.empty, arrays.F32
_memory_of = (ctypes.c_char * 0).from_buffer  # a function of the library takes it as an address


class Layer(Runner):
    """A layer with its weights.

    weights: the path of a safetensors file, of a folder or an index of several, or of a file of packed weights
        (.gap); or a dict of arrays or tensors by name, such as `module.state_dict()`. They are copied and packed.
    layout: whose names the weights go by; None finds it. prefix: what stands before them, in place of the spec's.
    threads: over how many a call is spread, or "all". isa: the instruction set; None takes the CPU's best.
    strict: refuses weights that hold more than the layer takes.

    Any number of Python's threads may call one layer at the same time; the interpreter's lock is free meanwhile.
    """

    @overload
    def __call__(self, query: A, key: Optional[A] = None, value: Optional[A] = None, *, tokens: Any = None,
                 q_lengths: Any = None, kv_lengths: Any = None, mask: Any = None, position: Any = None,
                 kv_position: Any = None, cache: Optional[Cache] = None, outputs: Optional[str] = None) -> A: ...

    @overload
    def __call__(self, query: Optional[Any] = None, key: Optional[Any] = None, value: Optional[Any] = None, *,
                 tokens: Any = None, q_lengths: Any = None, kv_lengths: Any = None, mask: Any = None,
                 position: Any = None, kv_position: Any = None, cache: Optional[Cache] = None,
                 outputs: Union[List[str], Tuple[str, ...]]) -> Dict[str, Any]: ...

    @overload
    def __call__(self, *, tokens: Any, q_lengths: Any = None, kv_lengths: Any = None, mask: Any = None,
                 position: Any = None, kv_position: Any = None, cache: Optional[Cache] = None,
                 outputs: Optional[str] = None) -> Any: ...

    def __call__(self, query: Any = None, key: Any = None, value: Any = None, *, tokens: Any = None,
                 q_lengths: Any = None, kv_lengths: Any = None, mask: Any = None, position: Any = None,
                 kv_position: Any = None, cache: Optional[Cache] = None, outputs: Any = None) -> Any:
        """Runs the layer. Arrays of numpy give arrays of numpy, tensors of PyTorch give tensors, without a copy.

        query: float32 of [batch, q_len, d_model]; key and value: [batch, kv_len, k_dim] and [batch, kv_len, v_dim];
            without them the query's rows are keys and values. Attention alone takes [batch, heads, rows, width].
        tokens: ids of [batch, q_len] in place of query, for a layer with an embedding.
        q_lengths, kv_lengths: real rows of each sequence, [batch]; in self-attention q_lengths stands for both.
            What stands in the other rows changes nothing, and rows of the output past a length are zeros.
        mask: bool or uint8, true where a query sees a key, or float32 that is added to the scores, as the spec says;
            of any shape that spreads over [batch, heads, q_len, kv_len].
        position, kv_position: place of each sequence's first row, [batch], for rotary positions.
        cache: what `new_cache` made, for a layer generated with one.
        outputs: a name gives that array; a list of names gives a dict; None gives "output".

        ValueError: a shape, a length, a layout of memory. TypeError: an element type, or no array.
        """
        if (type(query) is _ndarray and outputs is None and _IS_PLAIN and tokens is None and q_lengths is None
                and kv_lengths is None and mask is None and position is None and kv_position is None
                and cache is None):
            if key is None and value is None:
                return self._attend(query)
            if type(key) is _ndarray and type(value) is _ndarray:
                return self._attend_to(query, key, value)
        given = {"query": query, "key": key, "value": value, "tokens": tokens, "q_lengths": q_lengths,
                 "kv_lengths": kv_lengths, "mask": mask, "position": position, "kv_position": kv_position,
                 "cache": cache}
        return self._call({name: array for name, array in given.items() if array is not None}, outputs)

    def _attend(self, query: Any) -> Any:
        """A call of rows of numpy's over themselves and nothing else: what _call does, in as few steps as there are."""
        shape = query.shape
        if len(shape) != 3 or shape[2] != _WIDTH or query.dtype is not _F32:
            return self._call({"query": query}, None)
        frames = self._frames
        frame = frames.pop() if frames else self._frame()
        try:
            if frame.sizes != shape:
                self._prepare(frame, shape)
            output: Any = _empty((shape[0], shape[1], _D_OUT), _F32)
            try:
                status = run_attend(frame.pointer, _memory_of(query), _memory_of(output))
            except TypeError:  # memory with gaps, or that is never written
                return self._call({"query": query}, None)
            if status:
                refuse(status, frame.error)
            return output
        finally:
            frames.append(frame)

    def _prepare(self, frame: Any, shape: Tuple[int, ...]) -> None:
        """What of a frame stays from one call of _attend to the next of the same shape."""
        frame.clear()
        frame.io.batch, frame.io.q_len = shape[:2]
        frame.io.parallel = self._pool.parallel if self._pool else None
        frame.make_room((shape[0], shape[1], 0), self._pool)
        frame.sizes = shape

    def _attend_to(self, query: Any, key: Any, value: Any) -> Any:
        """The same of rows over others."""
        shapes = query.shape, key.shape, value.shape
        if query.dtype is not _F32 or key.dtype is not _F32 or value.dtype is not _F32:
            return self._call({"query": query, "key": key, "value": value}, None)
        frames = self._frames
        frame = frames.pop() if frames else self._frame()
        try:
            if frame.sizes != shapes:
                self._prepare_for(frame, shapes)
            output: Any = _empty((shapes[0][0], shapes[0][1], _D_OUT), _F32)
            try:
                status = run_attend_to(frame.pointer, _memory_of(query), _memory_of(key), _memory_of(value),
                                       _memory_of(output))
            except TypeError:
                return self._call({"query": query, "key": key, "value": value}, None)
            if status:
                refuse(status, frame.error)
            return output
        finally:
            frames.append(frame)

    def _prepare_for(self, frame: Any, shapes: Tuple[Any, Any, Any]) -> None:
        """As _prepare, of shapes that are looked at once."""
        sizes = Sizes()
        for name, shape in zip(("query", "key", "value"), shapes):
            sizes.match(name, shape, tables.ROWS[name])
        self._prepare(frame, shapes[0])
        frame.io.kv_len = sizes.get("K")
        frame.make_room((sizes.get("B"), sizes.get("Q"), sizes.get("K")), self._pool)
        frame.sizes = shapes
