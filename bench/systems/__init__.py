"""The systems that are measured, one module each, each run in a process of its own (worker.py).

A module has open(threads) -> an object with
    versions                    {name: version}
    variants(cell)              {name: make}, make(layer) -> Variant, or raises Unfit
The peers stand in the best configuration found for each; a comment there says why."""

from dataclasses import dataclass
from typing import Callable


class Unfit(Exception):
    """A variant that by its nature does not do this cell, and why."""


@dataclass
class Variant:
    """call is what is timed; rows turns what it returned into [real rows][d_model]."""
    call: Callable[[], object]
    rows: Callable[[object], object]
    keep: object = None  # whatever must live as long as the variant
    expected: object = None  # what rows should be, of a variant that cannot be given the cell's own numbers


ORDER = ["genattn", "program", "onnxruntime", "openvino", "pytorch", "nn_mha", "compile", "openblas"]
WHOLE_ORDER = ["genattn", "onnxruntime", "openvino", "pytorch", "nn_encoder", "compile"]  # of whole models
NARROW_ORDER = ["genattn", "onnxruntime", "openvino", "pytorch", "llamacpp"]  # of cells of narrow numbers
