"""PyTorch eager: linears, scaled_dot_product_attention, layer_norm and gelu as functional calls in inference mode, as
for one layer (systems/pytorch.py); with a vocabulary, a step of generation over a cache in memory set aside."""

import functools

import torch
import torch.nn.functional as F

from systems import Variant
from systems.whole import batches


def tensors(w):
    """Copies, of which torch may do as it likes; q, k and v in one."""
    found = {name: torch.from_numpy(part.copy()) for name, part in w.items()}
    for name in [name for name in found if name.endswith("q_weight")]:
        at = name[:-len("q_weight")]
        for part in ("weight", "bias"):
            found[f"{at}qkv_{part}"] = torch.cat([found.pop(f"{at}{x}_{part}") for x in "qkv"])
    return found


def split_heads(cell, x):
    """q, k, v [batch][heads][rows][d_head] from x [batch][rows][3 d_model]."""
    return (part.unflatten(-1, (cell.heads, cell.d_head)).transpose(1, 2) for part in x.chunk(3, -1))


class Layers:
    """The stack of layers over a dict of tensors."""

    def __init__(self, cell, w):
        self.cell, self.w = cell, w

    def linear(self, x, name):
        return F.linear(x, self.w[name + "_weight"], self.w[name + "_bias"])

    def norm(self, x, name):
        return F.layer_norm(x, x.shape[-1:], self.w[name + "_weight"], self.w[name + "_bias"], self.cell.eps)

    def encode(self, x, mask):
        """mask: [batch][1][1][length], true where a key is real; None where all are."""
        for number in range(self.cell.layers):
            at = f"layers.{number}."
            q, k, v = split_heads(self.cell, self.linear(x, at + "qkv"))
            heads = F.scaled_dot_product_attention(q, k, v, mask).transpose(1, 2).flatten(2)
            x = self.norm(x + self.linear(heads, at + "o"), at + "attention_norm")
            wide = F.gelu(self.linear(x, at + "up"))
            x = self.norm(x + self.linear(wide, at + "down"), at + "ffn_norm")
        return x

    def step(self, token, keys, values):
        """keys and values: one [batch][heads][cached + length][d_head] a layer, whose last rows are this call's; where
        there are earlier ones, this call has one."""
        at_place, is_prompt = self.cell.cached, not self.cell.cached
        x = F.embedding(token, self.w["embedding"]) + self.w["positions"][at_place:at_place + token.shape[1]]
        for number, (past_k, past_v) in enumerate(zip(keys, values)):
            at = f"layers.{number}."
            q, k, v = split_heads(self.cell, self.linear(self.norm(x, at + "attention_norm"), at + "qkv"))
            past_k[:, :, at_place:] = k
            past_v[:, :, at_place:] = v
            heads = F.scaled_dot_product_attention(q, past_k, past_v, is_causal=is_prompt).transpose(1, 2).flatten(2)
            x = x + self.linear(heads, at + "o")
            wide = F.gelu(self.linear(self.norm(x, at + "ffn_norm"), at + "up"), approximate="tanh")
            x = x + self.linear(wide, at + "down")
        return F.linear(self.norm(x[:, -1:], "final_norm"), self.w["embedding"])


def mask_of(one):
    if one.lengths is None:
        return None
    return (torch.arange(one.x.shape[1]) < torch.from_numpy(one.lengths)[:, None])[:, None, None, :]


def room(past, rows):
    """[heads][cached][d_head] of each sequence, [batch] of them, with some rows more."""
    return F.pad(torch.from_numpy(past.copy()), (0, 0, 0, rows))


def cache_of(whole):
    """Keys and values of each layer."""
    layers, rows = range(whole.past_k.shape[1]), whole.token.shape[1]
    return [room(whole.past_k[:, n], rows) for n in layers], [room(whole.past_v[:, n], rows) for n in layers]


def encode(cell, way, whole):
    layers, parts = Layers(cell, tensors(whole.w)), batches.split(cell, whole.x, way)
    given = [(torch.from_numpy(one.x), mask_of(one)) for one in parts]

    def call():
        return [layers.encode(x, mask) for x, mask in given]

    return Variant(call, lambda made: batches.real_rows(cell, parts, [rows.numpy() for rows in made]),
                   keep=(whole, parts))


def step(cell, whole):
    layers, token = Layers(cell, tensors(whole.w)), torch.from_numpy(whole.token).long()
    call = functools.partial(layers.step, token, *cache_of(whole))
    return Variant(call, lambda logits: logits[:, -1].numpy(), keep=whole)


def variants(cell, _threads):
    if cell.vocab:
        return {"step": functools.partial(step, cell)}
    if not cell.packed:
        return {"eager": functools.partial(encode, cell, None)}
    return {f"eager_{way}": functools.partial(encode, cell, way) for way in batches.ways(cell)}
