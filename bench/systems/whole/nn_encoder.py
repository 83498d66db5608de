"""PyTorch's own nn.TransformerEncoder, in its fast path: eval() and inference mode. Given a padding mask it makes a
nested tensor of the real rows, which computes no padding; kept from that it computes all."""

import functools

import torch
from torch import nn

from systems import Unfit, Variant
from systems.whole import batches
from systems.whole.pytorch import tensors

NAMES = {"self_attn.in_proj_": "qkv_", "self_attn.out_proj.": "o_", "linear1.": "up_", "linear2.": "down_",
         "norm1.": "attention_norm_", "norm2.": "ffn_norm_"}


def module(cell, w, nested):
    one = nn.TransformerEncoderLayer(cell.d_model, cell.heads, cell.d_ff, activation="gelu", batch_first=True,
                                     layer_norm_eps=cell.eps)
    encoder = nn.TransformerEncoder(one, cell.layers, enable_nested_tensor=nested)
    encoder.load_state_dict({
        f"layers.{number}.{theirs}{part}": w[f"layers.{number}.{ours}{part}"] for number in range(cell.layers)
        for theirs, ours in NAMES.items() for part in ("weight", "bias")})
    return encoder.eval().requires_grad_(False)


def make(cell, whole):
    encoder, x = module(cell, tensors(whole.w), cell.packed), torch.from_numpy(whole.x)
    parts = batches.split(cell, whole.x, None)
    padding = {}
    if cell.lengths:
        padding["src_key_padding_mask"] = torch.arange(cell.length) >= torch.tensor(cell.lengths)[:, None]
    return Variant(functools.partial(encoder, x, **padding),
                   lambda made: batches.real_rows(cell, parts, [made.numpy()]), keep=whole)


def refuse(_whole):
    raise Unfit("nn.TransformerEncoder has no cache")


def variants(cell, _threads):
    if cell.vocab:
        return {"fast_path": refuse}
    return {"nested" if cell.packed else "fast_path": functools.partial(make, cell)}
