"""PyTorch eager: linears and scaled_dot_product_attention, in inference mode.

Functional calls on plain tensors, because nn.Linear's own __call__ costs microseconds that small cells would feel.
Both one fused q-k-v linear and three split ones, because either is the faster one on some cells."""

import functools

import torch
import torch.nn.functional as F

from systems import Variant


class Weights:
    """The layer as torch tensors over the same memory."""

    def __init__(self, layer):
        self.x = torch.from_numpy(layer.x)
        self.w_in, self.b_in = torch.from_numpy(layer.w_in), torch.from_numpy(layer.b_in)
        self.w_out, self.b_out = torch.from_numpy(layer.w_out), torch.from_numpy(layer.b_out)
        self.split_w, self.split_b = self.w_in.chunk(3), self.b_in.chunk(3)


def rows_of(cell):
    """Turns a padded [batch][length][d_model] or packed result into its real rows."""
    def rows(result):
        result = result.numpy()
        if result.ndim == 2:
            return result
        return torch.cat([torch.from_numpy(r[:n]) for r, n in zip(result, cell.row_counts)]).numpy()
    return rows


def key_mask(cell):
    """[batch][1][1][length], true where a key is real; None where all are."""
    if not cell.lengths:
        return None
    return (torch.arange(cell.length) < torch.tensor(cell.lengths)[:, None])[:, None, None, :]


def attend(cell, q, k, v, mask):
    """q, k, v [batch][length][d_model] -> the same, heads side by side."""
    shape = q.shape
    q, k, v = (t.view(shape[0], shape[1], cell.heads, cell.d_head).transpose(1, 2) for t in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, mask, is_causal=cell.causal).transpose(1, 2).reshape(shape)


def fused(cell, layer):
    w, mask = Weights(layer), key_mask(cell)

    def call():
        q, k, v = F.linear(w.x, w.w_in, w.b_in).chunk(3, -1)
        return F.linear(attend(cell, q, k, v, mask), w.w_out, w.b_out)

    return Variant(call, rows_of(cell), keep=layer)


def split(cell, layer):
    w, mask = Weights(layer), key_mask(cell)

    def call():
        q, k, v = (F.linear(w.x, weight, bias) for weight, bias in zip(w.split_w, w.split_b))
        return F.linear(attend(cell, q, k, v, mask), w.w_out, w.b_out)

    return Variant(call, rows_of(cell), keep=layer)


def packed_input(cell, w):
    return torch.cat([x[:n] for x, n in zip(w.x, cell.row_counts)])


def packed_loop(cell, layer):
    """Projections over all real rows at once, attention sequence by sequence."""
    w = Weights(layer)
    x = packed_input(cell, w)

    def call():
        parts = F.linear(x, w.w_in, w.b_in).split(cell.row_counts)
        heads = [attend(cell, *part[None].chunk(3, -1), None)[0] for part in parts]
        return F.linear(torch.cat(heads), w.w_out, w.b_out)

    return Variant(call, rows_of(cell), keep=layer)


def packed_mask(cell, layer):
    """One attention over all rows under a block-diagonal mask: more arithmetic, fewer calls."""
    w = Weights(layer)
    x = packed_input(cell, w)
    owner = torch.repeat_interleave(torch.arange(cell.batch), torch.tensor(cell.row_counts))
    mask = owner[:, None] == owner[None, :]

    def call():
        q, k, v = F.linear(x, w.w_in, w.b_in)[None].chunk(3, -1)
        return F.linear(attend(cell, q, k, v, mask)[0], w.w_out, w.b_out)

    return Variant(call, rows_of(cell), keep=layer)


class Past:
    """Keys and values of earlier calls with room for this one's, [batch][heads][cached + length][d_head]."""

    def __init__(self, cell, layer):
        self.at, self.cell = cell.cached, cell
        self.k, self.v = (self.room(torch.from_numpy(past)) for past in (layer.past_k, layer.past_v))

    def room(self, past):
        return torch.cat([past, torch.zeros(past.shape[0], past.shape[1], self.cell.length, past.shape[3])], 2)

    def add(self, k, v):
        self.k[:, :, self.at:] = k
        self.v[:, :, self.at:] = v


def heads_of(cell, rows):
    """[batch][length][d_model] -> [batch][heads][length][d_head]."""
    return rows.view(cell.batch, cell.length, cell.heads, cell.d_head).transpose(1, 2)


def cached_sdpa(cell, past, q):
    return F.scaled_dot_product_attention(q, past.k, past.v).transpose(1, 2).reshape(cell.batch, cell.length, -1)


def cached_products(cell, past, q):
    """Two products and a softmax: over one row they need no fusing."""
    weights = torch.softmax((q * cell.d_head**-0.5) @ past.k.transpose(2, 3), -1)
    return (weights @ past.v).transpose(1, 2).reshape(cell.batch, cell.length, -1)


def cached(cell, attend_past, layer):
    """One row after those of earlier calls, which lie in memory set aside for them."""
    w, past = Weights(layer), Past(cell, layer)

    def call():
        q, k, v = (heads_of(cell, part) for part in F.linear(w.x, w.w_in, w.b_in).chunk(3, -1))
        past.add(k, v)
        return F.linear(attend_past(cell, past, q), w.w_out, w.b_out)

    return Variant(call, rows_of(cell), keep=layer)


class System:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.guard = torch.inference_mode()  # no autograd book-keeping in any call of this process
        self.guard.__enter__()
        self.versions = {"torch": torch.__version__}

    def variants(self, cell):
        makers = {"packed_loop": packed_loop, "packed_mask": packed_mask} if cell.packed else {
            "eager_qkv": fused, "eager4": split}
        if cell.cached:
            return {"cached_sdpa": functools.partial(cached, cell, cached_sdpa),
                    "cached_products": functools.partial(cached, cell, cached_products)}
        return {name: functools.partial(maker, cell) for name, maker in makers.items()}


def open_system(threads):
    return System(threads)
