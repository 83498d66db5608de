"""ONNX Runtime int8: its own dynamic quantisation of the graphs of onnx_graphs.py, weights s8 with a scale for each
column (`s8`) or u8 with one for all (`u8`), rows u8 with one scale; the rest is f32. It has no CPU kernels for bf16.
The quantised graphs are kept in the folder of the inputs, as making one takes seconds. Set up as for f32 elsewhere."""

import functools
import logging

import onnx
import onnxruntime as ort

import paths
from onnxruntime.quantization import QuantType, quantize_dynamic
from systems import Unfit, onnx_graphs
from systems import onnxruntime as layers
from systems.whole import batches
from systems.whole import onnx_graphs as whole_graphs
from systems.whole import onnxruntime as whole

KINDS = {
    "s8": {"per_channel": True, "weight_type": QuantType.QInt8},
    "u8": {"per_channel": False, "weight_type": QuantType.QUInt8},
}
FORMS = ("attn", "mha", "plain")  # those of MatMul: a Gemm would become one
WHOLE_FORMS = ("fused", "plain")
STEPS = ("step_matmul",)


def quantised(name, kind, make):
    """The graph that make() gives, quantised: its bytes."""
    path = paths.DATA / f"{name}_{kind}.onnx"
    if not path.exists():
        logging.getLogger().setLevel(logging.ERROR)  # it advises to run its preprocessing, which fuses nothing here
        part = path.with_suffix(".part")
        quantize_dynamic(onnx.load_from_string(make()), part, **KINDS[kind],
                         extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
        part.rename(path)
    return path.read_bytes()


def layer(cell, form, kind, threads, given):
    graph = quantised(f"{cell.model}_{form}", kind, lambda: onnx_graphs.make(form, cell, given))
    return layers.bound(cell, given, layers.session_of(graph, threads))


def encode(cell, form, way, kind, threads, given):
    def graph(shape, masked):
        end = f"_{way}" if way else ""
        return quantised(f"{cell.model}_{form}{end}", kind,
                         lambda: whole_graphs.make(form, cell, given.w, shape, masked))

    return whole.encode_with(cell, way, threads, given, graph)


def step(cell, form, kind, threads, given):
    graph = quantised(f"{cell.model}_{form}", kind, lambda: whole_graphs.make_step(form, cell, given.w))
    return whole.step_with(cell, graph, threads, given)


def refuse_prompt(_kind, _threads, _given):
    raise Unfit("the graph of a step takes one token")


def makers(cell):
    """{form as variants name it: make(kind, threads, given)}."""
    if not cell.whole:
        return {form: functools.partial(layer, cell, form) for form in FORMS}
    if cell.vocab and not cell.cached:
        return {"step": refuse_prompt}
    if cell.vocab:
        return {form: functools.partial(step, cell, form) for form in STEPS}
    if not cell.packed:
        return {form: functools.partial(encode, cell, form, None) for form in WHOLE_FORMS}
    return {f"fused_{way}": functools.partial(encode, cell, "fused", way) for way in batches.ways(cell)}


def variants(cell, threads):
    ort.set_default_logger_severity(3)
    return {f"int8 {form} {kind}": functools.partial(make, kind, threads)
            for form, make in makers(cell).items() for kind in KINDS}
