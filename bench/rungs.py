"""The ladder of narrow numbers, as a table: how a spec asks for each, what bounds its speed, and how far from float64
its results may be. Another one is one more line. Measures nothing and knows no system.

In cells of narrow numbers (`narrow_*`) the name of each variant begins with its rung's: "int8 avx512"."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rung:
    name: str
    asked: str  # the field of a spec that asks for it; "" where nothing has to
    peak: str  # the loop of narrow_peaks.c whose speed bounds its linears
    bits: float  # a weight takes, with its share of scales
    limit: float  # 1 - cosine to float64 beyond which a result is something else
    rivals: tuple  # rungs of the peers that it is held against
    is_ours: bool = True  # whether the generator knows it
    is_storage: bool = False  # of weights alone: for tokens one at a time, whose time is that of reading them
    pairs_rows: bool = False  # multiplies rows of a sequence in pairs: for several rows, each of which sees all others


RUNGS = (
    Rung("f32", "", "f32", 32, 1e-6, ("f32",)),  # 1e-13 but in llama.cpp, whose gelu is a table of f16
    # Seven products of halves where f32 has eight, so that it may pass the peak; sums of weights take 7/4 of the bytes.
    Rung("fast", 'matmul = "fast"', "f32", 56, 1e-6, ("peers_f32",), pairs_rows=True),
    # Two levels: 49 products of quarters for 64, and 49/16 of the bytes.
    Rung("fast2", 'matmul = "fast:2"', "f32", 98, 1e-6, ("peers_f32",), pairs_rows=True),
    Rung("peers_f32", "", "f32", 32, 1e-6, ("peers_f32",), is_ours=False, pairs_rows=True),
    Rung("bf16", 'dtype = "bf16"', "bf16", 16, 1e-3, ("bf16", "w_bf16")),
    Rung("i16", 'dtype = "i16"', "i16", 16, 1e-5, ("i16", "bf16", "w_bf16")),  # nobody else has it
    Rung("int8", 'dtype = "int8"', "int8", 8, 0.1, ("int8", "w_int8")),  # Q8_0 multiplies integers, too
    Rung("w_f16", 'weights_dtype = "f16"', "f32", 16, 1e-3, ("w_f16",), is_ours=False, is_storage=True),
    Rung("w_bf16", 'weights_dtype = "bf16"', "f32", 16, 1e-3, ("w_bf16",), is_storage=True),
    Rung("w_int8", 'weights_dtype = "int8"', "f32", 8.5, 1e-2, ("w_int8",), is_storage=True),
    Rung("w_int4", 'weights_dtype = "int4"', "f32", 4.5, 0.2, ("w_int4",), is_storage=True),
    # Rows of 8 bits by weights in groups: what llama.cpp does with its own formats.
    Rung("int8_w_int8", 'dtype = "int8", weights_dtype = "int8"', "int8", 8.5, 0.1, ("w_int8",), is_storage=True),
    Rung("int8_w_int4", 'dtype = "int8", weights_dtype = "int4"', "int8", 4.5, 0.2, ("w_int4",), is_storage=True),
)
BY_NAME = {rung.name: rung for rung in RUNGS}
BASE = "f32"  # measured in every cell, as ours is held against it
PEERS_F32 = "peers_f32"  # the variants that a peer has in cells of f32 alone
PEAKS = tuple(dict.fromkeys(rung.peak for rung in RUNGS))


def of_variant(name):
    """The rung of a variant of a narrow cell."""
    return BY_NAME[name.split()[0]]


def of_cell(cell):
    """The rungs that a narrow cell is measured on: storage where tokens are read or made, pairs of rows where not."""
    makes_tokens = cell.rows == 1 or cell.whole and cell.vocab
    return [rung for rung in RUNGS if not (rung.pairs_rows if makes_tokens else rung.is_storage)]


def ours(cell):
    """Those that the generator makes a model of."""
    return [rung for rung in of_cell(cell) if rung.is_ours]


def choose(names):
    """The names, the base and what they are held against; None: all. Raises ValueError for one that is not known."""
    for name in names or []:
        if name not in BY_NAME:
            raise ValueError(f"no numbers are called '{name}'; there are {', '.join(BY_NAME)}")
    wanted = {BASE, *(names or BY_NAME)}
    wanted |= {rival for name in wanted for rival in BY_NAME[name].rivals}
    return [name for name in BY_NAME if name in wanted]


def spec_fields(cell):
    """What the spec of a cell's model says of the numbers of its rung. Where tokens follow earlier ones, all that are
    no finer than bf16 keep keys and values in two bytes, as llama.cpp does by default."""
    rung = BY_NAME[cell.numbers]
    return [rung.asked] + ['cache_dtype = "bf16"'] * _halves_cache(cell, rung)


def our_variant(cell, rung):
    """The name of our variant: its rung, and how it keeps keys and values where not in f32."""
    return f"{rung.name} bf16_cache" if _halves_cache(cell, rung) else rung.name


def _halves_cache(cell, rung):
    return cell.cached > 0 and rung.limit >= BY_NAME["bf16"].limit


def cache_bytes(cell, variant):
    """Of the keys and values that a call reads: bf16_cache and f16_cache keep them in half of f32's bytes."""
    return cell.cache_bytes // (2 if "f16_cache" in variant else 1)


def weight_bytes(cell, rung):
    """Of the weights that a call reads, kept as this rung keeps them. Biases and norms, which stay f32, count as they
    do: they are a thousandth."""
    return cell.weight_bytes * rung.bits / 32


def memory(cell, names):
    """Bytes that a run of these numbers keeps: the weights in float, and those of each model, of ours and of a peer."""
    kept = sum(rung.bits / 32 for rung in of_cell(cell) if rung.name in names)
    return int(cell.weight_bytes * (1 + 2 * kept))


def too_large(cell, names, free):
    """Why the cell's models do not fit together into so many bytes, or None."""
    needed = memory(cell, names) if cell.narrow else 0
    if needed <= free:
        return None
    return (f"its models take {needed / 1e9:.0f} GB, of which {free / 1e9:.0f} are free; "
            "--numbers w_int8,w_int4 takes fewer of them")
