#!/usr/bin/env python3
"""Runs a generated program with a cache (out/bin/<name>) against live PyTorch as decoders do it: an attention module
that is given past keys and values, appends its own and looks at all of them. Prefills, steps, ragged pasts, every
instruction set this CPU has. The last line printed is 'N passed, N failed'; the exit status is 1 where one failed."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional


class CachedAttention(nn.Module):
    """Grouped-query attention over past and new keys, causal from the bottom right, as transformers' modules do it."""

    def __init__(self, d_model, n_heads, n_kv_heads, d_head):
        super().__init__()
        self.heads, self.kv_heads, self.d_head = n_heads, n_kv_heads, d_head
        self.q_proj = nn.Linear(d_model, n_heads * d_head, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * d_head, bias=False)
        self.out_proj = nn.Linear(n_heads * d_head, d_model, bias=False)

    def forward(self, x, past=None):
        """x: [B, L, d_model]; past: keys and values [B, Hkv, Lpast, d_head]. The output and what is past then."""
        q = self.q_proj(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        keys = self.k_proj(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        values = self.v_proj(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        if past is not None:
            keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        new, total = q.shape[2], keys.shape[2]
        seen = torch.ones(new, total, dtype=torch.bool).tril(total - new)
        x = functional.scaled_dot_product_attention(q, keys, values, attn_mask=seen, enable_gqa=True)
        return self.out_proj(x.transpose(1, 2).flatten(-2)), (keys, values)


class Program:
    """A program with a cache, its weights and a folder for tensors."""

    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)
        info = json.loads(subprocess.run([path, "info", "--json"], check=True, capture_output=True, text=True).stdout)
        shape = info["shape"]
        self.name, self.longest, self.d_model = info["model"], shape["seq_len"]["max"], shape["d_model"]
        self.isas = [variant["isa"] for variant in info["variants"] if variant["runs_here"]]
        self.module = CachedAttention(shape["d_model"], shape["n_heads"], shape["n_kv_heads"], shape["d_head"]).eval()
        self.kv_heads, self.d_head = shape["n_kv_heads"], shape["d_head"]
        save_file({name: value.contiguous() for name, value in self.module.state_dict().items()},
                  self.folder / "weights.safetensors")
        self.passed = self.failed = 0
        self.largest = 0.0

    def run(self, isa, inputs, *more):
        """What `run` writes for these inputs."""
        save_file({name: value.contiguous() for name, value in inputs.items()}, self.folder / "in.safetensors")
        done = subprocess.run(
            [self.path, "run", "--weights", self.folder / "weights.safetensors", "--input",
             self.folder / "in.safetensors", "--output", self.folder / "out.safetensors", "--isa", isa,
             *map(str, more)],
            capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return load_file(self.folder / "out.safetensors")

    def tell(self, what, found, wanted):
        """Counts tensors that agree; every tensor found must be wanted."""
        for name, tensor in found.items():
            try:
                torch.testing.assert_close(tensor, wanted[name])
                self.largest = max(self.largest, (tensor - wanted[name]).abs().max().item())
                self.passed += 1
            except (AssertionError, KeyError) as error:
                self.failed += 1
                print(f"FAILED {self.name}, {what}: {name}: {' '.join(str(error).split())}")

    def tell_same_bits(self, what, found, wanted):
        for name in ("output", "cache_keys", "cache_values"):
            same = torch.equal(found[name], wanted[name])
            self.passed += same
            self.failed += not same
            if not same:
                print(f"FAILED {self.name}, {what}: {name} has other bits")


def named(output, past):
    return {"output": output, "cache_keys": past[0], "cache_values": past[1]}


def compare_steps(program, isa, batch, past_rows, rows):
    """One call after past_rows, the same in steps, and PyTorch both ways."""
    what = f"batch {batch}, {rows} rows after {past_rows} on {isa}"
    x = torch.randn(batch, past_rows + rows, program.d_model)
    past = program.module(x[:, :past_rows])[1] if past_rows else None
    output, after = program.module(x[:, past_rows:], past)
    inputs = {"query": x[:, past_rows:]}
    if past:
        inputs.update(cache_keys=past[0], cache_values=past[1])
    whole = program.run(isa, inputs)
    program.tell(what, whole, named(output, after))
    for step in {1, 7, rows}:
        program.tell_same_bits(f"{what}, by {step}", program.run(isa, inputs, "--step", step), whole)
    outputs = []
    for i in range(past_rows, past_rows + rows):  # and PyTorch token by token, as generation does
        output, past = program.module(x[:, i:i + 1], past)
        outputs.append(output)
    program.tell(f"{what}, PyTorch by steps", whole, named(torch.cat(outputs, dim=1), past))


def compare_ragged(program, isa):
    """Sequences with different pasts and different numbers of new rows."""
    pasts, rows = [0, 33, 70, 5], [4, 1, 9, 0]
    longest = max(rows)
    x = [torch.randn(1, p + r, program.d_model) for p, r in zip(pasts, rows)]
    query = torch.zeros(4, longest, program.d_model)
    cached = torch.zeros(2, 4, program.kv_heads, max(pasts), program.d_head)
    after = torch.zeros(2, 4, program.kv_heads, max(pasts) + longest, program.d_head)
    output = torch.zeros(4, longest, program.d_model)
    for b, (p, r) in enumerate(zip(pasts, rows)):
        past = program.module(x[b][:, :p])[1] if p else None
        query[b, :r] = x[b][0, p:]
        for kind in range(2):
            cached[kind, b, :, :p] = past[kind][0] if p else 0
        output[b, :r], total = program.module(x[b][:, p:], past) if r else (output[b, :0], past)
        for kind in range(2):
            after[kind, b, :, :p + r] = total[kind][0]
    found = program.run(isa, {"query": query, "cache_keys": cached[0], "cache_values": cached[1],
                              "cache_lengths": torch.tensor(pasts), "q_lengths": torch.tensor(rows)})
    program.tell(f"ragged on {isa}", found, named(output, after))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path, help="such as out/bin/live_cache_96_6")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        program = Program(options.program, folder)
        for isa in program.isas:
            for batch, past_rows, rows in ((1, 0, program.longest), (2, 0, 13), (1, 37, 1), (3, 64, 20), (1, 100, 50)):
                compare_steps(program, isa, batch, past_rows, rows)
            compare_ragged(program, isa)
    print(f"{program.name}: largest difference from PyTorch {program.largest:.3g}")
    print(f"{program.passed} passed, {program.failed} failed")
    return 1 if program.failed or not program.passed else 0


if __name__ == "__main__":
    sys.exit(main())
