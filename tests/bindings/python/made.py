"""made.py: made-up weights and rows for a model's tests, from seeds. Reads the names of weights from the model."""
import json

import numpy as np


def arrays(package, layout=None, seed=0):
    """A dict of arrays under the names of one of the model's layouts, the first where none is given."""
    from importlib import import_module

    model = import_module(package.__name__ + "._library").model
    random, made = np.random.default_rng(seed), {}
    for at in range(model.n_maps):
        by = model.maps[at]
        if layout is None or by.name.decode() == layout:
            for role in range(model.n_roles):
                source = by.sources[role]
                shape = tuple(source.shape[: source.rank])
                name = ("" if source.beside or not by.prefix else by.prefix.decode()) + source.tensor.decode()
                spread = 0.1 if len(shape) > 1 else 0.3
                made.setdefault(name, random.normal(size=shape, scale=spread).astype(np.float32))
            return made
    raise KeyError(layout)


def rows(*shape, seed=1):
    """Rows of float32."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def softmax(scores):
    """Over the last axis."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def attention(weights, x, heads, mask=None):
    """A layer of attention by the names w_q, w_k, w_v and w_o, in double precision: output and weights."""
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    batch, length, width = x.shape

    def project(role):
        rows_of = x @ weights["w_%s.weight" % role].T + weights["w_%s.bias" % role]
        return rows_of.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)

    q, k, v = project("q"), project("k"), project("v")
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // heads)
    given = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    joined = (given @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
    return joined @ weights["w_o.weight"].T + weights["w_o.bias"], given


WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "sat", "on", "the", "mat", "##s")


def tokenizer(path):
    """Writes a tokenizer.json as BERT's are, of WORDS."""
    bert = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "decoder": {
            "type": "WordPiece", "prefix": "##", "cleanup": True},
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {word: at for at, word in enumerate(WORDS)}},
    }
    with open(path, "w") as file:
        json.dump(bert, file)
    return path
