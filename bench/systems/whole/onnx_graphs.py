"""Whole encoders as ONNX graphs, in the forms that an engine may have a fast path for. Runs none of them.

    fused     what ONNX Runtime's optimizer makes of BERT: com.microsoft.Attention, SkipLayerNormalization, BiasGelu
    gemm      the same over flat rows, with Gemm, which adds its own bias, and com.microsoft.MultiHeadAttention
    plain     what an exporter writes: MatMul, Add, Transpose, Softmax, LayerNormalization, Erf
    step      GPT-2's next token: com.microsoft.GroupQueryAttention, whose past and present are one buffer a layer,
              SkipLayerNormalization and FastGelu; qkv and logits by MatMul, or by Gemm
Shapes are fixed, but where sequences are given by themselves: then batch and length are any."""

import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from whole import joined_qkv

OPSETS = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
FORMS = ("fused", "gemm", "plain")
STEPS = ("step_matmul", "step_gemm")
MASKED = np.finfo(np.float32).min
MS = "com.microsoft"


class Graph:
    """Collects nodes and constants; every method returns the name of what it made."""

    def __init__(self, cell, w, shape, lengths):
        """lengths: an input of each sequence's real rows is there, and keys after them are masked."""
        self.cell, self.w, self.shape, self.lengths = cell, w, shape, lengths
        self.nodes, self.constants = [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def reshape(self, x, *shape):
        return self.node("Reshape", x, self.constant(np.array(shape, np.int64)))

    def weight(self, name):
        return self.constant(self.w[name + "_weight"].T)

    def bias(self, name):
        return self.constant(self.w[name + "_bias"])

    def matmul(self, x, name):
        return self.node("MatMul", x, self.weight(name))

    def linear(self, x, name):
        return self.node("Add", self.matmul(x, name), self.bias(name))

    def gemm(self, x, name):
        return self.node("Gemm", x, self.weight(name), self.bias(name))

    def norm(self, x, name):
        scale = self.constant(self.w[name + "_weight"])
        return self.node("LayerNormalization", x, scale, self.bias(name), axis=-1, epsilon=self.cell.eps)

    def skip_norm(self, x, y, name, *bias):
        scale = self.constant(self.w[name + "_weight"])
        return self.node("SkipLayerNormalization", y, x, scale, self.bias(name), *bias, domain=MS,
                         epsilon=self.cell.eps)

    def model(self, output):
        self.nodes.append(helper.make_node("Identity", [output], ["output"]))
        given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)]
        if self.lengths:
            given.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, self.shape[:1]))
        made = helper.make_tensor_value_info("output", TensorProto.FLOAT, self.shape)
        graph = helper.make_graph(self.nodes, "encoder", given, [made], self.constants)
        return helper.make_model(graph, opset_imports=OPSETS, ir_version=10).SerializeToString()


def _fused_layer(g, x, at):
    mask = ["lengths"] if g.lengths else []
    heads = g.node("Attention", x, g.constant(joined_qkv(g.w, at, "weight").T),
                   g.constant(joined_qkv(g.w, at, "bias")), *mask,
                   domain=MS, num_heads=g.cell.heads)
    x = g.skip_norm(x, g.matmul(heads, at + "o"), at + "attention_norm", g.bias(at + "o"))
    wide = g.node("BiasGelu", g.matmul(x, at + "up"), g.bias(at + "up"), domain=MS)
    return g.skip_norm(x, g.matmul(wide, at + "down"), at + "ffn_norm", g.bias(at + "down"))


def _fused(g):
    x = "x"
    for number in range(g.cell.layers):
        x = _fused_layer(g, x, f"layers.{number}.")
    return x


def _gemm_layer(g, x, at):
    """x [rows][d_model]."""
    d = g.cell.d_model
    batch, length = (n if isinstance(n, int) else -1 for n in g.shape[:2])
    back = (batch if length < 0 else -1, length, d) if batch >= 0 or length >= 0 else None
    q, k, v = (g.reshape(g.gemm(x, at + name), *back) for name in "qkv")
    mask = ["", "lengths"] if g.lengths else []
    heads = g.node("MultiHeadAttention", q, k, v, *mask, domain=MS, num_heads=g.cell.heads)
    x = g.skip_norm(x, g.gemm(g.reshape(heads, -1, d), at + "o"), at + "attention_norm")
    wide = g.node("Gelu", g.gemm(x, at + "up"), domain=MS)
    return g.skip_norm(x, g.gemm(wide, at + "down"), at + "ffn_norm")


def _gemm(g):
    x = g.reshape("x", -1, g.cell.d_model)
    for number in range(g.cell.layers):
        x = _gemm_layer(g, x, f"layers.{number}.")
    length = g.shape[1] if isinstance(g.shape[1], int) else -1
    return g.reshape(x, g.shape[0] if length < 0 else -1, length, g.cell.d_model)


def _mask(g):
    """What is added to the scores, [batch][1][1][length], or None."""
    if not g.lengths:
        return None
    real = g.node("Less", g.constant(np.arange(g.shape[1], dtype=np.int32)[None]),
                  g.node("Unsqueeze", "lengths", g.constant(np.array([1], np.int64))))
    added = g.node("Where", real, g.constant(np.float32(0)), g.constant(MASKED))
    return g.node("Unsqueeze", added, g.constant(np.array([1, 2], np.int64)))


def _gelu(g, x):
    root = g.node("Div", x, g.constant(np.float32(math.sqrt(2))))
    whole = g.node("Add", g.node("Erf", root), g.constant(np.float32(1)))
    return g.node("Mul", g.node("Mul", x, whole), g.constant(np.float32(0.5)))


def _plain_attention(g, x, at, mask):
    cell = g.cell
    q, k, v = (g.reshape(g.linear(x, at + name), 0, 0, cell.heads, cell.d_head) for name in "qkv")
    q, v = (g.node("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    k = g.node("Transpose", k, perm=[0, 2, 3, 1])
    scores = g.node("Mul", g.node("MatMul", q, k), g.constant(np.float32(cell.d_head**-0.5)))
    if mask:
        scores = g.node("Add", scores, mask)
    heads = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
    return g.reshape(g.node("Transpose", heads, perm=[0, 2, 1, 3]), 0, 0, cell.d_model)


def _plain(g):
    x, mask = "x", _mask(g)
    for number in range(g.cell.layers):
        at = f"layers.{number}."
        heads = g.linear(_plain_attention(g, x, at, mask), at + "o")
        x = g.norm(g.node("Add", heads, x), at + "attention_norm")
        wide = _gelu(g, g.linear(x, at + "up"))
        x = g.norm(g.node("Add", g.linear(wide, at + "down"), x), at + "ffn_norm")
    return x


_BODIES = {"fused": _fused, "gemm": _gemm, "plain": _plain}


def make(form, cell, w, shape=None, lengths=False):
    """The serialised model: input `x`, where lengths is set `lengths` [batch] int32, and `output`. shape: of x, names
    for sizes that are any; None: the cell's."""
    graph = Graph(cell, w, shape or [cell.batch, cell.length, cell.d_model], lengths)
    return graph.model(_BODIES[form](graph))


# -- A step of generation -------------------------------------------------------------------------------------------

def cache_shape(cell):
    """Of the buffer of a layer's keys, and of the one of its values: room for this call's row after the others."""
    return [cell.batch, cell.heads, cell.cached + 1, cell.d_head]


def past_names(cell):
    """Inputs that hold the cache, and the outputs that are the same buffers: "key_0", "value_0", ..."""
    return [f"{name}_{number}" for number in range(cell.layers) for name in ("key", "value")]


class Step:
    """GPT-2 over one token."""

    def __init__(self, cell, w, form):
        self.g = Graph(cell, w, [cell.batch, 1], False)
        self.cell, self.w, self.is_gemm = cell, w, form == "step_gemm"

    def dense(self, x, weight, *bias):
        g = self.g
        if self.is_gemm:
            rows = [g.reshape(x, -1, weight.shape[1]), g.constant(weight), *map(g.constant, bias)]
            return g.reshape(g.node("Gemm", *rows, transB=1), -1, 1, weight.shape[0])
        product = g.node("MatMul", x, g.constant(weight.T))
        return g.node("Add", product, g.constant(bias[0])) if bias else product

    def named(self, x, name):
        return self.dense(x, self.w[name + "_weight"], self.w[name + "_bias"])

    def attention(self, x, number):
        g, cell, at = self.g, self.cell, f"layers.{number}."
        qkv = self.dense(x, joined_qkv(g.w, at, "weight"), joined_qkv(g.w, at, "bias"))
        made = [f"attended_{number}", f"present_key_{number}", f"present_value_{number}"]
        given = [qkv, "", "", f"past_key_{number}", f"past_value_{number}",
                 g.constant(np.full(cell.batch, cell.cached, np.int32)),
                 g.constant(np.array([cell.cached + 1], np.int32))]
        g.nodes.append(helper.make_node("GroupQueryAttention", given, made, domain=MS, num_heads=cell.heads,
                                        kv_num_heads=cell.heads))
        return self.named(made[0], at + "o")

    def join(self, x, y, name):
        """(x + y, its norm)."""
        g, sum_name = self.g, f"sum{len(self.g.nodes)}"
        made = [f"n{len(g.nodes)}", "", "", sum_name]
        given = [y, x, g.constant(self.w[name + "_weight"]), g.bias(name)]
        g.nodes.append(helper.make_node("SkipLayerNormalization", given, made, domain=MS, epsilon=self.cell.eps))
        return sum_name, made[0]

    def output(self):
        g, cell = self.g, self.cell
        x = g.node("Gather", g.constant(self.w["embedding"]), "x")
        x = g.node("Add", x, g.constant(self.w["positions"][cell.cached]))
        normed = g.norm(x, "layers.0.attention_norm")
        for number in range(cell.layers):
            at = f"layers.{number}."
            x, normed = self.join(x, self.attention(normed, number), at + "ffn_norm")
            wide = g.node("FastGelu", self.named(normed, at + "up"), domain=MS)
            after = f"layers.{number + 1}.attention_norm" if number + 1 < cell.layers else "final_norm"
            x, normed = self.join(x, self.named(wide, at + "down"), after)
        return self.dense(normed, self.w["embedding"])


def make_step(form, cell, w):
    """The serialised model: inputs `x` [batch][1] int64 and past_*, `output` [batch][1][vocab] and present_*."""
    step = Step(cell, w, form)
    step.g.nodes.append(helper.make_node("Identity", [step.output()], ["output"]))

    def infos(start):
        return [helper.make_tensor_value_info(start + name, TensorProto.FLOAT, cache_shape(cell))
                for name in past_names(cell)]

    given = [helper.make_tensor_value_info("x", TensorProto.INT64, [cell.batch, 1])] + infos("past_")
    logits = helper.make_tensor_value_info("output", TensorProto.FLOAT, [cell.batch, 1, cell.vocab])
    graph = helper.make_graph(step.g.nodes, "step", given, [logits] + infos("present_"), step.g.constants)
    return helper.make_model(graph, opset_imports=OPSETS, ir_version=10).SerializeToString()
