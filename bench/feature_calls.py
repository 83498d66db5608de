"""Calls of generated models for `ninja bench-features`: weights by the roles a model names, the same input for all, and
what a feature's calls bring in addition. Measures nothing."""

import array
import ctypes
import functools
import math
import random
from ctypes import byref, c_int32, c_void_p

from feature_rows import D_MODEL, HEADS
from library import Block, Error, Io, Model, View, load

HIDDEN = 0.25  # share of keys that a mask hides


@functools.cache
def numbers(name, count, bound):
    """Floats from -bound to bound that belong to the name; the same ones wherever it stands."""
    source = random.Random(name)
    return array.array("f", [source.uniform(-bound, bound) for _ in range(count)])


def address(data):
    return data.buffer_info()[0]


def weight(role):
    """A view of the numbers that belong to the role's name."""
    name, shape = role.name.decode(), role.shape[:role.rank]
    bound = (3 / shape[1])**0.5 if role.rank == 2 else 0.5
    return View(address(numbers(name, math.prod(shape), bound)), shape[1] if role.rank == 2 else 1, 1)


@functools.cache
def hidden(length):
    source = random.Random(length)
    return [source.random() < HIDDEN for _ in range(length * length)]


# -- What a call brings ----------------------------------------------------------------------------------------------
# Each sets fields of an io for one sequence of so many rows; returns what must live as long as the call.

def give_half(io, length, _loaded):
    lengths = (c_int32 * 1)(length // 2)
    io.q_lengths = ctypes.addressof(lengths)
    return lengths


def _give_mask(field):
    def give(io, length, _loaded):
        code, choice = ("B", (1, 0)) if field == "mask" else ("f", (0.0, -math.inf))
        data = array.array(code, [choice[is_hidden] for is_hidden in hidden(length)])
        setattr(io, field, address(data))
        io.mask_strides[2], io.mask_strides[3] = length, 1
        return data
    return give


def _give_output(field, heads):
    def give(io, length, _loaded):
        data = array.array("f", bytes(4 * heads * length * length))
        setattr(io, field, address(data))
        return data
    return give


def give_cache(io, length, loaded):
    """An empty cache; every call finds it empty again."""
    library, error, cache = loaded.library, Error(), c_void_p()
    block = Block(library, library.ga_cache_size(loaded.model, loaded.variant, 1, length))
    if library.ga_cache_init(loaded.weights, 1, length, block.address, block.size, byref(cache), byref(error)):
        raise RuntimeError(error.text.decode())
    io.cache = cache
    return block


EXTRAS = {
    "half": give_half, "mask": _give_mask("mask"), "additive_mask": _give_mask("additive_mask"),
    "attention": _give_output("attention", HEADS), "attention_mean": _give_output("attention_mean", 1),
    "cache": give_cache,
}


# -- Models and calls ------------------------------------------------------------------------------------------------

class Loaded:
    """A model with packed weights."""

    def __init__(self, name, isa):
        self.name = name
        self.library, self.model, self.run = load(name)
        self.variant, self.weights, error = c_void_p(), c_void_p(), Error()
        facts = Model.from_address(self.model)
        views = (View * facts.n_roles)(*[weight(facts.roles[i]) for i in range(facts.n_roles)])
        if self.library.ga_model_variant(self.model, isa.encode(), byref(self.variant), byref(error)):
            raise RuntimeError(error.text.decode())
        self.packed = Block(self.library, self.library.ga_model_packed_size(self.variant))
        if self.library.ga_model_pack(self.model, self.variant, views, self.packed.address, self.packed.size,
                                      byref(self.weights), byref(error)):
            raise RuntimeError(error.text.decode())


def _inputs(alone, length):
    """query, key, value: those of attention alone stand for themselves; a layer's keys are its query's rows."""
    names = ("query", "key", "value") if alone else ("query",)
    return {name: address(numbers(name, length * D_MODEL, 3**0.5)) for name in names}


def call(loaded, length, extras, alone):
    """A function that runs the model once, and what must live as long as it. Runs it here, too: raises RuntimeError
    where that fails or gives numbers that are none."""
    library, output = loaded.library, array.array("f", bytes(4 * length * D_MODEL))
    scratch = Block(library, library.ga_model_scratch_size(loaded.model, loaded.variant, 1, length,
                                                           length if alone else 0, 1))
    io = Io(batch=1, q_len=length, kv_len=length if alone else 0, output=address(output), **_inputs(alone, length))
    kept = [EXTRAS[name](io, length, loaded) for name in extras]
    run = functools.partial(loaded.run, loaded.weights, byref(io), scratch.address, scratch.size)
    if io.cache:
        cut, cache, run_once = library.ga_cache_cut, io.cache, run

        def run():
            cut(cache, 0, 0, None)
            return run_once()
    status = run()
    if status or not all(map(math.isfinite, output)) or not any(output):
        raise RuntimeError(f"{loaded.name} at length {length}: status {status}, or a result that is no result")
    return run, (loaded, scratch, io, output, kept)
