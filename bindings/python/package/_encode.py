"""`Model.encode`: vectors of texts, with the arguments of sentence_transformers. Ids come from _text.py; batches, and
threads that take them, are the library's (batches.h).
"""
import ctypes
import sys
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _declarations as c
from . import _tables as tables
from ._arguments import whole
from ._library import check, lib, model, refuse, stack
from ._name import NAME
from ._quantize import check_precision
from ._text import Ids

_MOST_PROCESSES = 1024
_KINDS = ("sentence_embedding", "token_embeddings")


def check_model() -> None:
    """Raises where this model gives no vector of a text."""
    if not stack or model.kind != c.GA_ENCODER or "embedding" not in tables.OUTPUTS:
        raise ValueError('%s gives no vector of a sequence; its spec would say pool = { kind = "mean" }' % NAME)
    if model.cache:
        raise ValueError("%s has a cache, which calls that encode do without; leave cache out of the spec" % NAME)


def check_device(device: Any) -> None:
    """Raises where a device is not the CPU."""
    if device is not None and str(device).split(":")[0] != "cpu":
        raise ValueError("device is %r; expected None or 'cpu'" % (device,))


def check_arguments(given: Dict[str, Any]) -> None:
    """Raises where an argument asks for what this library has not. given: values by the names of arguments."""
    check_precision(given["precision"])
    check_device(given["device"])
    if given["pool"] is not None:
        raise ValueError("pool is %r; expected None: processes= divides the texts over processes" % (given["pool"],))
    if given["output_value"] not in _KINDS:
        raise ValueError("output_value is %r; expected %s" % (given["output_value"], " or ".join(map(repr, _KINDS))))
    for name, most in (("batch_size", None), ("processes", _MOST_PROCESSES), ("truncate_dim", stack.d_embedding),
                       ("chunk_size", None)):
        if given[name] is not None or name in ("batch_size", "processes"):
            whole(name, given[name], 1, most)


def texts_of(sentences: Any) -> Tuple[List[Any], bool]:
    """The texts, or pairs of texts, as a list, and whether one was given by itself."""
    if isinstance(sentences, str):
        return [sentences], True
    if isinstance(sentences, (bytes, dict)) or not hasattr(sentences, "__iter__"):
        raise TypeError("sentences is %s; expected a str, or a list of str or of pairs of str"
                        % type(sentences).__name__)
    return [str(text) if isinstance(text, np.str_) else text for text in sentences], False


# -- Batches --------------------------------------------------------------------------------------------------------


_run_batches = lib["ga_python_run_batches"]
_run_batches.argtypes = [ctypes.c_void_p]
_SHOWN_EVERY = 0.1  # seconds


class _Run:
    """The batches of one call, which threads take. Python's main thread stays free for signals."""

    def __init__(self, runner: Any, ids: Ids, results: Any, name: str, batch_size: int) -> None:
        count, types = len(ids.starts) - 1, None
        if stack and stack.token_types and ids.type_ids.any():  # the tokenizer may have types where the model has none
            types = ids.type_ids
        starts, order = ids.starts.astype(np.uintp), np.empty(count, np.uintp)
        self._runner, self._kept = runner, (ids, types, starts, order, results)
        self._run = c.ga_python_batches(loaded=ctypes.cast(runner._packed.handle, ctypes.POINTER(c.ga_loaded)))
        self._run.batches = c.ga_batches(
            count=count, starts=starts.ctypes.data, ids=ids.ids.ctypes.data, most=min(batch_size, count),
            types=None if types is None else types.ctypes.data)
        setattr(self._run.batches, name, results.ctypes.data)
        if runner._pool:
            self._run.batches.parallel = runner._pool.parallel
        check(lib.ga_batches_plan, runner._packed.handle, ctypes.byref(self._run.batches), order.ctypes.data,
              ctypes.byref(self._run.plan))
        self._status = c.GA_OK
        self._is_over = threading.Event()

    def _work(self) -> None:
        try:
            self._status = _run_batches(ctypes.byref(self._run))
        finally:
            self._is_over.set()

    def _watch(self, progress: bool) -> None:
        """Until all is done: tells how many texts are, and ends it where a signal raises an exception."""
        count = self._run.batches.count
        worker = threading.Thread(target=self._work, daemon=True)
        worker.start()
        try:
            while progress and not self._is_over.wait(_SHOWN_EVERY):
                sys.stderr.write("\r%d of %d texts" % (self._run.begun, count))
                sys.stderr.flush()
            self._is_over.wait()
        finally:
            self._run.is_stopped = 1
            worker.join()

    def run(self, progress: bool) -> None:
        """Fills the results."""
        scratch = self._scratch = self._runner._scratch(self._run.plan.scratch_size)  # as long as a thread has self
        self._run.scratch, self._run.scratch_size = scratch.address, scratch.size
        if progress or self._run.batches.most < self._run.batches.count:
            self._watch(progress)
        else:
            self._work()
        self._runner._rooms.append(scratch)
        if self._status:
            refuse(self._status, self._run.error)
        if progress:
            sys.stderr.write("\r%d of %d texts\n" % (self._run.batches.count, self._run.batches.count))


def run(runner: Any, ids: Ids, *, batch_size: int, progress: bool, by_token: bool) -> Any:
    """Vectors [texts, d_embedding] of what ids has, in order; by_token: a list of rows [tokens, d_model].

    Each batch is run by one thread where there are as many as threads, else one after the other by all of them.
    """
    count = len(ids.starts) - 1
    shape = (len(ids.ids), model.d_model) if by_token else (count, stack.d_embedding)
    results = np.empty(shape, np.float32)
    if count:
        _Run(runner, ids, results, "output" if by_token else "embedding", batch_size).run(progress)
    return [results[begin:end] for begin, end in zip(ids.starts, ids.starts[1:])] if by_token else results


def finish(vectors: Any, truncate_dim: Optional[int], normalize: bool) -> Any:
    """The first numbers of each vector, of length 1 where asked: by sums in double precision, in order, which every
    host of this library can have the same bits of.
    """
    if truncate_dim is not None:
        vectors = np.ascontiguousarray(vectors[:, :truncate_dim])
    if normalize and len(vectors):
        wide = vectors.astype(np.float64)
        norms = np.sqrt(np.add.accumulate(wide * wide, axis=1)[:, -1:])
        vectors = (wide / np.maximum(norms, 1e-12)).astype(np.float32)
    return vectors


def as_tensors(results: Sequence[Any], whole: bool) -> Any:
    """The same memory as tensors of PyTorch: one of all, or a list."""
    import torch

    return torch.from_numpy(results) if whole else [torch.from_numpy(row) for row in results]
