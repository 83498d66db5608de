"""Generation: which token comes next, and the calls between. Runs nothing itself but the model it is given."""
from typing import Any, Dict, List, Optional, Set, Union

import numpy as np

from . import _declarations as c
from . import _elementary as elementary
from ._arguments import whole
from ._arrays import backend, whole_numbers
from ._library import model, stack
from ._name import NAME

_PURPOSE = "%s: this model cannot go on from tokens: %s"


def _check_model() -> None:
    if not stack or stack.logits == c.GA_LOGITS_NONE or model.vocab_size == 0:
        raise ValueError(_PURPOSE % (NAME, "it was generated without logits.kind or vocab_size"))
    if stack.n_logits != model.vocab_size:
        raise ValueError(_PURPOSE % (NAME, "its logits are not those of its tokens"))
    if model.causal == c.GA_CAUSAL_NONE:
        raise ValueError(_PURPOSE % (NAME, "its tokens see later ones (mask.causal)"))
    if not model.lengths:
        raise ValueError(_PURPOSE % (NAME, "it was generated without lengths"))


def _sequences(ids: Any, lengths: Any) -> List[List[int]]:
    """The ids of each sequence, without padding."""
    if isinstance(ids, (list, tuple)) and ids and all(isinstance(row, (list, tuple)) for row in ids):
        if lengths is not None:
            raise ValueError("%s: lengths is given with lists, which have their own lengths" % NAME)
        rows = [whole_numbers("ids[%d]" % i, list(row)).tolist() for i, row in enumerate(ids)]
    else:
        if not isinstance(ids, (list, tuple)):
            ids = backend("ids", ids).host("ids", ids)
        array = np.atleast_2d(whole_numbers("ids", ids))
        if array.ndim != 2:
            raise ValueError("%s: ids has shape %s; expected [batch, len]" % (NAME, list(array.shape)))
        rows = array.tolist()
        if lengths is not None:
            counts = whole_numbers("lengths", lengths)
            if counts.shape != (len(rows),):
                raise ValueError("%s: lengths has shape %s; expected [%d]" % (NAME, list(counts.shape), len(rows)))
            rows = [row[:whole("lengths[%d]" % i, counts[i], 1, len(row))] for i, row in enumerate(rows)]
    if not rows or not all(rows):
        raise ValueError("%s: ids holds no token of a sequence; expected at least one to go on from" % NAME)
    return rows


def _padded(rows: List[List[int]]) -> Any:
    table = np.zeros((len(rows), max(1, max(map(len, rows)))), np.int32)
    for row, ids in zip(table, rows):
        row[: len(ids)] = ids
    return table


class _Sampler:
    """Draws ids by their logits."""

    def __init__(self, temperature: float, top_k: int, top_p: float, seed: Optional[int]) -> None:
        if temperature < 0 or not np.isfinite(temperature):
            raise ValueError("temperature is %r; expected 0 or more" % temperature)
        if not 0 < top_p <= 1:
            raise ValueError("top_p is %r; expected more than 0, and 1 at most" % top_p)
        self._temperature, self._top_k, self._top_p = temperature, whole("top_k", top_k), top_p
        self._random = np.random.default_rng(None if seed is None else whole("seed", seed))

    def pick(self, logits: Any) -> int:
        """The next id of one sequence."""
        if self._temperature == 0:
            return int(logits.argmax())
        scores = logits.astype(np.float64)
        if stack and stack.logits == c.GA_LOGITS_SOFTMAX:
            scores = elementary.log(scores)
        order = np.argsort(-scores, kind="stable")
        if self._top_k > 0:
            order = order[: self._top_k]
        chances = elementary.exp((scores[order] - scores[order[0]]) / self._temperature)
        chances /= elementary.sums(chances)
        kept = int(np.searchsorted(np.cumsum(chances), self._top_p)) + 1
        chances = chances[:kept]
        drawn = self._random.random() * elementary.sums(chances)
        place = int(np.searchsorted(np.cumsum(chances), drawn, side="right"))
        return int(order[min(place, len(chances) - 1)])


def _stops_of(stop: Any) -> Set[int]:
    listed = stop if hasattr(stop, "__iter__") and getattr(stop, "ndim", 1) != 0 else [] if stop is None else [stop]
    return {whole("stop", one, 0, model.vocab_size - 1) for one in listed}


def generate(runner: Any, ids: Any, new: int, lengths: Any, temperature: float, top_k: int, top_p: float,
             seed: Optional[int], stop: Union[int, List[int], None], source: Dict[str, Any]) -> List[List[int]]:
    """See Model.generate."""
    _check_model()
    rows, sampler = _sequences(ids, lengths), _Sampler(temperature, top_k, top_p, seed)
    stops, new = _stops_of(stop), whole("new", new)
    capacity = max(map(len, rows)) + new
    most = model.cache or model.q_len.max
    if capacity > most:
        raise ValueError("%s: %d tokens with the %d new ones; expected at most %d (%s of the spec)"
                         % (NAME, capacity, new, most, "cache" if model.cache else "seq_len"))
    cache = runner.new_cache(len(rows), capacity) if model.cache else None
    going, pending = [True] * len(rows), [list(row) for row in rows]
    for step in range(new):
        call = dict(source) if step == 0 or cache is None else {}
        logits = runner(_padded(pending), [len(row) for row in pending], cache=cache, outputs="last_logits", **call)
        pending = [[] for _ in rows]
        for i, row in enumerate(rows):
            if going[i]:
                row.append(sampler.pick(logits[i]))
                going[i] = row[-1] not in stops
                pending[i] = ([row[-1]] if cache else row) if going[i] else []
        if not any(going):
            break
    return rows
