"""The model of a folder in the forms that the peers read: ONNX as torch's exporter writes it and ONNX Runtime's own
tools fuse and quantise it, GGUF as llama.cpp's converter lays a BERT out. Each is made once. Runs no model."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import embedder_gguf  # noqa: E402


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

def _add_vocabulary(writer, folder):
    """WordPiece as llama.cpp keeps it: a mark before what begins a word, none before what goes on with it."""
    import gguf
    tokens = (folder / "vocab.txt").read_text("utf-8").splitlines()
    special = {token: tokens.index(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")}
    writer.add_tokenizer_model("bert")
    writer.add_token_list([token if token in special else token[2:] if token.startswith("##") else "\u2581" + token
                           for token in tokens])
    writer.add_token_types([gguf.TokenType.CONTROL if token in special else gguf.TokenType.NORMAL for token in tokens])
    writer.add_pad_token_id(special["[PAD]"])
    writer.add_unk_token_id(special["[UNK]"])
    writer.add_bos_token_id(special["[CLS]"])
    writer.add_sep_token_id(special["[SEP]"])
    writer.add_eos_token_id(special["[SEP]"])
    writer.add_mask_token_id(special["[MASK]"])


def gguf_file(folder, work, name):
    """The file in F16 or Q8_0, by llama.cpp's own quantiser."""
    return embedder_gguf.file_of(folder, work, name, "mean", _add_vocabulary)
