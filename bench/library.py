"""The generated libraries through ctypes: the few structs of genattn/model.h that a call needs, memory and threads.
Standard library alone; refuses a library of another ABI, and measures nothing."""

import ctypes
from ctypes import (POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_size_t, c_uint32,
                    c_uint64, c_void_p)

import paths

ABI = 23
MAX_THREADS = 1024  # GA_MAX_THREADS


class View(Structure):
    _fields_ = [("data", c_void_p), ("row_stride", c_size_t), ("col_stride", c_size_t),
                ("stored", c_void_p), ("dtype", c_int)]


class Error(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 480), ("fault", c_int), ("offset", c_uint64)]


class Io(Structure):
    _fields_ = [(name, c_size_t) for name in ("batch", "q_len", "kv_len")] + [
        (name, c_void_p)
        for name in ("query", "tokens", "key", "value", "q_lengths", "kv_lengths", "output", "attention", "parallel",
                     "mask", "additive_mask")
    ] + [("mask_strides", c_size_t * 4)] + [
        (name, c_void_p) for name in ("attention_mean", "position", "kv_position")
    ] + [("intermediates", c_void_p * 9), ("cache", c_void_p)] + [
        (name, c_void_p)
        for name in ("token_types", "embedding", "logits", "last_logits", "hidden", "layer_attention",
                     "layer_cross_attention", "src_layer_attention", "key_tokens", "memory", "src_mask",
                     "src_additive_mask")
    ] + [("src_mask_strides", c_size_t * 4), ("memory_mask", c_void_p), ("memory_additive_mask", c_void_p),
         ("memory_mask_strides", c_size_t * 4), ("sublayer", c_void_p), ("class_logits", c_void_p),
         ("arithmetic", c_void_p), ("watch", c_void_p), ("ranks", c_void_p)]


class Role(Structure):
    _fields_ = [("name", c_char_p), ("rank", c_size_t), ("shape", c_size_t * 2)]


class Model(Structure):
    """struct ga_model up to its roles."""
    _fields_ = [("abi", c_uint32), ("bits_revision", c_uint32), ("name", c_char_p), ("spec", c_char_p)] + [
        (name, c_size_t) for name in ("d_model", "n_heads", "n_kv_heads", "d_head", "batch", "q_min", "q_max", "kv_min",
                                      "kv_max", "vocab_size")
    ] + [("causal", c_int), ("scale", c_double), ("lengths", c_bool), ("attention_output", c_bool),
         ("window", c_size_t), ("window_both", c_bool), ("softcap", c_double), ("alibi", c_bool),
         ("relative_buckets", c_size_t), ("relative_distance", c_size_t), ("relative_both", c_bool),
         ("sentences", c_void_p), ("n_sentences", c_size_t), ("roles", POINTER(Role)), ("n_roles", c_size_t)]


SIGNATURES = {
    "ga_cpu_allow_amx": (c_bool, []),
    "ga_model_variant": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "ga_model_packed_size": (c_size_t, [c_void_p]),
    "ga_model_pack": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "ga_model_scratch_size": (c_size_t, [c_void_p, c_void_p] + [c_size_t] * 4),
    "ga_cache_size": (c_size_t, [c_void_p, c_void_p, c_size_t, c_size_t]),
    "ga_cache_init": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "ga_cache_put": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, c_size_t, POINTER(Error)]),
    "ga_cache_cut": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p]),
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
        raise RuntimeError(f"lib{name}.so has ABI {found}, bench/library.py knows {ABI}")
    for symbol, (result, arguments) in SIGNATURES.items():
        function = getattr(library, symbol)
        function.restype, function.argtypes = result, arguments
    library.ga_cpu_allow_amx()  # as the peers do for themselves
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
