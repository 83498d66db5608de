"""The cells of whole models: encoders as BERT is built, and GPT-2 making its next token; what each costs in operations
and bytes. Measures nothing and knows no system."""

from dataclasses import dataclass, replace

# Real rows of eight sequences, of 128: as sentences come, few of them long. 507 of 1024.
MIX = (128, 97, 33, 18, 74, 51, 22, 84)
POSITIONS, LONG_POSITIONS = 1024, 4096
SPARE_KEYS = 64  # that a cache has room for in addition to those that a cell's calls find in it


@dataclass(frozen=True)
class WholeCell:
    """One call of a stack of layers, f32, all linears with bias: x in and the last hidden state out, or, where there is
    a vocabulary, tokens in and the logits of the next one out."""
    batch: int
    length: int
    d_model: int
    heads: int
    layers: int
    lengths: tuple = None  # real rows of each sequence; None: all of them
    packed: bool = False  # peers may do without the padding, in whatever way is best for them
    threads: int = 1
    cached: int = 0  # keys and values of earlier calls
    vocab: int = 0
    narrow: bool = False  # measured with narrow numbers (rungs.py), too
    numbers: str = ""  # of a narrow cell's model: its rung
    whole = True
    family = ""  # of decoders, where it is not GPT-2's
    causal = False  # as encoders are; with a vocabulary a row sees no later one

    @property
    def name(self):
        threads = f"t{self.threads}_" if self.threads > 1 else ""
        kind = "packed_" if self.packed else "ragged_" if self.lengths else ""
        kind = f"next_{self.cached}_" if self.cached else "prompt_" if self.vocab else kind
        narrow = "narrow_" if self.narrow else ""
        return f"models_{narrow}{self.family}{threads}{kind}{self.batch}x{self.length}x{self.d_model}x{self.layers}"

    @property
    def model(self):
        """Name of the generated model; cells that differ only in what peers are given or in threads share one."""
        kind = f"_next_{self.cached}" if self.cached else "_prompt" if self.vocab else ""
        kind += "_ragged" if self.lengths else ""
        kind += f"_{self.numbers}" * bool(self.numbers)
        return f"whole_{self.family}{self.batch}_{self.length}_{self.d_model}_{self.layers}{kind}"

    def of(self, rung):
        """The cell of one rung: its model is another."""
        return replace(self, numbers=rung.name if rung.asked else "")

    @property
    def capacity(self):
        """Keys that the cache has room for."""
        return (self.cached or self.length) + SPARE_KEYS

    @property
    def positions(self):
        """Rows of the table of positions."""
        return POSITIONS if self.capacity <= POSITIONS else LONG_POSITIONS

    @property
    def weights_name(self):
        """Of the file of weights, which cells of one shape share."""
        long = f"_{self.positions}" if self.positions != POSITIONS else ""
        return f"whole_{self.family}{self.d_model}_{self.layers}_{self.vocab}{long}"

    @property
    def d_head(self):
        return self.d_model // self.heads

    @property
    def d_ff(self):
        return 4 * self.d_model

    @property
    def key_heads(self):
        """Of keys and values."""
        return self.heads

    @property
    def matrix_numbers(self):
        """Of the weights of a layer's linears, without their biases."""
        return 4 * self.d_model**2 + 2 * self.d_model * self.d_ff

    @property
    def vector_numbers(self):
        """Of a layer's biases and norms."""
        return 9 * self.d_model + self.d_ff

    @property
    def eps(self):
        return 1e-5 if self.vocab else 1e-12

    @property
    def row_counts(self):
        return self.lengths or (self.length,) * self.batch

    @property
    def rows(self):
        """Real rows of the whole batch."""
        return sum(self.row_counts)

    @property
    def pairs(self):
        """Pairs of a query and a key it sees, over the batch, for one head of one layer."""
        return sum(n * self.cached + (n * (n + 1) // 2 if self.vocab else n * n) for n in self.row_counts)

    @property
    def flops(self):
        """Multiply-adds of the products and of attention's two, at two each; neither padding nor norms, softmax and
        activation count."""
        layer = 2 * self.rows * self.matrix_numbers + 4 * self.pairs * self.d_model
        return self.layers * layer + 2 * self.batch * self.vocab * self.d_model

    @property
    def is_long(self):
        return self.flops > 5e10

    @property
    def weight_bytes(self):
        """Of the weights that a call reads whole: of an embedding it reads rows, but of tied logits all."""
        return 4 * (self.layers * (self.matrix_numbers + self.vector_numbers) + self.vocab * self.d_model)

    @property
    def cache_bytes(self):
        """Keys and values of earlier calls, which every call reads."""
        return 2 * 4 * self.layers * self.batch * self.cached * self.key_heads * self.d_head

    @property
    def read_bytes(self):
        return self.weight_bytes + self.cache_bytes

    @property
    def bytes(self):
        """What is moved at least once: weights, earlier keys and values, input and output."""
        return self.read_bytes + 4 * (self.batch * self.vocab if self.vocab else 2 * self.rows * self.d_model)


SHAPES = ((384, 12, 6), (768, 12, 12))
LENGTHS = (16, 128, 512)


def mix(length):
    return tuple(max(1, round(real * length / 128)) for real in MIX)


def _encoders(threads):
    found = []
    for shape in SHAPES:
        found += [WholeCell(1, length, *shape, threads=threads) for length in LENGTHS]
        found += [WholeCell(8, length, *shape, lengths=mix(length), packed=packed, threads=threads)
                  for length in LENGTHS for packed in (False, True)]
    return found


def _decoders(threads):
    return [WholeCell(1, 1, 768, 12, 12, threads=threads, cached=cached, vocab=50257) for cached in (128, 512)]


@dataclass(frozen=True)
class Group:
    """Cells that are judged together."""
    title: str
    has: object  # cell -> bool


def _groups(threads):
    of = f" on {threads} threads" if threads > 1 else ""

    def group(title, has):
        return Group(title + of, lambda cell: cell.threads == threads and has(cell))

    found = [group(f"B = 1, L = {length}", lambda c, n=length: not c.lengths and not c.vocab and c.length == n)
             for length in LENGTHS]
    return found + [group("ragged, peers padded", lambda c: c.lengths and not c.packed),
                    group("ragged, peers at their best", lambda c: c.packed),
                    group("the next token", lambda c: c.vocab > 0)]


GROUPS = _groups(1) + _groups(2)
ALL = [cell for threads in (1, 2) for cell in _encoders(threads) + _decoders(threads)]
NARROW = [WholeCell(1, length, 384, 12, 6, narrow=True) for length in LENGTHS] + [
    WholeCell(1, 128, 768, 12, 12, narrow=True), WholeCell(1, 512, 768, 12, 12, narrow=True),
    WholeCell(8, 128, 384, 12, 6, lengths=mix(128), packed=True, narrow=True),
] + [WholeCell(1, 1, 768, 12, 12, cached=cached, vocab=50257, narrow=True) for cached in (128, 2048)] + [
    WholeCell(1, length, 768, 12, 12, vocab=50257, narrow=True) for length in (128, 512)]


def spec_fields(cell):
    """The lines of a spec: every size a literal, and no feature that the cell does not use."""
    fields = [
        'kind = "encoder"', f'name = "{cell.model}"', f"d_model = {cell.d_model}", f"n_heads = {cell.heads}",
        f"d_ff = {cell.d_ff}", f"n_layers = {cell.layers}", f"seq_len = {cell.length}", f"batch = {cell.batch}",
        "mask = { lengths = %s%s }" % (str(bool(cell.lengths)).lower(), ", causal = true" if cell.vocab else ""),
    ]
    if not cell.vocab:
        return fields + [f"norm = {{ eps = {cell.eps} }}", 'ffn = { activation = "gelu" }']
    return fields + [
        f"cache = {cell.capacity}", f"vocab_size = {cell.vocab}",
        f'positions = {{ kind = "learned", rows = {cell.positions} }}', f'norm = {{ eps = {cell.eps}, place = "pre" }}',
        'ffn = { activation = "gelu_tanh" }', 'logits = { kind = "linear", tied = true }',
    ]
