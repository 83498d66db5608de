"""The systems that run a shape: each opens a folder and gives a vector or a score for each list of token ids, in
batches of like lengths. Measures nothing."""

import sys

import numpy as np

import llamacpp
import shapes
from embedder_gguf import file_of


class Genattn:
    """The wheel of the shape's library; one call for all inputs, as it computes no padding."""

    def __init__(self, name, folder, work, dtype, threads):
        sys.path.insert(0, str(work / f"{name}_{dtype}" / "site"))
        module = __import__(name)
        self.model = module.Model(str(work / f"{name}_{dtype}" / "weights.gap"), threads=threads)
        self.output = "embedding" if shapes.SHAPES[name][3] else "class_logits"

    def run(self, tokens):
        found = [None] * len(tokens)
        for places in shapes.batches(tokens):
            ids, _ = shapes.padded(tokens, places)
            rows = self.model(tokens=ids.astype(np.int32), lengths=[len(tokens[i]) for i in places],
                              outputs=self.output)
            for place, row in zip(places, rows):
                found[place] = row
        return np.stack(found)


class Batched:
    """What computes padding: rows of a batch, pooled here, or scores."""

    def run(self, tokens):
        found = [None] * len(tokens)
        for places in shapes.batches(tokens):
            ids, mask = shapes.padded(tokens, places)
            rows = self.rows(ids, mask)
            if shapes.SHAPES[self.name][3]:
                rows = shapes.pooled(self.name, rows, [len(tokens[i]) for i in places])
            for place, row in zip(places, rows):
                found[place] = row
        return np.stack(found)


def torch_model(name, folder, dtype="float32", attention="sdpa"):
    import torch
    import transformers
    kind = getattr(transformers, shapes.SHAPES[name][1])
    if not kind._supports_sdpa:
        attention = "eager"
    return kind.from_pretrained(folder, attn_implementation=attention, dtype=getattr(torch, dtype)).eval()


class Torch(Batched):
    def __init__(self, name, folder, work, dtype, threads):
        import torch
        torch.set_num_threads(threads)
        self.name, self.model = name, torch_model(name, folder, {"f64": "float64", "bf16": "bfloat16"}.get(
            dtype, "float32"))

    def rows(self, ids, mask):
        import torch
        with torch.inference_mode():
            return self.model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask))[0].float().numpy()


def _export(name, folder, path):
    """ONNX as torch's exporter writes it, with its constants in a file beside it."""
    import torch

    class Rows(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = torch_model(name, folder, attention="eager")

        def forward(self, ids, mask):
            return self.model(input_ids=ids, attention_mask=mask)[0]

    names = ["input_ids", "attention_mask"]
    axes = {key: {0: "batch", 1: "length"} for key in [*names, "rows"]}
    if not shapes.SHAPES[name][3]:
        axes["rows"] = {0: "batch"}
    example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in names)
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(Rows().eval(), example, str(path), input_names=names, output_names=["rows"], dynamic_axes=axes,
                      opset_version=17, dynamo=False)


def graph(name, folder, work, dtype):
    """The path of the graph, made once."""
    plain = work / f"{name}_onnx" / "f32.onnx"
    if not plain.exists():
        _export(name, folder, plain)
    path = plain.with_name("int8.onnx")
    if dtype == "int8" and not path.exists():
        from onnxruntime.quantization import QuantType, quantize_dynamic
        quantize_dynamic(str(plain), str(path), per_channel=True, weight_type=QuantType.QInt8,
                         op_types_to_quantize=["MatMul"])
    return path if dtype == "int8" else plain


class OnnxRuntime(Batched):
    def __init__(self, name, folder, work, dtype, threads):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.name = name
        self.session = onnxruntime.InferenceSession(str(graph(name, folder, work, dtype)), options,
                                                    providers=["CPUExecutionProvider"])

    def rows(self, ids, mask):
        return self.session.run(["rows"], {"input_ids": ids, "attention_mask": mask})[0]


class OpenVino(Batched):
    def __init__(self, name, folder, work, dtype, threads):
        import openvino
        core = openvino.Core()
        self.name = name
        self.model = core.compile_model(str(graph(name, folder, work, dtype)), "CPU", {
            "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "bf16" if dtype == "bf16" else "f32"})
        self.request = self.model.create_infer_request()

    def rows(self, ids, mask):
        return np.array(next(iter(self.request.infer([ids, mask]).values())))


class LlamaCpp:
    def __init__(self, name, folder, work, dtype, threads):
        pooling = shapes.SHAPES[name][3]
        path = file_of(folder, work / f"{name}_gguf", dtype, pooling)
        self.context = llamacpp.Context(path, shapes.LONGEST, threads)
        self.width = shapes.SHAPES[name][2]["hidden_size"] if pooling else 1

    def run(self, tokens):
        found = np.stack([self.context.one(ids, self.width) for ids in tokens])
        return found / np.linalg.norm(found, axis=1, keepdims=True) if self.width > 1 else found


# name: (heading, class, number format)
SYSTEMS = {f"genattn_{dtype}": (f"genattn {dtype}", Genattn, dtype) for dtype in ("f32", "bf16", "int8")} | {
    "torch_f32": ("PyTorch f32", Torch, "f32"), "torch_bf16": ("PyTorch bf16", Torch, "bf16"),
    "onnx_f32": ("ONNX Runtime f32", OnnxRuntime, "f32"), "onnx_int8": ("ONNX Runtime int8", OnnxRuntime, "int8"),
    "openvino_f32": ("OpenVINO f32", OpenVino, "f32"), "openvino_bf16": ("OpenVINO bf16", OpenVino, "bf16"),
    "llamacpp_f16": ("llama.cpp F16", LlamaCpp, "F16"), "llamacpp_q8_0": ("llama.cpp Q8_0", LlamaCpp, "Q8_0"),
}
# Bits of a number format's weights.
BITS = {"f32": 32, "bf16": 16, "F16": 16, "int8": 8, "Q8_0": 8}


def has(key, name):
    """Whether a system can run a shape: llama.cpp has no MPNet."""
    return SYSTEMS[key][1] is not LlamaCpp or shapes.SHAPES[name][0] != "MPNetConfig"


# What all are held against; not measured.
REFERENCE = ("PyTorch f64", Torch, "f64")


def open_system(key, name, folder, work, threads):
    _, kind, dtype = REFERENCE if key == "reference" else SYSTEMS[key]
    return kind(name, folder, work, dtype, threads)
