"""A layer of attention, or attention alone."""
from typing import Any, Dict, List, Optional, Tuple, TypeVar, Union, overload

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from . import _tables as tables
from ._cache import Cache
from ._call import READS_ARRAYS, Runner, run_attend, run_attend_to
from ._library import model, refuse

A = TypeVar("A")

_D_OUT = model.d_out
_IS_PLAIN = READS_ARRAYS and not tables.BY_HEAD and model.cache == 0
_OTHER = c.GA_PYTHON_OTHER
_ndarray, _empty, _F32 = np.ndarray, np.empty, arrays.F32


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
        frames = self._frames
        frame = frames.pop() if frames else self._frame()
        try:
            output: Any = _empty(frame.out_shape, _F32)
            status = run_attend(frame.pointer, query, output)
            if status:
                if status != _OTHER:
                    refuse(status, frame.error)
                output = self._call({"query": query}, None)
                self._prepare(frame, (query,))
            return output
        finally:
            frames.append(frame)

    def _attend_to(self, query: Any, key: Any, value: Any) -> Any:
        """The same of rows over others."""
        frames = self._frames
        frame = frames.pop() if frames else self._frame()
        try:
            output: Any = _empty(frame.out_shape, _F32)
            status = run_attend_to(frame.pointer, query, key, value, output)
            if status:
                if status != _OTHER:
                    refuse(status, frame.error)
                output = self._call({"query": query, "key": key, "value": value}, None)
                self._prepare(frame, (query, key, value))
            return output
        finally:
            frames.append(frame)

    def _prepare(self, frame: Any, given: Tuple[Any, ...]) -> None:
        """What of a frame stays from one call to the next of arrays of the same shapes, which _call has taken."""
        shapes = [array.shape for array in given]
        batch, q_len = shapes[0][:2]
        kv_len = shapes[1][1] if len(shapes) > 1 else 0
        frame.clear()
        frame.io.batch, frame.io.q_len, frame.io.kv_len = batch, q_len, kv_len
        frame.io.parallel = self._pool.parallel if self._pool else None
        frame.make_room((batch, q_len, kv_len), self._pool)
        frame.keep((batch, q_len, _D_OUT), *shapes)
