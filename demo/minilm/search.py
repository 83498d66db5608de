#!/usr/bin/env python3
"""Semantic search: embeds the sentences of a file and prints those nearest to each query, with the cosine of the
angle between them. Compares words with nothing: what is found need not share one with the query."""

import argparse
import pathlib
import time

import sentences

HERE = pathlib.Path(__file__).parent


def read_lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def nearest(vectors, query, count):
    """(score, index) of the vectors nearest to a query, best first. All are of length one, so a product is a cosine."""
    scores = vectors @ query
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [(scores[i], i) for i in order[:count]]


def short(text, width):
    return text if len(text) <= width else text[:width - 3] + "..."


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="out/bin/minilm")
    parser.add_argument("query", nargs="*", help="what to look for, in place of queries.txt")
    parser.add_argument("--sentences", type=pathlib.Path, default=HERE / "sentences.txt", help="one a line")
    parser.add_argument("--nearest", type=int, default=4, metavar="N", help="sentences to print for a query (4)")
    options = parser.parse_args()
    texts, queries = read_lines(options.sentences), options.query or read_lines(HERE / "queries.txt")
    encoder = sentences.Encoder(options.program, sentences.model_folder())
    tokens = encoder.tokens(texts)
    start = time.perf_counter()
    vectors = encoder.embed(tokens)
    seconds = time.perf_counter() - start
    lengths = sorted(map(len, tokens))
    print(f"{len(texts)} sentences of {lengths[0]} to {lengths[-1]} tokens, {sum(lengths)} in all, embedded in "
          f"{seconds:.2f} s on one thread, reading the weights included")
    for query, vector in zip(queries, encoder.embed(encoder.tokens(queries))):
        print(f"\n{query}")
        for score, i in nearest(vectors, vector, options.nearest):
            print(f"  {score:.3f}  {short(texts[i], 100)}")


if __name__ == "__main__":
    main()
