"""`Model.encode`: vectors of texts, with the arguments of sentence_transformers. Ids come from _text.py, threads that
take batches from _batches.py, and rows from the call.
"""
import sys
import threading
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _batches
from . import _declarations as c
from . import _tables as tables
from ._arguments import whole
from ._library import model, stack
from ._name import NAME
from ._quantize import check_precision
from ._text import Ids

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
        raise ValueError("pool is %r; expected None: one process encodes, by threads= of the model" % (given["pool"],))
    if given["output_value"] not in _KINDS:
        raise ValueError("output_value is %r; expected %s" % (given["output_value"], " or ".join(map(repr, _KINDS))))
    for name, most in (("batch_size", None), ("truncate_dim", model.d_model), ("chunk_size", None)):
        if given[name] is not None or name == "batch_size":
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


class _Rows:
    """Arrays of one batch: ids, types and lengths, zeros where there are none."""

    def __init__(self, ids: Ids, batch: Any, lengths: Any) -> None:
        n = int(model.batch) or len(batch)
        q_len = max(int(lengths[batch].max()), int(model.q_len.min))
        if not model.lengths and lengths[batch].min() < q_len:
            raise ValueError("%s: sentences[%d] has %d tokens; expected at least %d, as the model takes no lengths"
                             % (NAME, batch[0], lengths[batch[0]], q_len))
        self.tokens, self.types = np.zeros((n, q_len), np.int32), np.zeros((n, q_len), np.int32)
        self.lengths = np.zeros(n, np.int32)
        self.lengths[:len(batch)] = lengths[batch]
        for row, at in enumerate(batch):
            begin, end = ids.starts[at], ids.starts[at + 1]
            self.tokens[row, :end - begin], self.types[row, :end - begin] = ids.ids[begin:end], ids.type_ids[begin:end]

    def arguments(self) -> Dict[str, Any]:
        """Those of the model's call."""
        given: Dict[str, Any] = {"tokens": self.tokens}
        if model.lengths:
            given["q_lengths"] = self.lengths
        if stack and stack.token_types and self.types.any():  # the tokenizer may have types where the model has none
            given["token_types"] = self.types
        return given


class _Progress:
    """How many texts are done, on standard error; of any thread."""

    def __init__(self, count: int) -> None:
        self._lock, self._done, self._count = threading.Lock(), 0, count

    def add(self, more: int) -> None:
        """Says that so many more are done."""
        with self._lock:
            self._done += more
            end = "\n" if self._done == self._count else ""
            sys.stderr.write("\r%d of %d texts%s" % (self._done, self._count, end))
            sys.stderr.flush()


def run(runner: Any, ids: Ids, *, batch_size: int, progress: bool, by_token: bool) -> Any:
    """Vectors [texts, d_model] of what ids has, in order; by_token: a list of rows [tokens, d_model].

    Each batch is run by one thread where there are as many as threads, else one after the other by all of them.
    """
    lengths = np.diff(ids.starts)
    name = "output" if by_token else "embedding"
    vectors = np.zeros((0 if by_token else len(lengths), model.d_model), np.float32)
    rows: List[Any] = [None] * len(lengths)
    shown = _Progress(len(lengths)) if progress else None
    made, takers = _batches.batches(lengths, batch_size, 1), runner.threads
    if len(made) < takers:
        takers = 1
    elif takers > 1:
        made = _batches.batches(lengths, batch_size, takers)

    def work(batch: Any) -> None:
        got = runner._call(_Rows(ids, batch, lengths).arguments(), name, spread=takers == 1)
        for row, at in enumerate(batch):
            if by_token:
                rows[at] = got[row, :lengths[at]].copy()
            else:
                vectors[at] = got[row]
        if shown:
            shown.add(len(batch))

    _batches.run(made, takers, work)
    return rows if by_token else vectors


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
