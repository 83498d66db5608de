"""Models whose code comes with their folders and not with transformers, written again from their formulas, as oracles:
what transformers' own classes are for other models. Each has the names of its published weights and configuration."""

import torch
from torch import nn
from torch.nn import functional
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput


def turned(x, theta):
    """Rotary positions of heads [batch, heads, rows, d_head]; dimension i turns with i + d_head / 2."""
    half = x.shape[-1] // 2
    speeds = theta ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * speeds
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


# -- NomicBERT --------------------------------------------------------------------------------------------------------

class NomicBertConfig(PretrainedConfig):
    """The fields of nomic-embed-text-v1.5."""
    model_type = "nomic_bert"

    def __init__(self, n_embd=768, n_head=12, n_layer=12, n_inner=3072, n_positions=8192, vocab_size=30528,
                 type_vocab_size=2, activation_function="swiglu", layer_norm_epsilon=1e-12, qkv_proj_bias=False,
                 mlp_fc1_bias=False, mlp_fc2_bias=False, rotary_emb_base=1000, rotary_emb_fraction=1.0,
                 rotary_emb_interleaved=False, rotary_scaling_factor=None, prenorm=False, causal=False,
                 max_trained_positions=2048, pad_vocab_size_multiple=64, **more):
        super().__init__(**more)
        for name, value in list(locals().items()):
            if name not in ("self", "more", "__class__"):
                setattr(self, name, value)


class NomicAttention(nn.Module):
    """Self attention with q, k and v of one linear."""

    def __init__(self, config):
        super().__init__()
        self.heads, self.theta, bias = config.n_head, config.rotary_emb_base, config.qkv_proj_bias
        self.Wqkv = nn.Linear(config.n_embd, 3 * config.n_embd, bias=bias)
        self.out_proj = nn.Linear(config.n_embd, config.n_embd, bias=bias)

    def forward(self, x):
        q, k, v = self.Wqkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = turned(q, self.theta), turned(k, self.theta)
        weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(dim=-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))


class NomicFeedForward(nn.Module):
    """fc2(fc11(x) * activation(fc12(x)))."""

    def __init__(self, config):
        super().__init__()
        self.fc11 = nn.Linear(config.n_embd, config.n_inner, bias=config.mlp_fc1_bias)
        self.fc12 = nn.Linear(config.n_embd, config.n_inner, bias=config.mlp_fc1_bias)
        self.fc2 = nn.Linear(config.n_inner, config.n_embd, bias=config.mlp_fc2_bias)
        self.activation = {"swiglu": functional.silu, "geglu": functional.gelu}[config.activation_function]

    def forward(self, x):
        return self.fc2(self.fc11(x) * self.activation(self.fc12(x)))


class NomicLayer(nn.Module):
    """Both blocks, each joined to its rows, with a norm after it."""

    def __init__(self, config):
        super().__init__()
        self.attn, self.mlp = NomicAttention(config), NomicFeedForward(config)
        self.norm1 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.norm2 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def forward(self, x):
        x = self.norm1(x + self.attn(x))
        return self.norm2(x + self.mlp(x))


class NomicBertModel(PreTrainedModel):
    """The stack without its pooler."""
    config_class, base_model_prefix = NomicBertConfig, "bert"

    def __init__(self, config):
        super().__init__(config)
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(config.vocab_size, config.n_embd),
            "token_type_embeddings": nn.Embedding(config.type_vocab_size, config.n_embd)})
        self.emb_ln = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.encoder = nn.ModuleDict({"layers": nn.ModuleList(NomicLayer(config) for _ in range(config.n_layer))})
        self.post_init()

    def forward(self, input_ids, token_type_ids, **_):
        x = self.embeddings["word_embeddings"](input_ids) + self.embeddings["token_type_embeddings"](token_type_ids)
        hidden = [self.emb_ln(x)]
        for layer in self.encoder["layers"]:
            hidden.append(layer(hidden[-1]))
        return BaseModelOutput(last_hidden_state=hidden[-1], hidden_states=tuple(hidden))
