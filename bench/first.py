"""How long a fresh process takes to its first result of one cell, and the memory it took by then.
Measures the program out/bin/<model> from exec to exit, reading weights and input and writing the result, and each
system's fastest variant from the start of its worker to the first result that was held against float64."""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from safetensors.numpy import save_file

import cells
import fleet
import layer as layers
import paths
import stats
from systems import program

CELL = "1x128x512x8"
REPEATS = 5
ALONE = "python"  # a worker that prepares nothing: what Python, NumPy and the data take


# Runs a command so often and prints seconds, MiB and status of each. A small process of its own: a child is charged the
# memory of whoever started it.
STARTER = """
import json, os, sys, time
found = []
for _ in range(int(sys.argv[1])):
    start = time.perf_counter()
    child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    found.append({"seconds": time.perf_counter() - start, "mib": usage.ru_maxrss / 1024, "status": status})
print(json.dumps(found))
"""


def _run_program(cell):
    """Seconds and MiB of each repeat."""
    layer = layers.read(cell, paths.DATA)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_file(program.tensors(layer), folder / "weights")
        save_file({"query": layer.x}, folder / "in")
        command = [paths.program(cell.model), "run", "--weights", folder / "weights", "--input", folder / "in",
                   "--output", folder / "out"]
        done = subprocess.run([sys.executable, "-ISc", STARTER, str(REPEATS), *map(str, command)], capture_output=True,
                              text=True, check=True)
    found = json.loads(done.stdout)
    if any(run.pop("status") for run in found):
        raise fleet.WorkerDied(f"{command[0]} run fails: {done.stderr.strip()}")
    return found


def _peak_mib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return None


def _start_worker(name, variant, cell, cpus):
    start = time.perf_counter()
    worker = fleet.Worker(name, cell.threads, cpus)
    try:
        answer = worker.ask("prepare", cell=cell.name, only=variant) if variant else {"failed": {}}
        seconds = time.perf_counter() - start
        if answer["failed"]:
            raise fleet.WorkerDied(str(answer["failed"]))
        return {"seconds": seconds, "mib": _peak_mib(worker.process.pid)}
    finally:
        worker.end()


def measure(results, cpus, say):
    """{system: {"variant", "runs"}} where the cell was measured, else nothing."""
    result = next((found for found in results["cells"] if found["name"] == CELL), None)
    if not result:
        return {}
    cell, found = cells.BY_NAME[CELL], {}
    todo = [(name, best.variant) for name in result["systems"] if (best := stats.best(result, (name,)))
            and name != stats.PROGRAM]
    say(f"{CELL}: first result of a fresh process, program")
    try:
        found[stats.PROGRAM] = {"variant": "run", "runs": _run_program(cell)}
    except (OSError, subprocess.CalledProcessError, fleet.WorkerDied) as reason:
        say(str(reason))
    for name, variant in [("machine", None), *todo]:
        say(f"{CELL}: first result of a fresh process, {name}")
        try:
            runs = [_start_worker(name, variant, cell, cpus) for _ in range(REPEATS)]
        except fleet.WorkerDied as reason:
            say.aloud(f"first result of {name}: {reason}")
            continue
        found[ALONE if name == "machine" else name] = {"variant": variant, "runs": runs}
    return found
