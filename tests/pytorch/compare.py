#!/usr/bin/env python3
"""Runs generated programs (out/bin/<name>) against live PyTorch: random weights saved by torch under every name map a
program knows, random inputs over its lengths, padded and ragged, self- and cross-attention, every instruction set
this CPU has. The last line printed is 'N passed, N failed'; the exit status is 1 where one failed or none ran."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file

import forms
import hugging_face
import masks
import modules
import rotary
import scores


class Program:
    """What `info --json` says of one program."""

    def __init__(self, path):
        self.path = path
        text = subprocess.run([path, "info", "--json"], check=True, capture_output=True, text=True).stdout
        info = json.loads(text)
        shape = info["shape"]
        self.name, self.d_model, self.n_heads = info["model"], shape["d_model"], shape["n_heads"]
        self.q_range, self.kv_range = shape["seq_len"], shape["kv_seq_len"]
        self.vocab_size = shape["vocab_size"]
        self.isas = [variant["isa"] for variant in info["variants"] if variant["runs_here"]]
        self.layouts = {layout["layout"]: layout["sources"] for layout in info["layouts"]}
        self.default_layout = info["default_layout"]
        self.spec, self.takes_mask, self.outputs = info["spec"], "mask" in info["inputs"], info["outputs"]
        causal = re.search(r'causal\s*=\s*(true|"\w+")', info["spec"])
        self.causal = causal.group(1) if causal else None

    def call(self, *arguments):
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, check=False)


# -- Weights and inputs ---------------------------------------------------------------------------------------------

def layout_module(program, layout):
    """A module with random weights whose state_dict the program reads under `layout`."""
    known = layout
    if layout == "custom":
        known = "demo" if program.vocab_size else "custom"
    module = modules.make(known, program.d_model, program.n_heads, program.vocab_size if known != "torch_mha" else None)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name.endswith("bias"):  # MultiheadAttention starts them at zero, where a lost one would not show
                parameter.uniform_(-0.1, 0.1)
    return module


def file_tensors(program, layout, module):
    """The state_dict as the file holds it: a transposed custom map's matrices are [in, out] and called kernels."""
    state = {name: value.contiguous() for name, value in module.state_dict().items()}
    if program.vocab_size and layout == "torch_mha":
        state["embedding.weight"] = torch.randn(program.vocab_size, program.d_model)
    if any(source["transposed"] for source in program.layouts[layout]):
        state = {re.sub(r"\.weight$", ".kernel", name): value.T.contiguous() if value.dim() == 2 else value
                 for name, value in state.items()}
    return state


def lengths_between(low, high, batch):
    return torch.randint(low, high + 1, (batch,))


def cases(program):
    """(name, inputs by name) over the program's lengths."""
    q_max, kv_max = program.q_range["max"], program.kv_range["max"]
    middle = max(program.q_range["min"], (2 * q_max) // 3)
    kv_other = max(program.kv_range["min"], min(kv_max, middle + 1))
    d = program.d_model

    def self_attention(batch, length):
        return {"query": torch.randn(batch, length, d)}

    def cross(batch, q_len, kv_len):
        return {"query": torch.randn(batch, q_len, d), "key": torch.randn(batch, kv_len, d)}

    yield "one sequence", {"query": torch.randn(middle, d)}
    yield "longest", self_attention(1, q_max)
    yield "shortest", self_attention(3, program.q_range["min"])
    yield "batch", self_attention(3, middle)
    yield "ragged", {**self_attention(4, q_max), "q_lengths": lengths_between(1, q_max, 4)}
    yield "cross", cross(2, middle, kv_other)
    yield "cross, own values", {**cross(2, middle, kv_other), "value": torch.randn(2, kv_other, d)}
    yield "cross, keys ragged", {**cross(3, middle, kv_other), "kv_lengths": lengths_between(1, kv_other, 3)}
    yield "cross, both ragged", {
        **cross(3, middle, kv_other),
        "q_lengths": lengths_between(0, middle, 3),
        "kv_lengths": lengths_between(1, kv_other, 3).to(torch.int32),
    }
    if program.vocab_size:
        yield "tokens", {"tokens": torch.randint(0, program.vocab_size, (2, q_max))}


# -- What PyTorch makes of them -------------------------------------------------------------------------------------

def batched(tensor):
    return tensor if tensor.dim() == 3 else tensor[None]


def expected(program, module, inputs, embedding):
    """output and attention by name, as the program names and shapes them."""
    query = embedding[inputs["tokens"]] if "tokens" in inputs else inputs["query"]
    key = inputs.get("key", query)
    value = inputs.get("value", key)
    q_lengths = inputs.get("q_lengths")
    kv_lengths = inputs.get("kv_lengths") if "key" in inputs else q_lengths
    output, attention = modules.attend(module, batched(query), batched(key), batched(value), q_lengths, kv_lengths,
                                       causal=program.causal is not None)
    return {"output": output.reshape(query.shape), "attention": attention}


def difference(found, wanted):
    """Nothing, or what assert_close says."""
    for name in found:
        try:
            torch.testing.assert_close(found[name], wanted[name])
        except AssertionError as error:
            return f"{name}: {error}"
    return None if "output" in found else "no output was written"


# -- Comparing ------------------------------------------------------------------------------------------------------

class Comparison:
    """One program under one map: its files, its calls, its counts."""

    def __init__(self, program, layout, folder):
        self.program, self.layout, self.folder = program, layout, pathlib.Path(folder)
        self.passed, self.failed, self.largest = 0, 0, 0.0
        self.module = layout_module(program, layout)
        tensors = file_tensors(program, layout, self.module)
        self.embedding = tensors.get("embedding.weight")
        self.weights = self.folder / "weights.safetensors"
        save_file(tensors, self.weights)

    def tell(self, good, what, why):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {self.program.name}, map {self.layout}, {what}: {' '.join(why.split())}")

    def run(self, what, isa, inputs, wanted):
        """`run` gives PyTorch's results; `check` agrees, and does not where one element is off."""
        source, output, results = (self.folder / f"{name}.safetensors" for name in ("in", "out", "expected"))
        save_file(inputs, source)
        common = ["--weights", self.weights, "--input", source, "--isa", isa]
        if self.program.default_layout not in (None, self.layout):
            common += ["--weights-layout", self.layout]
        ran = self.program.call("run", *common, "--output", output)
        if ran.returncode != 0:
            self.tell(False, what, f"run: {ran.stderr.strip()}")
            return
        found = load_file(output)
        why = difference(found, wanted)
        self.tell(why is None, what, why)
        if why is not None:
            return
        self.largest = max([self.largest, *((found[name] - wanted[name]).abs().max().item() for name in found)])
        given = {name: wanted[name].contiguous() for name in found}
        save_file(given, results)
        checked = self.program.call("check", *common, "--expected", results)
        self.tell(checked.returncode == 0, what, f"check: {checked.stdout}{checked.stderr}")
        given["output"] = given["output"].clone()
        given["output"].view(-1)[-1] += 0.01
        save_file(given, results)
        checked = self.program.call("check", *common, "--expected", results)
        self.tell(checked.returncode == 1, what, f"check took a wrong result, exit {checked.returncode}")

    def run_all(self):
        for what, inputs in cases(self.program):
            wanted = expected(self.program, self.module, inputs, self.embedding)
            for isa in self.program.isas:
                self.run(f"{what} on {isa}", isa, inputs, wanted)


def compare(path):
    """(passed, failed) of one program under all its maps, by the file that has modules for it."""
    program = Program(path)
    other = forms.Program(path)
    if hugging_face.is_one(other):
        return hugging_face.compare_program(other)
    if rotary.is_rotary(other.name):
        return rotary.compare(path)
    if masks.is_one(program):
        return [sum(column) for column in zip(*masks.compare_all(program))]
    if other.is_other():
        return forms.compare_program(other)
    if program.name in scores.MODULES:
        return [sum(column) for column in zip(*scores.compare_all(program))]
    if program.causal == '"bottom_right"':
        sys.exit(f"compare.py: {path}: only causal masks aligned top left are compared, which is PyTorch's is_causal")
    passed = failed = 0
    for layout in filter(modules.has, program.layouts):
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(program, layout, folder)
            comparison.run_all()
        print(f"{program.name}, map {layout}, on {', '.join(program.isas)}: "
              f"{comparison.passed} passed, {comparison.failed} failed, "
              f"largest difference {comparison.largest:.2g}")
        passed += comparison.passed
        failed += comparison.failed
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", type=pathlib.Path, help="such as out/bin/demo")
    parser.add_argument("--seed", type=int, default=1, help="of weights, inputs and lengths [1]")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    counts = [compare(path) for path in options.programs]
    passed, failed = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
