"""Writes small GGUF files without tensors, whose tokenizers gguf_oracle.py compares: WordPiece and Unigram in all
settings that GGUF has for them, with tokens of every type.

    python3 tests/text/gguf_vocabularies.py FOLDER

It needs what requirements.txt names.
"""
import base64
import itertools
import os
import random
import struct
import sys

import families
import families_subword
from strings import corpus

U8, U32, I32, F32, BOOL, STRING, ARRAY = 0, 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
MARK = "\u2581"
FORMATS = {U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def array(item, values):
    if item == U8:
        data = bytes(values)
    else:
        data = b"".join(text(v) if item == STRING else struct.pack(FORMATS[item], v) for v in values)
    return struct.pack("<IQ", item, len(values)) + data


def write(path, keys):
    with open(path, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys)))
        for key, (kind, value) in keys.items():
            file.write(text(key) + struct.pack("<I", kind))
            file.write(array(*value) if kind == ARRAY else text(value) if kind == STRING
                       else struct.pack(FORMATS[kind], value))


def tokenizer(model, tokens, types, scores=None, **more):
    keys = {"general.architecture": (STRING, "llama"), "tokenizer.ggml.model": (STRING, model),
            "tokenizer.ggml.tokens": (ARRAY, (STRING, tokens)), "tokenizer.ggml.token_type": (ARRAY, (I32, types))}
    if scores:
        keys["tokenizer.ggml.scores"] = (ARRAY, (F32, scores))
    return keys | {f"tokenizer.ggml.{key}": value for key, value in more.items()}


# -- WordPiece --------------------------------------------------------------------------------------------------------


def word_token(token):
    if token.startswith("["):
        return token
    return token[2:] if token.startswith("##") else MARK + token


def wordpiece(folder, lines):
    ids = families.bert_cased(lines).get_vocab()
    tokens = [word_token(token) for token in sorted(ids, key=ids.get)]
    tokens += [MARK + "a" + MARK + "b", "[user]"]
    types = [CONTROL if t in ("[PAD]", "[CLS]", "[SEP]", "[MASK]") else UNKNOWN if t == "[UNK]" else USER
             if t == "[user]" else NORMAL for t in tokens]
    special = {name: (U32, tokens.index(token)) for name, token in (
        ("bos_token_id", "[CLS]"), ("seperator_token_id", "[SEP]"), ("unknown_token_id", "[UNK]"))}
    for lower, strip in itertools.product((None, False, True), repeat=2):
        switches = {f"normalizer.{key}": (BOOL, value) for key, value in (
            ("lowercase", lower), ("strip_accents", strip)) if value is not None}
        write(f"{folder}/bert-{lower}-{strip}.gguf", tokenizer("bert", tokens, types, **special, **switches))


# -- Unigram ----------------------------------------------------------------------------------------------------------


def unigram(folder, lines):
    pieces = families_subword.scored(lines, 900, ["<pad>", "</s>", "<unk>"])
    typed = [("<pad>", CONTROL), ("</s>", CONTROL), ("<unk>", UNKNOWN)]
    typed += [(piece, NORMAL) for piece, _ in pieces[3:]]
    scores = [score for _, score in pieces]
    for token, kind, score in (("<extra_id_0>", USER, -3), ("the" + MARK + "cat", NORMAL, -4), ("<0x61>", BYTE, 0),
                               ("世", UNUSED, -1000), ("\u0416", UNUSED, -1), ("\u0451", CONTROL, 0),
                               ("日本語", USER, 0)):
        typed.append((token, kind))
        scores.append(score)
    tokens, types = [token for token, _ in typed], [kind for _, kind in typed]
    for rule, prefix, merge in itertools.product((None, "nmt_nfkc", "nmt_nfkc_cf"), (None, True), (None, True)):
        more = {}
        if rule:
            data = base64.b64decode(families_subword.charsmap(rule)["precompiled_charsmap"])
            more["precompiled_charsmap"] = (ARRAY, (U8, data))
        more |= {key: (BOOL, True) for key, on in (("add_space_prefix", prefix), ("remove_extra_whitespaces", merge))
                 if on}
        write(f"{folder}/t5-{rule}-{prefix}-{merge}.gguf", tokenizer("t5", tokens, types, scores, **more))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    lines = corpus(random.Random(1), 400)
    wordpiece(folder, lines)
    unigram(folder, lines)


main()
