"""Ours: a model of each rung, by the instructions that it takes by itself on this CPU, which may be more than those of
f32 (vdpbf16ps); f32 is the one that they are compared with. Set up as elsewhere (systems/genattn.py,
systems/whole/genattn.py)."""

import functools

import machine
import rungs
from systems import genattn
from systems.whole import genattn as whole


def make_of(cell):
    if not cell.whole:
        return genattn.make
    return whole.step if cell.vocab else whole.encode


def variants(cell, threads):
    isa = machine.narrow_isa()
    return {rungs.our_variant(cell, rung): functools.partial(make_of(cell), cell.of(rung), isa, threads)
            for rung in rungs.ours(cell)}
