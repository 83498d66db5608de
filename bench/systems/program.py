"""Ours, as the program out/bin/<model> measures itself: no Python in the loop.
Its own `run` is held against float64 first; its `bench` then uses weights and inputs of its own making."""

import tempfile
from pathlib import Path

from safetensors.numpy import load_file, save_file

import layer as layers
import paths
from program_bench import call, measure
from systems import Unfit, Variant


def tensors(layer):
    """The weights under nn.MultiheadAttention's names."""
    return {
        "in_proj_weight": layer.w_in, "in_proj_bias": layer.b_in,
        "out_proj.weight": layer.w_out, "out_proj.bias": layer.b_out,
    }


def result(cell, layer):
    """The program's output for the cell's weights and input."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_file(tensors(layer), folder / "weights")
        save_file({"query": layer.x} | earlier(layer), folder / "in")
        call(paths.program(cell.model), "run", "--weights", folder / "weights", "--input", folder / "in", "--output",
             folder / "out", "--threads", cell.threads)
        return layers.real_rows(cell, load_file(folder / "out")["output"])


def earlier(layer):
    """Keys and values of earlier calls, where there are any."""
    return {} if layer.past_k is None else {"cache_keys": layer.past_k, "cache_values": layer.past_v}


class Bench:
    """The variant whose samples come from the program (see worker.py: `measured`)."""

    def __init__(self, cell):
        self.cell = cell

    def __call__(self, seconds):
        cell = self.cell
        return measure(paths.program(cell.model), "--lengths", cell.length, "--batch", cell.batch, "--seconds", seconds,
                       "--threads", cell.threads, *(["--cached", cell.cached] if cell.cached else []))


def make(cell, layer):
    if cell.lengths:
        raise Unfit("the program's bench takes no lengths")
    return Variant(lambda: result(cell, layer), lambda rows: rows, keep=Bench(cell))


class System:
    versions = {}

    def variants(self, cell):
        return {"bench": lambda layer: make(cell, layer)}


def open_system(_threads):
    return System()
