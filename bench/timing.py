"""How calls are timed: warmed up, then in samples long enough that the clock does not show. Knows no system."""

import itertools
import time

SHORTEST_SAMPLE_NS = 2_000_000  # a sample is one call, or as many as take this long
FEWEST_PAIRS = 11


def time_calls(call, count):
    """Nanoseconds that count calls took together."""
    start = time.perf_counter_ns()
    for _ in itertools.repeat(None, count):
        call()
    return time.perf_counter_ns() - start


def warm_up(call, milliseconds):
    """Runs until caches and clock have settled; returns how many calls make a sample."""
    fastest, end = float("inf"), time.perf_counter_ns() + milliseconds * 1_000_000
    while True:
        fastest = min(fastest, time_calls(call, 1))
        if time.perf_counter_ns() >= end:
            return max(1, -(-SHORTEST_SAMPLE_NS // int(fastest)))


def time_pairs(off, on, warm_ms, sample_ms):
    """Microseconds a call of each of the two, [(off, on), ...]: samples taken in turn, the first of a pair last in the
    next, so that both meet the same clock and the same neighbours."""
    counts = [warm_up(call, warm_ms / 2) for call in (off, on)]
    end, pairs = time.perf_counter_ns() + sample_ms * 1_000_000, []
    while len(pairs) < FEWEST_PAIRS or time.perf_counter_ns() < end:
        found = [0.0, 0.0]
        for which in (0, 1) if len(pairs) % 2 else (1, 0):
            found[which] = time_calls((off, on)[which], counts[which]) / counts[which] / 1000
        pairs.append(tuple(found))
    return pairs
