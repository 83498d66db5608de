"""Ours, as a user of the shared library has it: lib<model>.so called through ctypes, memory from the caller.
Declares the few structs of runtime/model.h that a call needs; refuses a library of another ABI."""

import ctypes
import functools
import timeit
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_void_p

import numpy as np

import layer as layers
import machine
import paths
from systems import Unfit, Variant

ABI = 3
MAX_THREADS = 1024  # GA_MAX_THREADS


class View(Structure):
    _fields_ = [("data", c_void_p), ("row_stride", c_size_t), ("col_stride", c_size_t)]


class Error(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 480)]


class Io(Structure):
    _fields_ = [(name, c_size_t) for name in ("batch", "q_len", "kv_len")] + [
        (name, c_void_p)
        for name in ("query", "tokens", "key", "value", "q_lengths", "kv_lengths", "output", "attention", "parallel",
                     "mask", "additive_mask")
    ] + [("mask_strides", c_size_t * 4)] + [
        (name, c_void_p) for name in ("attention_mean", "position", "kv_position")
    ] + [("intermediates", c_void_p * 9), ("cache", c_void_p)]


SIGNATURES = {
    "ga_model_variant": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "ga_model_packed_size": (c_size_t, [c_void_p]),
    "ga_model_pack": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "ga_model_scratch_size": (c_size_t, [c_void_p, c_void_p] + [c_size_t] * 4),
    "ga_block_new": (c_void_p, [c_size_t]),
    "ga_block_free": (None, [c_void_p]),
    "ga_threads_new": (c_int, [c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "ga_threads_parallel": (c_void_p, [c_void_p]),
    "ga_threads_free": (None, [c_void_p]),
}


def load(name):
    """The library, the address of its descriptor, and its run function."""
    library = ctypes.CDLL(str(paths.library(name)))
    found = c_uint32.in_dll(library, f"{name}_model").value
    if found != ABI:
        raise RuntimeError(f"lib{name}.so has ABI {found}, bench/systems/genattn.py knows {ABI}")
    for symbol, (result, arguments) in SIGNATURES.items():
        function = getattr(library, symbol)
        function.restype, function.argtypes = result, arguments
    run = getattr(library, f"{name}_run")
    run.restype, run.argtypes = c_int, [c_void_p, POINTER(Io), c_void_p, c_size_t]
    return library, ctypes.addressof(c_char.in_dll(library, f"{name}_model")), run


class Block:
    """Aligned memory from the library's own ga_block_new, freed with the object."""

    def __init__(self, library, size):
        self.free, self.size = library.ga_block_free, size
        self.address = library.ga_block_new(size)
        if not self.address:
            raise MemoryError(f"no {size} bytes")

    def __del__(self):
        self.free(self.address)


class Pool:
    """The library's own threads, ended with the object; parallel is what io takes: None, and no thread, for one."""

    def __init__(self, library, threads):
        self.free, self.pool, error = library.ga_threads_free, c_void_p(), Error()
        if threads > 1 and library.ga_threads_new(threads, byref(self.pool), byref(error)):
            raise RuntimeError(error.text.decode())
        self.parallel = library.ga_threads_parallel(self.pool) if threads > 1 else None

    def __del__(self):
        self.free(self.pool)


def views(layer):
    """The weights in the order of the model's roles: q, k, v, o, each weight and bias."""
    d = layer.b_out.size
    weights = [layer.w_in[i * d:(i + 1) * d] for i in range(3)] + [layer.w_out]
    biases = [layer.b_in[i * d:(i + 1) * d] for i in range(3)] + [layer.b_out]
    pairs = [array for pair in zip(weights, biases) for array in pair]
    return (View * 8)(*[View(a.ctypes.data, a.strides[0] // 4, 1) for a in pairs])


def check(status, error):
    if status:
        raise Unfit(error.text.decode())


def make(cell, isa, threads, layer):
    library, model, run = load(cell.model)
    variant, loaded, error = c_void_p(), c_void_p(), Error()
    check(library.ga_model_variant(model, isa.encode(), byref(variant), byref(error)), error)
    packed = Block(library, library.ga_model_packed_size(variant))
    check(library.ga_model_pack(model, variant, views(layer), packed.address, packed.size, byref(loaded),
                                byref(error)), error)
    scratch = Block(library, library.ga_model_scratch_size(model, variant, cell.batch, cell.length, 0, threads))
    pool = Pool(library, threads)
    output = np.empty_like(layer.x)
    lengths = (c_int32 * cell.batch)(*cell.row_counts)
    io = Io(batch=cell.batch, q_len=cell.length, query=layer.x.ctypes.data, output=output.ctypes.data,
            q_lengths=ctypes.addressof(lengths) if cell.lengths else None, parallel=pool.parallel)

    def rows(status):
        if status:
            raise RuntimeError(f"{cell.model}_run returned status {status}")
        return layers.real_rows(cell, output)

    call = functools.partial(run, loaded, byref(io), scratch.address, scratch.size)
    return Variant(call, rows, keep=(layer, packed, scratch, pool, io, lengths, output))


class System:
    versions = {"genattn": "this tree"}

    def __init__(self, threads):
        self.threads = threads

    def variants(self, cell):
        """One per instruction set this CPU has."""
        return {isa: functools.partial(make, cell, isa, self.threads) for isa in machine.isas()}

    def overhead_us(self, cell):
        """What Python takes for one call of the run function: one that is refused at once, with the same arguments."""
        run, io = load(cell.model)[2], Io()
        call = functools.partial(run, None, byref(io), None, c_size_t(0).value)
        return min(timeit.repeat(call, number=2000, repeat=5)) / 2000 * 1e6


def open_system(threads):
    return System(threads)
