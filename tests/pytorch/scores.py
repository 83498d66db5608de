"""Compares programs that work on scores between q k^T and softmax with live attention modules of transformers, driven
with eager attention and random weights: Mistral (window), GPT-OSS (sinks), Gemma-2 (softcap), BLOOM and MPT (ALiBi),
and T5's relative bias added to Gemma-2's scores. Where a module would rotate q and k it is given angles of zero.
Prints the largest error of each comparison; compare.py calls it."""

import math
import pathlib
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import BloomConfig, Gemma2Config, GptOssConfig, MistralConfig, MptConfig, T5Config
from transformers.masking_utils import causal_mask_function, sliding_window_causal_mask_function
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.gemma2 import modeling_gemma2 as gemma2
from transformers.models.gpt_oss import modeling_gpt_oss as gpt_oss
from transformers.models.mistral import modeling_mistral as mistral
from transformers.models.mpt import modeling_mpt as mpt
from transformers.models.t5 import modeling_t5 as t5

import masks

BATCH = 2
LENGTHS = (1, 16, 17, 18, 63, 150)
LAYER = "self_attn."  # before a module's names in the file of a decoder
NO_SINK = -1e30  # takes nothing from any row
SIZES = {"hidden_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 24}
WINDOW, CAP, SCALAR = 17, 2.0, 16  # as the specs say; scores are divided by the scalar's root


# -- What the modules are given -------------------------------------------------------------------------------------

def additive(rule, length):
    """One of transformers' own rules of what a query sees, as what is added to its scores: [1, 1, L, L]."""
    q, k = torch.arange(length)[:, None], torch.arange(length)[None, :]
    seen = torch.as_tensor(rule(0, 0, q, k)).expand(length, length)
    return torch.zeros(1, 1, length, length).masked_fill(~seen, -math.inf)


def no_rotation(length, angles=SIZES["head_dim"]):
    return torch.ones(1, length, angles), torch.zeros(1, length, angles)


def randomize(module):
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.dim() == 1:
                parameter.uniform_(-1, 1)
            else:
                parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
    return module.eval()


def config(kind, **options):
    made = kind(attn_implementation="eager", **options)
    made._attn_implementation = "eager"  # pylint: disable=protected-access
    return made


def state(module, prefix=""):
    return {prefix + name: value.clone().contiguous() for name, value in module.state_dict().items()}


# -- Each module: its weights as the program's file, and what it makes of x ------------------------------------------

def of_mistral(_):
    module = randomize(mistral.MistralAttention(config(MistralConfig, **SIZES, sliding_window=WINDOW), 0))
    tensors = state(module, LAYER)
    for name in "qkvo":
        tensors[f"{LAYER}{name}_proj.bias"] = torch.zeros(tensors[f"{LAYER}{name}_proj.weight"].shape[0])
    tensors[f"{LAYER}sinks"] = torch.full((SIZES["num_attention_heads"],), NO_SINK)
    rule = sliding_window_causal_mask_function(WINDOW)
    return tensors, lambda x: module(x, no_rotation(x.shape[1]), additive(rule, x.shape[1]))


def of_gpt_oss(_):
    module = randomize(gpt_oss.GptOssAttention(config(GptOssConfig, **SIZES, attention_bias=True, num_hidden_layers=2,
                                                      sliding_window=WINDOW), 0))
    rule, angles = sliding_window_causal_mask_function(WINDOW), SIZES["head_dim"] // 2
    return state(module, LAYER), lambda x: module(x, no_rotation(x.shape[1], angles), additive(rule, x.shape[1]))


def gemma2_module():
    return randomize(gemma2.Gemma2Attention(config(
        Gemma2Config, **SIZES, attn_logit_softcapping=CAP, attention_bias=False, query_pre_attn_scalar=SCALAR,
        num_hidden_layers=2), 1))


def t5_module():
    return randomize(t5.T5Attention(T5Config(d_model=48, d_kv=24, num_heads=4, relative_attention_num_buckets=32,
                                             relative_attention_max_distance=128, is_decoder=True),
                                    has_relative_attention_bias=True, layer_idx=0))


def of_gemma2(_):
    module = gemma2_module()
    tensors = {**state(module), "relative_attention_bias.weight": torch.zeros(32, 4)}
    return tensors, lambda x: module(x, no_rotation(x.shape[1]), additive(causal_mask_function, x.shape[1]))


def of_gemma2_with_t5(_):
    module, biased = gemma2_module(), t5_module()
    table = biased.relative_attention_bias.weight.detach().clone()
    tensors = {**state(module), "relative_attention_bias.weight": table}

    def forward(x):
        added = biased.compute_bias(x.shape[1], x.shape[1]) + additive(causal_mask_function, x.shape[1])
        return module(x, no_rotation(x.shape[1]), added)
    return tensors, forward


def of_bloom(program):
    """Its stacked linear has q, k and v of each head side by side; here they stand one after the other, as MPT's do."""
    module = randomize(bloom.BloomAttention(config(BloomConfig, hidden_size=48, n_head=6, hidden_dropout=0,
                                                   attention_dropout=0), 0))
    with torch.no_grad():
        module.query_key_value.bias.zero_()
        module.dense.bias.zero_()
    stacked = module.query_key_value.weight.detach().unflatten(0, (6, 3, 8)).transpose(0, 1).flatten(0, 2)
    tensors = {"Wqkv.weight": stacked.contiguous(), "out_proj.weight": module.dense.weight.detach().clone()}

    def forward(x):
        alibi = bloom.build_alibi_tensor(torch.ones(x.shape[:2]), program.n_heads, x.dtype)
        return module(x, torch.zeros_like(x), alibi, additive(causal_mask_function, x.shape[1]), output_attentions=True)
    return tensors, forward


def of_mpt(program):
    module = randomize(mpt.MptAttention(MptConfig(d_model=48, n_heads=6), 0))

    def forward(x):
        alibi = mpt.build_mpt_alibi_tensor(program.n_heads, x.shape[1])
        hidden = additive(causal_mask_function, x.shape[1]) < 0
        return module(x, alibi, attention_mask=hidden)
    return state(module), forward


MODULES = {
    "live_sinks_48_4": {"Mistral's window": of_mistral, "GPT-OSS's sinks and window": of_gpt_oss},
    "live_softcap_48_4": {"Gemma-2's softcap": of_gemma2, "the same with T5's bias": of_gemma2_with_t5},
    "live_alibi_48_6": {"BLOOM's slopes": of_bloom, "MPT's slopes": of_mpt},
}


# -- Comparing ------------------------------------------------------------------------------------------------------

class Comparison:
    """One program and one module; counts, and the largest error."""

    def __init__(self, program, what, make, folder):
        self.program, self.what, self.folder = program, what, pathlib.Path(folder)
        self.passed, self.failed, self.error = 0, 0, 0.0
        tensors, self.forward = make(program)
        save_file(tensors, self.folder / "weights.safetensors")

    def run(self, inputs, isa):
        source, output = self.folder / "in.safetensors", self.folder / "out.safetensors"
        save_file(inputs, source)
        ran = self.program.call("run", "--weights", self.folder / "weights.safetensors", "--input", source, "--output",
                                output, "--isa", isa)
        return (load_file(output), None) if ran.returncode == 0 else ({}, f"run: {ran.stderr.strip()}")

    def tell(self, what, found, wanted, why):
        why = why or masks.difference(found, wanted)
        self.passed += why is None
        self.failed += why is not None
        if why is not None:
            print(f"FAILED {self.program.name}, {self.what}, {what}: {' '.join(why.split())}")
        for name in found:
            self.error = max(self.error, (found[name] - wanted[name]).abs().max().item())

    def compare(self, length):
        """All rows, then a batch whose second sequence is a third shorter, which changes none of its rows."""
        x = torch.randn(BATCH, length, self.program.d_model)
        lengths = torch.tensor([length, length - length // 3])
        with torch.no_grad():
            output, attention = self.forward(x)[:2]
        real = torch.arange(length) < lengths[:, None]
        for isa in self.program.isas:
            found, why = self.run({"query": x}, isa)
            self.tell(f"length {length} on {isa}", found, {"output": output, "attention": attention}, why)
            found, why = self.run({"query": x, "q_lengths": lengths}, isa)
            self.tell(f"length {length} and less on {isa}", found, {
                "output": output * real[:, :, None], "attention": attention * real[:, None, :, None],
            }, why)


def compare_all(program):
    """(passed, failed) of one program with each module it can be compared with."""
    counts = []
    for what, make in MODULES[program.name].items():
        with tempfile.TemporaryDirectory() as folder:
            comparison = Comparison(program, what, make, folder)
            for length in LENGTHS:
                comparison.compare(length)
        print(f"{program.name}, {what}: largest error {comparison.error:.2g}, "
              f"{comparison.passed} passed, {comparison.failed} failed")
        counts.append((comparison.passed, comparison.failed))
    return counts
