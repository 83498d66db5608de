"""The numbers every system is given for a whole model: input, weights, and the result in float64. Made once from a
seed; weights are a file of their own, which all systems map and cells of one shape share."""

import math
from dataclasses import dataclass

import numpy as np

import layer as layers

POSITIONS = 1024


@dataclass(frozen=True)
class Whole:
    """Arrays are float32, C-contiguous; weights in PyTorch's orientation, by the names that roles have here."""
    x: np.ndarray  # [batch][length][d_model]; rows after a sequence's length hold ordinary numbers
    w: dict
    expected: np.ndarray  # [real rows][d_model] or [batch][vocab], float64
    token: np.ndarray = None  # [batch][1] int32, in place of x where there is a vocabulary
    past_k: np.ndarray = None  # [batch][layers][heads][cached][d_head], keys of earlier calls
    past_v: np.ndarray = None


def shapes(cell):
    """{name: shape} in the order they lie in the file."""
    d, f, found = cell.d_model, cell.d_ff, {}
    if cell.vocab:
        found |= {"embedding": (cell.vocab, d), "positions": (POSITIONS, d)}
    one = {f"{x}_{part}": (d, d) if part == "weight" else (d,) for x in "qkvo" for part in ("weight", "bias")}
    one |= {"attention_norm_weight": (d,), "attention_norm_bias": (d,), "up_weight": (f, d), "up_bias": (f,),
            "down_weight": (d, f), "down_bias": (d,), "ffn_norm_weight": (d,), "ffn_norm_bias": (d,)}
    for number in range(cell.layers):
        found |= {f"layers.{number}.{name}": shape for name, shape in one.items()}
    return found | ({"final_norm_weight": (d,), "final_norm_bias": (d,)} if cell.vocab else {})


def _make_weights(cell):
    """As BERT and GPT-2 are initialised, N(0, 0.02), with norms and biases that are not what they start from."""
    rng = np.random.default_rng([cell.d_model, cell.layers, cell.vocab])
    parts = []
    for name, shape in shapes(cell).items():
        scale = 0.1 if "norm" in name else 0.02
        part = scale * rng.standard_normal(math.prod(shape), dtype=np.float32)
        parts.append(part + np.float32(1) if name.endswith("norm_weight") else part)
    return np.concatenate(parts)


def _weights(cell, folder):
    flat = np.load(folder / f"{cell.weights_name}.npy", mmap_mode="r")
    found, at = {}, 0
    for name, shape in shapes(cell).items():
        size = math.prod(shape)
        found[name] = flat[at:at + size].reshape(shape)
        at += size
    return found


def make_inputs(cell):
    rng = np.random.default_rng([cell.batch, cell.length, cell.d_model, cell.layers, cell.cached])
    found = {"x": rng.standard_normal((cell.batch, cell.length, cell.d_model), dtype=np.float32)}
    if cell.vocab:
        past = (cell.batch, cell.layers, cell.heads, cell.cached, cell.d_head)
        found |= {"token": rng.integers(0, cell.vocab, (cell.batch, 1), np.int32)}
        found |= {name: rng.standard_normal(past, dtype=np.float32) for name in ("past_k", "past_v")}
    return found


# -- Float64 --------------------------------------------------------------------------------------------------------

def _norm(cell, w, name, x):
    x = x - x.mean(axis=1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + cell.eps) * w[name + "_weight"] + w[name + "_bias"]


def _gelu(cell, x):
    if cell.vocab:
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    erf = np.fromiter(map(math.erf, (x / math.sqrt(2)).ravel()), np.float64, x.size)
    return 0.5 * x * (1 + erf.reshape(x.shape))


def _linear(w, name, x):
    return x @ w[name + "_weight"].T + w[name + "_bias"]


def _attention(cell, w, x, past):
    """past: keys and values of earlier calls, [heads][cached][d_head] each, or None."""
    q, k, v = (np.split(_linear(w, name, x), cell.heads, axis=1) for name in "qkv")
    if past:
        k, v = ([np.concatenate(pair) for pair in zip(old, new)] for old, new in zip(past, (k, v)))
    heads = []
    for q_one, k_one, v_one in zip(q, k, v):
        scores = q_one @ k_one.T / math.sqrt(cell.d_head)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        heads.append(weights @ v_one / weights.sum(axis=1, keepdims=True))
    return _linear(w, "o", np.concatenate(heads, axis=1))


def _post_layer(cell, w, x):
    x = _norm(cell, w, "attention_norm", x + _attention(cell, w, x, None))
    return _norm(cell, w, "ffn_norm", x + _linear(w, "down", _gelu(cell, _linear(w, "up", x))))


def _pre_layer(cell, w, x, past):
    x = x + _attention(cell, w, _norm(cell, w, "attention_norm", x), past)
    return x + _linear(w, "down", _gelu(cell, _linear(w, "up", _norm(cell, w, "ffn_norm", x))))


def _of_layer(w, number):
    start = f"layers.{number}."
    return {name[len(start):]: part.astype(np.float64) for name, part in w.items() if name.startswith(start)}


def _encode(cell, w, inputs):
    rows = [x[:n].astype(np.float64) for x, n in zip(inputs["x"], cell.row_counts)]
    for number in range(cell.layers):
        one = _of_layer(w, number)
        rows = [_post_layer(cell, one, x) for x in rows]
    return np.concatenate(rows)


def _next(cell, w, inputs):
    table = w["embedding"].astype(np.float64)
    rows = [table[token] + w["positions"][cell.cached] for token in inputs["token"]]
    for number in range(cell.layers):
        one = _of_layer(w, number)
        rows = [_pre_layer(cell, one, x, (inputs["past_k"][b, number], inputs["past_v"][b, number]))
                for b, x in enumerate(rows)]
    return _norm(cell, w, "final_norm", np.concatenate(rows)) @ table.T


# -- Files ----------------------------------------------------------------------------------------------------------

def write(cell, folder):
    """Writes the cell's files unless they are there."""
    weights, path = folder / f"{cell.weights_name}.npy", folder / f"{cell.model}.npz"
    if not weights.exists():
        part = weights.with_suffix(".part.npy")
        np.save(part, _make_weights(cell))
        part.rename(weights)
    if not path.exists():
        inputs, part = make_inputs(cell), path.with_suffix(".part.npz")
        np.savez(part, expected=(_next if cell.vocab else _encode)(cell, _weights(cell, folder), inputs), **inputs)
        part.rename(path)


def read(cell, folder):
    with np.load(folder / f"{cell.model}.npz") as file:
        given = {name: np.ascontiguousarray(file[name]) for name in file.files}
    return Whole(w=_weights(cell, folder), **given)


def error(whole, rows):
    """Largest difference from float64, and whether that is float32's."""
    largest = float(np.abs(rows - whole.expected).max())
    return largest, bool(largest <= layers.TOLERANCE * np.abs(whole.expected).max())


real_rows = layers.real_rows
