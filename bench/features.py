#!/usr/bin/env python3
"""Measures what each feature costs, ours alone: see README.md. Needs Python's standard library and what ./configure
needs; writes features.json, features.md and features.svg."""

import argparse
import functools
import json
import os
import signal
import sys
import time
from pathlib import Path
from statistics import median

import build
import feature_calls
import feature_rows
import machine
import pairs
import paths
import timing
from progress import Progress
from report import features as report

WARM_MS, SAMPLE_MS = 40, 1200  # of each call; of a pair
PARTS = {"key_value": pairs.key_value_part, "attention": pairs.attention_part}


def words(text):
    return [word for word in text.split(",") if word]


def lengths(text):
    return [int(word) for word in words(text)]


def parse(arguments):
    parser = argparse.ArgumentParser(description="Measures what each feature costs, compared with what it must cost.")
    parser.add_argument("--features", type=words, metavar="LIST", help="features or patterns such as 'rope_*' [all]")
    parser.add_argument("--lengths", type=lengths, metavar="LIST", help="lengths of the sequence [128,512; some 2048]")
    parser.add_argument("--isa", choices=machine.isas() + ["scalar"], help="instruction set [the best of this CPU]")
    parser.add_argument("--sample-ms", type=int, default=SAMPLE_MS, metavar="N", help=f"time for a pair [{SAMPLE_MS}]")
    parser.add_argument("--cpu", type=int, metavar="N", help="CPU to run on [the last one allowed]")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go [out/bench/results/<cpu>]")
    parser.add_argument("--list", action="store_true", help="print the features and do nothing else")
    parser.add_argument("--report", type=Path, metavar="JSON", help="write the report of a finished run again")
    options = parser.parse_args(arguments)
    try:
        options.chosen = feature_rows.choose(options.features, options.lengths)
    except ValueError as error:
        parser.error(str(error))
    if any(not 2 <= length <= 8192 for length in options.lengths or []):
        parser.error("--lengths: a length is 2..8192")
    options.isa = options.isa or machine.isas()[0]
    options.out = options.out or paths.RESULTS / machine.cpu_slug()
    options.cpu = max(os.sched_getaffinity(0)) if options.cpu is None else options.cpu
    return options


# -- The run ---------------------------------------------------------------------------------------------------------

def forms(row):
    """Whether attention alone is measured as well as the layer."""
    return (False, True) if row.alone else (False,)


def models(chosen):
    """{name: spec text} of all that is measured."""
    found = [feature_rows.model(row, length, is_on, alone)
             for row, length in chosen for alone in forms(row) for is_on in (False, True)]
    return {name: feature_rows.spec(fields) for name, fields in found}


def time_row(row, length, options):
    """Rounds of the layer without the feature and with it, and of attention alone likewise where the row wants that."""
    calls, kept = [], []
    for alone in forms(row):
        for is_on in (False, True):
            loaded = feature_calls.Loaded(feature_rows.model(row, length, is_on, alone)[0], options.isa)
            call, held = feature_calls.call(loaded, length, row.call if is_on else row.off_call, alone)
            calls.append(call)
            kept.append(held)
    found = timing.time_rounds(calls, WARM_MS, options.sample_ms * len(forms(row)))
    kept.clear()  # what the calls point at lived until here
    return found


def measure_row(row, length, system, results, options):
    before = system.peak(options.isa)
    rounds = time_row(row, length, options)
    found = {"name": row.name, "length": length, "layer": pairs.summary([taken[:2] for taken in rounds]),
             "gflops": median([before, system.peak(options.isa)]), "alone": None, "attention": None, "key_value": None}
    speed = functools.partial(pairs.level_speed, results["levels"], results["machine"]["caches"])
    found["must"], found["must_attention"] = pairs.must(row, length, found["gflops"], speed)
    if row.alone:
        found["alone"] = pairs.summary([taken[2:] for taken in rounds])
        part = "key_value" if row.fewer_heads else "attention"
        found[part] = PARTS[part](rounds)
    found["limits"] = pairs.limits(row, length, found)
    return found


def measure(options, say):
    """The results; of an interrupted run the rows that were finished."""
    results = {"format": 1, "machine": machine.describe(), "isa": options.isa, "rows": []}
    try:
        specs = models(options.chosen)
        say(f"building {len(specs)} models")
        build.build_specs(specs, [options.isa], (paths.library,))
        build.build_machine()
        os.sched_setaffinity(0, {options.cpu})
        system, start, cpu = machine.System(1), time.perf_counter(), time.process_time()
        results["levels"] = system.levels()
        for number, (row, length) in enumerate(options.chosen, 1):
            say(f"{number} of {len(options.chosen)}: {row.title}, L = {length}")
            found = measure_row(row, length, system, results, options)
            results["rows"].append(found)
            say.aloud(report.line(found))
        results["seconds"] = time.perf_counter() - start
        results["cpu_share"] = (time.process_time() - cpu) / results["seconds"]
    except KeyboardInterrupt:
        say.aloud("interrupted: the report holds the rows that were finished")
        results["interrupted"] = True
    return results


def main():
    options, say = parse(sys.argv[1:]), Progress()
    if options.list:
        print("\n".join(f"{row.name:20} {row.title}, L = {length}" for row, length in options.chosen))
        return 0
    if options.report:
        report.write(json.loads(options.report.read_text()), options.report.parent)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    try:
        results = measure(options, say)
    except (build.BuildError, RuntimeError) as error:
        say.aloud(f"bench: {error}")
        return 1
    if not results["rows"]:
        say.aloud("bench: nothing was measured")
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n"
    (options.out / "features.json").write_text(text)
    report.write(results, options.out)
    say.aloud(f"bench: {options.out}/features.md, features.svg, features.json")
    return 130 if results.get("interrupted") else 0


if __name__ == "__main__":
    sys.exit(main())
