#!/usr/bin/env python3
"""GGUF files of models with random weights, which the package gguf writes under llama.cpp's names and in its orders:
nothing is fetched. `make FOLDER` writes NAME.gguf of each, for ./configure --from-gguf, and beside it the folder NAME
in which transformers has the same numbers, those of blocks decoded by the package; `compare FOLDER BIN` holds the
programs made from the files against these models, as from_hf.py does, tokens that they generate too.
The last line is 'N passed, N failed'; the exit status is 1 where one failed."""

import itertools
import math
import pathlib
import sys

import gguf
import numpy
import torch
from gguf import GGMLQuantizationType as Type
from gguf import quants

from from_hf import Comparison, ExactAngles, class_of, run

SMALL = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 96, "vocab_size": 60,
         "max_position_embeddings": 48}
LLAMA = {**SMALL, "num_key_value_heads": 2}
WIDE = {**LLAMA, "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 1}

MODELS = {  # name: (class, configuration, types of linears and tables, in turn)
    "gguf_llama": ("LlamaForCausalLM", {**LLAMA, "rope_theta": 50000.0}, [Type.F32]),
    "gguf_blocks": ("LlamaForCausalLM", {**LLAMA, "attention_bias": True, "mlp_bias": True},
                    [Type.Q4_0, Type.Q8_0, Type.Q4_1, Type.F16, Type.BF16, Type.Q5_0, Type.Q5_1,
                     Type.IQ4_NL]),
    "gguf_wide": ("LlamaForCausalLM", {**WIDE, "tie_word_embeddings": True},
                  [Type.Q4_K, Type.Q6_K, Type.Q5_K, Type.Q3_K, Type.Q2_K]),
    "gguf_qwen2": ("Qwen2ForCausalLM", {**LLAMA, "tie_word_embeddings": True}, [Type.F16]),
    "gguf_qwen3": ("Qwen3ForCausalLM", {**LLAMA, "head_dim": 32}, [Type.Q8_0]),
    "gguf_llama3": ("LlamaForCausalLM", {**LLAMA, "rope_theta": 300.0, "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32}}, [Type.F32]),
    "gguf_phi3": ("Phi3ForCausalLM", {
        **LLAMA, "pad_token_id": 0, "sliding_window": 11, "original_max_position_embeddings": 2, "rope_scaling": {
            "type": "longrope", "short_factor": [1.0, 1.25, 1.5, 1.1, 3.0, 2.0, 1.0, 9.0],
            "long_factor": [2.0, 1.5, 3.3, 4.0, 1.0, 6.0, 7.7, 8.0]}}, [Type.F16]),
    "gguf_granite": ("GraniteForCausalLM", {
        **LLAMA, "embedding_multiplier": 3.0, "attention_multiplier": 0.3, "residual_multiplier": 0.4,
        "logits_scaling": 5.0, "tie_word_embeddings": True}, [Type.Q8_0]),
    "gguf_yarn": ("Qwen3ForCausalLM", {**LLAMA, "head_dim": 16, "rope_theta": 100.0, "rope_scaling": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 12}}, [Type.F32]),
    "gguf_gpt2": ("GPT2LMHeadModel", {"n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 60, "n_positions": 40},
                  [Type.Q8_0]),
    "gguf_bert": ("BertModel", SMALL, [Type.Q4_0, Type.F32]),
    "gguf_gemma": ("GemmaForCausalLM", {**LLAMA, "head_dim": 24, "hidden_act": "gelu_pytorch_tanh"}, [Type.Q8_0]),
    "gguf_gemma2": ("Gemma2ForCausalLM", {**LLAMA, "num_hidden_layers": 3, "head_dim": 24, "sliding_window": 9,
                                          "query_pre_attn_scalar": 24}, [Type.F16]),
    "gguf_gemma3": ("Gemma3ForCausalLM", {
        **LLAMA, "num_hidden_layers": 7, "head_dim": 24, "sliding_window": 9, "query_pre_attn_scalar": 24,
        "rope_theta": 30000.0, "rope_local_base_freq": 10000.0, "final_logit_softcapping": None}, [Type.F32]),
    "gguf_olmo2": ("Olmo2ForCausalLM", {**LLAMA, "tie_word_embeddings": False}, [Type.Q8_0]),
    "gguf_olmo3": ("Olmo3ForCausalLM", {**LLAMA, "num_hidden_layers": 3, "sliding_window": 9, "layer_types": [
        "full_attention", "sliding_attention", "sliding_attention"]}, [Type.F32]),
    "gguf_gptneox": ("GPTNeoXForCausalLM", {**SMALL, "rotary_pct": 0.5, "rotary_emb_base": 10000}, [Type.F16]),
    "gguf_nomic": ("NomicBertModel", {"n_embd": 64, "n_head": 4, "n_layer": 2, "n_inner": 96, "n_positions": 48,
                                      "vocab_size": 60}, [Type.F16]),
    "gguf_modernbert": ("ModernBertModel", {
        **SMALL, "num_hidden_layers": 4, "global_attn_every_n_layers": 3, "local_attention": 10, "pad_token_id": 0,
        "cls_token_id": 1, "bos_token_id": 1, "sep_token_id": 2, "eos_token_id": 2}, [Type.Q8_0]),
}

IN_PARTS = {"gguf_olmo2": 9}  # written in several files, and the most tensors of each

# Those that run.sh configures with a cache, and that go on from tokens.
GENERATING = ["gguf_llama", "gguf_llama3", "gguf_blocks", "gguf_qwen2", "gguf_gpt2"]

# What llama.cpp calls a model type, where it has another name.
NAMES = {"gemma3_text": "gemma3", "olmo3": "olmo2", "gpt_neox": "gptneox", "modernbert": "modern-bert",
         "nomic_bert": "nomic-bert"}
ARCHITECTURES = {name: architecture for architecture, name in gguf.MODEL_ARCH_NAMES.items()}
INTERLEAVED = ["llama", "granite"]  # whose rows of q and k are in another order
SHIFTED = ["gemma", "gemma2", "gemma3_text"]  # whose norms multiply by 1 + weight, which the file has


def architecture_of(config):
    return NAMES.get(config.model_type, config.model_type)


# -- Scaled rotary positions ------------------------------------------------------------------------------------------

def add_scaling(writer, config):
    """The keys of a scaling, as llama.cpp's converter has them."""
    scaling = config.rope_scaling
    kind = scaling.get("rope_type") or scaling["type"]
    if kind == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(scaling["factor"])
        writer.add_rope_scaling_orig_ctx_len(scaling["original_max_position_embeddings"])
    if kind == "longrope":
        original = config.original_max_position_embeddings
        writer.add_rope_scaling_orig_ctx_len(original)
        longer = math.log(config.max_position_embeddings / original) / math.log(original)
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + longer))


def add_factors(writer, config):
    """What some decoders have besides."""
    if config.model_type in ("gemma2", "gemma3_text", "olmo3"):
        writer.add_sliding_window(config.sliding_window)
    if config.model_type == "gemma2":
        writer.add_attn_logit_softcapping(config.attn_logit_softcapping)
        writer.add_final_logit_softcapping(config.final_logit_softcapping)
    if config.model_type == "olmo3":
        writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in config.layer_types])
    if config.model_type == "phi3":
        writer.add_sliding_window(config.sliding_window)
    if config.model_type == "granite":
        writer.add_embedding_scale(config.embedding_multiplier)
        writer.add_attention_scale(config.attention_multiplier)
        writer.add_residual_scale(config.residual_multiplier)
        writer.add_logit_scale(config.logits_scaling)


def add_divisors(writer, config):
    """The tensors of a scaling."""
    scaling = config.rope_scaling
    kind = scaling.get("rope_type") or scaling["type"]
    if kind == "llama3":
        width = config.hidden_size // config.num_attention_heads
        plain = config.rope_theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        speeds, _ = ExactAngles.scaled(config, "llama3")
        writer.add_tensor("rope_freqs.weight", (plain / speeds).float().numpy())
    if kind == "longrope":
        for length in ("long", "short"):
            writer.add_tensor(f"rope_factors_{length}.weight",
                              numpy.array(scaling[f"{length}_factor"], numpy.float32))


# -- Metadata -------------------------------------------------------------------------------------------------------

def add_rotary(writer, config):
    """What decoders with rotary positions say."""
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_theta)
    if getattr(config, "rope_scaling", None):
        add_scaling(writer, config)
    add_factors(writer, config)
    if config.model_type in INTERLEAVED:
        writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    if config.model_type in ["qwen3", *SHIFTED]:
        writer.add_key_length(config.head_dim)
        writer.add_value_length(config.head_dim)


def add_metadata(writer, config):
    """As llama.cpp's converter of this architecture has it, with a vocabulary of words of no use."""
    writer.add_name("random")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(getattr(config, "intermediate_size", 4 * config.hidden_size))
    writer.add_head_count(config.num_attention_heads)
    if config.model_type == "bert":
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.MEAN)
        writer.add_layer_norm_eps(config.layer_norm_eps)
    elif config.model_type == "gpt2":
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
    elif config.model_type == "gpt_neox":
        writer.add_layer_norm_eps(config.layer_norm_eps)
        writer.add_parallel_residual(config.use_parallel_residual)
        writer.add_rope_dimension_count(int(config.rotary_pct * (config.hidden_size // config.num_attention_heads)))
    elif config.model_type == "nomic_bert":
        writer.add_causal_attention(False)
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
        writer.add_rope_freq_base(config.rotary_emb_base)
    elif config.model_type == "modernbert":
        writer.add_causal_attention(False)
        writer.add_layer_norm_eps(config.norm_eps)
        writer.add_rope_freq_base(config.global_rope_theta)
        writer.add_rope_freq_base_swa(config.local_rope_theta)
        writer.add_rope_scaling_type(gguf.RopeScalingType.NONE)
        writer.add_sliding_window(config.local_attention)
        writer.add_sliding_window_pattern(config.global_attn_every_n_layers)
    else:
        add_rotary(writer, config)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("none")
    writer.add_token_list([f"word {i}" for i in range(config.vocab_size)])
    writer.add_token_scores([-float(i) for i in range(config.vocab_size)])


RANDOM = {  # types that the package does not make: the bytes of scales in a block, and how large they are
    Type.Q4_K: {0: 2e-4, 2: 1e-3}, Type.Q6_K: {208: 2e-5}, Type.Q5_K: {0: 1e-4, 2: 1e-3},
    Type.Q3_K: {108: 2e-4}, Type.Q2_K: {80: 2e-3, 82: 2e-3}, Type.IQ4_NL: {0: 2e-4},
}


# -- Tensors --------------------------------------------------------------------------------------------------------

def random_blocks(shape, kind):
    """Blocks of a type that the package decodes and does not make: bytes at random, with scales of a few hundredths."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = numpy.random.randint(0, 256, (shape[0], shape[1] // elements, size), dtype=numpy.uint8)
    for place, scale in RANDOM[kind].items():
        numbers = numpy.random.uniform(scale, 2 * scale, blocks.shape[:2]).astype(numpy.float16)
        blocks[..., place:place + 2] = numbers[..., None].view(numpy.uint8)
    return blocks.reshape(shape[0], -1)


def encoded(values, kind):
    """A table's rows as bytes of a type, and the floats that these are."""
    if kind in RANDOM:
        rows = random_blocks(values.shape, kind)
    else:
        rows = quants.quantize(values, kind).view(numpy.uint8)
    return rows, quants.dequantize(rows, kind).reshape(values.shape).astype(numpy.float32)


def interleaved(rows, heads):
    """Rows of q or k of a Llama in llama.cpp's order: those of pairs that turn together side by side."""
    return rows.reshape(heads, 2, len(rows) // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def by_kind(rows, heads):
    """Rows of q, k and v of one head after another as all of q, of k, of v."""
    return rows.reshape(heads, 3, -1, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)


def in_order(rows, name, config):
    if "query_key_value" in name:
        return by_kind(rows, config.num_attention_heads)
    if config.model_type not in INTERLEAVED or not any(part in name for part in ("q_proj", "k_proj")):
        return rows
    return interleaved(rows, config.num_attention_heads if "q_proj" in name else config.num_key_value_heads)


def add_tensors(writer, module, kinds):
    """Writes the module's parameters and gives it the numbers that were written."""
    config = module.config
    names = gguf.get_tensor_name_map(ARCHITECTURES[architecture_of(config)], config.num_hidden_layers)
    turn = itertools.cycle(kinds)
    if getattr(config, "rope_scaling", None):
        add_divisors(writer, config)
    for name, parameter in module.named_parameters():
        if name.startswith("pooler."):
            continue
        is_turned = config.model_type == "gpt2" and any(f".{part}." in name for part in ("c_attn", "c_proj", "c_fc"))
        kind = next(turn) if parameter.dim() == 2 and "position" not in name and "wpe" not in name else Type.F32
        values = parameter.data.T if is_turned and parameter.dim() == 2 else parameter.data
        shift = 1 if config.model_type in SHIFTED and name.endswith("norm.weight") else 0
        rows, floats = encoded(numpy.ascontiguousarray(values.numpy() + numpy.float32(shift)), kind)
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight", ".bias")),
                          numpy.ascontiguousarray(in_order(rows, name, config)) if kind != Type.F32 else
                          in_order(floats, name, config), raw_dtype=kind)
        floats = torch.from_numpy(floats) - shift
        parameter.data = (floats.T if is_turned and floats.dim() == 2 else floats).clone()


def make(folder):
    """Writes every model; vectors, which transformers starts at 0 and 1, are drawn too."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (kind, settings, kinds) in MODELS.items():
        module = class_of(kind)
        module = module(module.config_class(**settings)).eval()
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.data += 0.3 * torch.randn(parameter.shape)
        writer = gguf.GGUFWriter(folder / f"{name}.gguf", architecture_of(module.config),
                                 split_max_tensors=IN_PARTS.get(name, 0))
        add_metadata(writer, module.config)
        add_tensors(writer, module, kinds)
        module.save_pretrained(folder / name)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


# -- Comparing ------------------------------------------------------------------------------------------------------

def comparisons(folder, programs):
    """One of each model."""
    for name, (kind, _, _) in MODELS.items():
        yield Comparison(folder / name, programs / name, kind, weights=min(folder.glob(f"{name}[.-]*gguf")),
                         generates=name in GENERATING)


if __name__ == "__main__":
    numpy.random.seed(1)
    sys.exit(run(__doc__, make, comparisons))
