"""torch.compile with freezing, so that Inductor folds the weights in as constants and packs them once.

Freezing must be set for the whole process: given through torch.compile(options=...) it does nothing. That is why this
is a process apart from pytorch.py. Small cells are also compiled with max-autotune and the C++ wrapper, which take a
call's Python away; on larger cells that wins nothing and costs a quarter of a minute to compile."""

import functools

import torch
import torch._inductor.config as inductor
import torch.nn.functional as F
from torch import nn

from systems import Unfit, Variant
from systems.pytorch import Past, Weights, attend, heads_of, key_mask, rows_of

SMALL_ROWS = 32


class Layer(nn.Module):
    """The fused eager layer, its weights as parameters: only those are frozen."""

    def __init__(self, cell, w):
        super().__init__()
        self.cell = cell
        for name in ("w_in", "b_in", "w_out", "b_out"):
            setattr(self, name, nn.Parameter(getattr(w, name), requires_grad=False))
        self.register_buffer("mask", key_mask(cell))

    def forward(self, x):
        q, k, v = F.linear(x, self.w_in, self.b_in).chunk(3, -1)
        return F.linear(attend(self.cell, q, k, v, self.mask), self.w_out, self.b_out)


class CachedLayer(Layer):
    """The same over a cache, whose keys and values are given: of a buffer, freezing would make a constant."""

    def forward(self, x, past_k, past_v):
        q, k, v = (heads_of(self.cell, part) for part in F.linear(x, self.w_in, self.b_in).chunk(3, -1))
        past_k[:, :, self.cell.cached:] = k
        past_v[:, :, self.cell.cached:] = v
        attended = F.scaled_dot_product_attention(q, past_k, past_v).transpose(1, 2).reshape(x.shape)
        return F.linear(attended, self.w_out, self.b_out)


def make(cell, options, layer):
    if cell.packed:
        raise Unfit("the loop over sequences is not one graph")
    torch._dynamo.reset()
    w = Weights(layer)
    given, kind = (w.x,), Layer
    if cell.cached:
        past = Past(cell, layer)
        given, kind = (w.x, past.k, past.v), CachedLayer
    with inductor.patch(**options):
        compiled = torch.compile(kind(cell, w).eval())
        compiled(*given)  # compiles under these options
    return Variant(functools.partial(compiled, *given), rows_of(cell), keep=layer)


class System:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        inductor.freezing = True
        inductor.compile_threads = 1  # a pool of compiling processes would remain and disturb
        self.versions = {"torch": torch.__version__}

    def variants(self, cell):
        found = {"frozen": functools.partial(make, cell, {})}
        if cell.rows <= SMALL_ROWS:
            found["frozen_autotuned"] = functools.partial(make, cell, {"max_autotune": True, "cpp_wrapper": True})
        return found


def open_system(threads):
    return System(threads)
