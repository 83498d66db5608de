"""Batches of sequences of like lengths, and threads that take one after the other. Knows neither texts nor calls."""
import threading
from typing import Any, Callable, List, Tuple

import numpy as np

from ._library import model

_LEAST_ROWS = 128  # of a batch that is made smaller than it may be


def batches(lengths: Any, size: int, threads: int) -> List[Any]:
    """Places of sequences, the longest first, of each batch; without lengths in the model those of one length.

    With threads, batches become smaller where little is left, so that no thread waits long for the last of another.
    """
    order = np.argsort(-lengths, kind="stable")
    made: List[Any] = []
    at = 0
    while at < len(order):
        longest, count = max(int(lengths[order[at]]), 1), int(model.batch) or size
        if threads > 1 and not model.batch:
            count = min(count, max((len(order) - at) // (2 * threads), -(-_LEAST_ROWS // longest)))
        batch = order[at:at + count]
        if not model.lengths:
            batch = batch[lengths[batch] == lengths[batch[0]]]
        made.append(batch)
        at += len(batch)
    return made


class _Queue:
    """Numbered batches that threads take; none after the first that fails."""

    def __init__(self, made: List[Any], work: Callable[[Any], None]) -> None:
        self._lock, self._next, self._made, self._work = threading.Lock(), 0, made, work
        self.failures: List[Tuple[int, BaseException]] = []

    def _take(self) -> int:
        with self._lock:
            at = len(self._made) if self.failures else self._next
            self._next = at + 1
            return at

    def work_off(self) -> None:
        """The life of one thread: batch after batch."""
        at = self._take()
        try:
            while at < len(self._made):
                self._work(self._made[at])
                at = self._take()
        except BaseException as error:  # for the calling thread to raise
            self.failures.append((at, error))

    def stop(self) -> None:
        """Leaves what no thread has taken."""
        with self._lock:
            self._next = len(self._made)


def run(made: List[Any], threads: int, work: Callable[[Any], None]) -> None:
    """Calls work of each batch, on so many threads, the calling one among them. Of several that raise, the first
    batch's is raised, as a single thread would; KeyboardInterrupt, which only the calling thread gets, before them.
    """
    queue = _Queue(made, work)
    others = [threading.Thread(target=queue.work_off, daemon=True) for _ in range(threads - 1)]
    try:
        for other in others:
            other.start()
        queue.work_off()
    finally:
        queue.stop()
        for other in others:
            if other.ident is not None:
                other.join()
    if queue.failures:
        raise min(queue.failures, key=lambda failure: (isinstance(failure[1], Exception), failure[0]))[1]
