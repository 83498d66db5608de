"""One system and one shape in a process of its own: worker.py SYSTEM SHAPE FOLDER WORK COUNT OUTPUT. Says a line of
JSON: seconds and CPU seconds of all inputs, after one call that warms up; vectors or scores go to OUTPUT."""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

import shapes
import systems


def main():
    key, name, folder, work, count, output = sys.argv[1:]
    tokens = shapes.inputs(name, int(count))
    system = systems.open_system(key, name, Path(folder), Path(work), 1)
    system.run(tokens[:32])
    begin, begin_cpu = time.perf_counter(), time.process_time()
    vectors = system.run(tokens)
    took = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - begin_cpu,
            "tokens": sum(map(len, tokens)), "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    np.save(output, np.asarray(vectors, np.float64))
    print(json.dumps(took), flush=True)


main()
