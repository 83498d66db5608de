"""The model of a folder in the forms that the peers read: ONNX as torch's exporter writes it and ONNX Runtime's own
tools fuse and quantise it, GGUF as llama.cpp's converter lays a BERT out. Each is made once. Runs no model."""

import ctypes
import json


def _once(path, make):
    """The file at a path, made unless it is there."""
    if not path.exists():
        part = path.with_name(path.name + ".part")
        make(part)
        part.rename(path)
    return path


# -- ONNX -----------------------------------------------------------------------------------------------------------

def _export(folder, path):
    import torch
    from transformers import AutoModel

    class Rows(torch.nn.Module):
        """The model's last rows, with its inputs by place."""

        def __init__(self):
            super().__init__()
            self.model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()

        def forward(self, ids, mask, types):
            return self.model(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "length"} for name in [*names, "rows"]}
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in names)
    torch.onnx.export(Rows().eval(), example, str(path), input_names=names, output_names=["rows"], dynamic_axes=axes,
                      opset_version=17, dynamo=False)


def _fuse(folder, source, path):
    from onnxruntime.transformers import optimizer
    config = json.loads((folder / "config.json").read_text())
    fused = optimizer.optimize_model(str(source), model_type="bert", num_heads=config["num_attention_heads"],
                                     hidden_size=config["hidden_size"], opt_level=1)
    fused.save_model_to_file(str(path))


def _quantise(source, path):
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic
    quantize_dynamic(str(source), str(path), per_channel=True, weight_type=QuantType.QInt8,
                     extra_options={"DefaultTensorType": TensorProto.FLOAT})


def onnx(folder, work, name):
    """The graph in f32 or int8."""
    plain = _once(work / "plain.onnx", lambda path: _export(folder, path))
    fused = _once(work / "f32.onnx", lambda path: _fuse(folder, plain, path))
    return fused if name == "f32" else _once(work / "int8.onnx", lambda path: _quantise(fused, path))


# -- GGUF -----------------------------------------------------------------------------------------------------------

OUTER = {"embeddings.word_embeddings.weight": "token_embd.weight",
         "embeddings.position_embeddings.weight": "position_embd.weight",
         "embeddings.token_type_embeddings.weight": "token_types.weight",
         "embeddings.LayerNorm": "token_embd_norm"}
INNER = {"attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
         "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
         "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"}


def _names(layers):
    """(name in the folder's file, name in GGUF) of every tensor."""
    for ours, theirs in OUTER.items():
        if ours.endswith("weight"):
            yield ours, theirs
        else:
            yield from ((f"{ours}.{part}", f"{theirs}.{part}") for part in ("weight", "bias"))
    for layer in range(layers):
        for ours, theirs in INNER.items():
            for part in ("weight", "bias"):
                yield f"encoder.layer.{layer}.{ours}.{part}", f"blk.{layer}.{theirs}.{part}"


def _add_vocabulary(writer, folder):
    """WordPiece as llama.cpp keeps it: a mark before what begins a word, none before what goes on with it."""
    import gguf
    tokens = (folder / "vocab.txt").read_text("utf-8").splitlines()
    special = {token: tokens.index(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")}
    writer.add_tokenizer_model("bert")
    writer.add_token_list([token if token in special else token[2:] if token.startswith("##") else "\u2581" + token
                           for token in tokens])
    writer.add_token_types([gguf.TokenType.CONTROL if token in special else gguf.TokenType.NORMAL for token in tokens])
    writer.add_token_type_count(2)
    writer.add_pad_token_id(special["[PAD]"])
    writer.add_unk_token_id(special["[UNK]"])
    writer.add_bos_token_id(special["[CLS]"])
    writer.add_sep_token_id(special["[SEP]"])
    writer.add_eos_token_id(special["[SEP]"])
    writer.add_mask_token_id(special["[MASK]"])


def _write_gguf(folder, path):
    import gguf
    from safetensors.numpy import load_file
    config, weights = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    _add_vocabulary(writer, folder)
    for ours, theirs in _names(config["num_hidden_layers"]):
        writer.add_tensor(theirs, weights[ours].astype("float32"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gguf_file(folder, work, name):
    """The file in F16 or Q8_0, by llama.cpp's own quantiser."""
    source = _once(work / "f32.gguf", lambda path: _write_gguf(folder, path))

    def quantise(path):
        from llama_cpp import llama_cpp
        params = llama_cpp.llama_model_quantize_default_params()
        params.ftype, params.nthread = {"F16": 1, "Q8_0": 7}[name], 1
        if llama_cpp.llama_model_quantize(str(source).encode(), str(path).encode(), ctypes.byref(params)):
            raise RuntimeError(f"llama.cpp could not make {path}")

    return _once(work / f"{name}.gguf", quantise)
