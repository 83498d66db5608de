"""One system in a process of its own: worker.py SYSTEM FOLDER WORK THREADS OUTPUT. Says `first` once it has the vector
of one sentence, `all` once it has those of all sentences, then a line of JSON with warm times; vectors go to OUTPUT.
The parent takes the times of the first two lines, so that starting Python and opening the model are in them."""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

import corpus
import systems


def timed(call, texts):
    begin = time.perf_counter()
    call(texts)
    return time.perf_counter() - begin


def main():
    key, folder, work, threads, output = sys.argv[1:]
    sentences, passages = (corpus.read(Path(work) / f"{name}.txt") for name in ("sentences", "passages"))
    system = systems.open_system(key, folder, work, int(threads))
    system.encode(sentences[:1])
    print("first", flush=True)
    vectors = system.encode(sentences)
    print("all", flush=True)
    warm = {"sentences": timed(system.encode, sentences), "passages": timed(system.encode, passages),
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    np.save(output, np.asarray(vectors))
    print(json.dumps(warm), flush=True)


main()
