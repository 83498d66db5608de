"""Caches: the keys and values of earlier calls. Each belongs to one model's weights and to one call at a time."""
import ctypes
import threading
from typing import Any, List, Tuple

import numpy as np

from ._arguments import whole
from ._arrays import F32, address
from ._library import Block, Held, check, lib, model, model_address, stack
from ._name import NAME
from ._weights import Packed

_MOST = ctypes.c_size_t(-1).value


class Cache(Held):
    """Keys and values that a batch of sequences has seen so far; made by `new_cache` of a layer or a model.

    A call with `cache=` appends its rows to it and attends to all that it holds. `len(cache)` is the number of its
    sequences, `capacity` how many rows each may have, `lengths` how many each has.
    """

    REFUSED = "a cache cannot be pickled, as it is memory of this process; pickle what get gives, which put takes"

    def __init__(self, packed: Packed, batch: int, capacity: int) -> None:
        if model.cache == 0:
            raise ValueError("%s: the model was generated without a cache; set cache in the spec" % NAME)
        batch, capacity = whole("batch", batch, 1), whole("capacity", capacity, 1, model.cache)
        size = lib.ga_cache_size(model_address, packed.variant, min(batch, _MOST), capacity)
        if size == _MOST:
            raise MemoryError("%s: a cache of %d sequences of %d rows does not fit in memory" % (NAME, batch, capacity))
        self._packed, self._batch, self._block = packed, batch, Block(size)
        handle = ctypes.c_void_p()
        check(lib.ga_cache_init, packed.handle, batch, capacity, self._block.address, size, ctypes.byref(handle))
        assert handle.value
        self._handle = handle.value
        self._lock = threading.Lock()

    def _enter(self, packed: Packed) -> int:
        """For a call: the handle, until _leave."""
        if packed is not self._packed:
            raise ValueError("%s: cache was made with other weights; expected one of this object's new_cache" % NAME)
        if not self._lock.acquire(False):
            raise RuntimeError("%s: cache is in use by another call" % NAME)
        return self._handle

    def _leave(self) -> None:
        self._lock.release()

    def __len__(self) -> int:
        return self._batch

    @property
    def capacity(self) -> int:
        """Rows that each sequence may have."""
        return int(lib.ga_cache_capacity(self._handle))

    @property
    def lengths(self) -> "np.ndarray[Any, Any]":
        """Rows that each sequence has: a copy, int32 of [batch]."""
        given = ctypes.cast(lib.ga_cache_lengths(self._handle), ctypes.POINTER(ctypes.c_int32))
        return np.array(given[: self._batch], np.int32)

    def _sequence(self, sequence: int) -> int:
        try:
            return whole("sequence", sequence, 0, self._batch - 1)
        except ValueError:
            raise IndexError("%s: sequence %d of a cache of %d" % (NAME, sequence, self._batch)) from None

    def cut(self, sequence: int, length: int = 0) -> None:
        """Forgets the rows of a sequence from `length` on; 0 starts it anew."""
        sequence = self._sequence(sequence)
        with self._lock:
            length = whole("length", length, 0, int(self.lengths[sequence]))
            check(lib.ga_cache_cut, self._handle, sequence, length)

    def _shape(self, rows: int) -> List[int]:
        layers = [stack.n_layers] if stack else []
        return [*layers, model.n_kv_heads, rows, model.d_head]

    def get(self, sequence: int) -> Tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
        """Keys and values of a sequence, each [n_kv_heads, rows, d_head], of a whole model with the layers before."""
        sequence = self._sequence(sequence)
        with self._lock:
            rows = int(self.lengths[sequence])
            keys, values = np.zeros(self._shape(rows), F32), np.zeros(self._shape(rows), F32)
            if rows > 0:
                check(lib.ga_cache_get, self._handle, sequence, address(keys), address(values), rows)
        return keys, values

    def put(self, sequence: int, keys: "np.ndarray[Any, Any]", values: "np.ndarray[Any, Any]") -> None:
        """Appends keys and values of the shapes that `get` gives; they are copied."""
        keys, values = np.ascontiguousarray(keys), np.ascontiguousarray(values)
        for name, array in (("keys", keys), ("values", values)):
            expected = self._shape(array.shape[-2] if array.ndim > 1 else 0)
            if array.dtype != F32:
                raise TypeError("%s has dtype %s; expected float32" % (name, array.dtype))
            if list(array.shape) != expected:
                raise ValueError("%s has shape %s; expected %s" % (name, list(array.shape), self._shape(-1)))
        if keys.shape != values.shape:
            raise ValueError("values has shape %s; expected the shape of keys, %s" % (values.shape, keys.shape))
        sequence, rows = self._sequence(sequence), keys.shape[-2]
        with self._lock:
            check(lib.ga_cache_put, self._handle, sequence, address(keys), address(values), rows, rows)

    def copy(self) -> "Cache":
        """Another cache that holds the same."""
        twin = Cache(self._packed, self._batch, self.capacity)
        with self._lock:
            assert twin._block.address and self._block.address
            ctypes.memmove(twin._block.address, self._block.address, self._block.size)
        return twin

    def __copy__(self) -> "Cache":
        return self.copy()

    def __deepcopy__(self, _memo: Any) -> "Cache":
        return self.copy()

    def __repr__(self) -> str:
        return "<Cache of %s: %d sequences of %d rows at most>" % (NAME, self._batch, self.capacity)
