"""OpenVINO's CPU plugin over the same ONNX graphs and over one of its own operators (`native`), set up as for one layer
(systems/openvino.py)."""

import functools

import numpy as np
import openvino as ov
from openvino import opset13 as op

from systems import Variant
from systems.openvino import refuse
from systems.whole import batches, onnx_graphs

FORMS = ("native", "fused", "plain")


def core(threads):
    found = ov.Core()
    found.set_property("CPU", {
        "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False,
    })
    return found


class Native:
    """The encoder in OpenVINO's own operators, whose ScaledDotProductAttention needs no fusing."""

    def __init__(self, cell, w, mask):
        self.cell, self.w, self.mask = cell, w, mask

    def constant(self, name):
        return op.constant(np.ascontiguousarray(self.w[name]))

    def linear(self, x, name):
        return op.add(op.matmul(x, self.constant(name + "_weight"), False, True), self.constant(name + "_bias"))

    def norm(self, x, name):
        flat = op.mvn(x, op.constant(np.array([-1], np.int64)), True, self.cell.eps, "inside_sqrt")
        return op.add(op.multiply(flat, self.constant(name + "_weight")), self.constant(name + "_bias"))

    def heads(self, x):
        shape = op.constant(np.array([0, 0, self.cell.heads, self.cell.d_head], np.int64))
        return op.transpose(op.reshape(x, shape, True), op.constant(np.array([0, 2, 1, 3], np.int64)))

    def attention(self, x, at):
        q, k, v = (self.heads(self.linear(x, at + name)) for name in "qkv")
        attended = op.scaled_dot_product_attention(q, k, v, *([self.mask] if self.mask else []))
        together = op.transpose(attended, op.constant(np.array([0, 2, 1, 3], np.int64)))
        return op.reshape(together, op.constant(np.array([0, 0, self.cell.d_model], np.int64)), True)

    def layer(self, x, at):
        x = self.norm(op.add(x, self.linear(self.attention(x, at), at + "o")), at + "attention_norm")
        wide = op.gelu(self.linear(x, at + "up"), "ERF")
        return self.norm(op.add(x, self.linear(wide, at + "down")), at + "ffn_norm")


def named(shape, name):
    """An input."""
    found = op.parameter(ov.PartialShape(shape), np.float32, name=name)
    found.output(0).set_names({name})
    return found


def native(cell, w, shape, masked):
    x, given, mask = named(shape, "x"), [], None
    if masked:
        mask = named([shape[0], 1, 1, shape[1]], "mask")
        given = [mask]
    maker, y = Native(cell, w, mask), x
    for number in range(cell.layers):
        y = maker.layer(y, f"layers.{number}.")
    return ov.Model([y], [x, *given], "encoder")


def request_for(one, compiled, output):
    """A request with its tensors set, so that a call copies nothing."""
    request, names = compiled.create_infer_request(), [port.get_any_name() for port in compiled.inputs]
    real = one.lengths if one.lengths is not None else np.full(len(one.x), one.x.shape[1], np.int32)
    added = np.where(np.arange(one.x.shape[1]) < real[:, None], np.float32(0), onnx_graphs.MASKED)
    given = {"x": one.x, "lengths": np.asarray(real, np.int32), "mask": added[:, None, None, :].astype(np.float32)}
    for number, name in enumerate(names):
        request.set_input_tensor(number, ov.Tensor(given[name], shared_memory=True))
    request.set_output_tensor(ov.Tensor(output, shared_memory=True))
    return request, given


def run_all(requests):
    for request, _ in requests:
        request.infer(share_inputs=True, share_outputs=True)


def graph_of(cell, form, engine, w, shape, masked):
    if form == "native":
        return native(cell, w, shape, masked)
    return engine.read_model(onnx_graphs.make(form, cell, w, shape, masked))


def compile_parts(cell, engine, parts, fixed, graph):
    """A model for each part: one of fixed sizes for all of them where they are one, else one of any sizes."""
    masked = any(one.lengths is not None for one in parts)
    shape = list(parts[0].x.shape) if fixed else [-1, -1, cell.d_model]
    return engine.compile_model(graph(shape, masked), "CPU")


def encode_with(cell, engine, way, whole, graph):
    """graph: of the shape of the input and whether it has a mask, a model."""
    parts = batches.split(cell, whole.x, way)
    compiled = compile_parts(cell, engine, parts, way is None, graph)
    outputs = [np.empty_like(one.x) for one in parts]
    requests = [request_for(one, compiled, output) for one, output in zip(parts, outputs)]
    call = functools.partial(requests[0][0].infer, share_inputs=True, share_outputs=True)
    if len(requests) > 1:
        call = functools.partial(run_all, requests)
    return Variant(call, lambda _: batches.real_rows(cell, parts, outputs),
                   keep=(whole, parts, outputs, requests, compiled))


def encode(cell, form, way, threads, whole):
    engine = core(threads)
    return encode_with(cell, engine, way, whole, functools.partial(graph_of, cell, form, engine, whole.w))


def variants(cell, threads):
    if cell.vocab:
        return {"stateful": refuse}
    if not cell.packed:
        return {form: functools.partial(encode, cell, form, None, threads) for form in FORMS}
    return {f"native_{way}": functools.partial(encode, cell, "native", way, threads) for way in batches.ways(cell)}
