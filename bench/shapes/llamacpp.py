"""llama.cpp and the shapes: runs a file that embedder_gguf.py has made, which has no vocabulary, as inputs are token
ids. Measures nothing."""

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent))
from embedder_gguf import library  # noqa: E402


class Context:
    """A file that is loaded. One call takes one text, as llama.cpp computes a mask of all tokens of a call."""

    def __init__(self, path, longest, threads):
        self.lib = lib = library()
        self.model = lib.llama_model_load_from_file(str(path).encode(), lib.llama_model_default_params())
        params = lib.llama_context_default_params()
        params.embeddings, params.n_ctx, params.n_batch, params.n_ubatch = True, longest, longest, longest
        params.n_threads = params.n_threads_batch = threads
        self.context = self.model and lib.llama_init_from_model(self.model, params)
        if not self.context:
            raise RuntimeError(f"llama.cpp did not load {path}: {''.join(said[-3:])}")
        self.batch = lib.llama_batch_init(longest, 0, 1)
        self.memory = lib.llama_get_memory(self.context)

    def one(self, tokens, width):
        """The vector, or the score where width is 1, of a list of token ids."""
        lib, batch = self.lib, self.batch
        batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            batch.token[place], batch.pos[place], batch.logits[place] = token, place, 1
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
        if self.memory:
            lib.llama_memory_clear(self.memory, True)
        if (lib.llama_decode if self.memory else lib.llama_encode)(self.context, batch):
            raise RuntimeError("llama.cpp failed")
        return np.ctypeslib.as_array(lib.llama_get_embeddings_seq(self.context, 0), (width,)).copy()
