"""Medians, geometric means and what they say of a cell. Pure: works on the results as they stand in the JSON."""

import math
from dataclasses import dataclass
from statistics import mean, median

import rungs

OURS = "genattn"
PROGRAM = "program"
BUSY = 0.95  # a round whose process had its CPUs less than this was disturbed
PYTORCH = ("pytorch", "nn_mha", "nn_encoder", "compile")


@dataclass(frozen=True)
class Figure:
    """What the rounds of one variant came to, in microseconds a call."""
    system: str
    variant: str
    us: float  # median of the round medians
    low: float  # lowest and highest round median
    high: float
    error: float  # largest difference from float64
    distance: float = None  # 1 - cosine to float64, in cells of narrow numbers
    cpu_us: float = None  # of CPU time, in the best round: what waits for others' processes does not count

    @property
    def label(self):
        return f"{self.system} {self.variant}"


def geometric_mean(values):
    """None of no values."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def cpu_time(rounds):
    """Microseconds of CPU a call and thread, in the round with the fewest. None where they are not known."""
    if any(samples["cpu_share"] is None for samples in rounds):
        return None
    return min(mean(samples["us"]) * samples["cpu_share"] for samples in rounds)


def figure(system, variant, entry):
    """None where no round was finished."""
    medians = [median(samples["us"]) for samples in entry["rounds"]]
    if not medians:
        return None
    return Figure(system, variant, median(medians), min(medians), max(medians), entry["error"],
                  entry.get("distance"), cpu_time(entry["rounds"]))


def rung_of(variant):
    """The rung that a variant's name begins with; None outside of cells of narrow numbers."""
    first = variant.split()[0]
    return first if first in rungs.BY_NAME else None


def figures(result):
    """All figures of a cell's result, fastest first."""
    found = []
    for system, entry in result["systems"].items():
        found += [figure(system, name, variant) for name, variant in entry["variants"].items()]
    return sorted(filter(None, found), key=lambda f: f.us)


def best(result, systems):
    """The fastest figure of any of the systems, or None."""
    return next((f for f in figures(result) if f.system in systems), None)


def peers(result):
    """Systems that are not ours, in the order they were measured."""
    return [system for system in result["systems"] if system not in (OURS, PROGRAM)]


def ours(result):
    return best(result, (OURS,))


def best_peer(result):
    return best(result, peers(result))


def _missing(result):
    """{system: {variant: why}} of those without a figure in a cell that one of their variants should do."""
    measured = {f.system for f in figures(result)}
    return {name: entry["failed"] for name, entry in result["systems"].items()
            if name not in measured and (entry["failed"] or not entry["unfit"])}


def lost(results):
    """A sentence for each system of a run that could not start, and for each cell in which one has no figure."""
    found = [f"{system} could not start: {why}" for system, why in results["failed"].items()]
    for result in results["cells"]:
        for system, failed in _missing(result).items():
            why = "; ".join(f"{variant}: {reason}" for variant, reason in failed.items()) or "it has no variant"
            found.append(f"{result['name']}: {system} has no figure: {why}")
    return found


def ratio(result, systems):
    """Best time of the systems over ours; above 1 ours is faster. None where either is missing."""
    mine, theirs = ours(result), best(result, systems)
    return theirs.us / mine.us if mine and theirs else None


def peak(result, isa=None):
    """GFLOP/s the multiply-add units gave in the cell's rounds: the best instruction set's, or one's. None before the
    first round."""
    rounds = [samples["gflops"] for samples in result["machine"]]
    values = [r.get(isa, 0.0) if isa else max(r.values()) for r in rounds]
    return median(values) if values else None


def bandwidth(result):
    """GB/s of reading a block as large as what the cell reads: its weights, and what a cache holds. None before the
    first round."""
    values = [samples["gb_per_s"] for samples in result["machine"]]
    return median(values) if values else None


def clock(result):
    values = [samples["ghz"] for samples in result["machine"]]
    return median(values) if values else None


def percent_of_peak(result, found):
    if not found or not peak(result):
        return None
    return 100.0 * result["flops"] / (found.us * 1e-6) / (peak(result) * 1e9)


def level_speeds(results):
    """GB/s out of each cache and out of memory: median over the cells."""
    found = {}
    for result in results:
        for level, speed in result.get("levels", {}).items():
            found.setdefault(level, []).append(speed)
    return {level: median(speeds) for level, speeds in found.items()}


def cpu_shares(results):
    """The share of its CPUs that each round of each variant had; below 1 on a busy machine. The program's are not
    known."""
    return [
        samples["cpu_share"] for result in results for entry in result["systems"].values()
        for variant in entry["variants"].values() for samples in variant["rounds"] if samples["cpu_share"] is not None
    ]


def both_versions(earlier, now):
    """Versions of systems: of one that differs between two runs both."""
    apart = {name: f"{earlier[name]} and {now[name]}" for name in earlier.keys() & now.keys()
             if now[name] not in earlier[name].split(" and ")}
    return now | earlier | apart
