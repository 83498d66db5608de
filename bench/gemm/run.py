"""`ninja bench-gemm`: one linear of a layer alone, y = x W + b, exact and by rows together (matmul = "fast", "fast:2"),
compared with OpenBLAS and with oneDNN, which gets its weights packed beforehand as ours are. One thread, f32,
interleaved in one process that is bound to one CPU. The linear is that of a layer's output, so that it has any depth
and width. What is measured with one instruction set is held against peers that are told to use no wider one."""

import argparse
import ctypes
import functools
import json
import os
import re
import sys
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402

import build  # noqa: E402
import gemm_report  # noqa: E402
import machine  # noqa: E402
import paths  # noqa: E402
import timing  # noqa: E402
from library import Block, Error, View, load  # noqa: E402
from systems import openblas  # noqa: E402

ROWS = (16, 32, 64, 128, 256, 512, 1024, 2048)
SIZES = ((384, 384), (384, 1536), (1536, 384), (768, 768), (768, 2304), (768, 3072), (3072, 768), (1024, 1024))
MATMULS = ("exact", "fast", "fast:2")
D_HEAD = 64  # divides each depth; quarters of each width are whole vectors


# -- Ours -----------------------------------------------------------------------------------------------------------

def model_of(depth, width, matmul):
    return f"gemm_{depth}_{width}_{matmul.replace(':', '_')}"


def spec(depth, width, matmul):
    fields = [f'name = "{model_of(depth, width, matmul)}"', f"d_model = {depth}", f"n_heads = {depth // D_HEAD}",
              f"d_out = {width}", f"seq_len = \"1..{max(ROWS)}\"", f'matmul = "{matmul}"']
    return "-- A linear of the benchmark of products (bench/gemm).\n{\n" + "".join(f"  {f},\n" for f in fields) + "}\n"


def unit_path(model, isa):
    return paths.PEERS / f"lib{model}_{isa}.so"


def build_unit(model, isa, matmul):
    """The linear of a generated layer as a library of one function."""
    generated = paths.TREE / "out" / "gen" / model
    prefix = f"{model}__{isa}"
    kernels = sorted(path for path in generated.glob(f"{prefix}_*.c") if "gemm" in path.name.removeprefix(prefix))
    folders = [path for path in (paths.ROOT / "runtime").rglob("*") if path.is_dir()]
    flags = {"avx512": ["-march=x86-64-v4"], "avx2": ["-march=x86-64-v3"]}.get(isa, [])
    build.run(["cc", "-std=gnu11", "-O2", "-ffp-contract=off", "-fPIC", "-shared", *flags,
               f'-DKERNELS="{prefix}_kernels.h"', f'-DLAYER="{prefix}.h"', f"-DRUN={prefix}_run_linear",
               *["-DTOGETHER"] * (matmul != "exact"), "-I", generated, *(f"-I{folder}" for folder in folders),
               "-o", unit_path(model, isa), paths.HERE / "gemm/unit.c", generated / f"{prefix}_multiply.c", *kernels])


def views(weight, bias):
    """The layer's weights by role: o as it is, and any for q, k and v."""
    depth = weight.shape[1]
    other, zeros = np.zeros((depth, depth), np.float32), np.zeros(depth, np.float32)
    arrays = [other, zeros] * 3 + [weight, bias]
    return (View * 8)(*[View(a.ctypes.data, a.strides[0] // 4, 1) for a in arrays]), arrays


class Ours:
    """A packed layer, and its linear for rows x."""

    def __init__(self, model, isa, weight, bias):
        self.library, described, _ = load(model)
        variant, self.loaded, error = c_void_p(), c_void_p(), Error()
        if self.library.ga_model_variant(described, isa.encode(), byref(variant), byref(error)):
            raise SystemExit(error.text.decode())
        packed = Block(self.library, self.library.ga_model_packed_size(variant))
        given, arrays = views(weight, bias)
        if self.library.ga_model_pack(described, variant, given, packed.address, packed.size, byref(self.loaded),
                                      byref(error)):
            raise SystemExit(error.text.decode())
        self.unit, self.keep = ctypes.CDLL(str(unit_path(model, isa))).gemm_unit, (packed, arrays)
        self.unit.restype, self.unit.argtypes = None, [c_void_p, c_size_t] + [c_void_p] * 4

    def call(self, x, y):
        room = Block(self.library, 4 * x.nbytes + (1 << 20))
        products = Block(self.library, 1 << 20)
        self.keep += (room, products)
        return functools.partial(self.unit, self.loaded, len(x), x.ctypes.data, y.ctypes.data, room.address,
                                 products.address)


# -- Peers ----------------------------------------------------------------------------------------------------------

def blas_call(blas, x, weight, bias, y):
    """Rows get the bias first, as sgemm adds to what is there."""
    integer = ctypes.c_int64 if blas.wide else c_int
    sgemm = ctypes.CFUNCTYPE(None, *[c_int] * 3, *[integer] * 3, ctypes.c_float, c_void_p, integer, c_void_p, integer,
                             ctypes.c_float, c_void_p, integer)(blas.sgemm.value)
    rows, depth, width = len(x), x.shape[1], len(bias)
    row_major, plain, transposed = 101, 111, 112

    def call():
        y[:] = bias
        sgemm(row_major, plain, transposed, rows, width, depth, 1.0, x.ctypes.data, depth, weight.ctypes.data, depth,
              1.0, y.ctypes.data, width)
    return call


def onednn_call(x, weight, bias, y):
    """oneDNN's linear as PyTorch has it for inference: weights are in oneDNN's own order before the calls."""
    import torch  # a second, and only here
    torch.set_num_threads(1)
    packed = torch.ops.mkldnn._reorder_linear_weight(torch.from_numpy(weight), len(x))
    arguments = (torch.from_numpy(x), packed, torch.from_numpy(bias), "none", [], "")
    linear, out = torch.inference_mode()(torch.ops.mkldnn._linear_pointwise), torch.from_numpy(y)

    def result():
        out.copy_(linear(*arguments))
    return functools.partial(linear, *arguments), result


# -- Measuring ------------------------------------------------------------------------------------------------------

def numbers(depth, width):
    random = np.random.default_rng(depth * 131 + width)
    return ((random.random((width, depth), np.float32) - 0.5) / 8, random.random(width, np.float32) - 0.5,
            random.random((max(ROWS), depth), np.float32) - 0.5)


def variants(depth, width, isa):
    """{name: function of (rows, y)} that gives a call, and a call that fills y."""
    weight, bias, rows = numbers(depth, width)
    made = {}
    for matmul in MATMULS:
        ours = Ours(model_of(depth, width, matmul), isa, weight, bias)
        made[matmul] = lambda x, y, ours=ours: (ours.call(x, y),) * 2
    for name, blas in openblas.find(1).items():
        made[f"openblas {name}"] = lambda x, y, blas=blas: (blas_call(blas, x, weight, bias, y),) * 2
    made["onednn"] = lambda x, y: onednn_call(x, weight, bias, y)
    return made, (weight, bias, rows)


def error_of(result, y, x, weight, bias):
    """Largest difference from the product in double precision."""
    y[:] = np.nan
    result()
    return float(np.abs(x.astype(np.float64) @ weight.T.astype(np.float64) + bias - y).max())


def measure(depth, width, isa, options, peaks):
    made, (weight, bias, all_rows) = variants(depth, width, isa)
    for count in options.rows:
        x = np.ascontiguousarray(all_rows[:count])
        outputs = {name: np.empty((count, width), np.float32) for name in made}
        calls = {name: make(x, outputs[name]) for name, make in made.items()}
        errors = {name: error_of(result, outputs[name], x, weight, bias) for name, (_, result) in calls.items()}
        peak = peaks.peak(isa)
        rounds = timing.time_rounds([call for call, _ in calls.values()], options.warm_ms,
                                    options.sample_ms * len(calls))
        us = {name: median(one[i] for one in rounds) for i, name in enumerate(calls)}
        faster = {name: median(one[0] / one[i] for one in rounds) for i, name in enumerate(MATMULS) if i > 0}
        yield {"rows": count, "depth": depth, "width": width, "isa": isa, "peak": (peak + peaks.peak(isa)) / 2,
               "us": us, "errors": errors, "over exact": faster}


# -- The command ----------------------------------------------------------------------------------------------------

def sizes(text):
    """'768x2304,768x768' as pairs."""
    if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}(,[1-9]\d{0,4}x[1-9]\d{0,4})*", text):
        raise argparse.ArgumentTypeError(f"'{text}': expected DEPTHxWIDTH,..., such as 768x2304,768x768")
    found = [tuple(map(int, one.split("x"))) for one in text.split(",")]
    for depth, width in found:
        if depth % D_HEAD or width % D_HEAD:
            raise argparse.ArgumentTypeError(f"{depth}x{width}: expected multiples of {D_HEAD}, to be split twice")
    return found


def rows(text):
    """'64,128' as numbers."""
    found = [int(one) for one in text.split(",") if one.isdecimal() and 1 <= int(one) <= max(ROWS)]
    if len(found) < text.count(",") + 1:
        raise argparse.ArgumentTypeError(f"'{text}': expected numbers of rows from 1 to {max(ROWS)}, such as 64,128")
    return found


def arguments():
    parser = argparse.ArgumentParser(prog="ninja bench-gemm", description=__doc__)
    parser.add_argument("--sizes", type=sizes, default=list(SIZES), metavar="KxN,...",
                        help=f"depths and widths of the linears, multiples of {D_HEAD}")
    parser.add_argument("--rows", type=rows, default=list(ROWS), metavar="M,...",
                        help=f"rows of a call, at most {max(ROWS)}")
    parser.add_argument("--isa", choices=machine.isas(), default=machine.isas()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time; figures are less certain")
    parser.add_argument("--keep", action="store_true",
                        help="keep what the results have of other sizes, rows and instruction sets")
    parser.add_argument("--out", type=Path, default=paths.RESULTS / "gemm", help="where the results go")
    options = parser.parse_args()
    options.warm_ms, options.sample_ms = (10, 20) if options.quick else (60, 200)
    return options


def kept(options):
    """Cells of earlier runs that this one does not measure."""
    path = options.out / "results.json"
    cells = json.loads(path.read_text())["cells"] if options.keep and path.exists() else []
    return [cell for cell in cells if cell["isa"] != options.isa or cell["rows"] not in options.rows
            or (cell["depth"], cell["width"]) not in options.sizes]


def tell_peers(isa):
    """Starts again with what tells peers how wide their instructions may be: they read it when they are loaded."""
    told = {**os.environ, **machine.LIMITS.get(isa, {})}
    if told != dict(os.environ):
        os.execve(sys.executable, [sys.executable, *sys.argv], told)


def main():
    options = arguments()
    tell_peers(options.isa)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    build.build_machine()
    models = {model_of(*size, matmul): spec(*size, matmul) for size in options.sizes for matmul in MATMULS}
    build.build_specs(models, [options.isa], (paths.library,))
    for size in options.sizes:
        for matmul in MATMULS:
            build_unit(model_of(*size, matmul), options.isa, matmul)
    found, peaks = [], machine.System(1)
    for depth, width in options.sizes:
        for one in measure(depth, width, options.isa, options, peaks):
            found.append(one)
            print(gemm_report.line(one), flush=True)
    results = {"machine": machine.describe(), "cells": sorted(kept(options) + found, key=gemm_report.place)}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    gemm_report.write(results, options.out)
    print(f"bench-gemm: {options.out}/results.md, pictures, results.json")


if __name__ == "__main__":
    main()
