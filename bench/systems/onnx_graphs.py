"""The layer as ONNX graphs, in the forms that an engine may have a fast path for. Runs none of them.

    attn      com.microsoft.Attention: fused projection and attention in one operator
    mha       three MatMul, com.microsoft.MultiHeadAttention which adds their biases
    mha_gemm  the same with Gemm, which adds its own bias
    att23     three Gemm, ai.onnx Attention (opset 23)
    plain     what an exporter writes: MatMul, Add, Transpose, Softmax
    packed    `mha_gemm` and `att23` over the real rows alone: attention sequence by sequence between a Split and a
              Concat, since none of the operators takes packed rows
    gqa       for a cell with a cache: com.microsoft.GroupQueryAttention, whose past and present are one buffer; its
              q, k and v from one Gemm (gqa_gemm), one MatMul (gqa_matmul), or three Gemms (gqa_split)
Shapes are fixed: every engine may plan for them."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSETS = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
FORMS = ("attn", "mha", "mha_gemm", "att23", "plain")
CACHED_FORMS = ("gqa_gemm", "gqa_matmul", "gqa_split")
PACKED_FORMS = ("packed_mha", "packed_att23")
MASKED = np.finfo(np.float32).min


def cache_shape(cell):
    """Of the buffer of keys, and of the one of values: room for this call's rows after the earlier ones."""
    return [cell.batch, cell.heads, cell.cached + cell.length, cell.d_head]


def _infos(shapes):
    return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]


class Graph:
    """Collects nodes and constants; every method returns the name of what it made."""

    def __init__(self, cell, layer):
        self.cell, self.layer = cell, layer
        self.nodes, self.constants = [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, inputs, outputs=1, **attributes):
        names = [f"n{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def reshape(self, x, *shape):
        return self.node("Reshape", [x, self.constant(np.array(shape, np.int64))])

    def linear(self, x, weight, bias):
        """MatMul and Add, over any rank."""
        return self.node("Add", [self.node("MatMul", [x, self.constant(weight.T)]), self.constant(bias)])

    def gemm(self, x, weight, bias):
        """Gemm over rows [n][d_model]."""
        return self.node("Gemm", [x, self.constant(weight.T), self.constant(bias)])

    def out(self, x):
        return self.linear(x, self.layer.w_out, self.layer.b_out)

    def model(self, output, shape):
        self.nodes.append(helper.make_node("Identity", [output], ["output"]))
        past = dict.fromkeys(("key", "value") if self.cell.cached else (), cache_shape(self.cell))
        graph = helper.make_graph(
            self.nodes, "layer", _infos({"x": shape} | {f"past_{name}": size for name, size in past.items()}),
            _infos({"output": shape} | {f"present_{name}": size for name, size in past.items()}), self.constants)
        return helper.make_model(graph, opset_imports=OPSETS, ir_version=10).SerializeToString()


def _split(layer):
    return list(zip(np.split(layer.w_in, 3), np.split(layer.b_in, 3)))


def _lengths(g):
    """Input that gives each sequence's length, or none."""
    return [g.constant(np.array(g.cell.lengths, np.int32))] if g.cell.lengths else []


def _attn(g):
    inputs = ["x", g.constant(g.layer.w_in.T), g.constant(g.layer.b_in)] + _lengths(g)
    return g.out(g.node("Attention", inputs, domain="com.microsoft", num_heads=g.cell.heads,
                        unidirectional=int(g.cell.causal)))


def _mha(g, q, k, v, bias):
    inputs = [q, k, v, bias] + _lengths(g)
    return g.node("MultiHeadAttention", inputs, domain="com.microsoft", num_heads=g.cell.heads,
                  unidirectional=int(g.cell.causal))


def _mha_matmul(g):
    q, k, v = (g.node("MatMul", ["x", g.constant(weight.T)]) for weight, _ in _split(g.layer))
    return g.out(_mha(g, q, k, v, g.constant(g.layer.b_in)))


def _gemms(g):
    """q, k, v [batch][length][d_model] from Gemms over flat rows."""
    rows = g.reshape("x", -1, g.cell.d_model)
    return [g.reshape(g.gemm(rows, *pair), g.cell.batch, g.cell.length, g.cell.d_model) for pair in _split(g.layer)]


def _mha_gemm(g):
    return g.out(_mha(g, *_gemms(g), ""))


def _att23_node(g, q, k, v, mask):
    return g.node("Attention", [q, k, v] + mask, q_num_heads=g.cell.heads, kv_num_heads=g.cell.heads,
                  is_causal=int(g.cell.causal))


def _att23(g):
    mask = []
    if g.cell.lengths:  # [batch][1][length][length]: engines refuse one that is to be broadcast over queries
        real = np.arange(g.cell.length) < np.array(g.cell.lengths)[:, None]
        mask = [g.constant(np.repeat(real[:, None, None, :], g.cell.length, axis=2))]
    return g.out(_att23_node(g, *_gemms(g), mask))


def _plain_mask(cell):
    """What is added to the scores, or None."""
    if cell.causal:
        return np.triu(np.full((cell.length, cell.length), MASKED, np.float32), 1)
    if cell.lengths:
        real = np.arange(cell.length) < np.array(cell.lengths)[:, None]
        return np.where(real, np.float32(0), MASKED)[:, None, None, :]
    return None


def _plain(g):
    cell = g.cell
    q, k, v = (g.reshape(g.linear("x", *pair), cell.batch, cell.length, cell.heads, cell.d_head)
               for pair in _split(g.layer))
    q, v = (g.node("Transpose", [t], perm=[0, 2, 1, 3]) for t in (q, v))
    k = g.node("Transpose", [k], perm=[0, 2, 3, 1])
    scores = g.node("Mul", [g.node("MatMul", [q, k]), g.constant(np.float32(cell.d_head**-0.5))])
    mask = _plain_mask(cell)
    if mask is not None:
        scores = g.node("Add", [scores, g.constant(mask)])
    heads = g.node("MatMul", [g.node("Softmax", [scores], axis=-1), v])
    heads = g.node("Transpose", [heads], perm=[0, 2, 1, 3])
    return g.out(g.reshape(heads, cell.batch, cell.length, cell.d_model))


def _packed(g, attend):
    lengths = g.constant(np.array(g.cell.row_counts, np.int64))
    parts = [g.node("Split", [g.gemm("x", *pair), lengths], outputs=g.cell.batch, axis=0) for pair in _split(g.layer)]
    results = []
    for n, qkv in zip(g.cell.row_counts, zip(*parts)):
        result = attend(*(g.reshape(t, 1, n, g.cell.d_model) for t in qkv))
        results.append(g.reshape(result, n, g.cell.d_model))
    return g.gemm(g.node("Concat", results, axis=0), g.layer.w_out, g.layer.b_out)


def _packed_mha(g):
    return _packed(g, lambda q, k, v: g.node("MultiHeadAttention", [q, k, v], domain="com.microsoft",
                                             num_heads=g.cell.heads))


def _packed_att23(g):
    return _packed(g, lambda q, k, v: _att23_node(g, q, k, v, []))


def _gqa(g, q, k, v):
    total = g.cell.cached + g.cell.length
    lengths = [g.constant(np.full(g.cell.batch, total - 1, np.int32)), g.constant(np.array([total], np.int32))]
    g.nodes.append(helper.make_node(
        "GroupQueryAttention", [q, k, v, "past_key", "past_value"] + lengths,
        ["attended", "present_key", "present_value"], domain="com.microsoft", num_heads=g.cell.heads,
        kv_num_heads=g.cell.heads))
    return g.out("attended")


def _gqa_gemm(g):
    rows = g.gemm(g.reshape("x", -1, g.cell.d_model), g.layer.w_in, g.layer.b_in)
    return _gqa(g, g.reshape(rows, g.cell.batch, g.cell.length, 3 * g.cell.d_model), "", "")


def _gqa_matmul(g):
    return _gqa(g, g.linear("x", g.layer.w_in, g.layer.b_in), "", "")


def _gqa_split(g):
    return _gqa(g, *_gemms(g))


_BODIES = {
    "gqa_gemm": _gqa_gemm, "gqa_matmul": _gqa_matmul, "gqa_split": _gqa_split,
    "attn": _attn, "mha": _mha_matmul, "mha_gemm": _mha_gemm, "att23": _att23, "plain": _plain,
    "packed_mha": _packed_mha, "packed_att23": _packed_att23,
}


def make(form, cell, layer):
    """The serialised model: input `x` and `output`, [batch][length][d_model] or, packed, [real rows][d_model]."""
    graph = Graph(cell, layer)
    shape = [cell.rows, cell.d_model] if cell.packed else [cell.batch, cell.length, cell.d_model]
    return graph.model(_BODIES[form](graph), shape)
