"""Ours, as a user of the shared library has it: lib<model>.so called through ctypes, memory from the caller."""

import ctypes
import functools
import timeit
from ctypes import byref, c_int32, c_size_t, c_void_p

import numpy as np

import layer as layers
import machine
from library import Block, Error, Io, Pool, View, load
from systems import Unfit, Variant

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


def filled_cache(library, model, variant, loaded, cell, layer):
    """(its block, the cache): the keys and values of earlier calls, with room for this one's."""
    capacity, error, cache = cell.cached + cell.length, Error(), c_void_p()
    block = Block(library, library.ga_cache_size(model, variant, cell.batch, capacity))
    check(library.ga_cache_init(loaded, cell.batch, capacity, block.address, block.size, byref(cache), byref(error)),
          error)
    for b in range(cell.batch):
        check(library.ga_cache_put(cache, b, layer.past_k[b].ctypes.data, layer.past_v[b].ctypes.data, cell.cached,
                                   cell.cached, byref(error)), error)
    return block, cache


def run_cached(run, cut, cache, cell):
    """A call, and then its keys forgotten, so that each call finds the same ones."""
    status = run()
    for b in range(cell.batch):
        cut(cache, b, cell.cached, None)
    return status


def make(cell, isa, threads, layer):
    """A variant of the cell by the set named isa, or by the one that the model takes by itself where that is None."""
    library, model, run = load(cell.model)
    variant, loaded, error = c_void_p(), c_void_p(), Error()
    check(library.ga_model_variant(model, isa and isa.encode(), byref(variant), byref(error)), error)
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
    cache = None
    if cell.cached:
        cache, io.cache = filled_cache(library, model, variant, loaded, cell, layer)
        call = functools.partial(run_cached, call, library.ga_cache_cut, io.cache, cell)
    return Variant(call, rows, keep=(layer, packed, scratch, pool, io, lengths, output, cache))


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
