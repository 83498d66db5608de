"""What the committed goldens are made of: sequences, shapes and tensor numbers. test_goldens.c and demo/demo.c hold the
same tables; a difference between them shows as a failing test, never as a silent pass."""

D_MODEL, N_HEADS = 48, 3
LIMIT = 9459  # 1 / sqrt(48) in 65536ths, as nn.Linear initialises
SHARP = 18918  # twice that for q and k, so that attention is far from uniform
INPUT = 114688  # 1.75: standard deviation 1.01

# Tensors of a weights file in the order they are numbered: name, shape, r of the formula.
def _four_linears(names, kind=("weight", "bias")):
    tensors = []
    for name, r in zip(names, (SHARP, SHARP, LIMIT, LIMIT)):
        tensors.append((f"{name}.{kind[0]}", (D_MODEL, D_MODEL), r))
        tensors.append((f"{name}.{kind[1]}", (D_MODEL,), LIMIT))
    return tensors


TORCH_MHA = [
    ("in_proj_weight", (3 * D_MODEL, D_MODEL), SHARP),
    ("in_proj_bias", (3 * D_MODEL,), LIMIT),
    ("out_proj.weight", (D_MODEL, D_MODEL), LIMIT),
    ("out_proj.bias", (D_MODEL,), LIMIT),
]

# Map -> number of its first tensor, tensors. "custom" holds its matrices as [in, out].
LAYOUTS = {
    "w_o": (0, _four_linears(("w_q", "w_k", "w_v", "w_o"))),
    "w_concat": (8, _four_linears(("w_q", "w_k", "w_v", "w_concat"))),
    "proj": (16, _four_linears(("q_proj", "k_proj", "v_proj", "out_proj"))),
    "torch_mha": (24, TORCH_MHA),
    "custom": (28, _four_linears(("query", "key", "value", "output"), ("kernel", "bias"))),
}

QUERY, KEY, VALUE = 40, 41, 42  # tensor numbers of the inputs, INPUT as their r

# Name, batch, q_len, kv_len (None: self-attention), q_lengths, kv_lengths.
VARIANTS = [
    ("full", 2, 7, None, None, None),
    ("longest", 1, 16, None, None, None),
    ("ragged", 3, 7, None, (7, 4, 1), None),
    ("cross", 2, 5, 11, None, None),
    ("cross_ragged", 2, 5, 11, (5, 3), (6, 11)),
]

# -- The demo -----------------------------------------------------------------------------------------------------

VOCAB_SIZE, DEMO_D_MODEL, DEMO_N_HEADS, DEMO_LENGTH, PADDING = 100, 512, 8, 20, 0

DEMO_TENSORS = [
    ("embedding.weight", (VOCAB_SIZE, DEMO_D_MODEL), 114688),
    ("w_q.weight", (DEMO_D_MODEL, DEMO_D_MODEL), 5792),
    ("w_q.bias", (DEMO_D_MODEL,), 2896),
    ("w_k.weight", (DEMO_D_MODEL, DEMO_D_MODEL), 5792),
    ("w_k.bias", (DEMO_D_MODEL,), 2896),
    ("w_v.weight", (DEMO_D_MODEL, DEMO_D_MODEL), 2896),
    ("w_v.bias", (DEMO_D_MODEL,), 2896),
    ("w_0.weight", (DEMO_D_MODEL, DEMO_D_MODEL), 2896),
    ("w_0.bias", (DEMO_D_MODEL,), 2896),
]

DEMO_STRIDE = 7  # of each flattened result the elements 0, 7, 14, ... are committed

SEQUENCES = [
    [62, 13, 47, 39, 78, 33, 56, 13, 39, 29, 44, 86, 71, 36, 18, 75],
    [60, 96, 51, 32, 90],
    [35, 45, 48, 65, 91, 99, 92, 10, 3, 21, 54],
    [75, 51],
    [66, 88, 98, 47],
    [21, 39, 10, 64, 21],
    [98],
    [77, 65, 51, 77, 19, 15, 35, 19, 23, 97, 50, 46, 53, 42, 45, 91, 66, 3, 43, 10],
    [70, 64, 98, 25, 99, 53, 4, 13, 69, 62, 66, 76, 15, 75, 45, 34],
    [20, 64, 81, 35, 76, 85, 1, 62, 8, 45, 99, 77, 19, 43],
]
