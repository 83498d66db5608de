"""The weights of a small Llama by name, and in float64 the logits after tokens. Knows no system and no file."""

import numpy as np

import float64


def shapes(cell):
    """{name: shape} in the order they lie in the file."""
    d, few, mid = cell.d_model, cell.few_heads * cell.d_head, cell.mid
    one = {"q_weight": (d, d), "k_weight": (few, d), "v_weight": (few, d), "o_weight": (d, d),
           "attention_norm_weight": (d,), "gate_weight": (mid, d), "up_weight": (mid, d), "down_weight": (d, mid),
           "ffn_norm_weight": (d,)}
    layers = {f"layers.{number}.{name}": shape for number in range(cell.layers) for name, shape in one.items()}
    return {"embedding": (cell.vocab, d)} | layers | {"final_norm_weight": (d,)}


def _norm(cell, w, name, x):
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + cell.eps) * w[name + "_weight"]


def _rotated(cell, x):
    """x [rows][d_head] of a head; the first row stands after the cached ones."""
    half = cell.d_head // 2
    angles = np.outer(cell.cached + np.arange(len(x)), cell.theta ** (-np.arange(half) / half))
    low, high = x[:, :half], x[:, half:]
    return np.concatenate([low * np.cos(angles) - high * np.sin(angles),
                           high * np.cos(angles) + low * np.sin(angles)], axis=1)


def _attention(cell, w, x, past):
    """past: keys and values of earlier calls, [key heads][cached][d_head] each, rotated."""
    q = [_rotated(cell, one) for one in np.split(x @ w["q_weight"].T, cell.heads, axis=1)]
    k = [_rotated(cell, one) for one in np.split(x @ w["k_weight"].T, cell.few_heads, axis=1)]
    v = np.split(x @ w["v_weight"].T, cell.few_heads, axis=1)
    k, v = ([np.concatenate(pair) for pair in zip(old, new)] for old, new in zip(past, (k, v)))
    group = cell.heads // cell.few_heads
    return float64.attend(cell, [(one, k[i // group], v[i // group]) for i, one in enumerate(q)]) @ w["o_weight"].T


def _layer(cell, w, x, past):
    x = x + _attention(cell, w, _norm(cell, w, "attention_norm", x), past)
    normed = _norm(cell, w, "ffn_norm", x)
    gate = normed @ w["gate_weight"].T
    return x + (gate / (1 + np.exp(-gate)) * (normed @ w["up_weight"].T)) @ w["down_weight"].T


def following(cell, w, inputs):
    """[batch][vocab]: the logits after the tokens."""
    table = w["embedding"].astype(np.float64)
    rows = [table[token] for token in inputs["token"]]
    for number in range(cell.layers):
        one = float64.of_layer(w, number)
        rows = [_layer(cell, one, x, (inputs["past_k"][b, number], inputs["past_v"][b, number]))
                for b, x in enumerate(rows)]
    return _norm(cell, w, "final_norm", np.concatenate([x[-1:] for x in rows])) @ table.T
