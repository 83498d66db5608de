"""The systems that are measured: each opens the model and turns texts into vectors, in the way that its documents give
for many texts on a CPU. Measures nothing."""

import sys
from pathlib import Path

import numpy as np

import files

BATCH = 32  # texts; sentence-transformers' default, and the fastest of 8 to 128 for ONNX Runtime within noise
LONGEST = 256  # tokens: what the model's own folder says


class Wheel:
    """genattn, by `encode` of its Python wheel."""

    def __init__(self, folder, work, name, threads):
        sys.path.insert(0, str(work / name / "site"))
        import minilm
        self.model = minilm.Model(str(work / name / "minilm.gap"), threads=threads)

    def encode(self, texts):
        return self.model.encode(texts)


class SentenceTransformers:
    def __init__(self, folder, work, name, threads):
        import torch
        from sentence_transformers import SentenceTransformer
        torch.set_num_threads(threads)
        self.model = SentenceTransformer(str(folder), device="cpu")
        if name == "f64":
            self.model = self.model.double()

    def encode(self, texts):
        return self.model.encode(texts, batch_size=BATCH, show_progress_bar=False)


class OnnxRuntime:
    """ONNX Runtime with the tokenizers package, batches of texts of like lengths."""

    def __init__(self, folder, work, name, threads):
        import onnxruntime
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(files.onnx(folder, work, name)), options,
                                                    providers=["CPUExecutionProvider"])

    def batch(self, found):
        ids = np.zeros((len(found), max(len(one.ids) for one in found)), np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(found):
            ids[row, :len(one.ids)], mask[row, :len(one.ids)] = one.ids, 1
        rows, = self.session.run(["rows"], {"input_ids": ids, "attention_mask": mask,
                                            "token_type_ids": np.zeros_like(ids)})
        sums = (rows * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def encode(self, texts):
        found = self.tokenizer.encode_batch(texts)
        order = sorted(range(len(texts)), key=lambda i: len(found[i].ids))
        vectors = [None] * len(texts)
        for start in range(0, len(texts), BATCH):
            places = order[start:start + BATCH]
            for place, vector in zip(places, self.batch([found[i] for i in places])):
                vectors[place] = vector
        return np.stack(vectors)


class LlamaCpp:
    def __init__(self, folder, work, name, threads):
        from llama_cpp import Llama
        self.model = Llama(str(files.gguf_file(folder, work, name)), embedding=True, n_ctx=2048, n_batch=2048,
                           n_ubatch=2048, n_threads=threads, n_threads_batch=threads, verbose=False)

    def encode(self, texts):
        return np.array([self.model.embed(text[:1400], normalize=True, truncate=True) for text in texts], np.float32)


# name: (heading, class or None for the program, number format)
SYSTEMS = {
    "program_f32": ("genattn, `embed --text`, f32", None, "f32"),
    "program_bf16": ("genattn, `embed --text`, bf16", None, "bf16"),
    "program_int8": ("genattn, `embed --text`, int8", None, "int8"),
    "wheel_f32": ("genattn, `encode`, f32", Wheel, "f32"),
    "wheel_bf16": ("genattn, `encode`, bf16", Wheel, "bf16"),
    "wheel_int8": ("genattn, `encode`, int8", Wheel, "int8"),
    "torch": ("sentence-transformers (torch), f32", SentenceTransformers, "f32"),
    "onnx_f32": ("ONNX Runtime, f32", OnnxRuntime, "f32"),
    "onnx_int8": ("ONNX Runtime, int8", OnnxRuntime, "int8"),
    "llamacpp_F16": ("llama.cpp, F16", LlamaCpp, "F16"),
    "llamacpp_Q8_0": ("llama.cpp, Q8_0", LlamaCpp, "Q8_0"),
}


# What all are held against; not measured.
REFERENCE = ("sentence-transformers (torch), f64", SentenceTransformers, "f64")


def open_system(key, folder, work, threads):
    _, kind, name = REFERENCE if key == "reference" else SYSTEMS[key]
    return kind(Path(folder), Path(work), name, threads)
