"""torch.compile with freezing, as for one layer (systems/compile.py). Sequences that are given by themselves are
compiled for any length, since a compilation for each takes minutes."""

import functools

import torch
from torch import nn

from systems import Variant
from systems.whole import batches
from systems.whole.pytorch import Layers, cache_of, mask_of, tensors


class Frozen(nn.Module):
    """The eager layers with their weights as parameters: only those are frozen."""

    def __init__(self, cell, w, method):
        super().__init__()
        self.weights = nn.ParameterDict({name.replace(".", "_"): nn.Parameter(part, requires_grad=False)
                                         for name, part in w.items()})
        self.layers, self.method, self.names = Layers(cell, None), method, list(w)

    def forward(self, *given):
        self.layers.w = {name: self.weights[name.replace(".", "_")] for name in self.names}
        return getattr(self.layers, self.method)(*given)


def encode(cell, way, whole):
    torch._dynamo.reset()
    parts = batches.split(cell, whole.x, way)
    given = [(torch.from_numpy(one.x), mask_of(one)) for one in parts]
    compiled = torch.compile(Frozen(cell, tensors(whole.w), "encode").eval(), dynamic=way is not None)

    def call():
        return [compiled(x, mask) for x, mask in given]

    return Variant(call, lambda made: batches.real_rows(cell, parts, [rows.numpy() for rows in made]),
                   keep=(whole, parts))


def step(cell, whole):
    torch._dynamo.reset()
    compiled = torch.compile(Frozen(cell, tensors(whole.w), "step").eval())
    call = functools.partial(compiled, torch.from_numpy(whole.token).long(), *cache_of(whole))
    return Variant(call, lambda logits: logits[:, -1].numpy(), keep=whole)


def variants(cell, _threads):
    if cell.vocab:
        return {"frozen_step": functools.partial(step, cell)}
    way = "one_by_one" if cell.packed else None
    return {f"frozen_{way}" if way else "frozen": functools.partial(encode, cell, way)}
