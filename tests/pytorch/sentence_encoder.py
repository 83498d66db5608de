"""Holds `encode` of the model's Python wheel against sentence_transformers' own, over the arguments that both take: the
types, the shapes and the numbers of what they give, and what both refuse; and its bits against the program's
`embed --text`. A part of minilm.py, which says how it is skipped."""

import importlib
import pathlib
import sys

import numpy
import sentence_utilities
import torch

LIMIT = 1e-6  # of the largest difference in embeddings, which are of length one
FEW = 10  # numbers that are left of a vector
LONG = " ".join(["word"] * 400)  # more tokens than the model takes

TEXTS = ["a cat", "A dog sat on the mat.", "", LONG, "Ünïcödé, 測試 ☂", "a cat"]

# Arguments: what is given, by names; the numbers of each are compared with those of double precision.
CASES = [
    (TEXTS, {}), ("a cat", {}), ("", {}), (tuple(TEXTS[:2]), {}), (numpy.array(TEXTS[:2]), {}),
    ([("a cat", "A dog."), ("a", "b")], {}), ([["a cat", "A dog."]], {}),
    (TEXTS, {"normalize_embeddings": True}), (TEXTS, {"batch_size": 1}), (TEXTS, {"batch_size": 4}),
    (TEXTS, {"truncate_dim": FEW}), (TEXTS, {"truncate_dim": FEW, "normalize_embeddings": True}),
    (TEXTS, {"convert_to_tensor": True}), (TEXTS, {"convert_to_numpy": False}), ("a cat", {"convert_to_tensor": True}),
    ("a cat", {"convert_to_numpy": False}), ([], {"convert_to_numpy": False}), (TEXTS, {"prompt": "query: "}),
    (TEXTS, {"prompt": ""}), (TEXTS, {"prompt_name": "query"}), (TEXTS, {"device": "cpu"}),
    (TEXTS, {"show_progress_bar": False}), (TEXTS, {"precision": "float32"}),
    (TEXTS, {"precision": None}), (TEXTS, {"chunk_size": 2}),
    ("a cat", {"output_value": "token_embeddings", "convert_to_tensor": True}),
    (TEXTS, {"output_value": "token_embeddings", "convert_to_tensor": True}),
    ([], {"output_value": "token_embeddings"}),
]

# What both refuse.
REFUSED = [
    (["a"], {"batch_size": 0}), (["a"], {"precision": "none"}), (["a"], {"prompt_name": "none"}),
    (["a"], {"output_value": "none"}), (b"a", {}), (3, {}), (None, {}), (["a", 3], {}), (["a", None], {}),
]


def items(result):
    """Arrays of what a call gave, one for a whole array."""
    return [numpy.asarray(item) for item in result] if isinstance(result, list) else [numpy.asarray(result)]


def described(result):
    """Types, element types and shapes; the precision of the oracle is none of them."""
    if isinstance(result, list):
        return [described(item) for item in result]
    return type(result).__name__, str(result.dtype), tuple(result.shape)


def far(found, wanted):
    """The largest difference."""
    return max((float(numpy.abs(a.astype(numpy.float64) - b).max(initial=0)) for a, b in
                zip(items(found), items(wanted))), default=0.0)


def limit_of(arguments, theirs, exact):
    """How far numbers may be off: rows of tokens, which have no length of one, twice as far as PyTorch's float32; what
    is divided by the length of a part of a vector as much farther as that makes numbers larger."""
    if arguments.get("output_value"):
        return 2 * far(theirs, exact) + LIMIT
    return LIMIT


def shortest_part(whole):
    """The smallest length that the first numbers of a vector have."""
    return min(float(numpy.linalg.norm(vector[:FEW])) for vector in items(whole)[0])


def name_of(given, arguments):
    """A case in a message."""
    text = repr(given)
    return f"encode({text if len(text) < 40 else text[:37] + '...'}, {arguments})"


def compare_values(facts, ours, theirs, doubles):
    largest = 0.0
    for given, arguments in CASES:
        name = name_of(given, arguments)
        found, wanted, exact = (model.encode(given, **arguments) for model in (ours, theirs, doubles))
        facts.expect(described(found) == described(wanted),
                     f"{name} gives {described(found)}, sentence_transformers {described(wanted)}")
        limit = limit_of(arguments, wanted, exact)
        if "truncate_dim" in arguments and "normalize_embeddings" in arguments:
            limit *= 2 / shortest_part(doubles.encode(given))
        off = far(found, exact)
        largest = largest if arguments.get("output_value") else max(largest, off / limit * LIMIT)
        facts.expect(off <= limit, f"{name} is off by {off:.3g}, at most {limit:.3g}")
    print(f"encode of {len(CASES)} calls: {largest:.2g} from float64, of vectors of length one")


def refuses(model, given, arguments):
    """Whether a call is an error that a caller can expect."""
    try:
        model.encode(given, **arguments)
    except (ValueError, TypeError, KeyError):
        return True
    return False


def compare_refusals(facts, ours, theirs):
    for given, arguments in REFUSED:
        for who, model in (("encode", ours), ("sentence_transformers", theirs)):
            facts.expect(refuses(model, given, arguments), f"{who} takes {name_of(given, arguments)}")


def compare_lengths(facts, ours, theirs):
    facts.expect(ours.encode([]).shape == (0, ours.encode("a").size), "encode([]) is no matrix without rows")
    ids = [ours.tokenizer.encode(text).ids for text in TEXTS]
    wanted = [theirs.tokenizer(text, truncation=True, max_length=128).input_ids for text in TEXTS]
    facts.expect(ids == wanted, "tokenizer.encode gives other ids than the tokenizer of sentence_transformers")


def compare(facts, site, folder, embedded, of_demo):
    """site: where the wheel is unpacked; embedded: the vectors that the program writes of texts; of_demo: some of its
    texts, and its queries."""
    sys.path.insert(0, str(pathlib.Path(site).resolve()))
    ours = importlib.import_module("minilm").Model(folder)
    texts = [text for text in TEXTS if text]
    facts.expect(numpy.array_equal(ours.encode(texts), embedded(texts)), "encode has other bits than embed --text")
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        print(f"SKIPPED: encode was not compared with sentence_transformers: {error}")
        return
    theirs = SentenceTransformer(str(folder), device="cpu")
    doubles = SentenceTransformer(str(folder), device="cpu").to(torch.float64)
    compare_values(facts, ours, theirs, doubles)
    compare_refusals(facts, ours, theirs)
    compare_lengths(facts, ours, theirs)
    sentence_utilities.compare(facts, ours, theirs, *of_demo)
