"""Cells of narrow numbers in the systems' hands: a module each, with variants(cell, threads) -> {name: make}, as
systems/whole/__init__.py says of whole models. The name of each variant begins with its rung's (rungs.py)."""
