"""llama.cpp at the formats of its files, of whole decoders alone: a prompt, or a token after earlier ones.

Its products are its own: Q8_0 and the 4-bit formats multiply by rows of 8 bits. Keys and values are kept in f32, as
ours are, and in `f16_cache` in f16, its default. Where a token follows earlier ones, those are tokens that it has
read itself, as keys cannot be given to it: it is then held against its own f32, else against the cell's numbers."""

import ctypes
import functools

import numpy as np

import paths
from systems import Unfit, Variant
from systems.llamacpp import version

# What a name ends with: type_k and type_v (ggml's F32 and F16), and flash_attn_type (off, on). Flash is llama.cpp's own
# choice, and takes three times as long for one token after 2048.
CONTEXTS = {"": (0, 0), " f16_cache": (1, 0), " f16_cache flash": (1, 1)}
FORMATS = {"f32 F32": "F32", "w_f16 F16": "F16", "w_bf16 BF16": "BF16", "w_int8 Q8_0": "Q8_0", "w_int4 Q4_0": "Q4_0",
           "w_int4 Q4_K": "Q4_K"}


class Model:
    """A file with a context of its own, freed with the object."""

    def __init__(self, path, cell, context, threads):
        from llama_cpp import llama_cpp
        self.api, self.cell = llama_cpp, cell
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), llama_cpp.llama_model_default_params())
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = cell.capacity
        params.n_threads = params.n_threads_batch = threads
        params.type_k = params.type_v = context[0]
        params.flash_attn_type = context[1]
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        if not self.context:
            raise RuntimeError(f"llama.cpp does not take {path.name}")
        self.memory = llama_cpp.llama_get_memory(self.context)

    def decode(self, tokens):
        """tokens: int32, contiguous."""
        batch = self.api.llama_batch_get_one(tokens.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), len(tokens))
        if self.api.llama_decode(self.context, batch):
            raise RuntimeError("llama_decode failed")

    def call(self, tokens):
        """The tokens, and then their keys forgotten, so that each call finds the same ones."""
        self.decode(tokens)
        self.api.llama_memory_seq_rm(self.memory, 0, self.cell.cached, -1)

    def logits(self):
        found = self.api.llama_get_logits_ith(self.context, -1)
        return np.ctypeslib.as_array(found, (1, self.cell.vocab)).copy()

    def __del__(self):
        self.api.llama_free(self.context)
        self.api.llama_model_free(self.model)


def earlier_tokens(cell):
    return np.random.default_rng([cell.cached, cell.vocab]).integers(0, cell.vocab, cell.cached, np.int32)


def opened(cell, name, context, threads, given):
    """The model with the cell's earlier tokens read."""
    from systems.narrow import gguf_files
    model = Model(gguf_files.file_of(cell, given.w, name), cell, context, threads)
    if cell.cached:
        model.decode(earlier_tokens(cell))
    return model


def expected(cell, threads, given):
    """What its own f32 gives after tokens that it has read itself; None where the cell's numbers say it."""
    if not cell.cached:
        return None
    path = paths.DATA / f"{cell.model}_llamacpp.npy"
    if not path.exists():
        model = opened(cell, "F32", CONTEXTS[""], threads, given)
        model.call(given.token[0])
        np.save(path, model.logits().astype(np.float64))
    return np.load(path)


def make(cell, name, context, threads, given):
    if not version():
        raise Unfit("the package llama-cpp-python is not installed (bench/requirements-llamacpp.txt)")
    model = opened(cell, name, context, threads, given)
    call = functools.partial(model.call, given.token[0])
    return Variant(call, lambda _: model.logits(), keep=(given, model), expected=expected(cell, threads, given))


def refuse(_given):
    raise Unfit("llama.cpp runs whole decoders of one sequence")


def variants(cell, threads):
    if not cell.whole or not cell.vocab or cell.batch > 1:
        return {"f32 F32": refuse}
    return {name + end: functools.partial(make, cell, file, context, threads)
            for name, file in FORMATS.items() for end, context in CONTEXTS.items()}
