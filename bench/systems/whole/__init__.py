"""Whole models in the systems' hands: a module each, with variants(cell, threads) -> {name: make}, make(whole) ->
Variant or raises Unfit, as systems/__init__.py says of one layer. A system without a module here has none."""
