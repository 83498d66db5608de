"""The cells: which layers are measured, in which groups, and what each costs in operations and bytes.
Measures nothing and knows no system."""

import fnmatch
from dataclasses import dataclass, replace

import llama_cells
import whole_cells

RAGGED = (16, 5, 11, 2, 5, 5, 1, 20, 15, 14)  # lengths of the demo's ten sequences: 94 tokens of 200


@dataclass(frozen=True)
class Cell:
    """One call: self-attention of a batch, f32, all projections with bias."""
    batch: int
    length: int
    d_model: int
    heads: int
    causal: bool = False
    lengths: tuple = None  # real rows of each sequence; None: all of them
    packed: bool = False  # peers are given the real rows alone, not the padded tensor
    threads: int = 1
    cached: int = 0  # keys and values of earlier calls, to which this call's rows are added: with 1 row, decoding
    narrow: bool = False  # measured with narrow numbers (rungs.py), too
    numbers: str = ""  # of a narrow cell's model: its rung
    whole = False  # one layer, and not a whole model (whole_cells.py)
    is_long = False  # a call takes half a second or more

    @property
    def name(self):
        kind = "causal_" if self.causal else "ragged_packed_" if self.packed else "ragged_" if self.lengths else ""
        kind = f"cached_{self.cached}_" if self.cached else kind
        threads = f"t{self.threads}_" if self.threads > 1 else ""
        narrow = "narrow_" if self.narrow else ""
        return f"{narrow}{threads}{kind}{self.batch}x{self.length}x{self.d_model}x{self.heads}"

    @property
    def model(self):
        """Name of the generated model; cells that differ only in what peers are given or in threads share one."""
        kind = "_causal" if self.causal else "_ragged" if self.lengths else ""
        kind = f"_cached_{self.cached}" if self.cached else kind
        kind += f"_{self.numbers}" * bool(self.numbers)
        return f"bench_{self.batch}_{self.length}_{self.d_model}_{self.heads}{kind}"

    def of(self, rung):
        """The cell of one rung: its model is another."""
        return replace(self, numbers=rung.name if rung.asked else "")

    @property
    def d_head(self):
        return self.d_model // self.heads

    @property
    def row_counts(self):
        return self.lengths or (self.length,) * self.batch

    @property
    def rows(self):
        """Real rows of the whole batch."""
        return sum(self.row_counts)

    @property
    def pairs(self):
        """Pairs of a query and a key it sees, over the batch, for one head."""
        return sum(n * self.cached + (n * (n + 1) // 2 if self.causal else n * n) for n in self.row_counts)

    @property
    def flops(self):
        """What the layer needs: neither padding nor pairs after the causal mask count."""
        return 8 * self.rows * self.d_model**2 + 4 * self.pairs * self.d_model

    @property
    def weight_bytes(self):
        return 4 * (4 * self.d_model**2 + 4 * self.d_model)

    @property
    def cache_bytes(self):
        """Keys and values of earlier calls, which every call reads."""
        return 2 * 4 * self.batch * self.cached * self.d_model

    @property
    def read_bytes(self):
        return self.weight_bytes + self.cache_bytes

    @property
    def bytes(self):
        """What is moved at least once: weights, earlier keys and values, input and output."""
        return self.read_bytes + 2 * 4 * self.rows * self.d_model


PLAIN = [
    Cell(1, 1, 512, 8), Cell(1, 20, 512, 8), Cell(10, 20, 512, 8), Cell(1, 32, 512, 8), Cell(1, 77, 512, 8),
    Cell(1, 128, 512, 8), Cell(1, 512, 512, 8), Cell(1, 2048, 512, 8), Cell(1, 128, 384, 12), Cell(8, 128, 384, 12),
    Cell(1, 128, 768, 12), Cell(1, 197, 768, 12), Cell(1, 512, 768, 12), Cell(1, 16, 128, 4), Cell(4, 100, 240, 5),
]
CAUSAL = [Cell(1, length, 512, 8, causal=True) for length in (128, 512, 2048)]
RAGGED_CELLS = [Cell(10, 20, 512, 8, lengths=RAGGED), Cell(10, 20, 512, 8, lengths=RAGGED, packed=True)]
TWO_THREADS = [
    Cell(1, 20, 512, 8, threads=2), Cell(1, 128, 512, 8, threads=2), Cell(1, 512, 512, 8, threads=2),
    Cell(8, 128, 384, 12, threads=2),
]
DECODING = [Cell(1, 1, 512, 8, cached=cached) for cached in (512, 2048)]
ALL = PLAIN + CAUSAL + RAGGED_CELLS + DECODING + TWO_THREADS
NARROW = [
    Cell(1, 20, 512, 8, narrow=True), Cell(1, 128, 512, 8, narrow=True), Cell(1, 512, 512, 8, narrow=True),
    Cell(8, 128, 384, 12, narrow=True), Cell(1, 128, 768, 12, narrow=True), Cell(1, 512, 768, 12, narrow=True),
]
LAYERS, MODELS = ALL + NARROW, whole_cells.ALL + whole_cells.NARROW + llama_cells.NARROW
BY_NAME = {cell.name: cell for cell in LAYERS + MODELS}
QUICK = ["1x1x512x8", "1x20x512x8", "1x16x128x4", "narrow_1x20x512x8"]

SMALL_AND_ODD = {"1x16x128x4", "4x100x240x5", "1x77x512x8", "1x197x768x12"}


@dataclass(frozen=True)
class Group:
    """Cells that are judged together. A cell may be in two."""
    title: str
    has: object  # cell -> bool


def _is_plain(cell):
    return cell.threads == 1 and not cell.causal and not cell.lengths and not cell.cached


GROUPS = [
    Group("L = 20 … 512, d_model ≥ 384",
          lambda c: _is_plain(c) and 20 <= c.length <= 512 and c.d_model >= 384),
    Group("L = 2048", lambda c: _is_plain(c) and c.length == 2048),
    Group("one row", lambda c: _is_plain(c) and c.length == 1),
    Group("causal", lambda c: c.threads == 1 and c.causal),
    Group("ragged, peers padded", lambda c: c.threads == 1 and c.lengths is not None and not c.packed),
    Group("ragged, peers packed", lambda c: c.threads == 1 and c.packed),
    Group("one row after a cache", lambda c: c.threads == 1 and c.cached > 0),
    Group("small and odd", lambda c: c.name in SMALL_AND_ODD),
    Group("2 threads", lambda c: c.threads == 2),
    Group("all on one thread", lambda c: c.threads == 1),
]


def choose(patterns, threads):
    """The cells whose name fits one of the patterns (None: all of one layer) and whose thread count is listed; whole
    models where a pattern begins with their "models". Raises ValueError for a pattern that fits none, and for layers
    and not whole models, which are reported apart."""
    chosen = []
    for pattern in patterns or ["*"]:
        among = MODELS if pattern.startswith("models") else LAYERS
        fitting = [cell for cell in among if fnmatch.fnmatchcase(cell.name, pattern)]
        if not fitting:
            raise ValueError(f"no cell is called '{pattern}'; there are {', '.join(BY_NAME)}")
        chosen += [cell for cell in fitting if cell.threads in threads and cell not in chosen]
    if len({cell.whole for cell in chosen}) > 1:
        raise ValueError("cells of one layer and of whole models (models*) are measured in separate runs")
    return chosen
