#!/usr/bin/env python3
"""Makes the results PyTorch gives for the demo and for each name map, or with --check compares them with what is
committed. Results are computed by the modules in float64 and rounded once to float32, so that every machine gets the
same bits (a tie may round either way: --check allows one unit in the last place); float32 runs are for compare.py."""

import argparse
import pathlib
import sys

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

import cases
import formula
import modules

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests" / "pytorch" / "goldens.safetensors"
DEMO = ROOT / "demo" / "expected" / "demo.safetensors"


def check_formula():
    """formula.py gives the integers C and Lua are held to as well."""
    for line in (ROOT / "tests" / "pytorch" / "formula_values.txt").read_text().splitlines():
        tensor, i, r, k = map(int, line.split())
        found = int(formula.integers(tensor, i + 1, r)[i])
        if found != k:
            sys.exit(f"formula.py: tensor {tensor}, element {i}, r {r}: {found}, expected {k}")


def fill(module, first, tensors):
    """Sets every parameter from the formula; tensors in the order of the module's state_dict."""
    state = {}
    for number, (name, shape, r) in enumerate(tensors, first):
        value = torch.from_numpy(formula.values(number, shape, r))
        if name.endswith(".kernel"):
            name, value = name.replace(".kernel", ".weight"), value.T
        state[name] = value
    module.double().load_state_dict(state)
    return module


def rounded(tensor):
    return np.ascontiguousarray(tensor.numpy().astype(np.float32))


def inputs(batch, q_len, kv_len):
    """query, key, value of one variant, float64."""
    def make(number, length):
        return torch.from_numpy(formula.values(number, (batch, length, cases.D_MODEL), cases.INPUT))
    query = make(cases.QUERY, q_len)
    if kv_len is None:
        return query, query, query
    return query, make(cases.KEY, kv_len), make(cases.VALUE, kv_len)


def make_maps():
    results = {}
    for layout, (first, tensors) in cases.LAYOUTS.items():
        module = fill(modules.make(layout, cases.D_MODEL, cases.N_HEADS), first, tensors)
        for name, batch, q_len, kv_len, q_lengths, kv_lengths in cases.VARIANTS:
            if kv_len is None:
                kv_lengths = q_lengths
            output, attention = modules.attend(module, *inputs(batch, q_len, kv_len), q_lengths, kv_lengths,
                                               causal=layout == "custom")
            results[f"{layout}.{name}.output"] = rounded(output)
            results[f"{layout}.{name}.attention"] = rounded(attention)
    return results


def make_demo():
    module = modules.make("demo", cases.DEMO_D_MODEL, cases.DEMO_N_HEADS, cases.VOCAB_SIZE)
    fill(module, 0, cases.DEMO_TENSORS)
    lengths = [len(sequence) for sequence in cases.SEQUENCES]
    padded = [sequence + [cases.PADDING] * (cases.DEMO_LENGTH - len(sequence)) for sequence in cases.SEQUENCES]
    with torch.no_grad():
        x = module.embedding(torch.tensor(padded))
    results = {}
    for way, real in (("padded", None), ("ragged", lengths)):
        output, attention = modules.attend(module, x, x, x, real, real)
        results[f"{way}.output"] = rounded(output.flatten()[:: cases.DEMO_STRIDE])
        results[f"{way}.attention"] = rounded(attention.flatten()[:: cases.DEMO_STRIDE])
    return results


def difference(path, made, committed):
    """Lines that say where made and committed differ by more than one unit in the last place."""
    lines = []
    for name in sorted(set(made) | set(committed)):
        if name not in made or name not in committed:
            lines.append(f"{path}: {name} is only in {'the new results' if name in made else 'the committed file'}")
        elif made[name].shape != committed[name].shape:
            lines.append(f"{path}: {name}: committed {committed[name].shape}, now {made[name].shape}")
        else:
            off = np.abs(made[name] - committed[name]) > np.spacing(np.abs(committed[name]))
            if off.any():
                lines.append(f"{path}: {name}: {off.sum()} of {off.size} elements differ")
    return lines


def check(path, made):
    lines = difference(path.relative_to(ROOT), made, load_file(path)) if path.exists() else [f"{path} is missing"]
    for line in lines:
        print(line, file=sys.stderr)
    if not lines:
        print(f"{path.relative_to(ROOT)}: {len(made)} tensors as PyTorch {torch.__version__} makes them")
    return not lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    options = parser.parse_args()
    check_formula()
    made = {GOLDENS: make_maps(), DEMO: make_demo()}
    if options.check:
        return 0 if all([check(path, results) for path, results in made.items()]) else 1
    for path, results in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file(results, path)
        path.chmod(0o644)  # the library makes it private to its owner
        print(f"{path.relative_to(ROOT)}: {len(results)} tensors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
