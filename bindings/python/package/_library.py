"""The C library inside this package: its functions, the facts of its model, its errors as exceptions."""
import ctypes
import os
from typing import Any, Dict, List, NoReturn, Optional, Type

from . import _declarations as c
from ._name import NAME


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
stack: Optional[Any] = model.stack.contents if model.stack else None
encoder: Optional[Any] = model.encoder.contents if model.encoder else None

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
_NAMES = (("%s: additive_mask" % NAME, "%s: mask" % NAME), ("%s: src_additive_mask" % NAME, "%s: src_mask" % NAME))


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


class Block:
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


class Threads:
    """A pool of threads, which ends with this object. count: how many, the calling one among them."""

    _pool: Optional[int] = None

    def __init__(self, count: int) -> None:
        pool = ctypes.c_void_p()
        check(lib.ga_threads_new, count, ctypes.byref(pool))
        self.count, self._pool = count, pool.value
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
