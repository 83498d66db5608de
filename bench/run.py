#!/usr/bin/env python3
"""Measures genattn and its peers side by side: see README.md. bench/run.sh starts this in the right environment."""

import json
import os
import signal
import sys

import build
import cells
import first
import fleet
import layer
import machine
import options as command_line
import paths
import report
import rounds
import rungs
import stats
import whole
from library import MAX_THREADS
from progress import Progress


def split_skipped(chosen, cpus, numbers, free):
    """(cells to measure, {name: why not}). numbers: names of rungs; free: bytes of memory."""
    measured, skipped = [], {}
    for cell in chosen:
        if cell.threads > MAX_THREADS:
            skipped[cell.name] = f"the library runs on {MAX_THREADS} thread"
        elif cell.threads > len(cpus):
            skipped[cell.name] = f"there are {len(cpus)} CPUs"
        elif why := rungs.too_large(cell, numbers, free):
            skipped[cell.name] = why
        else:
            measured.append(cell)
    return measured, skipped


def new_results(options, skipped):
    return {
        "format": 1, "machine": machine.describe(), "versions": {}, "skipped": skipped, "failed": {},
        "settings": {
            "rounds": options.rounds, "warm_ms": options.warm_ms, "sample_ms": options.sample_ms,
            "cpus": options.cpus, "quick": options.quick, "isa": options.isa,
        },
        "cells": [], "first": {},
    }


def add_earlier(results, folder):
    """Joins the cells of an earlier run that this one has not measured, and takes what it says of versions."""
    path = folder / "results.json"
    if not path.exists():
        return
    earlier = json.loads(path.read_text())
    done, order = {result["name"] for result in results["cells"]}, list(cells.BY_NAME)
    kept = [result for result in earlier["cells"] if result["name"] not in done]
    results["cells"] = sorted(kept + results["cells"], key=lambda result: order.index(result["name"]))
    results["versions"] = stats.both_versions(earlier["versions"] if kept else {}, results["versions"])
    for name in ("skipped", "failed"):
        results[name] = earlier[name] | results[name]


def save(results, folder):
    """Writes the JSON whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "results.json.part"
    part.write_text(json.dumps(results, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    part.rename(folder / "results.json")


def build_all(chosen, numbers, say):
    say("building the models of all cells")
    build.build_models(chosen, numbers)
    build.build_peers()
    build.build_machine()
    paths.DATA.mkdir(parents=True, exist_ok=True)
    for cell in chosen:
        say(f"{cell.name}: input, weights and the result in float64")
        (whole if cell.whole else layer).write(cell, paths.DATA)


def measure_cells(chosen, workers, results, options, say):
    for cell in chosen:
        result = rounds.start(cell, build.plan_of(cell))
        results["cells"].append(result)
        rounds.measure(cell, workers, result, options, say)
        if not options.add:
            save(results, options.out)
        say.aloud(report.line(result))


def measure_threads(count, chosen, results, options, say):
    """Measures the cells of one thread count with workers of their own."""
    cpus = options.cpus[-count:]
    workers = fleet.Fleet(options.systems, count, cpus, say)
    try:
        for name, reason in workers.failed.items():
            say.aloud(f"{name} is left out: {reason}")
        results["failed"] |= workers.failed
        results["versions"] |= workers.versions
        measure_cells(chosen, workers, results, options, say)
    finally:
        workers.end()


def measure(options, say):
    """Returns the results; of an interrupted run what was finished."""
    measured, skipped = split_skipped(options.chosen, options.cpus, options.numbers,
                                      machine.free_memory())
    for name, reason in skipped.items():
        say.aloud(f"{name} is skipped: {reason}")
    results = new_results(options, skipped)
    try:
        build_all(measured, options.numbers, say)
        os.sched_setaffinity(0, {options.cpus[0]})  # away from what is measured, where there is room
        for count in sorted({cell.threads for cell in measured}):
            measure_threads(count, [c for c in measured if c.threads == count], results, options, say)
        results["first"] = first.measure(results, options.cpus[-1:], say)
    except KeyboardInterrupt:
        say.aloud("interrupted: the report holds the rounds that were finished")
        results["interrupted"] = True
    return results


def exit_status(results, options, say):
    if results.get("interrupted"):
        return 130
    sentences = stats.lost(results)
    for sentence in sentences:
        say.aloud(f"bench: {sentence}")
    return 1 if options.strict and sentences else 0


def run_part(options, say):
    """Measures and reports cells of one kind; its exit status."""
    try:
        results = measure(options, say)
    except (build.BuildError, fleet.WorkerDied) as error:
        say.aloud(f"bench: {error}")
        return 1
    if not results["cells"]:
        say.aloud("bench: nothing was measured")
        return 1
    if options.add:
        add_earlier(results, options.out)
    save(results, options.out)
    say.aloud(f"bench: {options.out}/{', '.join(report.write(results, options.out))}, results.json")
    return exit_status(results, options, say)


def main():
    options, say = command_line.parse(sys.argv[1:]), Progress()
    if options.list:
        print("\n".join(cell.name for cell in options.chosen))
        return 0
    if options.report:
        report.write(json.loads(options.report.read_text()), options.report.parent)
        return 0
    if options.isa:
        machine.limit(options.isa)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    status = 0
    for part in command_line.parts(options):
        status = status or run_part(part, say)
    return status


if __name__ == "__main__":
    sys.exit(main())
