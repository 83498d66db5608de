"""Sentences in, vectors out: every system in a process of its own, in turn, round by round; tokenizing is part of every
time. Writes a table, a picture and all samples. Run it alone: what else runs on the machine disturbs it."""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import corpus
import systems

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))
import machine  # noqa: E402  what the benchmark of layers says of the CPU
import text_report as report  # noqa: E402


def environment(threads):
    return os.environ | {"OMP_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
                         "RAYON_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1"}


def finish(process, log="its output"):
    """Waits for a process; the most memory that it had, in bytes. log: where it says why it failed."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}; see {log}")
    return usage.ru_maxrss * 1024


def run_program(options, name, threads):
    """Whole processes of our program: one sentence, all of them, the passages."""
    work = options.work / name
    took, memory = {}, 0
    (work / "one.txt").write_text(corpus.read(options.work / "sentences.txt")[0] + "\n", "utf-8")
    for what, text in (("first", work / "one.txt"), ("all", options.work / "sentences.txt"),
                       ("passages", options.work / "passages.txt")):
        begin = time.perf_counter()
        process = subprocess.Popen(
            ["taskset", "-c", cpus(threads), work / "out/bin/minilm", "embed", "--weights", work / "minilm.gap",
             "--text", text, "--threads", str(threads), "--output", work / f"{what}.safetensors"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        memory = max(memory, finish(process))
        took[what] = time.perf_counter() - begin
    from safetensors.numpy import load_file
    vectors = load_file(work / "all.safetensors")["embedding"]
    return {"first": took["first"], "all": took["all"], "passages": took["passages"], "memory": memory}, vectors


def cpus(threads):
    return ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:threads])


def run_worker(options, key, threads):
    """A process that stays: whole times from its start, warm ones from within."""
    output = options.work / f"{key}.npy"
    log = open(options.work / f"{key}.log", "w", encoding="utf-8")
    begin = time.perf_counter()
    process = subprocess.Popen(
        ["taskset", "-c", cpus(threads), sys.executable, HERE / "worker.py", key, options.model, options.work,
         str(threads), output], stdout=subprocess.PIPE, stderr=log, text=True, env=environment(threads))
    took, last = {}, ""
    for line in process.stdout:
        word = line.strip()
        if word in ("first", "all"):
            took[word] = time.perf_counter() - begin
        last = word
    log.close()
    finish(process, log.name)
    warm = json.loads(last)
    return took | {"warm": warm["sentences"], "passages": warm["passages"], "memory": warm["memory"]}, np.load(output)


def reference(options):
    """[texts][d] vectors of sentence-transformers in double precision, kept. Made by a process of its own: what a
    parent has had of memory counts as its children's."""
    path = options.work / "reference.npy"
    if not path.exists():
        subprocess.run([sys.executable, HERE / "worker.py", "reference", options.model, options.work, "2", path],
                       check=True, stdout=subprocess.DEVNULL, env=environment(2))
    return np.load(path).astype(np.float64)


def distances(wanted, found):
    """1 - cosine of each text."""
    found = found.astype(np.float64)
    norms = np.linalg.norm(wanted, axis=1) * np.linalg.norm(found, axis=1)
    return 1 - (wanted * found).sum(axis=1) / norms


def measure(options, key, threads, result, wanted):
    """One round of one system, into its entry of the result."""
    entry = result["systems"].setdefault(f"{key} {threads}", {"system": key, "threads": threads, "rounds": []})
    run = run_program if key.startswith("program") else run_worker
    name = systems.SYSTEMS[key][2] if key.startswith("program") else key
    try:
        sample, vectors = run(options, name, threads)
    except (RuntimeError, OSError, ValueError) as error:
        entry["failed"] = str(error)
        return
    far = distances(wanted, vectors)
    entry["distance"] = {"mean": float(far.mean()), "largest": float(far.max())}
    entry["rounds"].append(sample)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--work", type=Path, required=True, help="folder of what is built and made")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default="1,2", help="numbers of threads, joined by commas [1,2]")
    parser.add_argument("--systems", default=",".join(systems.SYSTEMS), help="some of " + ", ".join(systems.SYSTEMS))
    options = parser.parse_args()
    options.work = options.work.resolve()
    corpus.write(options.work)
    wanted, keys = reference(options), options.systems.split(",")
    result = {"machine": machine.describe(), "sentences": corpus.SENTENCES, "passages": corpus.PASSAGES, "systems": {}}
    for number in range(options.rounds):
        for threads in (int(word) for word in options.threads.split(",")):
            first = number % len(keys)
            for key in keys[first:] + keys[:first]:
                print(f"round {number + 1} of {options.rounds}, {threads} threads: {key}", file=sys.stderr, flush=True)
                measure(options, key, threads, result, wanted)
    folder = options.work.parent / "results" / result["machine"]["slug"] / "text_in"
    report.write(folder, result)
    print((folder / "results.md").read_text("utf-8"))


if __name__ == "__main__":
    main()
