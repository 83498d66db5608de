"""A layer composed in C from OpenBLAS's sgemm (openblas.c), called through ctypes as ours is.

Two builds of OpenBLAS, since they pick other kernels for the same CPU: the one numpy brings and, where it is
installed, the system's. Weights as [in][out] (n) and as PyTorch stores them, [out][in] (t): the faster one differs.
Cached keys as rows, like values, or across, a column a key (_across)."""

import ctypes
import ctypes.util
import functools
from ctypes import Structure, c_bool, c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path

import numpy as np

import layer as layers
import paths
from systems import Unfit, Variant

PACKED_ROWS = "a C program packs the rows: see the packed cell"


class Call(Structure):
    """struct openblas_call of openblas.c."""
    _fields_ = [(name, c_size_t) for name in ("batch", "d_model", "heads", "block")] + [
        ("lengths", c_void_p), ("causal", c_bool), ("transposed", c_bool), ("wide", c_bool), ("cached", c_size_t),
        ("across", c_bool)
    ] + [(name, c_void_p) for name in ("sgemm", "sgemv", "x", "w_in", "b_in", "w_out", "b_out", "qkv", "scores",
                                       "heads_out", "keys", "values", "output")]


class Blas:
    """One build of the library: the symbol's prefix and suffix, and whether its integers have 64 bits."""

    def __init__(self, path, prefix="", suffix="", wide=False):
        self.library, self.wide = ctypes.CDLL(str(path)), wide
        self.sgemm, self.sgemv = (ctypes.cast(getattr(self.library, f"{prefix}cblas_{name}{suffix}"), c_void_p)
                                  for name in ("sgemm", "sgemv"))
        self.set_threads = getattr(self.library, f"{prefix}openblas_set_num_threads{suffix}")
        config = getattr(self.library, f"{prefix}openblas_get_config{suffix}")
        config.restype = c_char_p
        self.version = config().decode()


def find(threads):
    """{name: Blas} of what this machine has."""
    found = {}
    beside = Path(np.__file__).parent.parent / "numpy.libs"
    for path in beside.glob("libscipy_openblas64_*.so*"):
        found["numpy"] = Blas(path, "scipy_", "64_", wide=True)
    if ctypes.util.find_library("openblas"):
        found["system"] = Blas(ctypes.util.find_library("openblas"))
    for blas in found.values():
        blas.set_threads(c_int(threads))
    return found


def with_room(past, cell):
    """Earlier keys or values with a zero for this call's after them: [batch][heads][cached + 1][d_head]."""
    return np.concatenate([past, np.zeros((cell.batch, cell.heads, 1, cell.d_head), np.float32)], axis=2)


def earlier(cell, layer, across):
    """Keys and values of earlier calls, where the cell has any."""
    if not cell.cached:
        return {}
    keys, values = with_room(layer.past_k, cell), with_room(layer.past_v, cell)
    return {"keys": np.ascontiguousarray(keys.swapaxes(2, 3)) if across else keys, "values": values}


def arrays(cell, layer, transposed, across):
    """What the C call reads and writes, by the names of its fields."""
    d, rows = cell.d_model, cell.rows
    longest = max(cell.row_counts) + cell.cached
    return earlier(cell, layer, across) | {
        "x": layers.real_rows(cell, layer.x),
        "w_in": layer.w_in if transposed else np.ascontiguousarray(layer.w_in.T), "b_in": layer.b_in,
        "w_out": layer.w_out if transposed else np.ascontiguousarray(layer.w_out.T), "b_out": layer.b_out,
        "lengths": np.array(cell.row_counts, np.uintp),
        "qkv": np.empty((rows, 3 * d), np.float32), "heads_out": np.empty((rows, d), np.float32),
        "scores": np.empty((min(block(cell), longest), longest + 64), np.float32),
        "output": np.empty((rows, d), np.float32),
    }


def block(cell):
    """Query rows whose scores are made at once: few under a causal mask, so that whole blocks of keys drop out."""
    return 64 if cell.causal else 256


class System:
    def __init__(self, threads):
        self.blas = find(threads)
        self.peer = ctypes.CDLL(str(paths.openblas_peer()))
        self.peer.openblas_layer.restype, self.peer.openblas_layer.argtypes = None, [c_void_p]
        self.versions = {f"openblas ({name})": blas.version for name, blas in self.blas.items()}

    def make(self, cell, name, transposed, across, layer):
        if cell.lengths and not cell.packed:
            raise Unfit(PACKED_ROWS)
        blas, data = self.blas[name], arrays(cell, layer, transposed, across)
        call = Call(batch=cell.batch, d_model=cell.d_model, heads=cell.heads, block=block(cell), causal=cell.causal,
                    transposed=transposed, wide=blas.wide, cached=cell.cached, across=across,
                    sgemm=blas.sgemm, sgemv=blas.sgemv, **{field: array.ctypes.data for field, array in data.items()})
        return Variant(functools.partial(self.peer.openblas_layer, ctypes.addressof(call)), lambda _: data["output"],
                       keep=(call, data))

    def variants(self, cell):
        return {f"{name}_{letter}{'_across' * across}": functools.partial(self.make, cell, name, letter == "t", across)
                for name in self.blas for letter in "nt" for across in ((False, True) if cell.cached else (False,))}


def open_system(threads):
    return System(threads)
