"""What a cell should take, from its operations and bytes and from what the machine gave in the same run. Pure.

The model, part by part, one after the other:
    projections   the longer of flops * cost / peak and weight bytes / reading speed
    scores, values   flops * cost / peak, or the bytes of the keys or values of earlier calls / reading speed
    softmax       each pair of each head as SOFTMAX_FLOPS at the peak
    the call      what Python takes for it
cost is the plan's own for the tile it chose (`--dump-plan`): time in units of the peak's, without tails of rows.
Reading speed is that of a block as large as the cell's weights and what its cache holds. Where what was measured is
more than LIMIT away, the plan does not know what the kernel does."""

from dataclasses import dataclass

import cells
import stats

SOFTMAX_FLOPS = 16  # eight multiply-adds' time: six of the polynomial, the rest for maximum, rounding and sum
LIMIT = 0.10


@dataclass(frozen=True)
class Prediction:
    us: float
    cycles: float
    parts: dict  # name -> microseconds
    measured: float  # microseconds

    @property
    def factor(self):
        return self.measured / self.us

    @property
    def is_off(self):
        return abs(self.factor - 1.0) > LIMIT


def parts(result, peak, gb_per_s, overhead_us):
    """Microseconds of each part. peak in GFLOP/s, of all threads."""
    cell, costs = cells.BY_NAME[result["name"]], result["plan"]["costs"]
    rows, pairs, d = cell.rows, cell.pairs, cell.d_model

    def product(name, flops, read_bytes=0):
        return max(flops * costs.get(name, 1.0) / peak, read_bytes / gb_per_s) / 1e3

    return {
        "project": product("project", 6 * rows * d * d, 12 * d * d),
        "score": product("score", 2 * pairs * d, cell.cache_bytes / 2),
        "softmax": pairs * cell.heads * SOFTMAX_FLOPS / peak / 1e3,
        "value": product("value", 2 * pairs * d, cell.cache_bytes / 2),
        "out": product("out", 2 * rows * d * d, 4 * d * d),
        "call": overhead_us,
    }


def predict(result):
    """None where ours was not measured."""
    mine = stats.ours(result)
    if not mine or not result["machine"] or cells.BY_NAME[result["name"]].whole:
        return None
    isa = mine.variant
    found = parts(result, stats.peak(result, isa) or stats.peak(result), stats.bandwidth(result),
                  result["systems"][stats.OURS].get("overhead_us", 0.0))
    us = sum(found.values())
    return Prediction(us, us * 1e3 * stats.clock(result), found, mine.us)
