"""The numbers every system is given for a cell: input, weights, and the result in float64.
Made once per cell from a seed and kept as a file, so that all systems read the same bits."""

from dataclasses import dataclass

import numpy as np

# A float32 result may differ this much from float64's, in units of the largest expected value. Ten times what the worst
# float32 engine needs, a hundredth of what bfloat16 loses: who computes in less than float32 is found out.
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Layer:
    """Arrays are float32, C-contiguous; weights in PyTorch's orientation, [out][in]."""
    x: np.ndarray  # [batch][length][d_model]; rows after a sequence's length hold ordinary numbers
    w_in: np.ndarray  # [3 * d_model][d_model], q over k over v
    b_in: np.ndarray  # [3 * d_model]
    w_out: np.ndarray  # [d_model][d_model]
    b_out: np.ndarray  # [d_model]
    expected: np.ndarray  # [real rows][d_model], float64
    past_k: np.ndarray = None  # [batch][heads][cached][d_head], keys of earlier calls; None where there are none
    past_v: np.ndarray = None


def make_inputs(cell):
    """x is N(0, 1); weights as nn.MultiheadAttention initialises them, biases as nn.Linear does."""
    d = cell.d_model
    rng = np.random.default_rng([cell.batch, cell.length, d, cell.heads] + [cell.cached] * (cell.cached > 0))

    def uniform(bound, *shape):
        return rng.uniform(-bound, bound, shape).astype(np.float32)

    xavier, linear = (6.0 / (4 * d)) ** 0.5, d**-0.5
    past = (cell.batch, cell.heads, cell.cached, cell.d_head)
    earlier = {name: rng.standard_normal(past, dtype=np.float32) for name in ("past_k", "past_v") if cell.cached}
    return earlier | {
        "x": rng.standard_normal((cell.batch, cell.length, d), dtype=np.float32),
        "w_in": uniform(xavier, 3 * d, d), "b_in": uniform(linear, 3 * d),
        "w_out": uniform(linear, d, d), "b_out": uniform(linear, d),
    }


def _attend(cell, q, k, v):
    """One head of one sequence: [n][d_head] each; keys and values of earlier calls are the first ones."""
    scores = q @ k.T / np.sqrt(cell.d_head)
    if cell.causal:
        scores[np.triu_indices(len(q), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


def reference(cell, inputs):
    """The layer in float64, written to be read: [real rows][d_model]."""
    wide = {name: value.astype(np.float64) for name, value in inputs.items()}
    results = []
    for b, (x, n) in enumerate(zip(wide["x"], cell.row_counts)):
        q, k, v = np.split(x[:n] @ wide["w_in"].T + wide["b_in"], 3, axis=1)
        q, k, v = (np.split(rows, cell.heads, axis=1) for rows in (q, k, v))
        if cell.cached:
            k, v = ([np.concatenate(pair) for pair in zip(wide[name][b], new)]
                    for name, new in (("past_k", k), ("past_v", v)))
        together = np.concatenate([_attend(cell, *head) for head in zip(q, k, v)], axis=1)
        results.append(together @ wide["w_out"].T + wide["b_out"])
    return np.concatenate(results)


def write(cell, folder):
    """Writes the cell's file unless it is there."""
    path = folder / f"{cell.model}.npz"
    if not path.exists():
        inputs = make_inputs(cell)
        part = path.with_suffix(".part.npz")
        np.savez(part, expected=reference(cell, inputs), **inputs)
        part.rename(path)


def read(cell, folder):
    with np.load(folder / f"{cell.model}.npz") as file:
        return Layer(**{name: np.ascontiguousarray(file[name]) for name in file.files})


def real_rows(cell, padded):
    """[batch][length][d_model] -> [real rows][d_model]."""
    return np.concatenate([rows[:n] for rows, n in zip(padded, cell.row_counts)])


def distance(expected, rows):
    """1 - cosine of the angle between each row and what it should be: the mean over rows. NaN where a row has one."""
    rows = rows.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=-1) * np.linalg.norm(expected, axis=-1)
    return float((1 - (rows * expected).sum(axis=-1) / lengths).mean())


def error(layer, rows):
    """Largest difference from float64, and whether that is float32's."""
    largest = float(np.abs(rows - layer.expected).max())
    return largest, bool(largest <= TOLERANCE * np.abs(layer.expected).max())
