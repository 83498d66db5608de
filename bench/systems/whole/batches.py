"""How a ragged batch is cut into batches of a peer's own: padded as it is, sequences one by one without padding, or
sorted by length into smaller batches, each padded to its own longest. Runs none of them."""

from dataclasses import dataclass

import numpy as np

SORTED = (2, 4)  # sequences a batch


@dataclass(frozen=True)
class Part:
    """Some sequences of a cell."""
    which: tuple
    x: np.ndarray  # [sequences][their longest][d_model]
    lengths: np.ndarray  # [sequences] int32; None: no padding


def part(cell, x, which):
    counts = [cell.row_counts[b] for b in which]
    return Part(tuple(which), np.ascontiguousarray(x[list(which), :max(counts)]),
                np.array(counts, np.int32) if min(counts) < max(counts) else None)


def ways(cell):
    """{name: sequences of each batch} of a cell whose padding need not be computed."""
    order = sorted(range(cell.batch), key=lambda b: cell.row_counts[b])
    found = {"one_by_one": [(b,) for b in range(cell.batch)]}
    for size in SORTED:
        found[f"sorted_by_{size}"] = [tuple(order[at:at + size]) for at in range(0, cell.batch, size)]
    return found


def split(cell, x, way):
    """The parts of a cell in one of its ways; None: all in one, as it is."""
    if way is None:
        lengths = np.array(cell.lengths, np.int32) if cell.lengths else None
        return [Part(tuple(range(cell.batch)), x, lengths)]
    return [part(cell, x, which) for which in ways(cell)[way]]


def real_rows(cell, parts, outputs):
    """[real rows][d_model] in the cell's order, from what each part gave."""
    found = {b: rows[:cell.row_counts[b]] for one, made in zip(parts, outputs) for b, rows in zip(one.which, made)}
    return np.concatenate([found[b] for b in range(cell.batch)])
