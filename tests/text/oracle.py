"""Compares libga_text with the tokenizers package: ids, offsets, types, tokens and decoding of random strings.

    python3 tests/text/oracle.py out/lib/libga_text.so [strings of each family [seed [family ...]]]
"""
import json
import random
import sys

import library
from expressions import EXPRESSIONS, REFUSED, cutter, known
from families import FAMILIES
from families_subword import SUBWORD
from strings import corpus, string
import pipelines
from tokenizers import Tokenizer

SHOWN = 5  # differences of a family that are printed


def expected(tokenizer, text, pair, special):
    try:
        encoding = tokenizer.encode(text, pair, add_special_tokens=special)
    except BaseException as error:  # what the package refuses, or panics at
        return str(error)
    return {
        "ids": encoding.ids,
        "type_ids": encoding.type_ids,
        "special": encoding.special_tokens_mask,
        "offsets": encoding.offsets,
        "tokens": encoding.tokens,
    }


def found(tokenizer, text, pair, special):
    flags = 0 if special else library.NO_SPECIAL
    try:
        encoding = tokenizer.encode(text, pair, flags)
        fast = tokenizer.ids(text, pair, flags)
    except ValueError as error:
        return str(error)
    if fast != encoding["ids"]:
        return {"ids": encoding["ids"], "ids without offsets": fast}
    return encoding


def difference(ours, theirs):
    """The names of what differs; none where both refuse."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return [] if isinstance(ours, str) and isinstance(theirs, str) else ["refused"]
    return [name for name in ours if ours[name] != theirs.get(name)]


def show(family, text, names, ours, theirs):
    print(f"{family}: {ascii(text)}: {', '.join(names)}")
    for name in names:
        one = ours if isinstance(ours, str) else ours.get(name)
        two = theirs if isinstance(theirs, str) else theirs.get(name)
        print(f"  ours   {ascii(one)[:600]}\n  theirs {ascii(two)[:600]}")


def compare(family, reference, ours, rng, count, make=string):
    wrong = 0
    for _ in range(count):
        text = make(rng)
        pair = make(rng) if rng.random() < 0.2 else None
        special = rng.random() < 0.8
        one, two = found(ours, text, pair, special), expected(reference, text, pair, special)
        names = difference(one, two)
        if not names and not isinstance(one, str):
            skip = rng.random() < 0.7
            a, b = ours.decode(one["ids"], skip), reference.decode(one["ids"], skip_special_tokens=skip)
            names, one, two = (["decoding"], {"decoding": a}, {"decoding": b}) if a != b else ([], one, two)
        if names:
            wrong += 1
            if wrong <= SHOWN:
                show(family, (text, pair), names, one, two)
    return wrong


def compare_expressions(shared, seed, count):
    """Each expression on some of the strings; how many of them differ, or are refused against expectation."""
    wrong = 0
    for expression in EXPRESSIONS:
        rng = random.Random(f"{expression} {seed}")
        reference = cutter(expression)
        ours = library.Tokenizer(shared, reference.to_str())
        wrong += compare(expression, reference, ours, rng, max(count // 10, 20), lambda r: known(string(r)))
        ours.close()
    for expression in REFUSED:
        text = cutter(r"\s").to_str().replace('"\\\\s"', json.dumps(expression))
        try:
            library.Tokenizer(shared, text).close()
            print(f"{expression}: is not refused")
            wrong += 1
        except ValueError:
            pass
    return wrong


TEXTS = 12  # of each random pipeline
REFUSED_PIPELINES = ("when it is normalized", "when they are normalized")


def compare_pipelines(shared, seed, count):
    """Random pipelines, each on some texts; how many differ. Each has a seed of its own, which is printed."""
    wrong = refused = 0
    for number in range(count):
        rng = random.Random(f"pipeline {seed} {number}")
        text = pipelines.pipeline(rng)
        try:
            ours = library.Tokenizer(shared, text)
        except ValueError as error:
            refused += 1
            if not str(error).endswith(REFUSED_PIPELINES):
                print(f"pipeline {number}: {error}")
                wrong += 1
            continue
        wrong += compare(f"pipeline {number}", Tokenizer.from_str(text), ours, rng, TEXTS, pipelines.text) > 0
        ours.close()
    print(f"{count} pipelines: {wrong} differ, {refused} refused", flush=True)
    return wrong


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wanted, total, families = sys.argv[4:], 0, 0
    shared = library.load(sys.argv[1])
    for family, make in FAMILIES + SUBWORD:
        if wanted and family not in wanted:
            continue
        rng = random.Random(f"{family} {seed}")
        reference = make(corpus(rng, 400))
        ours = library.Tokenizer(shared, reference.to_str())
        wrong = compare(family, reference, ours, rng, count)
        ours.close()
        packed = library.Tokenizer(shared, reference.to_str(), packed=True)
        wrong += compare(f"{family}, packed", reference, packed, rng, max(count // 4, 20))
        packed.close()
        print(f"{family}: {count} strings, {wrong} differ", flush=True)
        total += wrong > 0
        families += 1
    if not wanted or "expressions" in wanted:
        wrong = compare_expressions(shared, seed, count)
        print(f"{len(EXPRESSIONS)} expressions: {wrong} differ", flush=True)
        total += wrong > 0
        families += 1
    if not wanted or "pipelines" in wanted:
        total += compare_pipelines(shared, seed, count) > 0
        families += 1
    print(f"{families - total} passed, {total} failed")
    sys.exit(total > 0)


main()
