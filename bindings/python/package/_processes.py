"""`encode` over several processes: each maps one file of packed weights, whose pages they share, and takes some of the
texts at a time. Computes no vector itself.
"""
import contextlib
import copy
import ctypes
import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Dict, Iterator, List, Optional

from . import _declarations as c
from . import _encode
from ._library import Constant, check, lib, model_address
from ._weights import Packed

_TASKS_OF_EACH = 8  # so that processes end at about the same time
_MOST_TEXTS = 4096  # of a task


class Mapped(Packed):
    """Packed weights that are used as they lie in a file. The file's checksum is not read."""

    _map: Any = None

    def __init__(self, path: str, isa: str) -> None:
        pack, variant, mapped = c.ga_pack(), ctypes.c_void_p(), c.ga_pack_map()
        check(lib.ga_pack_open, os.fsencode(path), ctypes.byref(pack))
        try:
            check(lib.ga_pack_variant, ctypes.byref(pack), model_address, isa.encode(), ctypes.byref(variant))
            check(lib.ga_pack_map, ctypes.byref(pack), model_address, variant, c.GA_PACK_TRUST, ctypes.byref(mapped))
        finally:
            lib.ga_pack_close(ctypes.byref(pack))
        assert variant.value
        self.variant, self._map = variant.value, mapped
        self.handle, self.isa, self.again = ctypes.addressof(mapped), isa, (Mapped, (path, isa))

    def __del__(self) -> None:
        if self._map is not None:
            lib.ga_pack_unmap(ctypes.byref(self._map))


class _Path(Constant):
    """What a pickle of Mapped holds, without the mapping."""

    def __init__(self, path: str, isa: str) -> None:
        self.isa, self.again = isa, (Mapped, (path, isa))


@contextlib.contextmanager
def _packed_file(runner: Any) -> Iterator[str]:
    """The file that the weights came from where it is packed, else one that is there until all is done."""
    if runner._weights is not None and lib.ga_pack_is_file(os.fsencode(runner._weights)):
        yield runner._weights
        return
    with tempfile.TemporaryDirectory(prefix="genattn-") as folder:
        path = os.path.join(folder, "weights.gap")
        handles = (ctypes.c_void_p * 1)(runner._packed.handle)
        check(lib.ga_pack_write, os.fsencode(path), handles, 1)
        yield path


# -- In a process ---------------------------------------------------------------------------------------------------

_state: Dict[str, Any] = {}


def _begin(runner: Any, pairs: bool, options: Dict[str, Any]) -> None:
    _state.update(runner=runner, pairs=pairs, options=options)


def _encode_texts(first: int, texts: List[Any]) -> Any:
    """first: the index of the first text, for errors."""
    runner = _state["runner"]
    ids = runner.tokenizer.ids_of(texts, runner.max_seq_length, first=first, pairs=_state["pairs"])
    return _encode.run(runner, ids, progress=False, **_state["options"])


# -- In the one that asks -------------------------------------------------------------------------------------------


def run(runner: Any, texts: List[Any], processes: int, size: Optional[int], progress: bool,
        **options: Any) -> List[Any]:
    """What _encode.run gives of the texts, in order, a result for each part of them. size: texts of a part."""
    results: List[Any] = []
    size = size or max(1, min(_MOST_TEXTS, len(texts) // (_TASKS_OF_EACH * processes)))
    begins = range(0, len(texts), size)
    tokenizer = runner.tokenizer  # a failure to find it is told here
    with _packed_file(runner) as path:
        twin = copy.copy(runner)
        twin._packed, twin._tokenizer = _Path(path, runner.isa), tokenizer
        with ProcessPoolExecutor(min(processes, len(begins)), multiprocessing.get_context("spawn"), _begin,
                                 (twin, not isinstance(texts[0], str), options)) as pool:
            for result in pool.map(_encode_texts, begins, [texts[begin:begin + size] for begin in begins]):
                results.append(result)
                if progress:
                    sys.stderr.write("\r%d of %d texts" % (sum(map(len, results)), len(texts)))
                    sys.stderr.flush()
    if progress:
        sys.stderr.write("\n")
    return results
