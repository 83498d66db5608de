#!/usr/bin/env python3
"""Folders of sentence-transformers with random weights: `make FOLDER` saves one of each kind of pooling, with linears
after it, prompts and truncation, as the installed release does; `compare FOLDER BIN` holds `embed` and `search` of the
programs made from them against `encode` in double precision; late_interaction.py and pair_scores.py do the same for
vectors of tokens and for decoders that judge pairs. Nothing is fetched. The last line is 'N passed, N failed'; the exit
status is 1 where one failed."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch

os.environ["HF_HUB_OFFLINE"] = "1"
import families  # noqa: E402
import from_hf  # noqa: E402
import late_interaction  # noqa: E402
import pair_scores  # noqa: E402
import transformers  # noqa: E402
from sentence_transformers import SentenceTransformer, models  # noqa: E402
from tokenizers import Tokenizer, models as token_models, pre_tokenizers, processors  # noqa: E402

FACTOR = 4  # times PyTorch's own largest error in float32
STEP = 2 ** -23  # from a float32 to the next, relative: scores of sentence_transformers are such numbers
LONGEST = 24  # tokens
WORDS = ["[PAD]", "[END]", "[UNK]", "query", ":", "a", "cat", "dog", "sat", "on", "the", "mat", "Instruct", "find"]

TEXTS = ["a cat", "the dog sat on the mat", "cat", "a " * 40, "dog : find the unknown", "the cat sat"]

SMALL = {"hidden_size": 48, "num_attention_heads": 4, "num_hidden_layers": 2, "intermediate_size": 80,
         "vocab_size": len(WORDS), "max_position_embeddings": 48}
LLAMA = {**SMALL, "num_key_value_heads": 2}

# name: class, configuration, whether the tokenizer ends a text, way to pool, linears (width, activation, bias), and
# settings of the whole
FOLDERS = {
    "st_last": ("Qwen3Model", {**LLAMA, "head_dim": 16}, True, "lasttoken", [],
                {"prompts": {"query": "Instruct : find\nquery :", "document": ""}}),
    "st_last_bare": ("Qwen3Model", {**LLAMA, "head_dim": 16}, False, "lasttoken", [(20, torch.nn.Identity(), True)],
                     {"prompts": {"query": "query : ", "passage": "the "}, "similarity_fn_name": "dot"}),
    "st_weighted": ("Qwen2Model", LLAMA, True, "weightedmean", [], {"similarity_fn_name": "euclidean"}),
    "st_dense": ("BertModel", SMALL, True, "mean", [(70, torch.nn.Tanh(), True), (36, torch.nn.Identity(), False)],
                 {"prompts": {"query": "query : ", "document": "find "}, "default_prompt_name": "document",
                  "similarity_fn_name": "manhattan"}),
    "st_short": ("BertModel", SMALL, True, "cls", [], {"truncate_dim": 20}),
    "st_eurobert": ("EuroBertModel", {**LLAMA, "pad_token_id": 0, "mask_token_id": 2, "rope_parameters": {
                        "rope_type": "default", "rope_theta": 250000.0}}, True, "mean", [],
                    {"prompts": {"query": "query : ", "document": "the "}}),
    # As EmbeddingGemma: later tokens are seen, in most layers within a window, and two linears widen and narrow.
    "st_gemma": ("Gemma3TextModel", {**LLAMA, "head_dim": 16, "num_hidden_layers": 7, "sliding_window": 9,
                                     "use_bidirectional_attention": True, "pad_token_id": 0}, True, "mean",
                 [(96, torch.nn.Identity(), False), (48, torch.nn.Identity(), False)],
                 {"prompts": {"query": "query : ", "document": "the "}}),
}
NORMALIZED = ["st_last", "st_dense", "st_eurobert", "st_short", "st_gemma"]
DIMS = 12  # of shorter vectors


def is_there(kind):
    """Whether this release of transformers has a class."""
    return hasattr(transformers, kind)


# -- Making ---------------------------------------------------------------------------------------------------------

def tokenizer(ends):
    """Words of the list; ends: a token after each text."""
    made = Tokenizer(token_models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if ends:
        made.post_processor = processors.TemplateProcessing(single="$A [END]", special_tokens=[("[END]", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", eos_token="[END]",
                                                unk_token="[UNK]", model_max_length=LONGEST)


def randomized(module):
    """Vectors, which transformers starts at 0 and 1, drawn too."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            parameter.data += 0.3 * torch.randn(parameter.shape)
    return module


def make_one(folder, name):
    kind, config, ends, pooling, linears, settings = FOLDERS[name]
    module = getattr(transformers, kind)
    with tempfile.TemporaryDirectory() as here:
        randomized(module(module.config_class(**config)).eval()).save_pretrained(here)
        tokenizer(ends).save_pretrained(here)
        stack = models.Transformer(here, max_seq_length=LONGEST)
    width, modules = config["hidden_size"], [stack]
    modules.append(models.Pooling(width, pooling_mode=pooling))
    for size, activation, bias in linears:
        modules.append(models.Dense(width, size, bias=bias, activation_function=activation))
        width = size
    if name in NORMALIZED:
        modules.append(models.Normalize())
    SentenceTransformer(modules=modules, device="cpu", **settings).save_pretrained(str(folder / name),
                                                                                   create_model_card=False)


def make(folder):
    torch.manual_seed(1)
    for name, (kind, *_) in FOLDERS.items():
        if is_there(kind):
            make_one(folder, name)
        else:
            print(f"SKIPPED {name}: transformers {transformers.__version__} has no {kind}")
    late_interaction.make(folder)
    pair_scores.make(folder)


# -- Comparing ------------------------------------------------------------------------------------------------------

def exact(model):
    """Changes the model to double precision; within from_hf.doubled()."""
    families.exact(model[0].auto_model)
    model.to(torch.float64)


def similarities(model, query):
    return model.similarity(model.encode_query(query), model.encode_document(TEXTS))[0].double().numpy()


class Comparison:
    """One program and the folder that it was made from. own error: the largest of PyTorch in float32."""

    def __init__(self, folder, program):
        self.folder, self.program, self.name = folder, program, folder.name
        self.plain = SentenceTransformer(str(folder), device="cpu")
        self.exact = SentenceTransformer(str(folder), device="cpu")
        with from_hf.doubled():
            exact(self.exact)
        self.passed = self.failed = 0
        self.largest = 0.0

    def expect(self, truth, message):
        self.passed += truth
        self.failed += not truth
        if not truth:
            print(f"FAILED {self.name}: {message}")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{self.name}: {done.stderr.strip()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def embedded(self, texts, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(texts) + "\n")
            file.flush()
            rows = self.run("embed", "--weights", str(self.folder), "--text", file.name, "--format", "json", *options)
        return numpy.array([row["embedding"] for row in rows])

    def compare(self, what, found, **arguments):
        """Holds vectors against those of encode; the limit is by PyTorch's own error in float32."""
        plain = self.plain.encode(TEXTS, **arguments)
        with from_hf.doubled():
            wanted = self.exact.encode(TEXTS, **arguments)
        if found.shape != wanted.shape:
            return self.expect(False, f"{what}: shape {found.shape}, expected {wanted.shape}")
        off, own = numpy.abs(found - wanted).max(), numpy.abs(plain - wanted).max()
        self.largest = max(self.largest, off / own)
        return self.expect(off <= FACTOR * own, f"{what}: off by {off:.3g}, PyTorch's float32 by {own:.3g}")

    def compare_found(self):
        """search: the prompts of its tasks, and the model's similarity."""
        query = TEXTS[1]
        with tempfile.TemporaryDirectory() as here:
            corpus = pathlib.Path(here, "corpus.txt")
            corpus.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
            hits = self.run("search", "--weights", str(self.folder), "--corpus", str(corpus), "--top", str(len(TEXTS)),
                            "--format", "json", query)
        found = {hit["line"] - 1: hit["score"] for hit in hits}
        plain = similarities(self.plain, query)
        with from_hf.doubled():
            wanted = similarities(self.exact, query)
        off = max(abs(found[i] - score) for i, score in enumerate(wanted))
        limit = FACTOR * max(numpy.abs(plain - wanted).max(), STEP * numpy.abs(wanted).max())
        self.expect(off <= limit, f"search: scores off by {off:.3g}, at most {limit:.3g}")

    def compare_all(self):
        is_unit = self.name in NORMALIZED
        self.compare("embed", self.embedded(TEXTS), normalize_embeddings=is_unit)
        prompts = json.loads((self.folder / "config_sentence_transformers.json").read_text())["prompts"]
        for name in prompts:
            self.compare(f"--prompt {name}", self.embedded(TEXTS, "--prompt", name), prompt_name=name,
                         normalize_embeddings=is_unit)
        shorter = self.embedded(TEXTS, "--dims", str(DIMS))
        self.compare("--dims", shorter, truncate_dim=DIMS, normalize_embeddings=is_unit)
        self.compare_found()
        print(f"{self.name}: at most {self.largest:.2g} times PyTorch's own error in float32")


def compare(folder, programs):
    passed = failed = 0
    for name in FOLDERS:
        if (folder / name).exists():
            comparison = Comparison(folder / name, str(programs / name))
            comparison.compare_all()
            passed, failed = passed + comparison.passed, failed + comparison.failed
    for other in (late_interaction, pair_scores):
        good, bad = other.compare(folder, programs)
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["make", "compare"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    if options.action == "make":
        make(options.folder)
    else:
        sys.exit(compare(options.folder, options.programs))


if __name__ == "__main__":
    main()
