"""The C library inside this package: its functions, the properties of its model, its errors as exceptions."""
import ctypes
import os
from typing import Any, Dict, List, NoReturn, Optional, Tuple, Type, TypeVar

from . import _declarations as c
from ._arguments import whole
from ._name import NAME

S = TypeVar("S")


def _load() -> ctypes.CDLL:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib%s.so" % NAME)
    library = ctypes.CDLL(path)
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()
model = c.ga_model.in_dll(lib, NAME + "_model")
if model.abi != c.GA_ABI:
    raise ImportError("%s: the library has interface %d, its declarations %d" % (NAME, model.abi, c.GA_ABI))
model_address = ctypes.addressof(model)
BITS_REVISION = int(model.bits_revision)  # builds of one revision give the same bits
stack: Any = model.stack.contents if model.stack else None
encoder: Optional[Any] = model.encoder.contents if model.encoder else None


def allow_amx() -> bool:
    """Asks Linux to let this process use the matrix registers of AMX; whether it may then. Models of int8 that are made
    afterwards use them. Results have the same bits without it."""
    function = lib.ga_cpu_allow_amx
    function.restype, function.argtypes = ctypes.c_bool, []
    return bool(function())


# -- Errors ---------------------------------------------------------------------------------------------------------

_EXCEPTIONS: Dict[int, Type[Exception]] = {
    c.GA_DTYPE: TypeError,
    c.GA_IO: OSError,
    c.GA_OVERFLOW: MemoryError,
    c.GA_MEMORY: MemoryError,
    c.GA_CPU: RuntimeError,
    c.GA_THREAD: RuntimeError,
}

# What the library calls some arguments, and what they are called here.
_NAMES = [("%s: %sadditive_mask" % (NAME, of), "%s: %smask" % (NAME, of)) for of in ("", "src_", "memory_")]


def refuse(status: int, error: Any) -> NoReturn:
    """Raises what stands for a status that is not GA_OK: ValueError, or what _EXCEPTIONS has for it."""
    text = error.text.decode("utf-8", "replace") if error.status == status else ""
    for theirs, ours in _NAMES:
        text = text.replace(theirs, ours)
    raise _EXCEPTIONS.get(status, ValueError)(text or lib.ga_status_text(status).decode())


def check(function: Any, *arguments: Any) -> None:
    """Calls a function of the library that takes a struct ga_error last, and raises where it fails."""
    error = c.ga_error()
    status = function(*arguments, ctypes.byref(error))
    if status != c.GA_OK:
        refuse(status, error)


# -- Memory and threads ---------------------------------------------------------------------------------------------


class Held:
    """What holds memory of C. A copy of its address would be freed twice, or read in another process: copy, deepcopy
    and pickle are refused, with a sentence that says what to do."""

    REFUSED = "memory of C cannot be copied or pickled; copy what it belongs to"

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError("%s: %s" % (NAME, self.REFUSED))


class Constant(Held):
    """The same of what never changes: copies are the object itself. A pickle holds a function and arguments that make
    it again, where there are such: `again`."""

    again: Optional[Tuple[Any, ...]] = None

    def __copy__(self: S) -> S:
        return self

    def __deepcopy__(self: S, _memo: Any) -> S:
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.again or super().__reduce_ex__(protocol)


class Block(Held):
    """Memory of the library's alignment, freed with this object."""

    address: Optional[int] = None

    def __init__(self, size: int) -> None:
        if size >= ctypes.c_size_t(-1).value // 2:
            raise MemoryError("%s: a size does not fit in memory" % NAME)
        self.size = size
        self.address = lib.ga_block_room(size) if size else None
        if size and not self.address:
            raise MemoryError("%s: no memory for %d bytes" % (NAME, size))

    def __del__(self) -> None:
        if self.address:
            lib.ga_block_free(self.address)


class Threads(Constant):
    """A pool of threads, which ends with this object. count: how many, the calling one among them."""

    _pool: Optional[int] = None

    def __init__(self, count: int) -> None:
        pool, count = ctypes.c_void_p(), whole("threads", count, 1, c.GA_MAX_THREADS)
        check(lib.ga_threads_new, count, ctypes.byref(pool))
        self.count, self._pool, self.again = count, pool.value, (Threads, (count,))
        self.parallel = ctypes.cast(lib.ga_threads_parallel(pool), ctypes.POINTER(c.ga_parallel))

    def __del__(self) -> None:
        if self._pool:
            lib.ga_threads_free(self._pool)


def available_threads() -> int:
    """CPUs that the calling thread may run on."""
    return int(lib.ga_threads_available())


# -- Words ----------------------------------------------------------------------------------------------------------


def sentences() -> List[str]:
    """What the model is, a sentence for each feature."""
    return [model.sentences[i].decode() for i in range(model.n_sentences)]
