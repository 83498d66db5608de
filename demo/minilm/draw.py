#!/usr/bin/env python3
"""Draws what the tokens of a sentence attend to in one layer of all-MiniLM-L6-v2, by out/bin/minilm draw. Makes the
tokens and their labels; computes nothing."""

import argparse
import pathlib
import subprocess
import tempfile

import numpy
from safetensors.numpy import save_file

import sentences

SENTENCE = "The animal did not cross the street because it was too tired."


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sentence", nargs="?", default=SENTENCE, help="[%(default)s]")
    parser.add_argument("--program", default="out/bin/minilm", help="[%(default)s]")
    parser.add_argument("--layer", default="3", help="from 0 [%(default)s]")
    parser.add_argument("--head", help="from 0 [all]")
    parser.add_argument("--output", default="out/minilm/attention.svg", help=".svg or .html [%(default)s]")
    options = parser.parse_args()
    folder = sentences.model_folder()
    encoding = sentences.read_tokenizer(folder).encode(options.sentence)
    head = ["--head", options.head] if options.head else []
    with tempfile.TemporaryDirectory() as here:
        ids, labels = pathlib.Path(here, "in.safetensors"), pathlib.Path(here, "tokens.txt")
        save_file({"tokens": numpy.array(encoding.ids, numpy.int32)}, ids)
        labels.write_text("".join(f"{token}\n" for token in encoding.tokens), encoding="utf-8")
        done = subprocess.run([options.program, "draw", "--weights", folder / "model.safetensors", "--input", ids,
                               "--tokens", labels, "--output", options.output, "--layer", options.layer, *head],
                              check=False)
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
