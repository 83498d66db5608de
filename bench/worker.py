"""One system in a process of its own: worker.py SYSTEM THREADS CPU,CPU...

Reads one JSON request a line and answers each with one line, until its input ends:
    {"do": "prepare", "cell": NAME, "only": VARIANT or absent, "numbers": [RUNG, ...] or absent}
        ->  {"variants": {name: {"error": e}}, "failed": {name: reason}, "unfit": {...}}; in cells of narrow numbers
            "distance" comes with each error
    {"do": "measure", "variant": NAME, "warm_ms": w, "sample_ms": s}  ->  {"us": [...], "cpu_share": c}
    {"do": "machine"}  ->  what machine.py gives for the prepared cell
    {"do": "levels"}   ->  reading speed of each cache
or, where that failed, with {"died": reason}. The first line it writes says what versions it runs.
It starts no work of its own between requests."""

import ctypes
import importlib
import json
import os
import signal
import sys
import time

import cells
import layer as layers
import paths
import rungs
import whole
from systems import Unfit
from timing import time_calls, warm_up

FEWEST_CALLS = 3
RUN_ALL_FAMILIES = ("genattn", "llamacpp")  # the others' decoders are GPT-2


def numbers_of(cell):
    """The module that knows a cell's inputs and results."""
    return whole if cell.whole else layers


def refuse_family(_layer):
    raise Unfit("of decoders this benchmark has only GPT-2 for it")


def run_times():
    """Nanoseconds each thread of this process has had a CPU."""
    times = {}
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/schedstat", encoding="ascii") as file:
                times[int(thread)] = int(file.read().split()[0])
        except OSError:  # it has ended, or this kernel does not count
            continue
    return times


def spread(before, cpus):
    """Gives each of the threads that were busiest since `before` a CPU of its own: kernels of virtual machines may pack
    them on one, whatever the engine."""
    now = run_times()
    busiest = sorted(now, key=lambda thread: before.get(thread, 0) - now[thread])[:len(cpus)]
    for thread, cpu in zip(busiest, cpus):
        try:
            os.sched_setaffinity(thread, {cpu})
        except OSError:  # it has ended
            continue


def sampled(call, calls, least_ms, fewest, threads):
    """The samples of one round: microseconds a call, and the share of its CPUs the process had meanwhile."""
    start, cpu = time.perf_counter_ns(), time.process_time_ns()
    end = start + least_ms * 1_000_000
    samples, made = [], 0
    while made < fewest or time.perf_counter_ns() < end:
        samples.append(time_calls(call, calls) / calls / 1000)
        made += calls
    share = (time.process_time_ns() - cpu) / (time.perf_counter_ns() - start) / threads
    return {"us": [float(f"{us:.5g}") for us in samples], "cpu_share": round(min(share, 1.0), 3)}


def measured_long(call, cpus):
    """One call of half a second or more: it warms itself up, and the one of the check came before it."""
    if len(cpus) > 1:
        spread({}, cpus)
    return sampled(call, 1, 0, 1, len(cpus))


def measured(call, request, cpus):
    """Warms up and takes samples."""
    threads, before = len(cpus), run_times()
    calls = warm_up(call, request["warm_ms"])
    if threads > 1:
        spread(before, cpus)
        warm_up(call, request["warm_ms"])
    return sampled(call, calls, request["sample_ms"], FEWEST_CALLS, threads)


def reason(error):
    """An exception in one line."""
    text = " ".join(str(error).split()) or "no message"
    return f"{type(error).__name__}: {text[:300]}"


class Worker:
    def __init__(self, name, threads, cpus):
        self.name, self.threads = name, threads
        module = importlib.import_module("machine" if name == "machine" else f"systems.{name}")
        self.system, self.cpus = module.open_system(threads), cpus
        self.cell, self.variants = None, {}

    def makers_of(self, package):
        """{variant: make} that a package of systems has for the prepared cell; none where it lacks this one."""
        module = f"systems.{package}.{self.name}"
        try:
            return importlib.import_module(module).variants(self.cell, self.threads)
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
            return {}

    def makers_of_f32(self):
        return self.makers_of("whole") if self.cell.whole else self.system.variants(self.cell)

    def makers_of_rungs(self):
        """Of a narrow cell: those of narrow numbers, and a peer's own f32 where fast products are held against it."""
        own = self.name in RUN_ALL_FAMILIES or rungs.BY_NAME[rungs.PEERS_F32] not in rungs.of_cell(self.cell)
        peers = {} if own else {f"{rungs.PEERS_F32} {name}": make for name, make in self.makers_of_f32().items()}
        return self.makers_of("narrow") | peers

    def makers(self):
        """{variant: make} of the prepared cell."""
        if self.cell.whole and self.cell.family and self.name not in RUN_ALL_FAMILIES:
            return {f"{rungs.BASE} {self.cell.family.strip('_')}": refuse_family}
        return self.makers_of_rungs() if self.cell.narrow else self.makers_of_f32()

    def check(self, name, make, layer):
        """Makes a variant and holds one result against float64."""
        variant = make(layer)
        if self.cell.narrow:
            return self.check_narrow(name, variant, layer)
        error, fits = numbers_of(self.cell).error(layer, variant.rows(variant.call()))
        if not fits:
            raise ValueError(f"differs from float64 by {error:.1e}: this is not float32's result")
        self.variants[name] = variant
        return {"error": error}

    def check_narrow(self, name, variant, layer):
        """Of numbers that are told from float64's: how far, and that it is no further than such numbers can be."""
        expected, rows = layer.expected if variant.expected is None else variant.expected, variant.rows(variant.call())
        distance, limit = layers.distance(expected, rows), rungs.of_variant(name).limit
        if not distance <= limit:  # nor where it is a NaN
            raise ValueError(f"1 - cosine to float64 is {distance:.1e}, above the {limit:.0e} of such numbers")
        self.variants[name] = variant
        return {"error": float(abs(rows - expected).max()), "distance": distance}

    def is_asked(self, name, request):
        if self.cell.narrow and rungs.of_variant(name).name not in request.get("numbers", rungs.BY_NAME):
            return False
        return request.get("only", name) == name

    def prepare(self, request):
        self.variants.clear()  # before the new ones take memory
        # spread left one CPU: an engine's new threads inherit it, and may not spin there
        os.sched_setaffinity(0, self.cpus)
        self.cell = cells.BY_NAME[request["cell"]]
        layer, made, failed, unfit = numbers_of(self.cell).read(self.cell, paths.DATA), {}, {}, {}
        for name, make in self.makers().items():
            if not self.is_asked(name, request):
                continue
            try:
                made[name] = self.check(name, make, layer)
            except Unfit as why:
                unfit[name] = str(why)
            except Exception as error:  # whatever an engine throws: the other variants go on, and this one is reported
                failed[name] = reason(error)
        answer = {"variants": made, "failed": failed, "unfit": unfit}
        if hasattr(self.system, "overhead_us") and made and "only" not in request:
            answer["overhead_us"] = self.system.overhead_us(self.cell)
        return answer

    def measure(self, request):
        variant = self.variants[request["variant"]]
        if callable(variant.keep):  # a system that measures itself
            return variant.keep(request["sample_ms"] / 1000)
        if self.cell.is_long:
            return measured_long(variant.call, self.cpus)
        return measured(variant.call, request, self.cpus)

    def machine(self, _request):
        return self.system.sample(self.cell)

    def levels(self, _request):
        return self.system.levels()

    def answer(self, request):
        try:
            return getattr(self, request["do"])(request)
        except Exception as error:
            return {"died": reason(error)}


def private_output():
    """The pipe to the parent, out of reach of engines that print: their standard output goes to standard error."""
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return channel


def end_with_parent():
    """A worker is stopped most of the time: without this it would outlive a parent that was killed."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def main():
    end_with_parent()
    name, threads, cpus = sys.argv[1], int(sys.argv[2]), [int(cpu) for cpu in sys.argv[3].split(",")]
    os.sched_setaffinity(0, cpus)  # before an engine starts threads, which inherit it
    channel = private_output()
    worker = Worker(name, threads, cpus)
    print(json.dumps({"versions": worker.system.versions}), file=channel)
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=channel)


if __name__ == "__main__":
    main()
