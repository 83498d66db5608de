"""How calls are timed: warmed up, then in samples long enough that the clock does not show. Knows no system."""

import itertools
import time

SHORTEST_SAMPLE_NS = 2_000_000  # a sample is one call, or as many as take this long
FEWEST_ROUNDS = 11


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


def time_rounds(calls, warm_ms, sample_ms):
    """Microseconds a call of each of the calls, [(first, second, ...), ...]: one sample of each a round, every round
    beginning with another, so that all meet the same clock and the same neighbours. sample_ms: for all together."""
    counts = [warm_up(call, warm_ms) for call in calls]
    end, rounds = time.perf_counter_ns() + sample_ms * 1_000_000, []
    while len(rounds) < FEWEST_ROUNDS or time.perf_counter_ns() < end:
        found = [0.0] * len(calls)
        for i in range(len(calls)):
            which = (len(rounds) + i) % len(calls)
            found[which] = time_calls(calls[which], counts[which]) / counts[which] / 1000
        rounds.append(tuple(found))
    return rounds
