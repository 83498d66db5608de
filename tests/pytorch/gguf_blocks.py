#!/usr/bin/env python3
"""Makes tests/support/gguf_blocks.h: two blocks of each type that is decoded, of random bytes, and the floats that the
package gguf makes of them; with --check compares it with what is committed."""

import argparse
import pathlib
import sys

import gguf
import numpy
from gguf import quants

HEADER = pathlib.Path(__file__).resolve().parents[1] / "support" / "gguf_blocks.h"
TYPES = ["Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K"]
HALVES = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208]}  # bytes of a block that are scales

HEAD = """// gguf_blocks.h: two blocks of each type that GGUF files have and the loader decodes, of random bytes, and
// the bits of the floats that dequantize of the Python package gguf makes of them. Made by
// tests/pytorch/gguf_blocks.py.
#ifndef GA_TESTS_GGUF_BLOCKS_H
#define GA_TESTS_GGUF_BLOCKS_H

#include <stdint.h>

// clang-format off
"""


def listed(numbers, form, each):
    """Numbers as lines of C."""
    words = [form.format(number) for number in numbers]
    return "\n".join("    " + ", ".join(words[i:i + each]) + "," for i in range(0, len(words), each))


def text():
    """The whole header."""
    random = numpy.random.default_rng(1)
    parts = [HEAD]
    for name in TYPES:
        kind = gguf.GGMLQuantizationType[name]
        _, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = random.integers(0, 256, (2, size), dtype=numpy.uint8)
        for place in HALVES[name]:  # one of an ordinary number, one below 2^-14
            blocks[:, place:place + 2] = numpy.array([[0.0317], [-3.1e-6]], numpy.float16).view(numpy.uint8)
        bits = quants.dequantize(blocks, kind).reshape(-1).view(numpy.uint32)
        parts.append(f"static const unsigned char {name.lower()}_blocks[] = {{\n"
                     f"{listed(blocks.reshape(-1), '{}', 22)}\n}};\n")
        parts.append(f"static const uint32_t {name.lower()}_floats[] = {{\n{listed(bits, '0x{:08x}', 9)}\n}};\n")
    return "\n".join(parts + ["#endif\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    if not parser.parse_args().check:
        HEADER.write_text(text(), encoding="utf-8")
    elif HEADER.read_text(encoding="utf-8") != text():
        sys.exit(f"{HEADER}: the package gguf decodes these blocks to other floats")
    return 0


if __name__ == "__main__":
    sys.exit(main())
