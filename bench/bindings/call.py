"""call.py: times calls of the layer from Python, as call.c does from C: call.py WEIGHTS CALLS WAY. WAY is "alone"
(query) or "given" (query, key and value).
"""
import sys
import time

import bound_128_4
import numpy as np

ROUNDS = 201


def main(weights, calls, way):
    layer = bound_128_4.Layer(weights)
    x = (np.arange(16 * 128) % 13 - 6).astype(np.float32).reshape(1, 16, 128)
    arguments = (x,) if way == "alone" else (x, x.copy(), x.copy())
    took, turns = [], range(calls)
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        for _ in turns:
            layer(*arguments)
        took.append((time.process_time_ns() - start) / calls)
    print("%.0f" % min(took))


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
