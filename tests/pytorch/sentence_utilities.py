"""Holds what a model's Python wheel has of SentenceTransformer's names against that class, and has functions and
evaluators of sentence_transformers take the one for the other. A part of sentence_encoder.py, which says when."""

import numpy
import torch

FUNCTIONS = ("cosine", "dot", "euclidean", "manhattan")
PRECISIONS = ("int8", "uint8", "binary", "ubinary")
UNIT = 2.0**-24  # by which float32 rounds
PROMPTS = {"query": "query: ", "passage": "passage: ", "corpus": "corpus: "}
TOP = 5


def compare_names(facts, ours, theirs, texts):
    """Lengths, ids and prompts of tasks."""
    facts.expect(ours.max_seq_length == theirs.max_seq_length, f"max_seq_length is {ours.max_seq_length}")
    facts.expect(ours.get_sentence_embedding_dimension() == theirs.get_sentence_embedding_dimension(), "the dimension")
    facts.expect(ours.similarity_fn_name == theirs.similarity_fn_name, f"similarity is {ours.similarity_fn_name}")
    before = theirs.max_seq_length, theirs.prompts
    for tokens in (before[0], 7):
        ours.max_seq_length = theirs.max_seq_length = tokens
        wanted = theirs.tokenize(texts)
        facts.expect(ours.tokenizer.pad_token_id == theirs.tokenizer.pad_token_id, "another token pads")
        for name, array in ours.tokenize(texts).items():
            facts.expect(numpy.array_equal(array, wanted[name]), f"tokenize gives other {name} at {tokens} tokens")
    ours.max_seq_length, theirs.max_seq_length = before[0], before[0]
    ours.prompts, theirs.prompts = PROMPTS, PROMPTS
    for name in ("encode_query", "encode_document"):
        off = numpy.abs(getattr(ours, name)(texts) - getattr(theirs, name)(texts)).max()
        facts.expect(off <= 2e-6, f"{name} is off by {off:.3g}")  # 1e-6 of double precision for either
    ours.prompts = theirs.prompts = before[1]


def compare_precisions(facts, ours, texts):
    """encode's precisions are what sentence_transformers makes of its float32."""
    from sentence_transformers.quantization import quantize_embeddings

    whole = ours.encode(texts)
    rows = ours.encode(texts, output_value="token_embeddings")
    for precision in PRECISIONS:
        wanted = quantize_embeddings(whole, precision)
        found = ours.encode(texts, precision=precision)
        same = found.dtype == wanted.dtype and numpy.array_equal(found, wanted)
        facts.expect(same, f"encode gives other {precision}")
        calibrated = quantize_embeddings(numpy.concatenate(rows), precision)  # which lists are by themselves before 6
        found = numpy.concatenate(ours.encode(texts, output_value="token_embeddings", precision=precision))
        facts.expect(numpy.array_equal(found, calibrated), f"token_embeddings are other {precision}")


def compare_similarity(facts, ours, theirs, texts):
    vectors = ours.encode(texts)
    some, others = vectors[::2], vectors[1::2]
    for name in FUNCTIONS:
        ours.similarity_fn_name = theirs.similarity_fn_name = name
        for method in ("similarity", "similarity_pairwise"):
            wanted = getattr(theirs, method)(some, others).numpy()
            found = getattr(ours, method)(some, others)
            # A rounding a term, and few of what goes in, of both.
            limit = 2 * (vectors.shape[1] + 8) * UNIT * numpy.maximum(numpy.abs(wanted), 1)
            facts.expect(found.shape == wanted.shape and (numpy.abs(found - wanted) <= limit).all(),
                         f"{method} by {name} is off by {numpy.abs(found - wanted).max():.3g}")
            facts.expect(isinstance(getattr(ours, method)(torch.from_numpy(some), others), torch.Tensor),
                         f"{method} of a tensor gives no tensor")
    ours.similarity_fn_name = theirs.similarity_fn_name = None


def compare_search(facts, ours, theirs, texts, queries):
    """Functions that take vectors, or the model itself."""
    from sentence_transformers import util

    hits, pairs = [], []
    for model in (ours, theirs):
        found = util.semantic_search(model.encode(queries, convert_to_tensor=True),
                                     model.encode(texts, convert_to_tensor=True), top_k=TOP)
        hits.append([[hit["corpus_id"] for hit in row] for row in found])
        pairs.append({tuple(pair): score for score, *pair in util.paraphrase_mining(model, texts, top_k=len(texts))})
    facts.expect(hits[0] == hits[1], "semantic_search finds others")
    facts.expect(pairs[0].keys() == pairs[1].keys(), "paraphrase_mining finds other pairs")
    off = max(abs(pairs[0][pair] - score) for pair, score in pairs[1].items())
    facts.expect(off <= 2e-5, f"scores of paraphrase_mining are off by {off:.3g}")  # sqrt(384) of 1e-6
    return hits[1]


def compare_evaluators(facts, ours, theirs, texts, queries, hits):
    """hits: by query the places of the texts nearest to it, of which the second is called relevant."""
    from sentence_transformers import evaluation

    labels = numpy.random.default_rng(1).random(len(texts) // 2).tolist()
    first, second = texts[::2], texts[1::2]
    evaluate = evaluation.EmbeddingSimilarityEvaluator(first, second, labels)
    found, wanted = evaluate(ours), evaluate(theirs)
    scores = [theirs.similarity_pairwise(*(model.encode(part) for part in (first, second))).numpy()
              for model in (ours, theirs)]
    limit = 2 * numpy.abs(scores[0] - scores[1]).max() / scores[1].std()  # of a correlation, whose labels are fixed
    off = abs(found["pearson_cosine"] - wanted["pearson_cosine"])
    facts.expect(off <= limit, f"the correlation is off by {off:.3g}, at most {limit:.3g}")
    facts.expect(found["spearman_cosine"] == wanted["spearman_cosine"], "pairs have other ranks")
    evaluate = evaluation.InformationRetrievalEvaluator(
        {str(i): text for i, text in enumerate(queries)}, {str(i): text for i, text in enumerate(texts)},
        {str(i): {str(row[1])} for i, row in enumerate(hits)})
    found, wanted = evaluate(ours), evaluate(theirs)
    facts.expect(found == wanted, f"InformationRetrievalEvaluator gives {found}, expected {wanted}")
    facts.expect(ours.model_card_data.eval_results_dict[evaluate] == found, "the results are not kept")


def mined_apart(ours, theirs, texts):
    """Pairs of texts whose score is farther from each other pair's than the two models' scores are from each other:
    what is made of ranks can differ by rounding at all others."""
    from sentence_transformers import util

    mined = [util.paraphrase_mining(model, texts, top_k=len(texts)) for model in (ours, theirs)]
    other = {tuple(pair): score for score, *pair in mined[0]}
    off = max(abs(other[tuple(pair)] - score) for score, *pair in mined[1])
    scores = numpy.array([score for score, *_ in mined[1]])
    gaps = numpy.concatenate(([numpy.inf], -numpy.diff(scores), [numpy.inf]))
    apart = numpy.minimum(gaps[1:], gaps[:-1]) > 2 * off
    return [tuple(map(str, pair)) for (_, *pair), alone in zip(mined[1], apart) if alone], off


def compare_mining(facts, ours, theirs, texts):
    """ParaphraseMiningEvaluator, whose duplicates are every third of the pairs that rounding leaves in their place."""
    from sentence_transformers import evaluation

    pairs, off = mined_apart(ours, theirs, texts)
    facts.expect(len(pairs) >= 30, f"{len(pairs)} pairs are apart")
    evaluate = evaluation.ParaphraseMiningEvaluator({str(i): text for i, text in enumerate(texts)}, pairs[:90:3],
                                                    top_k=len(texts))
    found, wanted = evaluate(ours), evaluate(theirs)
    threshold = abs(found.pop("threshold") - wanted.pop("threshold"))
    facts.expect(found == wanted, f"ParaphraseMiningEvaluator gives {found}, expected {wanted}")
    facts.expect(threshold <= off, f"its threshold is off by {threshold:.3g}, at most {off:.3g}")


def compare(facts, ours, theirs, texts, queries):
    """theirs: a SentenceTransformer of the same weights; texts: an even number."""
    compare_names(facts, ours, theirs, texts[:20])
    compare_precisions(facts, ours, texts)
    compare_similarity(facts, ours, theirs, texts)
    hits = compare_search(facts, ours, theirs, texts, queries)
    compare_evaluators(facts, ours, theirs, texts, queries, hits)
    compare_mining(facts, ours, theirs, texts)
    print(f"utilities of sentence_transformers: {len(texts)} texts, {len(queries)} queries")
