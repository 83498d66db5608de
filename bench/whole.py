"""The numbers every system is given for a whole model: input, weights, and the result in float64. Made once from a
seed; weights are a file of their own, which all systems map and cells of one shape share."""

import math
from dataclasses import dataclass

import numpy as np

import float64
import layer as layers
import llama


@dataclass(frozen=True)
class Whole:
    """Arrays are float32, C-contiguous; weights in PyTorch's orientation, by the names that roles have here."""
    x: np.ndarray  # [batch][length][d_model]; rows after a sequence's length hold ordinary numbers
    w: dict
    expected: np.ndarray  # [real rows][d_model] or [batch][vocab], float64
    token: np.ndarray = None  # [batch][length] int32, in place of x where there is a vocabulary
    past_k: np.ndarray = None  # [batch][layers][heads][cached][d_head], keys of earlier calls
    past_v: np.ndarray = None


def shapes(cell):
    """{name: shape} in the order they lie in the file."""
    if cell.family:
        return llama.shapes(cell)
    d, f, found = cell.d_model, cell.d_ff, {}
    if cell.vocab:
        found |= {"embedding": (cell.vocab, d), "positions": (cell.positions, d)}
    one = {f"{x}_{part}": (d, d) if part == "weight" else (d,) for x in "qkvo" for part in ("weight", "bias")}
    one |= {"attention_norm_weight": (d,), "attention_norm_bias": (d,), "up_weight": (f, d), "up_bias": (f,),
            "down_weight": (d, f), "down_bias": (d,), "ffn_norm_weight": (d,), "ffn_norm_bias": (d,)}
    for number in range(cell.layers):
        found |= {f"layers.{number}.{name}": shape for name, shape in one.items()}
    return found | ({"final_norm_weight": (d,), "final_norm_bias": (d,)} if cell.vocab else {})


def joined_qkv(w, at, part):
    """The weights or biases of q, k and v of the layer whose names begin with `at`, as one."""
    return np.concatenate([w[f"{at}{name}_{part}"] for name in "qkv"])


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
        past = (cell.batch, cell.layers, cell.key_heads, cell.cached, cell.d_head)
        found |= {"token": rng.integers(0, cell.vocab, (cell.batch, cell.length), np.int32)}
        found |= {name: rng.standard_normal(past, dtype=np.float32) for name in ("past_k", "past_v")}
    return found


# -- Files ----------------------------------------------------------------------------------------------------------

def _reference(cell):
    if cell.family:
        return llama.following
    return float64.following if cell.vocab else float64.encode


def write(cell, folder):
    """Writes the cell's files unless they are there."""
    weights, path = folder / f"{cell.weights_name}.npy", folder / f"{cell.model}.npz"
    if not weights.exists():
        part = weights.with_suffix(".part.npy")
        np.save(part, _make_weights(cell))
        part.rename(weights)
    if not path.exists():
        inputs, part = make_inputs(cell), path.with_suffix(".part.npz")
        np.savez(part, expected=_reference(cell)(cell, _weights(cell, folder), inputs), **inputs)
        part.rename(path)


def read(cell, folder):
    with np.load(folder / f"{cell.model}.npz") as file:
        given = {name: np.ascontiguousarray(file[name]) for name in file.files}
    return Whole(w=_weights(cell, folder), **given)


def error(whole, rows):
    """Largest difference from float64, and whether that is float32's."""
    largest = float(np.abs(rows - whole.expected).max())
    return largest, bool(largest <= layers.TOLERANCE * np.abs(whole.expected).max())


real_rows, distance = layers.real_rows, layers.distance
