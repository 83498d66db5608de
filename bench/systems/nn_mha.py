"""PyTorch's own layer, nn.MultiheadAttention(need_weights=False): the default, need_weights=True, leaves the fused
attention and is slower everywhere. eval() and inference mode let it take its fast path where it has one."""

import torch
from torch import nn

from systems import Unfit, Variant
from systems.pytorch import Weights, rows_of


def module(cell, w):
    layer = nn.MultiheadAttention(cell.d_model, cell.heads, batch_first=True)
    layer.load_state_dict({
        "in_proj_weight": w.w_in, "in_proj_bias": w.b_in, "out_proj.weight": w.w_out, "out_proj.bias": w.b_out})
    return layer.eval()


def make(cell, layer):
    if cell.packed:
        raise Unfit("nn.MultiheadAttention takes no packed rows")
    if cell.cached:
        raise Unfit("nn.MultiheadAttention has no cache")
    w = Weights(layer)
    mha, x = module(cell, w), w.x
    options = {"need_weights": False}
    if cell.causal:
        options |= {"attn_mask": nn.Transformer.generate_square_subsequent_mask(cell.length), "is_causal": True}
    if cell.lengths:
        options["key_padding_mask"] = torch.arange(cell.length) >= torch.tensor(cell.lengths)[:, None]
    return Variant(lambda: mha(x, x, x, **options)[0], rows_of(cell), keep=layer)


class System:
    def __init__(self, threads):
        torch.set_num_threads(threads)
        self.guard = torch.inference_mode()
        self.guard.__enter__()
        self.versions = {"torch": torch.__version__}

    def variants(self, cell):
        return {"need_weights=False": lambda layer: make(cell, layer)}


def open_system(threads):
    return System(threads)
