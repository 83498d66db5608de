"""OpenVINO's CPU plugin over the same ONNX graphs, and over a graph of its own operators (`native`), whose
ScaledDotProductAttention needs no fusing.

INFERENCE_PRECISION_HINT f32, because the plugin would take bfloat16 where the CPU has it; one stream with the latency
hint, because one call at a time is what is measured; no pinning by the plugin, because the process is pinned. Tensors
are set once and shared, so a call copies nothing."""

import functools

import numpy as np
import openvino as ov
from openvino import opset13 as op

import layer as layers
from systems import Unfit, Variant, onnx_graphs

# The forms its ONNX reader knows a fast way for; the rest it refuses or takes apart into `plain`.
FORMS = ("attn", "att23", "plain")


def native(cell, layer):
    """The layer in OpenVINO's own operators."""
    if cell.lengths:
        raise Unfit("attn and plain have the padded form")
    x = op.parameter([cell.batch, cell.length, cell.d_model], np.float32, name="x")

    def linear(value, weight, bias):
        return op.add(op.matmul(value, op.constant(weight), False, True), op.constant(bias))

    def heads(value):
        shape = op.constant(np.array([0, 0, cell.heads, cell.d_head], np.int64))
        return op.transpose(op.reshape(value, shape, True), op.constant(np.array([0, 2, 1, 3], np.int64)))

    q, k, v = (heads(linear(x, *pair)) for pair in zip(np.split(layer.w_in, 3), np.split(layer.b_in, 3)))
    attended = op.scaled_dot_product_attention(q, k, v, causal=cell.causal)
    together = op.transpose(attended, op.constant(np.array([0, 2, 1, 3], np.int64)))
    together = op.reshape(together, op.constant(np.array([0, 0, cell.d_model], np.int64)), True)
    return ov.Model([linear(together, layer.w_out, layer.b_out)], [x], "layer")


def refuse(_layer):
    """A cached cell. Its state grows by every call's rows, and going back to the state before is a copy of all."""
    raise Unfit("its state cannot be cut back between calls without copying the cache")


def bound(cell, layer, request):
    """A request with its tensors set."""
    x = layers.real_rows(cell, layer.x) if cell.packed else layer.x
    output = np.empty_like(x)
    request.set_input_tensor(ov.Tensor(x, shared_memory=True))
    request.set_output_tensor(ov.Tensor(output, shared_memory=True))
    call = functools.partial(request.infer, share_inputs=True, share_outputs=True)

    def rows(_):
        return output if cell.packed else layers.real_rows(cell, output)

    return Variant(call, rows, keep=(layer, x, output))


class System:
    def __init__(self, threads):
        self.core = ov.Core()
        self.core.set_property("CPU", {
            "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": False,
        })
        self.versions = {"openvino": ov.__version__}

    def graph(self, cell, form, layer):
        if form == "native":
            return native(cell, layer)
        return self.core.read_model(onnx_graphs.make(form, cell, layer))

    def make(self, cell, form, layer):
        compiled = self.core.compile_model(self.graph(cell, form, layer), "CPU")
        return bound(cell, layer, compiled.create_infer_request())

    def variants(self, cell):
        if cell.cached:
            return {"stateful": refuse}
        forms = onnx_graphs.PACKED_FORMS if cell.packed else FORMS + ("native",)
        return {form: functools.partial(self.make, cell, form) for form in forms}


def open_system(threads):
    return System(threads)
