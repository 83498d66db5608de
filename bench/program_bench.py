"""The program's own `bench`: run once, and what it wrote read back. Needs the standard library alone."""

import json
import subprocess
import tempfile
from pathlib import Path


def call(*arguments):
    """Runs a command. Raises RuntimeError with what it said on stderr where it failed."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")


def measure(program, *arguments):
    """The first cell that `program bench` measured with these arguments, as samples (see worker.py)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.json"  # read by name: the program renames a new file over it
        call(program, "bench", *arguments, "--json", path)
        found = json.loads(path.read_text())["cells"][0]
    return {"us": [found["us_median"]], "us_min": found["us_min"], "us_max": found["us_max"], "cpu_share": None}
