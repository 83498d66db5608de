"""One cell measured: every variant of every system prepared and checked, then measured in turn, round by round.
Fills the cell's result as it goes, so that an interrupted run keeps its finished rounds."""

from statistics import median

import stats
from fleet import WorkerDied

FAR = 1.1  # of the fastest variant's time


def start(cell, plan):
    """The result of a cell before its first round, as it stands in the JSON."""
    return {
        "name": cell.name, "batch": cell.batch, "seq_len": cell.length, "d_model": cell.d_model, "n_heads": cell.heads,
        "causal": cell.causal, "lengths": list(cell.lengths) if cell.lengths else None, "packed": cell.packed,
        "threads": cell.threads, "flops": cell.flops, "bytes": cell.bytes, "weight_bytes": cell.weight_bytes,
        "cached": cell.cached, "read_bytes": cell.read_bytes,
        "plan": plan, "levels": {}, "machine": [], "systems": {},
    }


def _prepare(cell, fleet, result, options, say):
    for name, worker in fleet.systems.items():
        say(f"{cell.name}: preparing {name}")
        entry = result["systems"][name] = {"variants": {}, "failed": {}, "unfit": {}}
        try:
            answer = worker.ask("prepare", cell=cell.name, numbers=options.numbers)
        except WorkerDied as reason:
            entry["failed"]["all"] = str(reason)
            continue
        entry["failed"], entry["unfit"] = answer["failed"], answer["unfit"]
        entry["variants"] = {variant: {**made, "rounds": []} for variant, made in answer["variants"].items()}
        if "overhead_us" in answer:
            entry["overhead_us"] = answer["overhead_us"]


def _measure_variant(worker, entry, variant, options):
    try:
        samples = worker.ask("measure", variant=variant, warm_ms=options.warm_ms, sample_ms=options.sample_ms)
        entry["variants"][variant]["rounds"].append(samples)
    except WorkerDied as reason:
        entry["failed"][variant] = str(reason)


def _is_far(entry, variant):
    """Whether the first round has a variant far slower than the system's fastest, of the same numbers: it is not
    measured again. Not where something else had the CPU."""
    rung = stats.rung_of(variant)
    rounds = {name: made["rounds"][0] for name, made in entry["variants"].items()
              if made["rounds"] and stats.rung_of(name) == rung}
    first = {name: median(found["us"]) for name, found in rounds.items() if found["cpu_share"] >= stats.BUSY}
    return variant in first and first[variant] > FAR * min(first.values())


def _round(cell, fleet, result, number, options, say):
    """Every round starts with another system, so that none always meets the machine as the same one left it."""
    result["machine"].append(fleet.machine.ask("machine"))
    names, drops = list(fleet.systems), number > 0 and (cell.whole or cell.narrow)
    first = number % len(names)
    for name in names[first:] + names[:first]:
        entry = result["systems"][name]
        for variant in entry["variants"]:
            if variant not in entry["failed"] and not (drops and _is_far(entry, variant)):
                say(f"{cell.name}: round {number + 1} of {options.rounds}, {name} {variant}")
                _measure_variant(fleet.workers[name], entry, variant, options)


def measure(cell, fleet, result, options, say):
    """options: rounds, warm_ms, sample_ms, numbers (of narrow cells)."""
    _prepare(cell, fleet, result, options, say)
    fleet.machine.ask("prepare", cell=cell.name)
    result["levels"] = fleet.machine.ask("levels")
    for number in range(options.rounds):
        _round(cell, fleet, result, number, options, say)
