"""The results of whole models in float64, written to be read: encoders as BERT's, and the logits after tokens as
GPT-2's; llama.py has Llama's. Knows no system and no file."""

import math

import numpy as np


def _norm(cell, w, name, x):
    x = x - x.mean(axis=1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + cell.eps) * w[name + "_weight"] + w[name + "_bias"]


def _gelu(cell, x):
    if cell.vocab:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    erf = np.fromiter(map(math.erf, (x / math.sqrt(2)).ravel()), np.float64, x.size)
    return 0.5 * x * (1 + erf.reshape(x.shape))


def attend(cell, heads):
    """heads: q, k and v of each, [rows][d_head]. Where there is a vocabulary a row sees no later key."""
    found = []
    for q, k, v in heads:
        scores = q @ k.T / math.sqrt(cell.d_head)
        if cell.vocab:
            scores += np.triu(np.full(scores.shape, -np.inf), 1 + cell.cached)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        found.append(weights @ v / weights.sum(axis=1, keepdims=True))
    return np.concatenate(found, axis=1)


def _linear(w, name, x):
    return x @ w[name + "_weight"].T + w[name + "_bias"]


def _attention(cell, w, x, past):
    """past: keys and values of earlier calls, [heads][cached][d_head] each, or None."""
    q, k, v = (np.split(_linear(w, name, x), cell.heads, axis=1) for name in "qkv")
    if past:
        k, v = ([np.concatenate(pair) for pair in zip(old, new)] for old, new in zip(past, (k, v)))
    return _linear(w, "o", attend(cell, zip(q, k, v)))


def _post_layer(cell, w, x):
    x = _norm(cell, w, "attention_norm", x + _attention(cell, w, x, None))
    return _norm(cell, w, "ffn_norm", x + _linear(w, "down", _gelu(cell, _linear(w, "up", x))))


def _pre_layer(cell, w, x, past):
    x = x + _attention(cell, w, _norm(cell, w, "attention_norm", x), past)
    return x + _linear(w, "down", _gelu(cell, _linear(w, "up", _norm(cell, w, "ffn_norm", x))))


def of_layer(w, number):
    start = f"layers.{number}."
    return {name[len(start):]: part.astype(np.float64) for name, part in w.items() if name.startswith(start)}


def encode(cell, w, inputs):
    rows = [x[:n].astype(np.float64) for x, n in zip(inputs["x"], cell.row_counts)]
    for number in range(cell.layers):
        one = of_layer(w, number)
        rows = [_post_layer(cell, one, x) for x in rows]
    return np.concatenate(rows)


def following(cell, w, inputs):
    table = w["embedding"].astype(np.float64)
    places = slice(cell.cached, cell.cached + cell.length)
    rows = [table[token] + w["positions"][places] for token in inputs["token"]]
    for number in range(cell.layers):
        one = of_layer(w, number)
        rows = [_pre_layer(cell, one, x, (inputs["past_k"][b, number], inputs["past_v"][b, number]))
                for b, x in enumerate(rows)]
    return _norm(cell, w, "final_norm", np.concatenate([x[-1:] for x in rows])) @ table.T
