#!/usr/bin/env python3
"""Measures genattn and its peers side by side: see README.md. bench/run.sh starts this in the right environment."""

import argparse
import json
import os
import signal
import sys
from pathlib import Path

import build
import cells
import first
import fleet
import layer
import machine
import paths
import report
import rounds
import stats
import whole
from library import MAX_THREADS
from progress import Progress
from systems import ORDER, WHOLE_ORDER

QUICK = {"rounds": 2, "warm_ms": 20, "sample_ms": 60}


# -- The command line -----------------------------------------------------------------------------------------------

def words(text):
    return [word for word in text.split(",") if word]


def parse(arguments):
    parser = argparse.ArgumentParser(description="Measures genattn and its peers side by side, in one run.")
    parser.add_argument("--cells", type=words, metavar="LIST",
                        help="cells or patterns such as 'causal_*', 'models_*' [all of one layer]")
    parser.add_argument("--peers", type=words, metavar="LIST", help=f"systems besides ours [{','.join(ORDER[1:])}]")
    parser.add_argument("--threads", type=words, metavar="LIST", help="cells of these thread counts [1,2]")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds, each of which measures every variant once [5]")
    parser.add_argument("--quick", action="store_true", help="two short rounds over three small cells")
    parser.add_argument("--strict", action="store_true",
                        help="exit with an error where a system has no figure in a cell that it should do")
    parser.add_argument("--cpus", type=words, metavar="LIST", help="CPUs to run on [the last ones allowed]")
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="where results go [out/bench/results/<cpu>, of whole models its models/]")
    parser.add_argument("--add", action="store_true", help="keep the other cells of the results that stand there")
    parser.add_argument("--list", action="store_true", help="print the cells and do nothing else")
    parser.add_argument("--report", type=Path, metavar="JSON", help="write the report of a finished run again")
    options = parser.parse_args(arguments)
    try:
        return complete(options)
    except ValueError as error:
        parser.error(str(error))


def chosen_peers(names, order):
    for name in names or []:
        if name not in order[1:]:
            raise ValueError(f"no peer is called '{name}'; there are {', '.join(order[1:])}")
    return [name for name in order if name == "genattn" or not names or name in names]


def complete(options):
    """Fills in what was not given."""
    threads = [int(count) for count in options.threads or ("1", "2")]
    patterns = options.cells or (cells.QUICK if options.quick else None)
    options.chosen = cells.choose(patterns, threads)
    options.models = any(cell.whole for cell in options.chosen)
    options.systems = chosen_peers(options.peers, WHOLE_ORDER if options.models else ORDER)
    options.warm_ms, options.sample_ms = 50, 150
    if options.quick:
        options.warm_ms, options.sample_ms = QUICK["warm_ms"], QUICK["sample_ms"]
    options.rounds = options.rounds or (QUICK["rounds"] if options.quick else 5)
    options.cpus = [int(cpu) for cpu in options.cpus or sorted(os.sched_getaffinity(0))]
    options.out = options.out or paths.RESULTS / machine.cpu_slug() / ("models" if options.models else "")
    return options


# -- The run --------------------------------------------------------------------------------------------------------

def split_skipped(chosen, cpus):
    """(cells to measure, {name: why not})."""
    measured, skipped = [], {}
    for cell in chosen:
        if cell.threads > MAX_THREADS:
            skipped[cell.name] = f"the library runs on {MAX_THREADS} thread"
        elif cell.threads > len(cpus):
            skipped[cell.name] = f"there are {len(cpus)} CPUs"
        else:
            measured.append(cell)
    return measured, skipped


def new_results(options, skipped):
    return {
        "format": 1, "machine": machine.describe(), "versions": {}, "skipped": skipped, "failed": {},
        "settings": {
            "rounds": options.rounds, "warm_ms": options.warm_ms, "sample_ms": options.sample_ms,
            "cpus": options.cpus, "quick": options.quick,
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
    for name in ("versions", "skipped", "failed"):
        results[name] = earlier[name] | results[name]


def save(results, folder):
    """Writes the JSON whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "results.json.part"
    part.write_text(json.dumps(results, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    part.rename(folder / "results.json")


def build_all(chosen, say):
    say("building the models of all cells")
    build.build_models(chosen)
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
    measured, skipped = split_skipped(options.chosen, options.cpus)
    for name, reason in skipped.items():
        say.aloud(f"{name} is skipped: {reason}")
    results = new_results(options, skipped)
    try:
        build_all(measured, say)
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


def main():
    options, say = parse(sys.argv[1:]), Progress()
    if options.list:
        print("\n".join(cell.name for cell in options.chosen))
        return 0
    if options.report:
        report.write(json.loads(options.report.read_text()), options.report.parent)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
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
    report.write(results, options.out)
    say.aloud(f"bench: {options.out}/results.md, ratios.svg, roofline.svg, results.json")
    return exit_status(results, options, say)


if __name__ == "__main__":
    sys.exit(main())
