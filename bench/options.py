"""The command line of run.py: which cells, numbers, systems and settings, filled in where they are not given. Measures
nothing. As a program it says which llama.cpp is to be installed: run.sh asks before it installs anything."""

import argparse
import copy
import os
import sys
from pathlib import Path

import cells
import machine
import paths
import rungs
from systems import NARROW_ORDER, ORDER, WHOLE_ORDER

QUICK = {"rounds": 2, "warm_ms": 20, "sample_ms": 60}


def words(text):
    return [word for word in text.split(",") if word]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="run.sh",
                                     description="Measures genattn and its peers side by side, in one run.")
    parser.add_argument("--cells", type=words, metavar="LIST",
                        help="cells or patterns such as 'causal_*', 'models_*' [all of one layer]")
    parser.add_argument("--peers", type=words, metavar="LIST", help=f"systems besides ours [{','.join(ORDER[1:])}]")
    parser.add_argument("--numbers", type=words, metavar="LIST",
                        help="only cells of narrow numbers, with these: "
                        f"{','.join(rung.name for rung in rungs.RUNGS[1:])} [cells of all kinds, with all of them]")
    parser.add_argument("--threads", type=words, metavar="LIST", help="cells of these thread counts [1,2]")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds, each of which measures every variant once [5]")
    parser.add_argument("--quick", action="store_true", help="two short rounds over four small cells")
    parser.add_argument("--strict", action="store_true",
                        help="exit with an error where a system has no figure in a cell that it should do")
    parser.add_argument("--cpus", type=words, metavar="LIST", help="CPUs to run on [the last ones allowed]")
    parser.add_argument("--isa", choices=machine.LIMITS, help="as on a CPU that has no better instruction set: ours by "
                        "it, and the peers that can be told [what this CPU has]")
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
    known = list(dict.fromkeys(ORDER[1:] + WHOLE_ORDER[1:] + NARROW_ORDER[1:]))
    for name in names or []:
        if name not in known:
            raise ValueError(f"no peer is called '{name}'; there are {', '.join(known)}")
    return [name for name in order if name == "genattn" or not names or name in names]


def chosen_numbers(names, chosen):
    """Those that are measured. Raises ValueError for a name that is none, or that no chosen cell is measured in."""
    measured = {rung.name for cell in chosen if cell.narrow for rung in rungs.of_cell(cell)}
    wanted = rungs.choose(names)
    for name in names or []:
        if name not in measured:
            raise ValueError(f"--numbers {name}: no chosen cell has these; leave them out, or choose other cells")
    return wanted


def complete(options):
    """Fills in what was not given."""
    threads = [int(count) for count in options.threads or ("1", "2")]
    patterns = options.cells or (cells.QUICK if options.quick else None)
    options.chosen = [cell for cell in cells.choose(patterns, threads) if cell.narrow or not options.numbers]
    options.numbers = chosen_numbers(options.numbers, options.chosen)
    options.models = any(cell.whole for cell in options.chosen)
    chosen_peers(options.peers, ORDER)
    options.warm_ms, options.sample_ms = 50, 150
    if options.quick:
        options.warm_ms, options.sample_ms = QUICK["warm_ms"], QUICK["sample_ms"]
    options.rounds = options.rounds or (QUICK["rounds"] if options.quick else 5)
    options.cpus = [int(cpu) for cpu in options.cpus or sorted(os.sched_getaffinity(0))]
    if options.isa and not options.list and not machine.has(options.isa):
        raise ValueError(f"--isa {options.isa}: this CPU has not got it")
    for name in options.peers or []:
        if options.isa and name in machine.UNTOLD:
            raise ValueError(f"--isa {options.isa}: {name} cannot be told, and would use all that the CPU has; "
                             "leave one of both out")
    folder = paths.RESULTS / machine.cpu_slug() / (options.isa or "")
    options.out = options.out or folder / ("models" if options.models else "")
    return options


def parts(options):
    """The runs that the chosen cells make: those of narrow numbers have other systems, and a report of their own in a
    folder narrow/ below."""
    order, found = WHOLE_ORDER if options.models else ORDER, []
    for is_narrow, systems, folder in ((False, order, ""), (True, NARROW_ORDER, "narrow")):
        part = copy.copy(options)
        part.chosen = [cell for cell in options.chosen if cell.narrow == is_narrow]
        systems = [name for name in systems if not options.isa or name not in machine.UNTOLD]
        part.systems, part.out = chosen_peers(options.peers, systems), options.out / folder
        found += [part] if part.chosen else []
    return found


def llamacpp(options):
    """The words by which run.sh installs llama.cpp, which runs whole models alone; "" where a run needs none."""
    is_wanted = not options.peers or "llamacpp" in options.peers
    is_needed = options.models and is_wanted and not options.list and not options.report
    return " ".join(filter(None, ("llamacpp", options.isa))) if is_needed else ""


if __name__ == "__main__":
    print(llamacpp(parse(sys.argv[1:])))
