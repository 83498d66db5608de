"""The rows of `ninja bench-features`: each a feature, the spec with it and the one without, what a call brings, what
the feature must cost, and what is asked of it. Measures nothing and builds nothing."""

import dataclasses
import fnmatch
import zlib
from dataclasses import dataclass, field

D_MODEL, HEADS = 512, 8
D_HEAD = D_MODEL // HEADS
LENGTHS = (128, 512)
KV_HEADS, WINDOW = 2, 128
SOFTMAX_FLOPS = 16  # of a pair of a query and a key, as predict.py counts them
DIVISION = 5        # multiply-adds' time that a division of whole vectors takes

# -- What a call must do ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """Operations and bytes of one call. Multiplications count as a multiply-add each; additions, comparisons and
    rounding run at the same time, and count only for a feature that does nothing else."""
    project: float  # flops of the projections
    pairs: float    # of a query and a key it sees, for one head
    ops: float = 0  # other operations on single numbers
    moved: float = 0  # bytes that pass between memory and the core besides weights, input and output
    block: float = 1  # of which so many lie side by side and are passed over again: they live in the cache they fit

    def us(self, gflops, gb_per_s):
        flops = self.project + self.pairs * (4 * D_MODEL + SOFTMAX_FLOPS * HEADS) + 2 * self.ops
        return flops / gflops / 1e3 + self.moved / gb_per_s / 1e3

    @property
    def alone(self):
        """The same without projections."""
        return dataclasses.replace(self, project=0)


def layer(length, rows=None, pairs=None, linear=8.0, **more):
    """The work of a layer; linear: flops of its projections in units of rows * d_model^2."""
    rows = rows or length
    return Work(linear * rows * D_MODEL**2, rows * rows if pairs is None else pairs, **more)


def triangle(n):
    return n * (n + 1) / 2


def window_pairs(n, window):
    return triangle(min(n, window)) + max(n - window, 0) * window


def _full(length):
    return layer(length)


def _causal(length):
    return layer(length, pairs=triangle(length))


def per_score(ops, work=_full):
    """So many operations on each score, of each head."""
    return lambda n: dataclasses.replace(work(n), ops=ops * work(n).pairs * HEADS)


def per_number(ops, projections):
    """So many operations on each number that so many projections make."""
    return lambda n: layer(n, ops=ops * n * D_MODEL * projections)


def mask(ops, element):
    """A [L][L] mask, read once for each head."""
    return lambda n: layer(n, ops=ops * n * n * HEADS, moved=element * n * n * HEADS, block=element * n * n)


def weights_written(rows):
    """[rows][L][L] numbers, from the weights of all heads."""
    return lambda n: layer(n, ops=n * n * HEADS, moved=4 * n * n * rows, block=4 * n * n * rows)


# -- The rows --------------------------------------------------------------------------------------------------------

LENGTHS_ONLY = "{ lengths = true }"
CAUSAL = "{ lengths = true, causal = true }"
BOOL = '{ lengths = true, tensor = "bool" }'


@dataclass(frozen=True)
class Row:
    name: str
    title: str
    on: dict = field(default_factory=dict)   # spec fields as Lua text
    off: dict = field(default_factory=dict)  # of the spec it is held against
    work: object = _full                     # length -> Work
    off_work: object = _full
    lengths: tuple = LENGTHS
    call: tuple = ()      # what the calls with it bring: names of feature_calls.EXTRAS
    off_call: tuple = ()  # and those without
    fewer_heads: bool = False  # of keys and values, so that their projections change, and attention next to nothing
    alone: bool = False   # attention alone (kind "sdpa") is measured with it and without it, too
    asked: dict = field(default_factory=dict)  # {(what, length): at most}; what: "layer" or "attention"


def masked(text, fill=None):
    return {"mask": text} | ({"mask_fill": fill} if fill else {})


TANH_OPS = 13 + DIVISION  # a polynomial for the exponential, and what puts it together
GELU_OPS = 25 + DIVISION  # another one for the tail
MASK_ASKED = {("layer", length): 1.10 for length in LENGTHS}

ROWS = [
    Row("causal", "causal", masked(CAUSAL), work=_causal, lengths=(128, 512, 2048), alone=True,
        asked={("attention", 512): 0.62}),
    Row("window", f"window {WINDOW}, causal", masked("{ lengths = true, causal = true, window = %d }" % WINDOW),
        work=lambda n: layer(n, pairs=window_pairs(n, WINDOW)), lengths=(512, 2048), alone=True,
        asked={("attention", 2048): 0.12}),
    Row("half_lengths", "lengths at half the padded size", work=lambda n: layer(n, rows=n // 2), call=("half",),
        asked={("layer", length): 0.55 for length in LENGTHS}),
    Row("bool_mask", "bool mask at run time", masked(BOOL), work=mask(1, 1), call=("mask",), alone=True,
        asked=MASK_ASKED),
    Row("additive_mask", "additive mask at run time", masked('{ lengths = true, tensor = "additive" }'),
        work=mask(1, 4), call=("additive_mask",), alone=True, asked=MASK_ASKED),
    Row("mask_fill", "mask_fill -1e9, causal", masked(CAUSAL, "-1e9"), masked(CAUSAL), work=_causal, off_work=_causal),
    Row("mask_fill_bool", "mask_fill -1e9, bool mask", masked(BOOL, "-1e9"), masked(BOOL), work=mask(1, 1),
        off_work=mask(1, 1), call=("mask",), off_call=("mask",)),
    Row("softcap", "softcap 30", {"softcap": "30"}, work=per_score(TANH_OPS + 2)),
    Row("sinks", "sinks", {"sinks": "true"}, work=lambda n: layer(n, ops=SOFTMAX_FLOPS / 2 * n * HEADS)),
    Row("alibi", "alibi, causal", {"alibi": "true"} | masked(CAUSAL), masked(CAUSAL), work=per_score(1, _causal),
        off_work=_causal),
    Row("alibi_softcap_mask", "alibi, softcap 30 and a bool mask", {"alibi": "true", "softcap": "30"} | masked(BOOL),
        work=lambda n: dataclasses.replace(mask(1, 1)(n), ops=(TANH_OPS + 4) * n * n * HEADS), call=("mask",),
        asked={("layer", 512): 1.06}),
    Row("relative_bias", "relative_bias", {"relative_bias": "{ num_buckets = 32 }"}, work=per_score(1)),
    Row("rope_half_split", "rope half_split", {"rope": '{ layout = "half_split" }'}, work=per_number(2, 2)),
    Row("rope_interleaved", "rope interleaved", {"rope": '{ layout = "interleaved" }'}, work=per_number(3, 2)),
    Row("qk_norm_rms", "qk_norm rms", {"qk_norm": '{ kind = "rms" }'}, work=per_number(3, 2)),
    Row("qk_norm_layer", "qk_norm layer", {"qk_norm": '{ kind = "layer" }'}, work=per_number(5, 2)),
    Row("relu", "activation relu on v", {"activation": '{ v = "relu" }'}, work=per_number(1, 1)),
    Row("gelu", "activation gelu on v", {"activation": '{ v = "gelu" }'}, work=per_number(GELU_OPS, 1)),
    Row("attention", "outputs attention, asked for", {"outputs": '{ "attention" }'}, work=weights_written(HEADS),
        call=("attention",)),
    Row("attention_listed", "outputs attention, not asked for", {"outputs": '{ "attention" }'}),
    Row("attention_mean", "outputs attention_mean, asked for", {"outputs": '{ "attention_mean" }'},
        work=weights_written(1), call=("attention_mean",)),
    Row("bias_kv", "add_bias_kv", {"add_bias_kv": "true"}, work=lambda n: layer(n, pairs=n * (n + 1))),
    Row("zero_attn", "add_zero_attn", {"add_zero_attn": "true"}, work=lambda n: layer(n, pairs=n * (n + 1))),
    Row("shared_heads", "heads shared", {"heads": '"shared"'}, work=lambda n: layer(n, linear=2 + 6 / HEADS)),
    Row("gqa", f"GQA {HEADS} → {KV_HEADS}", {"n_kv_heads": str(KV_HEADS)},
        work=lambda n: layer(n, linear=4 + 4 * KV_HEADS / HEADS), alone=True, fewer_heads=True),
    Row("no_biases", "no biases", {"bias": "false"}),
    Row("cache", "cache, filled by one call", {"cache": None, "mask": LENGTHS_ONLY},
        masked('{ lengths = true, causal = "bottom_right" }'), work=_causal, off_work=_causal, call=("cache",)),
    Row("dropout", "dropout 0.1 (the same code)", {"dropout": "0.1"}),
]
BY_NAME = {row.name: row for row in ROWS}


def choose(patterns, lengths):
    """[(row, length)]; a pattern fits a row's name, None all rows; lengths None: each row's own. Raises ValueError."""
    chosen = []
    for pattern in patterns or ["*"]:
        fitting = [row for row in ROWS if fnmatch.fnmatchcase(row.name, pattern)]
        if not fitting:
            raise ValueError(f"no feature is called '{pattern}'; there are {', '.join(BY_NAME)}")
        chosen += [row for row in fitting if row not in chosen]
    return [(row, length) for row in chosen for length in lengths or row.lengths]


# -- Specs -----------------------------------------------------------------------------------------------------------

def most(length):
    """Longest sequence of a model that serves a length: one model for all the usual ones."""
    return 512 if length <= 512 else length


def model(row, length, is_on, alone=False):
    """(name, fields) of the generated model; the name tells its fields apart, so that rows share what is alike."""
    fields = row.on if is_on else row.off
    fields = {"mask": LENGTHS_ONLY} | {key: text or str(most(length)) for key, text in fields.items()}
    if alone:
        fields["kind"] = '"sdpa"'
    told = " ".join(f"{key} {fields[key]}" for key in sorted(fields))
    name = f"feature_{most(length)}_{'alone' if alone else 'layer'}_{zlib.crc32(told.encode()):08x}"
    sizes = {"name": f'"{name}"', "d_model": D_MODEL, "n_heads": HEADS, "seq_len": f'"1..{most(length)}"'}
    return name, sizes | fields


def spec(fields):
    return "-- A row of ninja bench-features (bench/feature_rows.py).\n{\n" + "".join(
        f"  {key} = {text},\n" for key, text in fields.items()) + "}\n"
