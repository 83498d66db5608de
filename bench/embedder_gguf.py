"""Embedders and rerankers as GGUF: writes a folder's weights under llama.cpp's names, and has llama.cpp quantise them.
Runs no model."""

import ctypes
import json
import re

import numpy as np

LAYER = re.compile(r"(?:.*\.)?(?:encoder\.layer|layers)\.(\d+)\.(.*)")
BERT = {
    "embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
    "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
    "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
}
# model type: (architecture, names of linears and norms)
KINDS = {
    "bert": ("bert", BERT | {"pooler.dense": "cls", "classifier": "cls.output"}),
    "xlm-roberta": ("bert", BERT | {"classifier.dense": "cls", "classifier.out_proj": "cls.output"}),
    "nomic_bert": ("nomic-bert", BERT | {
        "emb_ln": "token_embd_norm", "attn.Wqkv": "attn_qkv", "attn.out_proj": "attn_output",
        "norm1": "attn_output_norm", "mlp.fc11": "ffn_up", "mlp.fc12": "ffn_gate", "mlp.fc2": "ffn_down",
        "norm2": "layer_output_norm"}),
    "modernbert": ("modern-bert", {
        "embeddings.tok_embeddings": "token_embd", "embeddings.norm": "token_embd_norm", "attn_norm": "attn_norm",
        "attn.Wqkv": "attn_qkv", "attn.Wo": "attn_output", "mlp_norm": "ffn_norm", "mlp.Wi": "ffn_up",
        "mlp.Wo": "ffn_down", "final_norm": "output_norm"}),
    "qwen3": ("qwen3", {
        "embed_tokens": "token_embd", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
        "self_attn.k_norm": "attn_k_norm", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "norm": "output_norm"}),
}
POOLING = {"mean": "MEAN", "cls": "CLS", "last": "LAST", None: "RANK"}


def _first_position(config):
    """Rows of the table of positions that no token has, and that llama.cpp's files lack."""
    return config["pad_token_id"] + 1 if config["model_type"] == "xlm-roberta" else 0


def _tensors(config, weights):
    """(llama.cpp's name, values) of what it reads, which a pooler that no score comes from is not."""
    kind = config["model_type"]
    names, has_scores = KINDS[kind][1], "classifier.weight" in weights or "classifier.out_proj.weight" in weights
    for name, values in weights.items():
        linear, part = name.rsplit(".", 1)
        layer = LAYER.fullmatch(linear)
        place = layer[2] if layer else re.sub(r"^(bert|roberta|model)\.", "", linear)
        if part == "position_ids" or place == "pooler.dense" and not has_scores:
            continue
        if place == "embeddings.position_embeddings":
            values = values[_first_position(config):]
        yield (f"blk.{layer[1]}." if layer else "") + f"{names[place]}.{part}", values


def _add_positions(writer, config):
    """The keys of rotary positions and windows."""
    for kind, given in config.get("rope_parameters", {}).items():
        if kind == "rope_theta":
            writer.add_rope_freq_base(given)
        elif kind in ("full_attention", "sliding_attention"):
            add = writer.add_rope_freq_base if kind == "full_attention" else writer.add_rope_freq_base_swa
            add(given["rope_theta"])
    if "local_attention" in config:
        writer.add_sliding_window(config["local_attention"])
        writer.add_sliding_window_pattern([kind == "sliding_attention" for kind in config["layer_types"]])


def _add_no_vocabulary(writer, _):
    writer.add_tokenizer_model("none")


def _write(folder, path, pooling, add_vocabulary):
    import gguf
    from safetensors.numpy import load_file
    config = json.loads((folder / "config.json").read_text("utf-8"))
    weights = load_file(folder / "model.safetensors")
    writer = gguf.GGUFWriter(path, KINDS[config["model_type"]][0])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"] - _first_position(config))
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_pooling_type(gguf.PoolingType[POOLING[pooling]])
    if config["model_type"] == "qwen3":
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    else:
        writer.add_causal_attention(False)
        writer.add_layer_norm_eps(config.get("norm_eps", config.get("layer_norm_eps")))
    _add_positions(writer, config)
    writer.add_vocab_size(config["vocab_size"])
    writer.add_token_type_count(config.get("type_vocab_size", 0))
    add_vocabulary(writer, folder)
    for name, values in _tensors(config, weights):
        writer.add_tensor(name, np.ascontiguousarray(values, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


said = []  # by llama.cpp


def library():
    """llama.cpp's functions; what it prints goes to `said`."""
    from llama_cpp import llama_cpp
    if not said:
        library.log = llama_cpp.llama_log_callback(lambda level, text, _: said.append(text.decode()))
        llama_cpp.llama_log_set(library.log, None)
    return llama_cpp


def _quantise(source, path, dtype):
    llama_cpp = library()
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype, params.nthread = {"F16": 1, "Q8_0": 7}[dtype], 1
    if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), ctypes.byref(params)):
        raise RuntimeError(f"llama.cpp could not make {path}: {said[-1]}")


def file_of(folder, work, dtype, pooling, add_vocabulary=_add_no_vocabulary):
    """The path of a folder's file in F16 or Q8_0, made once. add_vocabulary(writer, folder): where texts are given."""
    work.mkdir(parents=True, exist_ok=True)
    plain, path = work / "f32.gguf", work / f"{dtype}.gguf"
    for made, make in ((plain, lambda part: _write(folder, part, pooling, add_vocabulary)),
                       (path, lambda part: _quantise(plain, part, dtype))):
        if not path.exists() and not made.exists():
            part = made.with_name(made.name + ".part")
            make(part)
            part.rename(made)
    return path
