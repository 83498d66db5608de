"""OpenVINO's CPU plugin with narrow numbers, otherwise as in systems/openvino.py and systems/whole/openvino.py.

    bf16       INFERENCE_PRECISION_HINT bf16: the plugin rounds weights and rows by itself
    int8 ptq   NNCF's static quantisation for transformers, calibrated with rows distributed as the measured ones
    int8 wN    weights s8 with a scale for each column (NNCF), rows quantised in each call in groups of N (0: a whole
               row), by DYNAMIC_QUANTIZATION_GROUP_SIZE
The NNCF package is optional: without it both int8 variants say that it is missing. What it makes is kept beside the
inputs, as making one takes from seconds to minutes."""

import functools
import logging
import os

import numpy as np
import openvino as ov

import paths
from systems import Unfit, onnx_graphs
from systems import openvino as layers
from systems.whole import batches
from systems.whole import openvino as whole

SAMPLES = 8  # calls whose rows calibrate
GROUPS = (0, 128)
WHOLE_ROW = str((1 << 64) - 1)  # as text, which the plugin turns into 64 bits
FORMS, WHOLE_FORMS = ("attn", "native"), ("native", "fused")  # the fastest of f32


def nncf_of():
    """The package; raises Unfit where it is not installed."""
    os.environ.setdefault("CI", "true")  # else it counts its users over the network
    try:
        import nncf
    except ImportError as missing:
        raise Unfit(f"needs the package nncf, which is not installed ({missing})") from missing
    nncf.set_log_level(logging.ERROR)
    return nncf


def calibrated(nncf, model, cell):
    """Quantised weights and rows. Rows are drawn as the cell's, from a seed of their own."""
    rng = np.random.default_rng(16)
    shape = [1 if size.is_dynamic else size.get_length() for size in model.inputs[0].partial_shape]
    shape[1] = cell.length if shape[1] == 1 else shape[1]
    rows = [rng.standard_normal(shape, dtype=np.float32) for _ in range(SAMPLES)]
    return nncf.quantize(model, nncf.Dataset(rows), model_type=nncf.ModelType.TRANSFORMER, subset_size=SAMPLES)


def narrow_weights(nncf, model, _cell):
    return nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_SYM)


def kept(engine, name, make):
    """The model that make() gives, from its file where there is one."""
    path = paths.DATA / f"{name}.xml"
    if not path.exists():
        part = path.with_name(f"{name}.part.xml")
        ov.save_model(make(), part, compress_to_fp16=False)
        part.with_suffix(".bin").rename(path.with_suffix(".bin"))
        part.rename(path)
    return engine.read_model(path)


# How each variant's numbers begin: what its model becomes (None: stays), and properties in addition to those of f32.
KINDS = {
    "bf16": (None, {"INFERENCE_PRECISION_HINT": "bf16"}),
    "int8 ptq": (calibrated, {}),
} | {f"int8 w{size}": (narrow_weights, {"DYNAMIC_QUANTIZATION_GROUP_SIZE": size or WHOLE_ROW}) for size in GROUPS}


def engine_of(kind, threads):
    engine = whole.core(threads)
    engine.set_property("CPU", KINDS[kind][1])
    return engine


def model_of(cell, kind, name, engine, make):
    """make() gives the model in f32."""
    change = KINDS[kind][0]
    if not change:
        return make()
    nncf = nncf_of()
    return kept(engine, f"{cell.model}_{name}_{change.__name__}", lambda: change(nncf, make(), cell))


def graph(cell, form, engine, given):
    if form == "native":
        return layers.native(cell, given)
    return engine.read_model(onnx_graphs.make(form, cell, given))


def layer(cell, form, kind, threads, given):
    engine = engine_of(kind, threads)
    model = model_of(cell, kind, form, engine, lambda: graph(cell, form, engine, given))
    return layers.bound(cell, given, engine.compile_model(model, "CPU").create_infer_request())


def encode(cell, form, way, kind, threads, given):
    engine = engine_of(kind, threads)

    def model(shape, masked):
        if masked and KINDS[kind][0] is calibrated:
            raise Unfit("calibrated with rows that are all real")
        name = form if way is None else f"{form}_{way}"
        return model_of(cell, kind, name, engine,
                        lambda: whole.graph_of(cell, form, engine, given.w, shape, masked))

    return whole.encode_with(cell, engine, way, given, model)


def makers(cell):
    """{form as variants name it: make(kind, threads, given)}."""
    if not cell.whole:
        return {form: functools.partial(layer, cell, form) for form in FORMS}
    if not cell.packed:
        return {form: functools.partial(encode, cell, form, None) for form in WHOLE_FORMS}
    return {f"native_{way}": functools.partial(encode, cell, "native", way) for way in batches.ways(cell)}


def variants(cell, threads):
    if cell.whole and cell.vocab:
        return {"bf16 stateful": layers.refuse}
    return {f"{kind} {form}": functools.partial(make, kind, threads)
            for kind in KINDS for form, make in makers(cell).items()}
