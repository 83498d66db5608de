"""Programs with rotary positions, which compare.py hands over: the attention modules of transformers that have them,
with random weights and eager attention, over ragged batches that start at places of their own."""

import tempfile

import torch
from torch import nn
from transformers import GPTJConfig, LlamaConfig, Qwen3Config
from transformers.models.gptj.modeling_gptj import GPTJAttention
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention, Qwen3RotaryEmbedding

import forms
import modules

POSITIONS = 100


def additive(allowed):
    """-inf where a key is not allowed, as these modules add it to the scores."""
    return torch.zeros(allowed.shape).masked_fill(~allowed, -torch.inf)


class DecoderLayer(nn.Module):
    """What a layer of Llama or of Qwen-3 does for attention: angles of the places, then the module."""

    def __init__(self, attention, rotary):
        super().__init__()
        self.self_attn = attention
        self.angles = rotary

    def forward(self, x, places, allowed):
        return self.self_attn(x, self.angles(x, places), additive(allowed))


def llama(program):
    config = LlamaConfig(hidden_size=program.d_model, num_attention_heads=program.n_heads,
                         num_key_value_heads=program.n_kv_heads, head_dim=program.d_head, rope_theta=500.0,
                         max_position_embeddings=POSITIONS, attn_implementation="eager")
    return DecoderLayer(LlamaAttention(config, 0), LlamaRotaryEmbedding(config))


def qwen3(program):
    config = Qwen3Config(hidden_size=program.d_model, num_attention_heads=program.n_heads,
                         num_key_value_heads=program.n_kv_heads, head_dim=program.d_head, rope_theta=1e6,
                         rms_norm_eps=1e-5, max_position_embeddings=POSITIONS, attn_implementation="eager")
    layer = DecoderLayer(Qwen3Attention(config, 0), Qwen3RotaryEmbedding(config))
    layer.self_attn.scaling = 0.25
    for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
        nn.init.uniform_(norm.weight, 0.5, 1.5)
    return layer


class GptJ(GPTJAttention):
    """GPT-J's module with the activations of the program's spec, and scores over the root of d_model."""

    def __init__(self, program):
        super().__init__(GPTJConfig(n_embd=program.d_model, n_head=program.n_heads, rotary_dim=14,
                                    n_positions=POSITIONS, attn_implementation="eager"), layer_idx=0)
        self.scale_attn = torch.tensor(float(program.d_model)).sqrt()
        modules.activate(self, modules.PROJECTIONS["proj"], program.spec)

    def forward(self, x, places, allowed):
        return super().forward(x, attention_mask=additive(allowed), position_ids=places)


MODELS = {"live_llama": ("llama", llama), "live_qwen3": ("qwen3", qwen3), "live_gptj": ("proj", GptJ)}


def is_rotary(name):
    """Whether it is a program that this file has a module for."""
    return name in MODELS


def cases(program):
    """(name, inputs by name): places from 0, and others for each sequence, up to the last there is."""
    longest = program.q_range["max"]

    def rows(batch, length):
        return {"query": torch.randn(batch, length, program.d_model)}

    yield "one sequence", {"query": torch.randn(longest - 5, program.d_model)}
    yield "one row", rows(3, 1)
    yield "batch", rows(3, longest)
    yield "ragged", {**rows(5, longest), "q_lengths": torch.tensor([longest, 1, 0, 17, 23])}
    yield "places", {**rows(3, 24), "position": torch.tensor([0, POSITIONS - 24, 31])}
    yield "ragged places", {**rows(4, 24), "q_lengths": torch.tensor([24, 11, 7, 1], dtype=torch.int32),
                            "position": torch.tensor([3, 0, POSITIONS - 24, 50], dtype=torch.int32)}


def expected(module, inputs):
    """output and attention, with the rows past each length written as zeros."""
    x = inputs["query"] if inputs["query"].dim() == 3 else inputs["query"][None]
    batch, length = x.shape[:2]
    lengths = inputs.get("q_lengths", torch.full((batch,), length))
    # A row past its sequence's length sees its first key, so that no row of scores is -inf throughout.
    allowed = modules.allowed_keys(batch, length, length, lengths.clamp(min=1), causal=True)
    places = torch.arange(length) + inputs.get("position", torch.zeros(batch, dtype=torch.int64))[:, None]
    with torch.no_grad():
        output, attention = module(x, places, allowed)
    past = torch.arange(length) >= lengths[:, None]
    return {"output": output.masked_fill(past[:, :, None], 0).reshape(inputs["query"].shape),
            "attention": attention.masked_fill(past[:, None, :, None], 0)}


class Comparison(forms.Comparison):
    """One program under the map of its model."""

    def __init__(self, program, layout, make, folder):
        super().__init__(program, layout, folder, make(program))

    def cases(self):
        return cases(self.program)

    def expected(self, inputs):
        return expected(self.module, inputs)

    def refuses_norms(self):
        """A file with Qwen-3's norms is none of Llama's, whether a map is named or chosen by what the file holds."""
        state = qwen3(self.program).state_dict()
        self.save({name: tensor.contiguous() for name, tensor in state.items()})
        forms.save_file({"query": torch.randn(1, self.program.d_model)}, self.folder / "in.safetensors")
        for layout in ([], ["--weights-layout", "llama"], ["--weights-layout", "qwen3"]):
            ran = self.program.call("run", "--weights", self.weights, *layout, "--input",
                                    self.folder / "in.safetensors", "--output", self.folder / "out.safetensors")
            said = "tensor 'self_attn.q_norm.weight'" in ran.stderr and "is q_norm_weight under map" in ran.stderr
            good = ran.returncode == 1 and said
            self.tell(good, f"norms that its spec leaves out, {layout}", f"exit {ran.returncode}: {ran.stderr}")


def compare(path):
    """(passed, failed) of one program."""
    program = forms.Program(path)
    layout, make = MODELS[program.name]
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(program, layout, make, folder)
        comparison.run_all()
        if layout == "llama":
            comparison.refuses_norms()
    print(f"{program.name}, {layout}, on {', '.join(program.isas)}: {comparison.passed} passed, "
          f"{comparison.failed} failed, largest difference {comparison.largest:.2g}")
    return comparison.passed, comparison.failed
