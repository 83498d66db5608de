"""PyTorch attention layers as people write them, one for each way of naming the weights. Never fast: for reading."""

import math
import re

import torch
from torch import nn
from torch.nn import functional

# Names of the four projections in each module, by the map that reads its state_dict.
PROJECTIONS = {
    "demo": ("w_q", "w_k", "w_v", "w_0"),
    "w_o": ("w_q", "w_k", "w_v", "w_o"),
    "w_concat": ("w_q", "w_k", "w_v", "w_concat"),
    "proj": ("q_proj", "k_proj", "v_proj", "out_proj"),
    "custom": ("query", "key", "value", "output"),
}

ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "tanh": torch.tanh,
}


def activate(module, linears, spec):
    """Hooks the activations of a program's spec after a module's linears, which are named in the order q, k, v, o."""
    said = re.search(r"\bactivation = \{([^}]*)\}", spec)
    for projection, name in re.findall(r'(\w+) = "(\w+)"', said.group(1) if said else ""):
        linear = module.get_submodule(linears["qkvo".index(projection)])
        linear.register_forward_hook(lambda _, __, x, function=ACTIVATIONS[name]: function(x))


def spread(module):
    """Weights large enough that attention is far from uniform and activations bend, whatever a module starts with, and
    biases of which a lost one shows."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() == 2:
                parameter.normal_(0, 1.2 * min(parameter.shape) ** -0.5)
            elif name.endswith("bias"):
                parameter.uniform_(-0.1, 0.1)


def number_of(spec, field):
    """A field of a program's spec that may be a number, or None where it is none."""
    said = re.search(rf"\b{field} = (-?[\d.e+-]+),", spec)
    return float(said.group(1)) if said else None


class FourLinears(nn.Module):
    """softmax(q k^T / sqrt(d_head)) v between four linears with bias; `names` are the linears' attributes."""

    def __init__(self, d_model, n_heads, names, vocab_size=None):
        super().__init__()
        self.n_heads = n_heads
        self.names = names
        if vocab_size:
            self.embedding = nn.Embedding(vocab_size, d_model)
        for name in names:
            self.add_module(name, nn.Linear(d_model, d_model))

    def split(self, x):
        """[B, L, d_model] -> [B, n_heads, L, d_head]"""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, allowed):
        """allowed: bool, broadcasts to [B, n_heads, Lq, Lk], true where a query may look at a key."""
        q_name, k_name, v_name, o_name = self.names
        q = self.split(self.get_submodule(q_name)(query))
        k = self.split(self.get_submodule(k_name)(key))
        v = self.split(self.get_submodule(v_name)(value))
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~allowed, -math.inf)
        attention = scores.softmax(dim=-1)
        x = (attention @ v).transpose(1, 2).flatten(-2)
        return self.get_submodule(o_name)(x), attention


class TorchMha(nn.MultiheadAttention):
    """torch.nn.MultiheadAttention itself, called with this file's masks."""

    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads, batch_first=True)

    def forward(self, query, key, value, allowed):
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        blocked = ~allowed.expand(shape).flatten(0, 1)
        return super().forward(query, key, value, attn_mask=blocked, need_weights=True, average_attn_weights=False)


def has(layout):
    """Whether there is a module here of that name; those of other libraries are hugging_face.py's."""
    return layout == "torch_mha" or layout in PROJECTIONS


def make(layout, d_model, n_heads, vocab_size=None):
    """The module whose state_dict has the names of `layout`, in eval mode."""
    if layout == "torch_mha":
        module = TorchMha(d_model, n_heads)
    else:
        module = FourLinears(d_model, n_heads, PROJECTIONS[layout], vocab_size)
    return module.eval()


def allowed_keys(batch, q_len, kv_len, kv_lengths=None, causal=False):
    """bool [batch, 1, q_len, kv_len]: key j of sequence b is seen where j < kv_lengths[b], and j <= i if causal."""
    allowed = torch.ones(batch, 1, q_len, kv_len, dtype=torch.bool)
    if kv_lengths is not None:
        allowed &= (torch.arange(kv_len) < torch.as_tensor(kv_lengths)[:, None])[:, None, None, :]
    if causal:
        allowed &= torch.ones(q_len, kv_len, dtype=torch.bool).tril()
    return allowed


def attend(module, query, key, value, q_lengths=None, kv_lengths=None, causal=False):
    """(output, attention) with the rows past each q length written as zeros, as the generated models write them."""
    batch, q_len = query.shape[:2]
    allowed = allowed_keys(batch, q_len, key.shape[1], kv_lengths, causal)
    with torch.no_grad():
        output, attention = module(query, key, value, allowed)
    if q_lengths is not None:
        real = torch.arange(q_len) < torch.as_tensor(q_lengths)[:, None]
        output = output.masked_fill(~real[:, :, None], 0)
        attention = attention.masked_fill(~real[:, None, :, None], 0)
    return output, attention
