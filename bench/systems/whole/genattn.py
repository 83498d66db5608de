"""Ours: lib<model>.so of a whole model, called through ctypes, memory from the caller."""

import ctypes
import functools
from ctypes import byref, c_int32, c_void_p

import numpy as np

import machine
import whole as numbers
from library import Block, Error, Io, Model, Pool, View, load
from systems import Variant
from systems.genattn import check, run_cached


def views(model, w):
    """The weights in the order of the model's roles."""
    roles = Model.from_address(model)
    arrays = [w[roles.roles[i].name.decode()] for i in range(roles.n_roles)]
    return (View * roles.n_roles)(*[View(a.ctypes.data, a.strides[0] // 4, 1) for a in arrays])


def pack(cell, isa, whole):
    """(library, model, its run function, the variant, the weights, their block). isa None: the best for the model."""
    library, model, run = load(cell.model)
    variant, loaded, error = c_void_p(), c_void_p(), Error()
    check(library.ga_model_variant(model, isa and isa.encode(), byref(variant), byref(error)), error)
    block = Block(library, library.ga_model_packed_size(variant))
    check(library.ga_model_pack(model, variant, views(model, whole.w), block.address, block.size, byref(loaded),
                                byref(error)), error)
    return library, model, run, variant, loaded, block


def encode(cell, isa, threads, whole):
    library, model, run, variant, loaded, block = pack(cell, isa, whole)
    scratch = Block(library, library.ga_model_scratch_size(model, variant, cell.batch, cell.length, 0, threads))
    pool, output = Pool(library, threads), np.empty_like(whole.x)
    lengths = (c_int32 * cell.batch)(*cell.row_counts)
    io = Io(batch=cell.batch, q_len=cell.length, query=whole.x.ctypes.data, output=output.ctypes.data,
            q_lengths=ctypes.addressof(lengths) if cell.lengths else None, parallel=pool.parallel)

    def rows(status):
        if status:
            raise RuntimeError(f"{cell.model}_run returned status {status}")
        return numbers.real_rows(cell, output)

    return Variant(functools.partial(run, loaded, byref(io), scratch.address, scratch.size), rows,
                   keep=(whole, block, scratch, pool, io, lengths, output))


def filled_cache(cell, library, model, variant, loaded, whole):
    """(its block, the cache): the keys and values of earlier calls, with room for more."""
    capacity, error, cache = cell.capacity, Error(), c_void_p()
    block = Block(library, library.ga_cache_size(model, variant, cell.batch, capacity))
    check(library.ga_cache_init(loaded, cell.batch, capacity, block.address, block.size, byref(cache), byref(error)),
          error)
    for b in range(cell.batch if cell.cached else 0):
        check(library.ga_cache_put(cache, b, whole.past_k[b].ctypes.data, whole.past_v[b].ctypes.data, cell.cached,
                                   cell.cached, byref(error)), error)
    return block, cache


def step(cell, isa, threads, whole):
    """A token or a prompt, whose keys are forgotten again, so that each call finds the same ones."""
    library, model, run, variant, loaded, block = pack(cell, isa, whole)
    scratch = Block(library, library.ga_model_scratch_size(model, variant, cell.batch, cell.length, 0, threads))
    cache_block, cache = filled_cache(cell, library, model, variant, loaded, whole)
    pool, logits = Pool(library, threads), np.empty((cell.batch, cell.vocab), np.float32)
    io = Io(batch=cell.batch, q_len=cell.length, tokens=whole.token.ctypes.data, last_logits=logits.ctypes.data,
            cache=cache, parallel=pool.parallel)
    call = functools.partial(run, loaded, byref(io), scratch.address, scratch.size)

    def rows(status):
        if status:
            raise RuntimeError(f"{cell.model}_run returned status {status}")
        return logits

    return Variant(functools.partial(run_cached, call, library.ga_cache_cut, cache, cell), rows,
                   keep=(whole, block, scratch, cache_block, pool, io, logits))


def variants(cell, threads):
    """One per instruction set this CPU has."""
    return {isa: functools.partial(step if cell.vocab else encode, cell, isa, threads) for isa in machine.isas()}
