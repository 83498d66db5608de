"""PyTorch eager with narrow numbers, otherwise as in systems/pytorch.py and systems/whole/pytorch.py; f32 in and out.

bf16: weights and all that is computed, also norms and softmax (oneDNN multiplies). int8: torch.ao's dynamic
quantisation of nn.Linear, whose weights are s8 with one scale (`per_tensor`) or one a column (`per_channel`) and whose
rows are u8 with one scale for all of them; the rest is f32. Autocast would convert the weights in each call."""

import functools
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao import quantization

import numpy as np
from systems import Variant
from systems.pytorch import attend, rows_of
from systems.whole import batches
from systems.whole import pytorch as whole

WEIGHTS = {"per_channel": quantization.per_channel_dynamic_qconfig, "per_tensor": quantization.default_dynamic_qconfig}


def quantised(weight, bias, kind):
    """nn.Linear of these, its weights integers: a callable."""
    linear = nn.Linear(weight.shape[1], weight.shape[0])
    linear.load_state_dict({"weight": weight, "bias": bias})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is to move to another package, and is what this one has
        return quantization.quantize_dynamic(nn.Sequential(linear).eval(), {"0": WEIGHTS[kind]}, torch.qint8)[0]


def narrow_linear(weight, bias, kind):
    """weight and bias as f32 tensors."""
    if kind == "bf16":
        return functools.partial(F.linear, weight=weight.bfloat16(), bias=bias.bfloat16())
    return quantised(weight, bias, kind)


def tensor(array):
    return torch.from_numpy(np.array(array))  # a copy: files are mapped read-only


def layer(cell, kind, given):
    project, out = (narrow_linear(tensor(weight), tensor(bias), kind)
                    for weight, bias in ((given.w_in, given.b_in), (given.w_out, given.b_out)))
    x, inner = torch.from_numpy(given.x), torch.bfloat16 if kind == "bf16" else torch.float32

    def call():
        q, k, v = project(x.to(inner)).chunk(3, -1)
        return out(attend(cell, q, k, v, None)).float()

    return Variant(call, rows_of(cell), keep=given)


class Layers(whole.Layers):
    """The stack, each linear a callable of narrow numbers, in bf16 all other weights narrow too."""

    def __init__(self, cell, w, kind):
        tensors = whole.tensors(w)
        linears = [name[:-len("_weight")] for name in tensors if name.endswith("_weight") and "norm" not in name]
        self.linears = {name: narrow_linear(tensors.pop(name + "_weight"), tensors.pop(name + "_bias"), kind)
                        for name in linears}
        self.inner = torch.bfloat16 if kind == "bf16" else torch.float32
        super().__init__(cell, {name: part.to(self.inner) for name, part in tensors.items()})

    def linear(self, x, name):
        return self.linears[name](x)


def encode(cell, kind, way, given):
    layers, parts = Layers(cell, given.w, kind), batches.split(cell, given.x, way)
    inputs = [(torch.from_numpy(one.x), whole.mask_of(one)) for one in parts]

    def call():
        return [layers.encode(x.to(layers.inner), mask).float() for x, mask in inputs]

    return Variant(call, lambda made: batches.real_rows(cell, parts, [rows.numpy() for rows in made]),
                   keep=(given, parts))


def step(cell, kind, given):
    layers, token = Layers(cell, given.w, kind), torch.from_numpy(given.token).long()
    caches = [[part.to(layers.inner) for part in cache] for cache in whole.cache_of(given)]

    def call():
        return layers.step(token, *caches).float()

    return Variant(call, lambda logits: logits[:, -1].numpy(), keep=given)


def makers(cell):
    """{what a variant's name ends with: make(kind, given)}."""
    if not cell.whole:
        return {"": functools.partial(layer, cell)}
    if cell.vocab:
        return {"": functools.partial(step, cell)}
    ways = {way: f" {way}" for way in batches.ways(cell)} if cell.packed else {None: ""}
    return {end: functools.partial(lambda way, kind, given: encode(cell, kind, way, given), way)
            for way, end in ways.items()}


def variants(cell, _threads):
    kinds = {"bf16 eager": "bf16"} | {f"int8 {kind}": kind for kind in WEIGHTS}
    return {name + end: functools.partial(make, kind)
            for name, kind in kinds.items() for end, make in makers(cell).items()}
