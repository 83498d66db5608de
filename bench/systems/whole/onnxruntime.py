"""ONNX Runtime over the graphs of onnx_graphs.py, with IO binding, set up as for one layer (systems/onnxruntime.py)."""

import functools

import numpy as np
import onnxruntime as ort

from systems import Variant
from systems.onnxruntime import session_of
from systems.whole import batches, onnx_graphs


def bind(one, engine):
    """(the binding, what it writes)."""
    binding, made = engine.io_binding(), ort.OrtValue.ortvalue_from_numpy(np.empty_like(one.x))
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(one.x))
    if any(given.name == "lengths" for given in engine.get_inputs()):
        lengths = one.lengths if one.lengths is not None else np.full(len(one.x), one.x.shape[1], np.int32)
        binding.bind_ortvalue_input("lengths", ort.OrtValue.ortvalue_from_numpy(lengths))
    binding.bind_ortvalue_output("output", made)
    return binding, made


def run_all(engine, bindings):
    for binding, _ in bindings:
        engine.run_with_iobinding(binding)


def encode_with(cell, way, threads, whole, graph):
    """graph: of the shape of the input and whether it has lengths, a serialised model."""
    parts = batches.split(cell, whole.x, way)
    shape = None if way is None else [1 if way == "one_by_one" else "batch", "length", cell.d_model]
    masked = any(one.lengths is not None for one in parts)
    engine = session_of(graph(shape, masked), threads)
    bindings = [bind(one, engine) for one in parts]
    call = functools.partial(engine.run_with_iobinding, bindings[0][0])
    if len(bindings) > 1:
        call = functools.partial(run_all, engine, bindings)

    def rows(_):
        return batches.real_rows(cell, parts, [made.numpy() for _, made in bindings])

    return Variant(call, rows, keep=(whole, parts, engine, bindings))


def encode(cell, form, way, threads, whole):
    return encode_with(cell, way, threads, whole, functools.partial(onnx_graphs.make, form, cell, whole.w))


def bind_cache(binding, cell, whole):
    """Gives each layer's buffer as past and as present, so that a call appends to it and copies nothing."""
    buffers = []
    for number, name in enumerate(onnx_graphs.past_names(cell)):
        past = whole.past_v if number % 2 else whole.past_k
        room = np.zeros(onnx_graphs.cache_shape(cell), np.float32)
        room[:, :, :cell.cached] = past[:, number // 2]
        buffers.append(ort.OrtValue.ortvalue_from_numpy(room))
        binding.bind_ortvalue_input(f"past_{name}", buffers[-1])
        binding.bind_ortvalue_output(f"present_{name}", buffers[-1])
    return buffers


def step_with(cell, graph, threads, whole):
    engine = session_of(graph, threads)
    binding, logits = engine.io_binding(), np.empty((cell.batch, 1, cell.vocab), np.float32)
    made = ort.OrtValue.ortvalue_from_numpy(logits)
    binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(whole.token.astype(np.int64)))
    binding.bind_ortvalue_output("output", made)
    cache = bind_cache(binding, cell, whole)
    return Variant(functools.partial(engine.run_with_iobinding, binding), lambda _: made.numpy()[:, -1],
                   keep=(whole, cache))


def step(cell, form, threads, whole):
    return step_with(cell, onnx_graphs.make_step(form, cell, whole.w), threads, whole)


def variants(cell, threads):
    if cell.vocab:
        return {form: functools.partial(step, cell, form, threads) for form in onnx_graphs.STEPS}
    if not cell.packed:
        return {form: functools.partial(encode, cell, form, None, threads) for form in onnx_graphs.FORMS}
    return {f"fused_{way}": functools.partial(encode, cell, "fused", way, threads) for way in batches.ways(cell)}
