"""sentence_test.py: what a wheel has of SentenceTransformer's names: similarity, precisions, prompts of tasks, lengths,
and what code reads that takes one. The comparison with sentence_transformers itself is tests/pytorch/minilm.sh's."""
import copy
import enum
import importlib.util
import inspect
import json
import math
import os
import pickle
import tempfile
import unittest

import numpy as np
import bert_48_4
import dense_36_4
from made import arrays
from bert_48_4 import _elementary, _text
from text_test import TEXTS, model, write_packed

PAIR = ([[3, -4, 0], [1, 2, 2]], [[0, 3, 4], [6, 0, 8], [-1, -2, -2]])
WANTED = {  # by hand
    "cosine": [[-12 / 25, 18 / 50, 5 / 15], [14 / 15, 22 / 30, -1]],
    "dot": [[-12, 18, 5], [14, 22, -9]],
    "euclidean": [[-74**0.5, -89**0.5, -24**0.5], [-6**0.5, -65**0.5, -6]],
    "manhattan": [[-14, -15, -8], [-4, -13, -10]],
}

# What sentence_transformers 6.2 makes of NUMBERS, of RANGES, and of NUMBERS with the ranges of its first three rows.
NUMBERS = ((np.arange(4)[:, None] * 7 + np.arange(11) * 13) % 23 - 11).astype(np.float32) / 8
NUMBERS[:, 4], NUMBERS[1, 2] = 0.5, 0
RANGES = np.stack((np.full(11, -1), np.array([1] * 10 + [0.75]))).astype(np.float32)
UINT8 = [[0, 143, 31, 254, 0, 254, 143, 254, 143, 31, 143], [85, 254, 159, 0, 0, 0, 254, 0, 254, 143, 254],
         [170, 0, 254, 111, 0, 111, 0, 111, 0, 254, 0], [254, 111, 0, 223, 0, 223, 111, 223, 111, 0, 111]]
UINT8_BY_RANGES = [[0, 159, 0, 207, 191, 254, 95, 255, 143, 0, 218], [63, 255, 127, 0, 191, 0, 207, 47, 254, 95, 255],
                   [175, 15, 223, 63, 191, 111, 0, 159, 0, 207, 54], [255, 127, 0, 175, 191, 223, 63, 255, 111, 0, 182]]
UINT8_BY_THREE = [[0, 143, 0, 254, 0, 254, 143, 254, 143, 0, 143], [127, 254, 145, 0, 0, 0, 254, 0, 254, 127, 254],
                  [255, 0, 255, 111, 0, 111, 0, 111, 0, 255, 0], [255, 111, 0, 223, 0, 223, 111, 223, 111, 0, 111]]
UBINARY = [[93, 160], [74, 160], [169, 64], [157, 32]]


def in_folder(folder, config):
    """A model beside a config_sentence_transformers.json; a text stands in the file as it is."""
    path = os.path.join(folder, "w.gap")
    with open(model().tokenizer.path, "rb") as file:
        write_packed(path, file.read())
    with open(os.path.join(folder, "config_sentence_transformers.json"), "w") as file:
        file.write(config if isinstance(config, str) else json.dumps(config))
    return bert_48_4.Model(path)


def tokenized(test, config, added):
    """A model whose tokenizer.json has one more token that text cannot split, beside a tokenizer_config.json."""
    folder = tempfile.TemporaryDirectory()
    test.addCleanup(folder.cleanup)
    encoder = model()
    with open(encoder.tokenizer.path) as file:
        content = json.load(file)
    vocabulary = content["model"]["vocab"]
    if added not in vocabulary:
        vocabulary[added] = vocabulary.pop("dog")
    content["added_tokens"] = [{"id": vocabulary[added], "content": added, "special": True,
                                "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}]
    for name, said in (("tokenizer.json", content), ("tokenizer_config.json", config)):
        with open(os.path.join(folder.name, name), "w") as file:
            json.dump(said, file)
    return bert_48_4.Model(arrays(bert_48_4), tokenizer=os.path.join(folder.name, "tokenizer.json"))


@unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
class Similarity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = model()

    def tearDown(self):
        self.model.similarity_fn_name = None

    def test_functions_give_what_they_are(self):
        for name, wanted in WANTED.items():
            self.model.similarity_fn_name = name
            got = self.model.similarity(*PAIR)
            self.assertEqual((got.shape, got.dtype), ((2, 3), np.float32))
            np.testing.assert_allclose(got, wanted, rtol=1e-6)
            pairwise = self.model.similarity_pairwise(PAIR[0], PAIR[1][:2])
            np.testing.assert_allclose(pairwise, [wanted[0][0], wanted[1][1]], rtol=1e-6)
            np.testing.assert_array_equal(self.model.similarity(np.array(PAIR[0][1]), PAIR[1]), got[1:])
            np.testing.assert_array_equal(self.model.similarity_pairwise(PAIR[0][0], PAIR[1][0]), pairwise[0])

    def test_rounding_is_that_of_the_numbers(self):
        random = np.random.default_rng(5)
        a, b = (random.normal(size=(n, 48)).astype(np.float32) for n in (7, 9))
        wide, other = np.longdouble(a)[:, None], np.longdouble(b)[None]
        lengths = np.sqrt((wide**2).sum(2) * (other**2).sum(2))
        wanted = {"dot": (wide * other).sum(2), "cosine": (wide * other).sum(2) / lengths,
                  "euclidean": -np.sqrt(((wide - other)**2).sum(2)), "manhattan": -np.abs(wide - other).sum(2)}
        largest = {"dot": lengths, "cosine": 1}  # of what is summed; distances are that themselves
        for name, exact in wanted.items():
            self.model.similarity_fn_name = name
            for dtype, unit in ((np.float32, 2.0**-24), (np.float64, 2.0**-53)):
                off = np.abs(self.model.similarity(a.astype(dtype), b.astype(dtype)) - exact)
                limit = (48 + 8) * unit * largest.get(name, -exact)  # a rounding a term, and few of what goes in
                self.assertTrue((off <= limit).all(), "%s of %s" % (name, dtype))

    def test_vectors_of_other_lengths(self):
        zeros = np.zeros((1, 3), np.float32)
        self.assertEqual(self.model.similarity(zeros, PAIR[1]).tolist(), [[0, 0, 0]])
        self.assertEqual(self.model.similarity(np.zeros((0, 3)), PAIR[1]).shape, (0, 3))
        matrix, pairwise = self.model.similarity, self.model.similarity_pairwise
        for call, given, error, words in (
                (matrix, ([[1, 2]], PAIR[1]), ValueError, r"\[1, 2\] and embeddings2 \[3, 3\]; expected vectors of"),
                (pairwise, PAIR, ValueError, r"\[2, 3\] and embeddings2 \[3, 3\]; expected the same"),
                (matrix, (PAIR[0], [["a"]]), TypeError, "embeddings2 has dtype <U1; expected numbers"),
                (matrix, ([[[1]]], [1]), ValueError, r"embeddings1 has shape \[1, 1, 1\]; expected a vector, or")):
            with self.assertRaisesRegex(error, words):
                call(*given)

    def test_names(self):
        self.assertEqual(self.model.similarity_fn_name, "cosine")
        self.model.similarity_fn_name = enum.Enum("SimilarityFunction", {"DOT_PRODUCT": "dot"}).DOT_PRODUCT
        self.assertEqual(self.model.similarity_fn_name, "dot")
        with self.assertRaisesRegex(ValueError, "similarity_fn_name is 'maxsim'; expected 'cosine', 'dot', "):
            self.model.similarity_fn_name = "maxsim"
        with tempfile.TemporaryDirectory() as folder:
            for written, taken in (("euclidean", "euclidean"), ("maxsim", "cosine"), (None, "cosine")):
                self.assertEqual(in_folder(folder, {"similarity_fn_name": written}).similarity_fn_name, taken)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch")
    def test_tensors_give_tensors(self):
        import torch

        vectors = self.model.encode(TEXTS)
        for one, other in ((torch.from_numpy(vectors), vectors), (vectors, list(torch.from_numpy(vectors)))):
            got = self.model.similarity(one, other)
            self.assertIsInstance(got, torch.Tensor)
            np.testing.assert_array_equal(got.numpy(), self.model.similarity(vectors, vectors))
            self.assertIsInstance(self.model.similarity_pairwise(one, other), torch.Tensor)
        with self.assertRaisesRegex(ValueError, "embeddings1 requires grad"):
            self.model.similarity(torch.ones(3, requires_grad=True), torch.ones(3))


class Elementary(unittest.TestCase):
    """What similarity and sampling compute has the same bits on every machine."""

    def test_exponentials_are_those_of_the_library(self):
        x = np.array([-1, -0.125, -700, -740, -30.5, 0, -np.inf, np.nan])
        wanted = ["0x1.78b56362cef38p-2", "0x1.c3d6a24ed8222p-1", "0x1.14f2b0fb9307fp-1010", "0x0.0000000000055p-1022",
                  "0x1.ff3864232b407p-45", "0x1.0p+0", "0x0p+0", "0x0p+0"]
        self.assertEqual(_elementary.exp(x).tolist(), [float.fromhex(one) for one in wanted])

    def test_logarithms_are_right_within_four_units_of_the_last_place(self):
        x = np.concatenate((np.arange(1, 1001) / 1000, 2.0 ** -np.arange(1, 1075)))
        np.testing.assert_allclose(_elementary.log(x), np.log(x), rtol=2.0**-50, atol=0)
        self.assertEqual(_elementary.log(np.zeros(1)).tolist(), [-np.inf])

    def test_products_are_exact_and_do_not_rest_on_the_order_of_sums(self):
        rng = np.random.default_rng(2)
        for kind, most in ((np.float32, 2.0**-23), (np.float64, 2.0**-45)):
            a, b = (rng.standard_normal((n, 384)).astype(kind) for n in (5, 7))
            got, order = _elementary.products(a, b), rng.permutation(384)
            exact = [[math.fsum(one) for one in row * b.astype(np.float64)] for row in a.astype(np.float64)]
            np.testing.assert_array_equal(got, _elementary.products(a[:, order], b[:, order]))
            np.testing.assert_allclose(got, exact, rtol=most, atol=most)
        a[1, 2], b[3, 4] = np.inf, np.nan
        np.testing.assert_array_equal(np.isfinite(_elementary.products(a, b)), np.isfinite(a @ b.T))


class Precisions(unittest.TestCase):
    def test_they_are_those_of_sentence_transformers(self):
        quantize = bert_48_4.quantize_embeddings
        for options, wanted in (({}, UINT8), ({"ranges": RANGES}, UINT8_BY_RANGES),
                                ({"calibration_embeddings": NUMBERS[:3]}, UINT8_BY_THREE)):
            for precision, less in (("uint8", 0), ("int8", 128)):
                got = quantize(NUMBERS, precision, **options)
                self.assertEqual(got.dtype, precision)
                np.testing.assert_array_equal(got, np.array(wanted) - less)
        for precision, dtype, less in (("ubinary", np.uint8, 0), ("binary", np.int8, 128)):
            got = quantize(NUMBERS, precision)
            self.assertEqual(got.dtype, dtype)
            np.testing.assert_array_equal(got, np.array(UBINARY) - less)
            np.testing.assert_array_equal(quantize(NUMBERS[1], precision), got[1])
        np.testing.assert_array_equal(quantize(NUMBERS[0], "uint8", ranges=RANGES), UINT8_BY_RANGES[0])
        for part, wanted in zip(quantize([NUMBERS[:1], NUMBERS[1:]], "uint8"), (UINT8[:1], UINT8[1:])):
            np.testing.assert_array_equal(part, wanted)
        np.testing.assert_array_equal(quantize(NUMBERS, "float32"), NUMBERS)
        self.assertEqual(quantize(np.zeros((0, 11)), "int8").shape, (0, 11))

    def test_what_cannot_be_told_is_refused(self):
        quantize = bert_48_4.quantize_embeddings
        worse = RANGES.copy()
        worse[0, 3] = np.nan
        for given, options, error, words in (
                (NUMBERS[:1], {"precision": "int8"}, ValueError, r"of shape \[1, 11\]; expected \[2 or more, d"),
                (NUMBERS, {"precision": "int4"}, ValueError, "precision is 'int4'; expected 'float32', 'int8', "),
                (NUMBERS, {"precision": "int8", "ranges": RANGES[:1]}, ValueError, r"\[1, 11\]; expected \[2, 11\]"),
                (NUMBERS, {"precision": "int8", "ranges": worse}, ValueError, "finite numbers, the least first"),
                (NUMBERS, {"precision": "int8", "ranges": RANGES[::-1]}, ValueError, "the least first"),
                (np.int8(NUMBERS), {"precision": "binary"}, TypeError, "embeddings has dtype int8; expected floats")):
            with self.assertRaisesRegex(error, words):
                quantize(given, **options)

    @unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
    def test_encode_gives_them(self):
        encoder, quantize = model(), bert_48_4.quantize_embeddings
        whole, rows = encoder.encode(TEXTS), encoder.encode(TEXTS, output_value="token_embeddings")
        np.testing.assert_array_equal(encoder.encode(TEXTS, precision=None), whole)
        for precision, dtype, width in (("int8", np.int8, 48), ("uint8", np.uint8, 48), ("binary", np.int8, 6),
                                        ("ubinary", np.uint8, 6)):
            got = encoder.encode(TEXTS, precision=precision)
            self.assertEqual((got.shape, got.dtype), ((len(TEXTS), width), dtype))
            np.testing.assert_array_equal(got, quantize(whole, precision))
            some = encoder.encode(TEXTS, precision=precision, truncate_dim=10, normalize_embeddings=True)
            np.testing.assert_array_equal(some, quantize(encoder.encode(
                TEXTS, truncate_dim=10, normalize_embeddings=True), precision))
            self.assertEqual(encoder.encode([], precision=precision).shape, (0, width))
            for row, wanted in zip(encoder.encode(TEXTS, output_value="token_embeddings", precision=precision),
                                   quantize(rows, precision)):
                np.testing.assert_array_equal(row, wanted)
        np.testing.assert_array_equal(encoder.encode(TEXTS[1], precision="binary"), quantize(whole[1], "binary"))


@unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = model()

    def test_a_spec_has_prompts_a_similarity_and_linears(self):
        encoder = dense_36_4.Model(arrays(dense_36_4), tokenizer=self.model.tokenizer.path)
        self.assertEqual(encoder.prompts, {"query": "cat ", "document": "", "passage": "a dog ", "cluster": ""})
        for name, prompt in encoder.prompts.items():
            np.testing.assert_array_equal(encoder.encode("cat", prompt_name=name), encoder.encode(prompt + "cat"))
        np.testing.assert_array_equal(encoder.encode_query("the cat"), encoder.encode("cat the cat"))
        self.assertEqual(encoder.similarity_fn_name, "euclidean")
        self.assertEqual((encoder.encode(TEXTS).shape[1], encoder.get_embedding_dimension()), (23, 23))

    def test_tasks_have_their_prompts(self):
        plain = self.model.encode("the cat")
        for config, query, document in (
                ({}, "the cat", "the cat"),
                ({"prompts": {"query": "the "}, "default_prompt_name": None}, "cat", "the cat"),
                ({"prompts": {"passage": "the ", "corpus": "a ", "document": None}}, "the cat", "the cat"),
                ({"prompts": {"a": "a "}, "default_prompt_name": "a"}, "the cat", "the cat")):
            with tempfile.TemporaryDirectory() as folder:
                encoder = in_folder(folder, config)
                np.testing.assert_array_equal(encoder.encode_query(query), plain)
                np.testing.assert_array_equal(encoder.encode_document([document])[0], plain)
                np.testing.assert_array_equal(encoder.encode_query(query, None, ""), self.model.encode(query))
        encoder = model()
        encoder.prompts = {"passage": "the ", "corpus": "a ", "other": "the "}
        for got in (encoder.encode_document("cat"), encoder.encode_document("cat", prompt="the "),
                    encoder.encode_query("the cat"), encoder.encode_query("cat", "other"),
                    encoder.encode_query(inputs="cat", prompt_name="other")):
            np.testing.assert_array_equal(got, plain)
        encoder.default_prompt_name = "other"
        np.testing.assert_array_equal(encoder.encode("cat"), plain)
        self.assertEqual(encoder.default_prompt_name, "other")

    def test_the_text_of_the_spec_stands_before_queries_too(self):
        encoder = model()
        encoder._prompts = encoder._prompts._replace(default="the ")
        for encode in (encoder.encode, encoder.encode_query, encoder.encode_document):
            np.testing.assert_array_equal(encode("cat"), self.model.encode("the cat"))
        np.testing.assert_array_equal(encoder.encode("cat", prompt_name="query"), self.model.encode("cat"))

    def test_tasks_have_the_arguments_of_encode(self):
        for method in (self.model.encode_query, self.model.encode_document):
            self.assertEqual(inspect.signature(method), inspect.signature(self.model.encode))
        self.assertEqual(bert_48_4.Model.encode_query.__qualname__, "SentenceRunner.encode_query")
        np.testing.assert_array_equal(self.model.encode_query(TEXTS, batch_size=2, truncate_dim=7),
                                      self.model.encode(inputs=TEXTS, truncate_dim=7))
        with self.assertRaisesRegex(TypeError, "sentences and inputs are given; expected one of them"):
            self.model.encode("a", inputs="a")

    def test_configs_that_are_none(self):
        for config, words in (("{", "json: .*; expected the JSON"), ("[" * 100000, "json: .*; expected the JSON"),
                              ([1], r"the file is \[1\]; expected an object"),
                              ({"prompts": ["a"]}, r"prompts is \['a'\]; expected an object of texts"),
                              ({"prompts": {"a": 3}}, "the prompt 'a' is 3; expected a text"),
                              ({"similarity_fn_name": {}}, "similarity_fn_name is {}; expected a text"),
                              ({"default_prompt_name": 3}, "default_prompt_name is 3; expected a text")):
            with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(
                    ValueError, "config_sentence_transformers.*" + words):
                in_folder(folder, config)

    def test_texts_are_cut_where_it_is_asked_for(self):
        encoder = model()
        self.assertEqual(encoder.max_seq_length, 70)
        encoder.max_seq_length = 4
        np.testing.assert_array_equal(encoder.encode("the cats sat on a mat"), self.model([[2, 9, 5, 3]])[0])
        self.assertEqual(encoder.tokenize(["the cats"])["input_ids"].tolist(), [[2, 9, 5, 3]])
        for tokens, error, words in ((71, ValueError, r"max_seq_length is 71; expected 1\.\.70"),
                                     (0, ValueError, "is 0"), (None, TypeError, "None; expected a whole number")):
            with self.assertRaisesRegex(error, words):
                encoder.max_seq_length = tokens
        encoder.max_seq_length = 1
        with self.assertRaisesRegex(ValueError, r"sentences\[0\]: truncation to 1 tokens leaves no room"):
            encoder.encode("a")

    def test_what_the_model_takes_of_texts(self):
        for given, ids, seen, types in (
                (["a dog", ""], [[2, 4, 6, 3], [2, 3, 0, 0]], [[1, 1, 1, 1], [1, 1, 0, 0]], [[0] * 4] * 2),
                ([("a", "mats")], [[2, 4, 3, 10, 11, 3]], [[1] * 6], [[0, 0, 0, 1, 1, 1]]), ([], [], [], [])):
            got = self.model.tokenize(given)
            self.assertEqual({name: array.tolist() for name, array in got.items()},
                             {"input_ids": ids, "attention_mask": seen, "token_type_ids": types})
            self.assertTrue(all(array.dtype == np.int64 and array.ndim == 2 for array in got.values()))
        prompted = self.model.preprocess(["dog"], prompt="a ")
        np.testing.assert_array_equal(self.model(prompted["input_ids"], prompted["attention_mask"].sum(1)),
                                      self.model.encode(["a dog"]))

    def test_texts_are_padded_with_the_tokenizers_own_token(self):
        named, plain = {"pad_token": {"content": "cat"}}, {"pad_token": None}
        for config, added, expected in ((None, "dog", 0), (plain, "[PAD]", 0), (named, "cat", 5), (named, "[PAD]", 5),
                                        ({"pad_token": "##s"}, "##s", 11), ({"pad_token": "x"}, "<pad>", 6)):
            encoder = tokenized(self, config, added)
            self.assertEqual(encoder.tokenizer.pad_token_id, expected)
            self.assertEqual(encoder.tokenize(["a", ""])["input_ids"].tolist(), [[2, 4, 3], [2, 3, expected]])
        with self.assertRaisesRegex(ValueError, r"tokenizer_config.json: pad_token is \[3\]; expected a text"):
            tokenized(self, {"pad_token": [3]}, "cat").tokenize(["a"])

    def test_vectors_have_the_length_that_is_set(self):
        encoder = model()
        self.assertEqual((encoder.get_embedding_dimension(), encoder.get_sentence_embedding_dimension()), (48, 48))
        encoder.truncate_dim = 10
        np.testing.assert_array_equal(encoder.encode(TEXTS), self.model.encode(TEXTS, truncate_dim=10))
        self.assertEqual(encoder.encode(TEXTS, truncate_dim=20).shape[1], 20)
        self.assertEqual((encoder.get_embedding_dimension(), encoder.get_sentence_embedding_dimension()), (10, 10))
        with self.assertRaisesRegex(ValueError, r"truncate_dim is 49; expected 1\.\.48"):
            encoder.truncate_dim = 49

    def test_what_utilities_read(self):
        self.assertEqual(str(self.model.device), "cpu")
        self.assertIs(self.model.to("cpu").eval(), self.model)
        with self.assertRaisesRegex(ValueError, "device is 'cuda'; expected None or 'cpu'"):
            self.model.to("cuda")
        encoder, evaluator = model(), lambda: None  # which cannot be pickled
        encoder.model_card_data.set_evaluation_metrics(evaluator, {"score": 1}, 0, 0)
        self.assertEqual(encoder.model_card_data.eval_results_dict, {evaluator: {"score": 1}})
        with tempfile.TemporaryDirectory() as folder:
            encoder = in_folder(folder, {})
            encoder.model_card_data.set_evaluation_metrics(evaluator, {})
            encoder.max_seq_length, encoder.similarity_fn_name = 5, "dot"
            for twin in (pickle.loads(pickle.dumps(encoder)), copy.copy(encoder), copy.deepcopy(encoder)):
                self.assertEqual((twin.max_seq_length, twin.similarity_fn_name), (5, "dot"))
                self.assertEqual(twin.model_card_data.eval_results_dict, {})
                np.testing.assert_array_equal(twin.encode(TEXTS), encoder.encode(TEXTS))


if __name__ == "__main__":
    unittest.main()
