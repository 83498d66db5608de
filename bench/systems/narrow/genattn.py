"""Ours: a model of each rung, of the best instruction set of this CPU; f32 beside them is the one that they are held
against. Set up as elsewhere (systems/genattn.py, systems/whole/genattn.py)."""

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
    isa = machine.isas()[0]
    return {f"{rung.name} {isa}": functools.partial(make_of(cell), cell.of(rung), isa, threads)
            for rung in rungs.ours(cell)}
