#!/usr/bin/env python3
"""How long a fresh process takes to its first embedding and how much memory it takes, from the weights as they came and
from what `pack` makes of them. Prints one line for each; compares with nothing."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import sentences

ROUNDS = 5
IDS = "101 2023 2003 1037 6251 102\n"  # "this is a sentence" between its marks


def run_once(command):
    """Milliseconds from the start of a process to its end, and the most MiB it had in memory."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command[0]} failed")
    return (time.perf_counter() - start) * 1e3, usage.ru_maxrss / 1024


def say(program, weights, folder, *options):
    """One line: what came before the options, and the median over some rounds."""
    rounds = [run_once([program, "embed", "--weights", weights, "--tokens", folder / "ids.txt", "--output",
                        folder / "embedding.safetensors", *options]) for _ in range(ROUNDS)]
    words = " ".join([weights.name, *options])
    print(f"  {words:26} {statistics.median(ms for ms, _ in rounds):5.0f} ms  "
          f"{max(mib for _, mib in rounds):5.0f} MiB, {weights.stat().st_size / 2**20:.0f} of them the file's")


def main():
    program, weights = sys.argv[1], sentences.model_folder() / "model.safetensors"
    with tempfile.TemporaryDirectory() as here:
        folder = pathlib.Path(here)
        packed = folder / "model.gap"
        (folder / "ids.txt").write_text(IDS)
        subprocess.run([program, "pack", "--weights", weights, "--output", packed], check=True,
                       stdout=subprocess.DEVNULL)
        print("\nFrom the start of a process to its first embedding, written to a file, on one thread:")
        say(program, weights, folder)
        say(program, packed, folder)
        say(program, packed, folder, "--trust-weights")


if __name__ == "__main__":
    main()
