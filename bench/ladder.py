"""What a cell of narrow numbers comes to, rung by rung: ours compared with the peers' and with our own f32. Pure: works
on the results as they stand in the JSON."""

from dataclasses import dataclass
from statistics import median

import cells
import rungs
import stats


@dataclass(frozen=True)
class Step:
    """One rung of one cell. A figure is None where nothing was measured."""
    result: dict
    rung: rungs.Rung
    ours: stats.Figure
    base: stats.Figure  # ours in f32
    peer: stats.Figure  # the fastest of the rungs that this one is held against

    @property
    def ratio(self):
        """The peer's time over ours; above 1 ours is faster."""
        return self.peer.us / self.ours.us if self.ours and self.peer else None

    @property
    def cpu_ratio(self):
        """The same of the CPU time, which says more where the machine was busy."""
        return self.peer.cpu_us / self.ours.cpu_us if self.ours and self.peer else None

    @property
    def speed_up(self):
        """Our f32's time over ours."""
        return self.base.us / self.ours.us if self.ours and self.base else None


def figures(result, names):
    """Of the rungs of these names, fastest first."""
    return [found for found in stats.figures(result) if rungs.of_variant(found.variant).name in names]


def _fastest(found, is_ours):
    return next((one for one in found if (one.system == stats.OURS) == is_ours), None)


def steps(result):
    """The rungs that have a figure, ours or a peer's, from the widest to the narrowest."""
    base = _fastest(figures(result, (rungs.BASE,)), True)
    found = []
    for rung in rungs.RUNGS:
        ours, peer = (_fastest(figures(result, names), is_ours)
                      for names, is_ours in (((rung.name,), True), (rung.rivals, False)))
        if ours or figures(result, (rung.name,)):
            found.append(Step(result, rung, ours, base, peer))
    return found


def peak(result, numbers):
    """Giga-operations a second of such products in the rounds; None where the CPU has no instruction for them."""
    return median(samples["peaks"][numbers] for samples in result["machine"]) or None


def percent_of_peak(result, figure):
    """Of the rung's own peak, by the operations of the whole cell, attention's two products included; None of storage,
    which does not say what is multiplied."""
    rung = figure and rungs.of_variant(figure.variant)
    top = peak(result, rung.peak) if rung and not rung.is_storage else None
    return 100 * result["flops"] / figure.us / 1e3 / top if top else None


def percent_of_read(result, figure):
    """Of the speed of reading as many bytes as the rung's weights and the cache are; None where rows are several."""
    rung = figure and rungs.of_variant(figure.variant)
    if not rung or not all(rung.name in samples["reads"] for samples in result["machine"]):
        return None
    cell = cells.BY_NAME[result["name"]]
    size = rungs.weight_bytes(cell, rung) + rungs.cache_bytes(cell, figure.variant)
    return 100 * size / figure.us / 1e3 / median(samples["reads"][rung.name] for samples in result["machine"])
