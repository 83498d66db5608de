"""GGUF files of the cells' own weights for llama.cpp: GPT-2 or Llama in f32, as the package gguf writes it, and what
llama.cpp's own quantiser makes of that, every matrix in one format. Runs no model."""

import ctypes

import gguf
from llama_cpp import llama_cpp

import paths
import whole as numbers

FTYPES = {"F32": 0, "F16": 1, "BF16": 32, "Q8_0": 7, "Q4_0": 2, "Q4_K": 14}  # as llama.h numbers files
PARTS = {  # of a layer: llama.cpp's names
    "attention_norm": "attn_norm", "o": "attn_output", "ffn_norm": "ffn_norm", "up": "ffn_up", "down": "ffn_down",
}
LLAMA_PARTS = PARTS | {"v": "attn_v", "gate": "ffn_gate"}
OUTER = {"embedding": "token_embd.weight", "positions": "position_embd.weight",
         "final_norm_weight": "output_norm.weight", "final_norm_bias": "output_norm.bias"}


def gpt2_layer(cell, w, at, theirs):
    for part in ("weight", "bias"):
        yield f"{theirs}attn_qkv.{part}", numbers.joined_qkv(w, at, part)
        for name, named in PARTS.items():
            yield f"{theirs}{named}.{part}", w[f"{at}{name}_{part}"]


def interleaved(cell, weight):
    """Rows of each head in llama.cpp's order, which rotates neighbours where ours rotates halves."""
    return weight.reshape(-1, 2, cell.d_head // 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def llama_layer(cell, w, at, theirs):
    for name in "qk":
        yield f"{theirs}attn_{name}.weight", interleaved(cell, w[f"{at}{name}_weight"])
    for name, named in LLAMA_PARTS.items():
        yield f"{theirs}{named}.weight", w[f"{at}{name}_weight"]


def gpt2_facts(cell, writer):
    writer.add_layer_norm_eps(cell.eps)


def llama_facts(cell, writer):
    writer.add_layer_norm_rms_eps(cell.eps)
    writer.add_head_count_kv(cell.few_heads)
    writer.add_rope_dimension_count(cell.d_head)
    writer.add_rope_freq_base(cell.theta)


FAMILIES = {"": ("gpt2", gpt2_facts, gpt2_layer), "llama_": ("llama", llama_facts, llama_layer)}


def tensors(cell, w, layer):
    """(name, array) of each tensor; the embedding stands for the logits' weight, too."""
    for name, theirs in OUTER.items():
        if name in w:
            yield theirs, w[name]
    for number in range(cell.layers):
        yield from layer(cell, w, f"layers.{number}.", f"blk.{number}.")


def write_f32(cell, w, path):
    architecture, add_facts, layer = FAMILIES[cell.family]
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(cell.positions)
    writer.add_embedding_length(cell.d_model)
    writer.add_feed_forward_length(cell.d_ff)
    writer.add_block_count(cell.layers)
    writer.add_head_count(cell.heads)
    writer.add_vocab_size(cell.vocab)
    writer.add_tokenizer_model("no_vocab")
    add_facts(cell, writer)
    for name, array in tensors(cell, w, layer):
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantise(source, path, ftype):
    """Every matrix in that format: llama.cpp's own mixtures keep some of them wider."""
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.pure, params.nthread = ftype, True, 1
    if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), ctypes.byref(params)):
        raise RuntimeError(f"llama.cpp could not make {path.name}")


def file_of(cell, w, name):
    """The file in the format of that name, made unless it is there."""
    path = paths.DATA / f"{cell.weights_name}_{name}.gguf"
    if not path.exists():
        part = path.with_suffix(".part")
        if name == "F32":
            write_f32(cell, w, part)
        else:
            quantise(file_of(cell, w, "F32"), part, FTYPES[name])
        part.rename(path)
    return path
