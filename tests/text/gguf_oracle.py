"""Compares the tokenizers of GGUF files with llama.cpp's own, by the package llama-cpp-python. That is built from
source and therefore optional: run this where it is installed.

    python3 tests/text/gguf_oracle.py out/lib/libga_text.so STRINGS FILE.gguf...

Special tokens in a text are taken as such on both sides. Code points that either side's Unicode does not know are left
out, as are texts with NUL, at which llama.cpp's are cut.
"""
import random
import sys
import unicodedata

import llama_cpp

import library
from strings import string

SHOWN = 5


def known(text):
    return "".join(c for c in text if unicodedata.category(c) not in ("Cn", "Cs", "Co") and c != "\0")


def compare(shared, path, count):
    reference = llama_cpp.Llama(path, vocab_only=True, verbose=False)
    ours, rng, wrong = library.Tokenizer(shared, path=path), random.Random(path.rsplit("/", 1)[-1]), 0
    for _ in range(count):
        text = known(string(rng))
        one = ours.ids(text)
        two = reference.tokenize(text.encode(), add_bos=True, special=True)
        if one != two:
            wrong += 1
            if wrong <= SHOWN:
                print(f"{path}: {ascii(text)}\n  ours   {one}\n  theirs {two}")
    ours.close()
    return wrong


def main():
    shared, count, failed = library.load(sys.argv[1]), int(sys.argv[2]), 0
    for path in sys.argv[3:]:
        wrong = compare(shared, path, count)
        print(f"{path}: {count} strings, {wrong} differ", flush=True)
        failed += wrong > 0
    sys.exit(failed > 0)


main()
