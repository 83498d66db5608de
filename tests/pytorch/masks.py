"""Compares programs that take a mask with each call with live PyTorch: F.scaled_dot_product_attention,
nn.MultiheadAttention with attn_mask and key_padding_mask, and masked_fill as people write it, each with masks of
several shapes. Prints the largest error of each comparison; compare.py calls it."""

import math
import pathlib
import re
import tempfile

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

import modules

BATCH, Q_LEN, KV_LEN = 3, 13, 37


# -- What PyTorch makes of a mask -----------------------------------------------------------------------------------

class Filled(modules.FourLinears):
    """softmax of the whole padded matrix of scores with masked_fill, a line that many modules share."""

    def __init__(self, d_model, n_heads, fill):
        super().__init__(d_model, n_heads, modules.PROJECTIONS["w_o"])
        self.fill = fill

    def forward(self, query, key, value, mask):
        q, k, v = (self.split(project(x)) for project, x in
                   ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        attention = scores.masked_fill(mask == 0, self.fill).softmax(dim=-1)
        return self.w_o((attention @ v).transpose(1, 2).flatten(-2)), attention


class Dot(modules.FourLinears):
    """F.scaled_dot_product_attention between four linears; the attention is that of values which are a unit matrix."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads, modules.PROJECTIONS["w_o"])

    def forward(self, query, key, value, mask):
        q, k, v = (self.split(project(x)) for project, x in
                   ((self.w_q, query), (self.w_k, key), (self.w_v, value)))
        unit = torch.eye(k.shape[-2]).expand(*k.shape[:2], -1, -1)
        out, attention = (functional.scaled_dot_product_attention(q, k, x, attn_mask=mask) for x in (v, unit))
        return self.w_o(out.transpose(1, 2).flatten(-2)), attention


class Mha(torch.nn.MultiheadAttention):
    """nn.MultiheadAttention; of a mask [B,1,1,Lk] it makes its key_padding_mask, of any other its attn_mask."""

    def __init__(self, d_model, n_heads, **options):
        super().__init__(d_model, n_heads, batch_first=True, **options)

    def forward(self, query, key, value, mask):
        hidden = ~mask if mask.dtype == torch.bool else mask
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        given = {"key_padding_mask": hidden[:, 0, 0]} if mask.shape[1:3] == (1, 1) and mask.shape[0] > 1 else {
            "attn_mask": hidden.expand(shape).flatten(0, 1)}
        return super().forward(query, key, value, need_weights=True, average_attn_weights=False, **given)


# -- Masks ----------------------------------------------------------------------------------------------------------

def shapes(n_heads):
    """Of rank 4; a program is given them with leading axes of 1 left out too."""
    return [(1, 1, Q_LEN, KV_LEN), (BATCH, 1, 1, KV_LEN), (BATCH, 1, Q_LEN, KV_LEN), (BATCH, n_heads, Q_LEN, KV_LEN),
            (1, n_heads, 1, KV_LEN), (BATCH, 1, Q_LEN, 1)]


def random_mask(kind, shape):
    """Three quarters of it shown, and no row of keys hidden throughout."""
    shown = torch.rand(shape) < 0.75
    shown[..., 0] |= ~shown.any(dim=-1)
    return shown if kind == "bool" else torch.randn(shape).masked_fill(~shown, -math.inf)


def hide_rows(mask):
    """Every fifth row hidden throughout."""
    hidden = torch.zeros(mask.shape[-2], dtype=torch.bool)
    hidden[::5] = True
    return mask.masked_fill(hidden[:, None], False if mask.dtype == torch.bool else -math.inf)


def as_file(mask):
    """A mask as files hold it: axes of 1 in front may be left out, and Booleans come in four types."""
    if mask.shape[1] == 1:
        mask = mask[:, 0]
        mask = mask[0] if mask.shape[0] == 1 else mask
    types = (torch.bool, torch.uint8, torch.int32, torch.int64)
    return (mask.to(types[mask.dim() % 4]) if mask.dtype == torch.bool else mask).contiguous()


# -- Comparing ------------------------------------------------------------------------------------------------------

def difference(found, wanted):
    """Nothing, or what assert_close says of the first tensor that differs."""
    for name in wanted:
        try:
            torch.testing.assert_close(found[name], wanted[name])
        except (AssertionError, KeyError) as error:
            return f"{name}: {error}"
    return None


class Comparison:
    """One program and one module whose weights it reads; counts, and the largest error."""

    def __init__(self, program, module, layout, folder):
        self.program, self.module, self.layout = program, module.eval(), layout
        self.folder, self.passed, self.failed, self.error = pathlib.Path(folder), 0, 0, 0.0
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                if name.endswith("bias"):
                    parameter.uniform_(-0.1, 0.1)
        save_file({name: value.contiguous() for name, value in module.state_dict().items()}, self.weights)

    @property
    def weights(self):
        return self.folder / "weights.safetensors"

    def found(self, inputs, isa):
        source, output = self.folder / "in.safetensors", self.folder / "out.safetensors"
        save_file(inputs, source)
        ran = self.program.call("run", "--weights", self.weights, "--weights-layout", self.layout, "--input", source,
                                "--output", output, "--isa", isa)
        return (load_file(output), None) if ran.returncode == 0 else ({}, f"run: {ran.stderr.strip()}")

    def compare(self, what, inputs, wanted):
        wanted = {name: wanted[name] for name in self.program.outputs}
        for isa in self.program.isas:
            found, why = self.found(inputs, isa)
            why = why or difference(found, wanted)
            self.passed += why is None
            self.failed += why is not None
            if why is not None:
                print(f"FAILED {self.program.name}, {what} on {isa}: {' '.join(why.split())}")
            for name in found:
                self.error = max(self.error, (found[name] - wanted[name]).abs().max().item())

    def tell(self, what):
        print(f"{self.program.name}, {what}: largest error {self.error:.2g}, "
              f"{self.passed} passed, {self.failed} failed")
        return self.passed, self.failed


def fill_of(program):
    fill = re.search(r"mask_fill = (\S+),", program.spec)
    return float(fill.group(1)) if fill else -math.inf


def padded_mask(program, mask, kv_lengths):
    """A mask together with lengths and, where the program is causal, the causal one: the whole matrix."""
    shown = mask & (torch.arange(KV_LEN) < kv_lengths[:, None])[:, None, None]
    return shown & torch.ones(Q_LEN, KV_LEN, dtype=torch.bool).tril() if program.causal else shown


def compare_filled(program, folder):
    comparison = Comparison(program, Filled(program.d_model, program.n_heads, fill_of(program)), "w_o", folder)
    for shape in shapes(program.n_heads):
        for hide in (hide_rows, lambda mask: mask):
            mask = hide(random_mask("bool", shape).expand(-1, -1, shape[2], -1).clone())
            kv_lengths = torch.tensor([KV_LEN, 0, 5])
            query, key = torch.randn(BATCH, Q_LEN, program.d_model), torch.randn(BATCH, KV_LEN, program.d_model)
            with torch.no_grad():
                output, attention = comparison.module(query, key, key, padded_mask(program, mask, kv_lengths))
            comparison.compare(f"a mask {list(shape)}", {
                "query": query, "key": key, "mask": as_file(mask), "kv_lengths": kv_lengths,
            }, {"output": output, "attention": attention})
    return comparison.tell("masked_fill")


def compare_module(program, kind, what, module, layout, folder, hides):
    comparison = Comparison(program, module, layout, folder)
    for shape in shapes(program.n_heads):
        masks = [random_mask(kind, shape)] + ([hide_rows(random_mask(kind, shape))] if hides else [])
        for mask in masks:
            query, key = torch.randn(BATCH, Q_LEN, program.d_model), torch.randn(BATCH, KV_LEN, program.d_model)
            value = torch.randn(BATCH, KV_LEN, program.d_model)
            with torch.no_grad():
                output, attention = comparison.module(query, key, value, mask)
            comparison.compare(f"{what}, a mask {list(shape)}", {
                "query": query, "key": key, "value": value, "mask": as_file(mask),
            }, {"output": output, "attention": attention, "attention_mean": attention.mean(dim=1)})
    return comparison.tell(what)


def refuse_nan(program):
    """(passed, failed): a NaN somewhere in an added mask is told, with its place, and nothing is run."""
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(program, Mha(program.d_model, program.n_heads, add_bias_kv=True), "torch_mha", folder)
        for at in (0, 20, KV_LEN - 1):
            mask = torch.zeros(Q_LEN, KV_LEN)
            mask[5, at] = math.nan
            query, key = torch.randn(1, Q_LEN, program.d_model), torch.randn(1, KV_LEN, program.d_model)
            _, why = comparison.found({"query": query, "key": key, "mask": mask}, program.isas[0])
            told = why is not None and f"additive_mask[0][0][5][{at}] is nan" in why
            comparison.passed += told
            comparison.failed += not told
        return comparison.tell("a NaN in a mask")


def compare_all(program):
    """(passed, failed) of one program with each module it can be compared with."""
    kind = re.search(r'tensor = "(\w+)"', program.spec).group(1)
    with tempfile.TemporaryDirectory() as folder:
        if fill_of(program) > -math.inf:
            return [compare_filled(program, folder)]
        d_model, n_heads = program.d_model, program.n_heads
        options = {name: f"{name} = true" in program.spec for name in ("add_bias_kv", "add_zero_attn")}
        mha, what = Mha(d_model, n_heads, **options), " ".join(["nn.MultiheadAttention", *filter(options.get, options)])
        counts = [compare_module(program, kind, what, mha, "torch_mha", folder, any(options.values()))]
        if kind == "additive":
            counts.append(refuse_nan(program))
        if not any(options.values()):
            dot = Dot(d_model, n_heads)
            counts.append(compare_module(program, kind, "F.scaled_dot_product_attention", dot, "w_o", folder, True))
        return counts
