#!/usr/bin/env python3
"""Makes tests/support/gguf_blocks.h and gguf_more_blocks.h: two blocks of each type that is decoded, of
random bytes, and the floats that the package gguf makes of them; with --check compares them with what is committed."""

import argparse
import pathlib
import sys

import gguf
import numpy
from gguf import quants

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
HEADERS = {  # types of each, as files are not long
    "gguf_blocks": ["Q8_0", "Q4_0", "Q4_1", "Q4_K", "Q6_K"],
    "gguf_more_blocks": ["Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q5_K", "IQ4_NL"],
}
HALVES = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208], "Q5_0": [0], "Q5_1": [0, 2],
          "Q2_K": [80, 82], "Q3_K": [108], "Q5_K": [0, 2], "IQ4_NL": [0]}  # bytes of a block that are scales

HEAD = """// {name}.h: two blocks of each of {types}, of random bytes, and
// the bits of the floats that dequantize of the Python package gguf makes of them. Made by
// tests/pytorch/gguf_blocks.py.
#ifndef GA_TESTS_{upper}_H
#define GA_TESTS_{upper}_H

#include <stdint.h>

// clang-format off
"""


def listed(numbers, form, each):
    """Numbers as lines of C."""
    words = [form.format(number) for number in numbers]
    return "\n".join("    " + ", ".join(words[i:i + each]) + "," for i in range(0, len(words), each))


def text(header, random):
    """A whole header."""
    names = HEADERS[header]
    parts = [HEAD.format(name=header, upper=header.upper(), types=f"{', '.join(names[:-1])} and {names[-1]}")]
    for name in names:
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
    check, random = parser.parse_args().check, numpy.random.default_rng(1)
    for header in HEADERS:
        path, made = SUPPORT / f"{header}.h", text(header, random)
        if not check:
            path.write_text(made, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != made:
            sys.exit(f"{path}: the package gguf decodes these blocks to other floats")
    return 0


if __name__ == "__main__":
    sys.exit(main())
