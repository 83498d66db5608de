"""One call: arguments looked at, struct ga_io filled, room made for results, ga_model_run. Knows no layer and no model.

A call has a frame of its own (io, error, scratch), taken from a list and put back, so that any number of Python's
threads may call at the same time; the C library runs without the interpreter's lock.
"""
import ctypes
import sys
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from . import _tables as tables
from ._cache import Cache
from ._library import Block, Held, Threads, available_threads, lib, model, model_address, refuse
from ._name import NAME
from ._weights import Packed, Source, load

Given = Dict[str, Any]
Outputs = Union[str, List[str], Tuple[str, ...], None]

# Functions of their own: the first takes what is ready, the others read numpy's arrays themselves.
run_frame = lib["ga_python_call"]
run_attend = lib["ga_python_attend"]
run_attend_to = lib["ga_python_attend_to"]
run_attend.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
run_attend_to.argtypes = [ctypes.c_void_p, *[ctypes.py_object] * 4]
_CLEARED = c.ga_python_frame.ready.offset + c.ga_python_frame.ready.size - c.ga_python_frame.io.offset
HEAD = object.__basicsize__


def _reads_arrays() -> bool:
    """Whether arrays lie in memory as call.h has them, which numpy's ABI says of every Python in C."""
    data = lib["ga_python_data"]
    data.restype, data.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_size_t]
    some, fields = np.zeros((2, 3, 5), arrays.F32)[:, 1:], c.ga_python_array
    if sys.implementation.name != "cpython" or type(some).__basicsize__ < HEAD + fields.flags.offset + 4:
        return False
    found = fields.from_address(id(some) + HEAD)
    shape = ctypes.cast(found.shape or 0, ctypes.POINTER(ctypes.c_ssize_t))
    return bool(data(some, HEAD) == some.ctypes.data and found.rank == 3 and found.dtype == id(arrays.F32)
                and shape[:3] == [2, 2, 5] and found.flags & c.GA_PYTHON_CONTIGUOUS == 0
                and fields.from_address(id(np.zeros(3)) + HEAD).flags & c.GA_PYTHON_CONTIGUOUS)


READS_ARRAYS = _reads_arrays()


class Frame(Held):
    """What one call at a time uses."""

    def __init__(self, packed: Packed) -> None:
        self._struct = c.ga_python_frame(loaded=ctypes.cast(packed.handle, ctypes.POINTER(c.ga_loaded)), head=HEAD,
                                         f32=id(arrays.F32))
        self.pointer = ctypes.byref(self._struct)  # what run_frame and run_attend take
        self.io, self.error = self._struct.io, self._struct.error
        self._io_at = ctypes.addressof(self.io)
        self.out_shape = (0, 0, 0)  # of the call that io is still filled for, see Layer._attend
        self._packed = packed
        self._scratch: Optional[Block] = None
        self._room: Any = None  # what the scratch is large enough for

    def make_room(self, sizes: Tuple[int, int, int], threads: Optional[Threads]) -> None:
        """Scratch for calls of these sizes: batch, q_len, kv_len. What the library refuses gets none, and an error."""
        if self._room == (sizes, threads):
            return
        size = lib.ga_model_scratch_size(model_address, self._packed.variant, *sizes, threads.count if threads else 1)
        if size == ctypes.c_size_t(-1).value:
            size = 0
        if self._scratch is None or self._scratch.size < size:
            self._scratch = None
            self._scratch = Block(size)
        self._struct.scratch, self._struct.scratch_size = self._scratch.address, self._scratch.size
        self._room = sizes, threads  # the pool lives as long as io.parallel may be used

    def clear(self) -> None:
        """Makes all of io absent, which is zeros."""
        ctypes.memset(self._io_at, 0, _CLEARED)

    def keep(self, out_shape: Tuple[int, int, int], query: Any, key: Any = None, value: Any = None) -> None:
        """Has run_attend, or with key and value run_attend_to, take arrays of these shapes from now on."""
        self.out_shape, self._struct.query = out_shape, query
        if key is not None:
            self._struct.key, self._struct.value = key, value
        self._struct.ready = c.GA_PYTHON_QUERY if key is None else c.GA_PYTHON_ALL


class Sizes:
    """Batch and lengths of a call, as its arguments tell them one after the other."""

    def __init__(self) -> None:
        self._known: Dict[tables.Axis, int] = {}

    def match(self, name: str, shape: Tuple[int, ...], expected: tables.Shape) -> None:
        """Compares a shape, and takes from it what is not known yet."""
        known, before = self._known, len(self._known)
        if len(shape) == len(expected):
            for axis, found in zip(expected, shape):
                if (known.setdefault(axis, found) if axis.__class__ is str else axis) != found:
                    break
            else:
                return
        while len(known) > before:  # a shape that does not fit says nothing
            known.popitem()
        raise ValueError("%s: %s has shape %s; expected %s" % (NAME, name, list(shape), self._words(expected)))

    def _words(self, expected: tables.Shape) -> str:
        words = {"B": "batch", "Q": "q_len", "K": "kv_len"}
        return "[%s]" % ", ".join(
            str(axis) if isinstance(axis, int) else str(self._known.get(axis, words[axis])) for axis in expected)

    def get(self, letter: str) -> int:
        """A size, 0 where no argument has told it."""
        return self._known.get(letter, 0)

    def fill(self, shape: tables.Shape) -> Tuple[int, ...]:
        """A shape in numbers. Where no keys are given they are the rows of query."""
        known = self._known
        keys = known.get("K", known.get("Q", 0))
        more = model.extra_keys
        values = {"B": known.get("B", 0), "Q": known.get("Q", 0), "K": keys, "K+%d" % more: keys + more}
        return tuple([values[axis] if axis.__class__ is str else axis for axis in shape])  # type: ignore


class Runner:
    """Packed weights and the calls of them. `weights`: see Layer and Model."""

    def __init__(self, weights: Optional[Source] = None, *, layout: Optional[str] = None, prefix: Optional[str] = None,
                 threads: Union[int, str] = 1, isa: Optional[str] = None, strict: bool = False) -> None:
        self._packed = load(weights, layout, prefix, isa, strict)
        self._frames: List[Frame] = []  # _call takes the first; the last are kept for calls like those before
        self._rooms: List[Block] = []  # scratch of _encode, as frames have theirs
        self.threads = threads

    @property
    def threads(self) -> int:
        """Threads that each call is spread over; a number, or "all" for every CPU at hand. The same bits for any."""
        return self._pool.count if self._pool else 1

    @threads.setter
    def threads(self, count: Union[int, str]) -> None:
        if count == "all":
            count = available_threads()
        pool = Threads(count)  # type: ignore  # which refuses what is no number
        self._pool: Optional[Threads] = pool if pool.count > 1 else None
        self._frames = []

    @property
    def isa(self) -> str:
        """The instruction set whose kernels run."""
        return self._packed.isa

    def __getstate__(self) -> Dict[str, Any]:
        """For copy, deepcopy and pickle: all but frames and scratch, which are one object's."""
        return {**self.__dict__, "_frames": [], "_rooms": []}

    def new_cache(self, batch: int = 1, capacity: Optional[int] = None) -> Cache:
        """An empty cache for `batch` sequences of up to `capacity` rows (the most that the model allows)."""
        return Cache(self._packed, batch, model.cache if capacity is None else capacity)

    def __repr__(self) -> str:
        return "<%s.%s: %s, threads=%d>" % (NAME, type(self).__name__, self.isa, self.threads)

    # -- The call ---------------------------------------------------------------------------------------------------

    def _scratch(self, size: int) -> Block:
        """Scratch for one run of batches at a time, to be put back."""
        try:
            scratch = self._rooms.pop()
        except IndexError:
            return Block(size)
        return scratch if scratch.size >= size else Block(size)

    def _frame(self) -> Frame:
        try:
            return self._frames.pop(0)
        except IndexError:
            return Frame(self._packed)

    def _call(self, given: Given, outputs: Outputs) -> Any:
        """given: arguments by their names in struct ga_io; NULL ones are not there."""
        cache = given.pop("cache", None)
        backend = _backend_of(given)
        frame, sizes = self._frame(), Sizes()
        frame.clear()
        try:
            keep = _give(frame.io, given, sizes, backend)
            results, more = _make_results(frame.io, _names_of(outputs), sizes, backend)
            io = frame.io
            io.batch, io.q_len, io.kv_len = key = (sizes.get("B"), sizes.get("Q"), sizes.get("K"))
            self._enter(frame, key, cache)
            del keep, more
        finally:
            self._frames.insert(0, frame)
        return results if isinstance(outputs, (list, tuple)) else next(iter(results.values()))

    def _enter(self, frame: Frame, sizes: Tuple[int, int, int], cache: Optional[Cache]) -> None:
        if cache is not None and not isinstance(cache, Cache):
            raise TypeError("%s: cache is %s; expected one of new_cache" % (NAME, type(cache).__name__))
        frame.make_room(sizes, self._pool)
        frame.io.parallel = self._pool.parallel if self._pool else None
        if cache is None:
            status = run_frame(frame.pointer)
        else:
            frame.io.cache = cache._enter(self._packed)
            try:
                status = run_frame(frame.pointer)
            finally:
                cache._leave()
        if status:
            refuse(status, frame.error)


def _backend_of(given: Given) -> Any:
    """Numpy, or what the first argument of rows is of; whole numbers tell where there are no rows."""
    for name in tables.ROWS:
        if name in given:
            return arrays.backend(name, given[name])
    for name in tables.NUMBERS:
        if name in given and not isinstance(given[name], (list, tuple, int)):
            return arrays.backend(name, given[name])
    return arrays.Numpy


def _give(io: Any, given: Given, sizes: Sizes, backend: Any) -> List[Any]:
    """Fills io from the arguments; returns what must live until the call is over."""
    keep: List[Any] = []
    for name, shape in tables.ROWS.items():
        if name in given:
            pointer, found = backend.f32(name, given[name])
            sizes.match(name, found, shape)
            setattr(io, name, pointer)
    for name, shape in tables.NUMBERS.items():
        if name in given:
            numbers = arrays.whole_numbers(name, backend.host(name, given[name]))
            sizes.match(name, numbers.shape, shape)
            setattr(io, name, arrays.address(numbers))
            keep.append(numbers)
    for name, shape in tables.MASKS.items():
        if name in given:
            look = arrays.mask_numbers if tables.ADDITIVE[name] else arrays.mask_bytes
            mask = look(name, backend.host(name, given[name]))
            field, strides = tables.mask_fields(name)
            setattr(io, strides, (ctypes.c_size_t * 4)(*arrays.mask_strides(name, mask, sizes.fill(shape))))
            setattr(io, field, arrays.address(mask) if mask.size else None)
            keep.append(mask)
    return keep


def _names_of(outputs: Outputs) -> List[str]:
    if outputs is None:
        return [tables.default_output()]
    names = [outputs] if isinstance(outputs, str) else list(outputs)
    for name in names:
        if name not in tables.OUTPUT_NAMES:
            raise ValueError("%s: outputs names %r; this model gives %s (outputs in the spec lists more)"
                             % (NAME, name, ", ".join(tables.OUTPUT_NAMES)))
    return names


def _make_results(io: Any, names: List[str], sizes: Sizes, backend: Any) -> Tuple[Dict[str, Any], List[Any]]:
    """Room for the outputs named, and what must live until the call is over."""
    results: Dict[str, Any] = {}
    keep: List[Any] = []
    for name in names:
        if name in tables.LISTS:
            count, shape = tables.LISTS[name]
            made = [backend.empty(sizes.fill(shape)) for _ in range(count)]
            pointers = (ctypes.c_void_p * count)(*[pointer for _, pointer in made])
            results[name] = [array for array, _ in made]
            setattr(io, name, ctypes.addressof(pointers))
            keep.append(pointers)
        elif name in tables.INTERMEDIATES:
            place, shape = tables.INTERMEDIATES[name]
            results[name], io.intermediates[place] = backend.empty(sizes.fill(shape))
        else:
            results[name], pointer = backend.empty(sizes.fill(tables.OUTPUTS[name]))
            setattr(io, name, pointer)
    if "output" not in results and not tables.LISTS:  # a layer's call always has one
        array, io.output = backend.empty(sizes.fill(tables.OUTPUTS["output"]))
        keep.append(array)
    return results, keep
