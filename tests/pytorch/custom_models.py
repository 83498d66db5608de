"""Models whose code comes with their folders and not with transformers, written again from their formulas, as oracles:
what transformers' own classes are for other models. Each has the names of its published weights and configuration."""

import torch
from torch import nn
from torch.nn import functional
from transformers import GPT2Config, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, SequenceClassifierOutput


def turned(x, theta, ntk=1.0):
    """Rotary positions of heads [batch, heads, rows, d_head]; dimension i turns with i + d_head / 2. ntk: the factor of
    NTK scaling, which multiplies theta, and of which a root divides all speeds."""
    half = x.shape[-1] // 2
    speeds = (theta * ntk) ** (-torch.arange(half, dtype=torch.float64) / half) / ntk ** (1 / half)
    angles = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * speeds
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


# -- NomicBERT --------------------------------------------------------------------------------------------------------

class NomicBertConfig(PretrainedConfig):
    """The fields of nomic-embed-text-v1.5, those of GPT-2."""
    model_type = "nomic_bert"
    attribute_map = GPT2Config.attribute_map | {"intermediate_size": "n_inner"}

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

    def forward(self, input_ids, token_type_ids=None, **_):
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        x = self.embeddings["word_embeddings"](input_ids) + self.embeddings["token_type_embeddings"](types)
        hidden = [self.emb_ln(x)]
        for layer in self.encoder["layers"]:
            hidden.append(layer(hidden[-1]))
        return BaseModelOutput(last_hidden_state=hidden[-1], hidden_states=tuple(hidden))


# -- NewModel of Alibaba-NLP (GTE) ------------------------------------------------------------------------------------

class NewConfig(PretrainedConfig):
    """The fields of gte-multilingual-base."""
    model_type = "new"

    def __init__(self, hidden_size=768, num_attention_heads=12, num_hidden_layers=12, intermediate_size=3072,
                 vocab_size=250048, type_vocab_size=1, max_position_embeddings=8192, hidden_act="gelu",
                 layer_norm_eps=1e-12, layer_norm_type="layer_norm", position_embedding_type="rope", rope_theta=20000.0,
                 rope_scaling=None, pack_qkv=True, logn_attention_scale=False, logn_attention_clip1=False,
                 unpad_inputs=False, use_memory_efficient_attention=False, pad_token_id=1, **more):
        super().__init__(pad_token_id=pad_token_id, **more)
        for name, value in list(locals().items()):
            if name not in ("self", "more", "pad_token_id", "__class__"):
                setattr(self, name, value)


class NewAttention(nn.Module):
    """Self attention with q, k and v of one linear."""

    def __init__(self, config):
        super().__init__()
        self.heads, self.theta = config.num_attention_heads, config.rope_theta
        self.ntk = (config.rope_scaling or {"factor": 1.0})["factor"]
        self.qkv_proj = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        q, k, v = self.qkv_proj(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        q, k = turned(q, self.theta, self.ntk), turned(k, self.theta, self.ntk)
        weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(dim=-1)
        return self.o_proj((weights @ v).transpose(1, 2).flatten(2))


class NewFeedForward(nn.Module):
    """down(activation(gate) * up), where one linear gives up, then gate."""

    def __init__(self, config):
        super().__init__()
        self.up_gate_proj = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size)
        self.activation = {"gelu": functional.gelu, "relu": functional.relu}[config.hidden_act]

    def forward(self, x):
        up, gate = self.up_gate_proj(x).chunk(2, dim=-1)
        return self.down_proj(self.activation(gate) * up)


class NewLayer(nn.Module):
    """Both blocks, each joined to its rows, with a norm after it."""

    def __init__(self, config):
        super().__init__()
        self.attention, self.mlp = NewAttention(config), NewFeedForward(config)
        self.attn_ln = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.mlp_ln = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, x):
        x = self.attn_ln(x + self.attention(x))
        return self.mlp_ln(x + self.mlp(x))


class NewModel(PreTrainedModel):
    """The stack, and a pooler if a classifier follows."""
    config_class, base_model_prefix = NewConfig, "new"

    def __init__(self, config, pools=False):
        super().__init__(config)
        self.embeddings = nn.ModuleDict({"word_embeddings": nn.Embedding(config.vocab_size, config.hidden_size),
                                         "LayerNorm": nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)})
        if config.type_vocab_size > 0:
            self.embeddings["token_type_embeddings"] = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(
            NewLayer(config) for _ in range(config.num_hidden_layers))})
        self.pooler = nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.hidden_size)}) if pools else None
        self.post_init()

    def forward(self, input_ids, token_type_ids=None, **_):
        x = self.embeddings["word_embeddings"](input_ids)
        if self.config.type_vocab_size > 0:
            types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
            x = x + self.embeddings["token_type_embeddings"](types)
        hidden = [self.embeddings["LayerNorm"](x)]
        for layer in self.encoder["layer"]:
            hidden.append(layer(hidden[-1]))
        return BaseModelOutput(last_hidden_state=hidden[-1], hidden_states=tuple(hidden))


class NewForSequenceClassification(PreTrainedModel):
    """A linear over the pooled first row."""
    config_class, base_model_prefix = NewConfig, "new"

    def __init__(self, config):
        super().__init__(config)
        self.new = NewModel(config, pools=True)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.post_init()

    def forward(self, input_ids, token_type_ids=None, **_):
        first = self.new(input_ids, token_type_ids).last_hidden_state[:, 0]
        return SequenceClassifierOutput(logits=self.classifier(self.new.pooler["dense"](first).tanh()))
