"""Embedders and rerankers of the shapes that people run, with random weights: texts or pairs a second and CPU seconds
for a million tokens of each system, on one thread, every system in a process of its own, in turn. Writes a table and
all samples; shapes that were measured before stay in them."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np

import shapes
import systems

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))
import machine  # noqa: E402  what the benchmark of layers says of the CPU

GATED = ("NomicBertConfig", "ModernBertConfig", "Qwen3Config")
SECONDS = 4  # of f32 multiply-adds that a core's 100 GFLOP/s do: what a shape is given


def layer_weights(name):
    """Weights that each token is multiplied by."""
    fields = shapes.SHAPES[name][2]
    width, heads = fields["hidden_size"], fields["num_attention_heads"]
    head, key_heads = fields.get("head_dim", width // heads), fields.get("num_key_value_heads", heads)
    linears = 3 if shapes.SHAPES[name][0] in GATED else 2  # of a feed-forward
    each = 2 * head * (heads + key_heads) + linears * fields["intermediate_size"]
    return fields["num_hidden_layers"] * width * each


def count_of(name):
    """Inputs for about SECONDS of the fastest f32."""
    each = sum(shapes.lengths(name, 200)) / 200 * 2 * layer_weights(name) / 1e11
    return max(16, min(200 if shapes.SHAPES[name][4] != "sentences" else 1500, int(SECONDS / each)))


def worker(key, name, options, output):
    cpu = str(sorted(os.sched_getaffinity(0))[-1])
    log = options.work / f"{name}_{key}.log"
    with log.open("w", encoding="utf-8") as errors:
        done = subprocess.run(["taskset", "-c", cpu, sys.executable, HERE / "worker.py", key, name,
                               options.work / name, options.work, str(count_of(name)), output], text=True,
                              stdout=subprocess.PIPE, stderr=errors, check=False,
                              env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"})
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}; see {log}")
    return json.loads(done.stdout.splitlines()[-1])


def distance(name, wanted, found):
    """Mean of 1 - cosine, or of a score's difference."""
    if not shapes.SHAPES[name][3]:
        return float(np.abs(wanted - found).mean())
    return float((1 - (wanted * found).sum(1) / np.linalg.norm(wanted, axis=1) / np.linalg.norm(found, axis=1)).mean())


def measure(name, options, keys, result):
    reference = options.work / f"{name}_reference.npy"
    if not reference.exists():
        worker("reference", name, options, reference)
    wanted = np.load(reference)
    keys = [key for key in keys if systems.has(key, name)]
    for number in range(options.rounds):
        for key in keys[number % len(keys):] + keys[:number % len(keys)]:
            entry = result.setdefault(name, {}).setdefault(key, {"rounds": []})
            print(f"{name}: round {number + 1} of {options.rounds}: {key}", file=sys.stderr, flush=True)
            output = options.work / f"{name}_{key}.npy"
            try:
                entry["rounds"].append(worker(key, name, options, output))
                entry["distance"] = distance(name, wanted, np.load(output))
            except RuntimeError as error:
                entry["failed"] = str(error)
        yield


def cost_of(entry):
    """CPU seconds for a million tokens."""
    return min(sample["cpu"] / sample["tokens"] * 1e6 for sample in entry["rounds"])


def row(name, key, entry, count):
    heading = systems.SYSTEMS[key][0]
    if not entry["rounds"]:
        return f"| {name} | {heading} | – | – | – | – | {entry['failed'].split(';')[0]} |"
    rate = median(count / sample["seconds"] for sample in entry["rounds"])
    memory = max(sample["memory"] for sample in entry["rounds"]) / 2 ** 20
    return f"| {name} | {heading} | {rate:.1f} | {cost_of(entry):.0f} | {memory:.0f} | {entry['distance']:.1e} | |"


def costs(found):
    """A row a shape: CPU seconds for a million tokens of each system, the least of each number format bold."""
    def cell(entries, key):
        if not entries.get(key, {}).get("rounds"):
            return "–"
        costs_here = {other: cost_of(entries[other]) for other, (_, _, dtype) in systems.SYSTEMS.items()
                      if entries.get(other, {}).get("rounds") and systems.BITS[dtype] == systems.BITS[
                          systems.SYSTEMS[key][2]]}
        mark = "**" if costs_here[key] == min(costs_here.values()) else ""
        return f"{mark}{costs_here[key]:.0f}{mark}"

    order = sorted(systems.SYSTEMS, key=lambda key: -systems.BITS[systems.SYSTEMS[key][2]])
    yield "| shape | " + " | ".join(systems.SYSTEMS[key][0] for key in order) + " |"
    yield "| --- |" + " --: |" * len(order)
    for name in filter(found.get, shapes.SHAPES):
        entries = found[name]
        yield f"| {name} | " + " | ".join(cell(entries, key) for key in order) + " |"


def quiet(found):
    """How much of the time the systems had their CPU."""
    samples = [sample for entries in found.values() for entry in entries.values() for sample in entry["rounds"]]
    shares = sorted(sample["cpu"] / sample["seconds"] for sample in samples)
    middle, worst = 100 * median(shares), 100 * shares[0]
    return (f"{len(samples)} rounds in all. A system had its CPU {middle:.0f} % of the time in the median, "
            f"{worst:.0f} % in the worst round.")


def page(result):
    lines = [f"# Embedders and rerankers on {result['machine']['cpu']}", "",
             "Shapes of models that people run, with random weights. Inputs are token ids: as many as real sentences, "
             "passages, or both as a pair have words and marks. One thread; every system in turn, in a process of its "
             "own, in batches of 32 of like lengths. Inputs a second: the median of the rounds. CPU seconds for a "
             "million tokens: those of the best round, which say more if the machine was busy. Distance: mean of "
             "1 − cosine to PyTorch in double precision, or of the difference of the score.", "",
             quiet(result["shapes"]), "", "CPU seconds for a million tokens:", "", *costs(result["shapes"]), "",
             "Everything:", "",
             "| shape | system | inputs/s | CPU s for 10⁶ tokens | memory, MiB | distance | |",
             "| --- | --- | --: | --: | --: | --: | --- |"]
    for name in filter(result["shapes"].get, shapes.SHAPES):
        entries = result["shapes"][name]
        lines += [row(name, key, entry, count_of(name)) for key, entry in entries.items()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder of what is built and made")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--shapes", default=",".join(shapes.SHAPES), help="some of " + ", ".join(shapes.SHAPES))
    parser.add_argument("--systems", default=",".join(systems.SYSTEMS), help="some of " + ", ".join(systems.SYSTEMS))
    parser.add_argument("--make", action="store_true", help="only save the shapes' folders")
    options = parser.parse_args()
    options.work = options.work.resolve()
    names = options.shapes.split(",")
    for given, known in ((names, shapes.SHAPES), (options.systems.split(","), systems.SYSTEMS)):
        for name in given:
            if name not in known:
                parser.error(f"{name!r} is not one of {', '.join(known)}")
    if options.make:
        for name in names:
            shapes.make(name, options.work / name)
        return
    result = {"machine": machine.describe(), "shapes": {}}
    folder = options.work.parent / "results" / result["machine"]["slug"] / "shapes"
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "results.json").exists():
        result["shapes"] = json.loads((folder / "results.json").read_text("utf-8"))["shapes"]
    for name in names:
        result["shapes"].pop(name, None)
        for _ in measure(name, options, options.systems.split(","), result["shapes"]):
            (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
            (folder / "results.md").write_text(page(result), "utf-8")
    print((folder / "results.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
