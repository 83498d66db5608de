"""Names of cells for people: "1 × 128 rows, 512 / 8 heads" in place of "1x128x512x8". Only pictures have them: tables
and options keep the names that the command line takes."""

import cells

FAMILIES = {"": "", "llama_": "Llama, "}


def _call(cell):
    """What one call is given."""
    if cell.cached:
        rows = "next token" if cell.whole else "1 row" if cell.length == 1 else f"{cell.length} rows"
        return f"{rows} after {cell.cached}"
    if cell.whole and cell.vocab:
        return f"prompt of {cell.length}"
    return f"{cell.batch} × {cell.length} row{'s' if cell.length > 1 else ''}"


def _more(cell):
    """What sets it apart from a cell of the same shape."""
    kind = "packed" if cell.packed else "ragged" if cell.lengths else "causal" if cell.causal and not cell.whole else ""
    threads = f"{cell.threads} threads" if cell.threads > 1 else ""
    return "".join(f", {word}" for word in (kind, threads) if word)


def label(name):
    """Of a cell by its name."""
    cell = cells.BY_NAME[name]
    family = FAMILIES[cell.family] if cell.whole else ""
    shape = f"{cell.d_model}, {cell.layers} layers" if cell.whole else f"{cell.d_model} / {cell.heads} heads"
    return f"{family}{_call(cell)}, {shape}{_more(cell)}"


# What a step of the ladder multiplies, by its name.
NUMBERS = {"fast": "f32, fast products", "fast2": "f32, fast:2", "peers_f32": "f32",
           "int8_w_int8": "int8, int8 weights", "int8_w_int4": "int8, int4 weights", "w_f16": "f16 weights",
           "w_bf16": "bf16 weights", "w_int8": "int8 weights", "w_int4": "int4 weights"}


def variant(text):
    """A peer's variant, without the name of its step, which stands beside it."""
    words = [word for word in text.split(" ") if word not in NUMBERS]
    return " ".join(word.replace("_", " ") if word.islower() else word for word in words)
