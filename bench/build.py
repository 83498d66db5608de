"""Builds what is measured: the generated models of the cells, in a copy of the tree, and two small C libraries.
Compiles only what changed since the last time."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import llama_cells
import machine
import paths
import rungs
import whole_cells

NOT_COPIED = {"out", ".git"}
# The compiler may contract, as peers' builds do; -march=native, as whoever builds for one machine would.
PEER_FLAGS = ["-std=gnu11", "-O3", "-march=native", "-Wall", "-Wextra", "-fPIC", "-shared"]


class BuildError(Exception):
    """A command that failed, with the end of what it said."""


def run(command, folder=paths.ROOT):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise BuildError(f"{' '.join(map(str, command))[:300]} in {folder} failed:\n{said}")
    return done.stdout


# -- Models ---------------------------------------------------------------------------------------------------------

def _whole_fields(cell):
    return (llama_cells if cell.family else whole_cells).spec_fields(cell)


def spec(cell):
    """The spec of a cell's model: every size a literal, and no feature the cell does not use."""
    fields = _whole_fields(cell) if cell.whole else [
        f'name = "{cell.model}"', f"d_model = {cell.d_model}", f"n_heads = {cell.heads}",
        f"seq_len = {cell.length}", f"batch = {cell.batch}",
        "mask = { lengths = %s%s }" % (str(bool(cell.lengths)).lower(), ", causal = true" if cell.causal else ""),
    ] + [f"cache = {cell.cached + whole_cells.SPARE_KEYS}"] * (cell.cached > 0)
    fields += rungs.spec_fields(cell) if cell.numbers else []
    return "-- A cell of the benchmark (bench/cells.py).\n{\n" + "".join(f"  {f},\n" for f in fields) + "}\n"


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def is_build(path):
    """Whether configure was run there to build what lies elsewhere."""
    return (path / "source").is_symlink()


def copy_tree():
    """Brings the copy up to date; files that did not change keep their time, so nothing is built twice."""
    paths.TREE.mkdir(parents=True, exist_ok=True)
    for old in paths.TREE.iterdir():
        if old.name not in NOT_COPIED:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for new in paths.ROOT.iterdir():
        if new.name not in NOT_COPIED and not is_build(new):
            copy = shutil.copytree if new.is_dir() else shutil.copy2
            copy(new, paths.TREE / new.name)


def build_specs(specs, isas, kinds):
    """Configures the models of these specs ({name: text}) in the copy and builds of each what kinds say: paths.library,
    paths.program."""
    paths.SPECS.mkdir(parents=True, exist_ok=True)
    for name, text in specs.items():
        write_if_changed(paths.SPECS / f"{name}.lua", text)
    copy_tree()
    run(["./configure", "--isa", ",".join(isas), *(f"--spec={paths.SPECS / name}.lua" for name in sorted(specs))],
        paths.TREE)
    run(["ninja", *(kind(name).relative_to(paths.TREE) for name in specs for kind in kinds)], paths.TREE)


def models(cells, numbers):
    """The cells, each once for each model that is measured in it: a narrow one has a model of each of these rungs."""
    return [one for cell in cells for one in
            ([cell.of(rung) for rung in rungs.ours(cell) if rung.name in numbers] if cell.narrow else [cell])]


def build_models(cells, numbers):
    """The libraries and programs of the cells' models."""
    isas = machine.isas() + ["scalar"] * (machine.isas() != ["scalar"])
    build_specs({cell.model: spec(cell) for cell in models(cells, numbers)}, isas, (paths.library, paths.program))


def plan_of(cell):
    """What the planner thinks of the model's tiles: { "isa", "costs": {"project": 1.03, ...} }, a cost being the time
    of a multiply-add in units of the peak's. Costs it does not state are left out."""
    info = json.loads(run([paths.program(cell.model), "info", "--json"]))
    costs = {}
    for kernel in info["kernels"]:
        operation = re.search(r"_f32_(\w+?)__", kernel["name"])
        weighed = re.search(r"weighed \S+ (\d+\.\d+)", kernel["why"])
        if operation and weighed:
            costs[operation.group(1)] = float(weighed.group(1))
    return {"isa": info["isa"], "costs": costs}


# -- C libraries ----------------------------------------------------------------------------------------------------

def _shared(output, sources, *flags):
    paths.PEERS.mkdir(parents=True, exist_ok=True)
    newest = max(Path(source).stat().st_mtime for source in sources)
    if not output.exists() or output.stat().st_mtime < newest:
        run(["cc", *PEER_FLAGS, *flags, "-o", output, *sources, "-lm"])


def build_peers():
    _shared(paths.openblas_peer(), [paths.HERE / "openblas.c"])


def build_machine():
    root = paths.ROOT
    sources = [paths.HERE / "machine.c", paths.HERE / "narrow_peaks.c"] + [root / path for path in (
        "program/report/peak_flops.c", "program/report/clock.c", "runtime/base/cpu.c", "runtime/base/cpu_decode.c",
        "runtime/base/on_linux.c")]
    _shared(paths.machine_library(), sources,
            "-I", root / "runtime/include/genattn", "-I", root / "runtime/base", "-I", root / "program/report")
