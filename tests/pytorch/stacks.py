#!/usr/bin/env python3
"""Runs generated stacks of layers (out/bin/<name>) against PyTorch's own, nn.TransformerEncoder and
nn.TransformerDecoder, alone and in ragged batches, the rows each layer of an encoder leaves and the weights of both
attentions of a decoder's layers among what is compared. The last line printed is 'N passed, N failed'; the exit status
is 1 where one failed."""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import torch
from safetensors.torch import load_file, save_file
from torch import nn


# -- The modules, by a program's name --------------------------------------------------------------------------------

class Filled(nn.TransformerEncoderLayer):
    """A layer whose attention is written as tutorials write it: masked scores are replaced by -1e9."""

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        attention = self.self_attn
        batch, length, d_model = x.shape
        q, k, v = (part.view(batch, length, attention.num_heads, -1).transpose(1, 2) for part in nn.functional.linear(
            x, attention.in_proj_weight, attention.in_proj_bias).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        for mask in (attn_mask, None if key_padding_mask is None else key_padding_mask[:, None, None]):
            if mask is not None:
                scores = scores.masked_fill(mask if mask.dtype == torch.bool else mask < 0, -1e9)
        return attention.out_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, d_model))


def encoder(d_model, heads, d_ff, layers, activation, norm_first=False, norm=False, kind=nn.TransformerEncoderLayer):
    layer = kind(d_model, heads, d_ff, 0.0, activation, batch_first=True, norm_first=norm_first)
    return nn.TransformerEncoder(layer, layers, nn.LayerNorm(d_model) if norm else None, enable_nested_tensor=False)


def decoder(d_model, heads, d_ff, layers, activation):
    layer = nn.TransformerDecoderLayer(d_model, heads, d_ff, 0.0, activation, batch_first=True)
    return nn.TransformerDecoder(layer, layers)


MODULES = {
    "live_encoder_post": (lambda: encoder(48, 4, 80, 3, "relu", norm=True), {}),
    "live_encoder_pre": (lambda: encoder(45, 3, 70, 2, "gelu", norm_first=True), {"causal": True}),
    "live_encoder_fill": (lambda: encoder(48, 4, 80, 2, "relu", norm=True, kind=Filled), {"causal": True}),
    "live_decoder_post": (lambda: decoder(48, 4, 80, 2, "gelu"), {"memory": True}),
}


def draw(module):
    """Vectors start at 0 and 1, where a lost one would not show."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter += 0.3 * torch.randn_like(parameter)
    return module.eval()


def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


def hidden_states(module, x, mask):
    """What an encoder's layers leave, the first one's input among them and its output at the end."""
    states = [x]
    for layer in module.layers:
        states.append(layer(states[-1], src_mask=mask))
    if module.norm is not None:
        states[-1] = module.norm(states[-1])
    return states


def attention_weights(module, x, memory, mask):
    """What a decoder gives, and the weights of its layers' attentions: the same modules called once more with what
    each was called with, as a decoder asks them for none."""
    calls = []
    hooks = [attention.register_forward_hook(lambda *call: calls.append(call[:3]), with_kwargs=True)
             for layer in module.layers for attention in (layer.self_attn, layer.multihead_attn)]
    output = module(x, memory, tgt_mask=mask)
    for hook in hooks:
        hook.remove()
    given = {"output": output[0]}
    for i, (attention, args, options) in enumerate(calls):
        weights = attention(*args, **{**options, "need_weights": True, "average_attn_weights": False})[1]
        given[("attention_", "cross_attention_")[i % 2] + str(i // 2)] = weights[0]
    return given


def expected(module, x, memory, causal):
    """What the module gives for one sequence x [L, d] and its memory [Lm, d], by the program's names."""
    x, mask = x[None], causal_mask(len(x))
    if memory is None:
        states = hidden_states(module, x, mask if causal else None)
        return {"output": module(x, mask=mask if causal else None)[0],
                **{f"hidden_{i}": state[0] for i, state in enumerate(states)}}
    return attention_weights(module, x, memory[None], mask)


# -- Comparing ------------------------------------------------------------------------------------------------------

def split_padding(tensor, rows):
    """Of one sequence's tensor [L, d] or [heads, L, keys]: what stands where rows has something, and all else."""
    real = torch.zeros_like(tensor, dtype=torch.bool)
    real[tuple(slice(0, size) for size in rows.shape)] = True
    return tensor[real].view(rows.shape), tensor[~real]


class Comparison:
    """One program and its module."""

    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)
        info = json.loads(subprocess.run([path, "info", "--json"], check=True, capture_output=True, text=True).stdout)
        self.name, self.d_model = info["model"], info["shape"]["d_model"]
        self.longest = info["shape"]["seq_len"]["max"], info["shape"]["kv_seq_len"]["max"]
        self.isas = [variant["isa"] for variant in info["variants"] if variant["runs_here"]]
        make, self.facts = MODULES[self.name]
        self.module = draw(make())
        self.exact = copy.deepcopy(self.module).double()
        save_file({name: value.contiguous() for name, value in self.module.state_dict().items()},
                  self.folder / "weights.safetensors")
        self.passed = self.failed = 0
        self.largest = self.theirs = 0.0

    def run(self, isa, inputs, outputs):
        save_file(inputs, self.folder / "in.safetensors")
        done = subprocess.run(
            [self.path, "run", "--weights", self.folder / "weights.safetensors", "--input",
             self.folder / "in.safetensors", "--output", self.folder / "out.safetensors", "--isa", isa, "--outputs",
             ",".join(outputs)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{self.name}: {done.stderr.strip()}")
        return load_file(self.folder / "out.safetensors")

    def tell(self, what, ours, theirs, wanted):
        """ours may be off by twice what PyTorch's own float32 is, and eight roundings of the largest value."""
        error, their_error = (ours - wanted).abs().max().item(), (theirs - wanted).abs().max().item()
        limit = 2 * their_error + 1e-6 * max(1.0, wanted.abs().max().item())
        self.largest, self.theirs = max(self.largest, error), max(self.theirs, their_error)
        good = ours.shape == wanted.shape and error <= limit
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {self.name}, {what}: off by {error:.3g}, at most {limit:.3g}")

    def compare(self, isa, lengths, memory_lengths):
        """A ragged batch; lengths of one sequence are not given."""
        what = f"lengths {lengths} on {isa}"
        batch, remembers = len(lengths), self.facts.get("memory")
        x = torch.randn(batch, max(lengths), self.d_model)
        inputs = {"x": x if batch > 1 else x[0]}
        memory = torch.randn(batch, max(memory_lengths), self.d_model) if remembers else None
        if remembers:
            inputs["memory"] = memory if batch > 1 else memory[0]
        if batch > 1:
            inputs["lengths"] = torch.tensor(lengths)
        if batch > 1 and remembers:
            inputs["memory_lengths"] = torch.tensor(memory_lengths)
        found = None
        for b, length in enumerate(lengths):
            own = memory[b, :memory_lengths[b]] if remembers else None
            theirs = expected(self.module, x[b, :length], own, self.facts.get("causal"))
            wanted = expected(self.exact, x[b, :length].double(), own if own is None else own.double(),
                              self.facts.get("causal"))
            found = found or self.run(isa, inputs, list(wanted))
            for name, rows in wanted.items():
                tensor = found[name][b] if batch > 1 else found[name]
                ours, padding = split_padding(tensor, rows)
                self.tell(f"{name} of sequence {b}, {what}", ours, theirs[name], rows)
                self.passed += bool((padding == 0).all())
                self.failed += bool((padding != 0).any())

    def padded(self):
        """PyTorch's own way to mask padding agrees with sequences one by one, which is what is compared."""
        if self.facts.get("memory"):
            return
        causal = self.facts.get("causal", False)
        x, lengths = torch.randn(2, 9, self.d_model).double(), [9, 4]
        padding = torch.arange(9)[None] >= torch.tensor(lengths)[:, None]
        whole = self.exact(x, mask=causal_mask(9) if causal else None, src_key_padding_mask=padding)
        for b, length in enumerate(lengths):
            torch.testing.assert_close(whole[b, :length], expected(self.exact, x[b, :length], None, causal)["output"])

    def run_all(self):
        x_most, memory_most = self.longest
        self.padded()
        for isa in self.isas:
            for lengths, memory in (([1], [memory_most]), ([x_most], [1]), ([13], [17]),
                                    ([x_most, 1, 20, 33], [5, memory_most, 1, 31])):
                self.compare(isa, lengths, memory)
        print(f"{self.name}: largest error {self.largest:.3g}, PyTorch's own {self.theirs:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+", type=pathlib.Path, help="such as out/bin/live_encoder_post")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    passed = failed = 0
    for path in options.programs:
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            comparison = Comparison(path, folder)
            comparison.run_all()
        passed += comparison.passed
        failed += comparison.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
