"""ONNX Runtime over the graphs of onnx_graphs.py, all optimisations on, with IO binding: input and output stay where
they are, which halves the cost of a call from Python. With more than one thread its pool spins, its own default and
the fastest; the process is stopped while others are measured, so that disturbs nobody."""

import functools

import numpy as np
import onnxruntime as ort

import layer as layers
from systems import Variant, onnx_graphs


def bind_cache(binding, cell, layer):
    """Gives each buffer of the cache as past and as present, so that a call appends to it and copies nothing."""
    buffers = []
    for name, past in (("key", layer.past_k), ("value", layer.past_v)):
        room = np.zeros(onnx_graphs.cache_shape(cell), np.float32)
        room[:, :, :cell.cached] = past
        buffers.append(ort.OrtValue.ortvalue_from_numpy(room))
        binding.bind_ortvalue_input(f"past_{name}", buffers[-1])
        binding.bind_ortvalue_output(f"present_{name}", buffers[-1])
    return buffers


def session_of(graph, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def bound(cell, layer, session):
    """A session of the layer with its input and output."""
    x = layers.real_rows(cell, layer.x) if cell.packed else layer.x
    given, made = ort.OrtValue.ortvalue_from_numpy(x), ort.OrtValue.ortvalue_from_numpy(np.empty_like(x))
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", given)
    binding.bind_ortvalue_output("output", made)
    cache = bind_cache(binding, cell, layer) if cell.cached else None

    def rows(_):
        return made.numpy() if cell.packed else layers.real_rows(cell, made.numpy())

    return Variant(functools.partial(session.run_with_iobinding, binding), rows, keep=(layer, given, made, cache))


def make(cell, form, threads, layer):
    return bound(cell, layer, session_of(onnx_graphs.make(form, cell, layer), threads))


class System:
    def __init__(self, threads):
        ort.set_default_logger_severity(3)
        self.threads, self.versions = threads, {"onnxruntime": ort.__version__}

    def variants(self, cell):
        forms = onnx_graphs.PACKED_FORMS if cell.packed else onnx_graphs.FORMS
        forms = onnx_graphs.CACHED_FORMS if cell.cached else forms
        return {form: functools.partial(make, cell, form, self.threads) for form in forms}


def open_system(threads):
    return System(threads)
