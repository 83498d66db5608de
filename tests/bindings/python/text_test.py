"""text_test.py: texts in, vectors out, from a wheel: encode with its arguments, the tokenizer, what is refused."""
import ctypes
import importlib.util
import io
import itertools
import json
import math
import os
import pickle
import random
import signal
import tempfile
import threading
import unittest
from contextlib import redirect_stderr
from types import SimpleNamespace
from unittest import mock

import transformer_40_2
import golden_maps
import numpy as np
import bert_48_4
import llama_45_3
from made import arrays, tokenizer
from bert_48_4 import _declarations, _encode, _processes, _text
from bert_48_4._library import check, lib

FOLDER = tempfile.TemporaryDirectory()
TEXTS = ["the cats sat on a mat", "a dog", "", "dog " * 100, "zebra mat", "the cat", "a\0dog"]
IDS = [[2, 9, 5, 11, 7, 8, 4, 10, 3], [2, 4, 6, 3], [2, 3]]


def model(**options):
    return bert_48_4.Model(arrays(bert_48_4), tokenizer=tokenizer(FOLDER.name + "/tokenizer.json"), **options)


def bert_48_4_ids():
    return int(_text.model.vocab_size)


def write_packed(path, tokenizer_json):
    """Packed weights of bert_48_4, with a tokenizer among them where one is given."""
    whole = model()  # which holds what the handle points to
    c, handles = _declarations, (ctypes.c_void_p * 1)(whole._packed.handle)
    attachment = None
    if tokenizer_json is not None:
        content = ctypes.cast(ctypes.c_char_p(tokenizer_json), ctypes.c_void_p)
        attachment = ctypes.byref(c.ga_pack_attachment(b"_tokenizer", 0, content, len(tokenizer_json)))
    check(lib.ga_pack_write_with, os.fsencode(path), handles, 1, 0, attachment)


@unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
class Vectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = model()

    def test_they_are_those_of_the_ids_in_order(self):
        got = self.model.encode(TEXTS)
        self.assertEqual((got.shape, got.dtype), ((len(TEXTS), 48), np.float32))
        for row, ids in zip(got, IDS):
            np.testing.assert_array_equal(row, self.model([ids])[0])
        np.testing.assert_array_equal(got[3], self.model([[2] + [6] * 68 + [3]])[0])

    def test_processes_change_no_bit(self):
        texts = TEXTS * 9
        path = FOLDER.name + "/packed.gap"
        with open(self.model.tokenizer.path, "rb") as file:
            write_packed(path, file.read())
        got = self.model.encode(texts)
        for one, options in ((self.model, dict(processes=2)), (self.model, dict(processes=3, chunk_size=1000)),
                             (bert_48_4.Model(path), dict(processes=2, chunk_size=1))):
            np.testing.assert_array_equal(got, one.encode(texts, **options))
        by_token = self.model.encode(texts, output_value="token_embeddings", processes=2)
        for rows, wanted in zip(by_token, self.model.encode(texts, output_value="token_embeddings")):
            np.testing.assert_array_equal(rows, wanted)
        np.testing.assert_array_equal(self.model.encode(texts, prompt="the ", processes=2, truncate_dim=5),
                                      self.model.encode(texts, prompt="the ")[:, :5])
        self.assertEqual(self.model.encode([], processes=4).shape, (0, 48))
        self.assertEqual(self.model.encode("a dog", processes=4).shape, (48,))

    def test_processes_map_one_file(self):
        path = FOLDER.name + "/mapped.gap"
        write_packed(path, None)
        mapped = pickle.loads(pickle.dumps(_processes.Mapped(path, self.model.isa)))
        with open("/proc/self/maps") as maps:
            lines = [line for line in maps if path in line]
        self.assertTrue(lines and all(" r--s " in line for line in lines), lines)
        del mapped
        with open("/proc/self/maps") as maps:
            self.assertNotIn(path, maps.read())

    def test_errors_of_processes_are_told(self):
        with self.assertRaisesRegex(TypeError, r"sentences\[2\] is int; expected str"):
            self.model.encode(["a", "cat", 3], processes=2, chunk_size=1)
        with self.assertRaisesRegex(TypeError, r"sentences\[1\] is tuple; expected str"):
            self.model.encode(["a", ("a", "cat")], processes=2, chunk_size=1)

    def test_batches_and_threads_change_no_bit(self):
        got = self.model.encode(TEXTS)
        for size in (1, 2, 3, 100):
            np.testing.assert_array_equal(got, self.model.encode(TEXTS, batch_size=size))
        np.testing.assert_array_equal(got, model(threads=2).encode(tuple(TEXTS)))
        found = [None] * 8

        def work(at):
            found[at] = self.model.encode(TEXTS * 20)

        workers = [threading.Thread(target=work, args=(at,)) for at in range(len(found))]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for result in found:
            np.testing.assert_array_equal(result, np.concatenate([got] * 20))

    def test_threads_take_batches(self):
        draws = random.Random(1)
        words = "the cats sat on a mat dog zebra".split()
        texts = [" ".join(draws.choices(words, k=draws.choice((0, 1, 5, 9, 30, 90)))) for _ in range(400)]
        wanted = self.model.encode(texts)
        rows = self.model.encode(texts, output_value="token_embeddings")
        for threads in (2, 3, 7):
            several = model(threads=threads)
            for size in (1, 32, 399):  # of which the last gives fewer batches than threads
                np.testing.assert_array_equal(several.encode(texts, batch_size=size), wanted)
            for row, other in zip(rows, several.encode(texts, output_value="token_embeddings")):
                np.testing.assert_array_equal(row, other)
            shown = io.StringIO()
            with redirect_stderr(shown):
                several.encode(texts, show_progress_bar=True)
            self.assertTrue(shown.getvalue().endswith("400 of 400 texts\n"))

    def test_the_first_batch_that_fails_is_told(self):
        lengths = np.random.default_rng(1).integers(1, 70, 300)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        wrong = np.argsort(-lengths, kind="stable")[[40, 41, 290]]
        for threads in (1, 3):
            numbers = np.ones(starts[-1], np.int32)
            numbers[starts[wrong]] = 99999
            ids = _text.Ids(numbers, np.zeros_like(numbers), starts, 0)
            with self.assertRaisesRegex(ValueError, "sequence %d: id 0 is 99999; expected 0..49$" % wrong[0]):
                _encode.run(model(threads=threads), ids, batch_size=8, progress=False, by_token=False)

    def test_a_signal_ends_it_between_batches(self):
        several, texts = model(threads=3), TEXTS * 60
        wanted, runs, shown = self.model.encode(texts), [], []

        class Shown(io.StringIO):
            def write(self, text):
                shown.append(text)
                signal.raise_signal(signal.SIGINT)

        def run_batches(run):
            runs.append(run._obj)
            while not run._obj.is_stopped:  # what is shown meanwhile raises the signal
                pass
            return done(run)

        done = _encode._run_batches
        with mock.patch.object(_encode, "_run_batches", run_batches), redirect_stderr(Shown()), \
                self.assertRaises(KeyboardInterrupt):
            several.encode(texts, batch_size=8, show_progress_bar=True)
        self.assertEqual((threading.active_count(), runs[0].error.text), (1, b"bert_48_4: stopped"))
        self.assertEqual(shown, ["\r0 of 420 texts"])
        np.testing.assert_array_equal(several.encode(texts), wanted)

    def test_what_is_given_gives_its_shape(self):
        one = self.model.encode("a dog")
        self.assertEqual(one.shape, (48,))
        np.testing.assert_array_equal(one, self.model.encode(["a dog"])[0])
        np.testing.assert_array_equal(one, self.model.encode(np.array(["a dog"]))[0])
        self.assertEqual(self.model.encode([]).shape, (0, 48))

    def test_pairs_have_types(self):
        got = self.model.encode([("a dog", "the cat"), ["a", "mats"]])
        ids, types = [2, 4, 6, 3, 9, 5, 3], [0, 0, 0, 0, 1, 1, 1]
        np.testing.assert_array_equal(got[0], self.model([ids], token_types=[types])[0])
        np.testing.assert_array_equal(self.model.encode(("a dog", "the cat")), self.model.encode(["a dog", "the cat"]))

    def test_pairs_have_none_where_the_model_has_none(self):
        with mock.patch.object(bert_48_4._encode, "stack", SimpleNamespace(token_types=0, d_embedding=48)):
            got = self.model.encode([("a dog", "the cat")])
        np.testing.assert_array_equal(got[0], self.model([[2, 4, 6, 3, 9, 5, 3]])[0])

    def test_numbers_and_lengths(self):
        whole = self.model.encode(TEXTS)
        some = self.model.encode(TEXTS, truncate_dim=10)
        np.testing.assert_array_equal(some, whole[:, :10])
        unit = self.model.encode(TEXTS, truncate_dim=10, normalize_embeddings=True)
        for row, vector in zip(unit, some):
            norm = math.sqrt(list(itertools.accumulate(float(x) * float(x) for x in vector))[-1])
            np.testing.assert_array_equal(row, np.array([float(x) / norm for x in vector], np.float32))
        np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, rtol=1e-6)
        np.testing.assert_allclose(unit * np.linalg.norm(some, axis=1, keepdims=True), some, rtol=1e-5, atol=1e-7)

    def test_rows_of_tokens(self):
        rows = self.model.encode(["a dog", "the cats sat on a mat"], output_value="token_embeddings")
        self.assertEqual([row.shape for row in rows], [(4, 48), (9, 48)])
        np.testing.assert_array_equal(rows[0], self.model([IDS[1]], outputs="output")[0])

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch")
    def test_tensors(self):
        import torch

        whole = self.model.encode(TEXTS, convert_to_tensor=True)
        np.testing.assert_array_equal(whole.numpy(), self.model.encode(TEXTS))
        rows = self.model.encode(TEXTS, convert_to_numpy=False)
        self.assertTrue(all(torch.equal(row, one) for row, one in zip(rows, whole)))
        self.assertTrue(torch.equal(self.model.encode(TEXTS[0], convert_to_tensor=True), whole[0]))
        self.assertEqual(self.model.encode("a", output_value="token_embeddings", convert_to_tensor=True).shape, (3, 48))
        self.assertEqual(self.model.encode("a", device=torch.device("cpu")).shape, (48,))
        with self.assertRaisesRegex(ValueError, "expected None or 'cpu'"):
            self.model.encode("a", device=torch.device("cuda", 0))

    def test_prompts(self):
        plain, encoder = self.model.encode(["the cat"]), model()
        np.testing.assert_array_equal(encoder.encode(["the cat"], prompt_name="query"), plain)
        np.testing.assert_array_equal(encoder.encode(["cat"], prompt="the "), plain)
        encoder.prompts = {"it": "the "}
        np.testing.assert_array_equal(encoder.encode("cat", prompt_name="it"), plain[0])
        with tempfile.TemporaryDirectory() as folder:
            with open(encoder.tokenizer.path, "rb") as file:
                write_packed(folder + "/w.gap", file.read())
            with open(folder + "/config_sentence_transformers.json", "w") as file:
                json.dump({"prompts": {"query": "the "}, "default_prompt_name": "query"}, file)
            encoder = bert_48_4.Model(folder + "/w.gap")
            self.assertEqual(encoder.prompts, {"query": "the ", "document": ""})
            np.testing.assert_array_equal(encoder.encode("cat"), plain[0])
            np.testing.assert_array_equal(encoder.encode("the cat", prompt=""), plain[0])
            with self.assertRaisesRegex(ValueError, r"prompt_name is 'none'; expected one of \['document', 'query'\]"):
                encoder.encode("cat", prompt_name="none")

    def test_progress_is_told_where_it_is_asked_for(self):
        told = io.StringIO()
        with redirect_stderr(told):
            self.model.encode(TEXTS)
            self.assertEqual(told.getvalue(), "")
            self.model.encode(TEXTS, batch_size=4, show_progress_bar=True)
        self.assertRegex(told.getvalue(), r"^(\r[0-7] of 7 texts)*\r7 of 7 texts\n$")


@unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
class Refusals(unittest.TestCase):
    def test_arguments_that_mean_nothing_here(self):
        calls = [
            (dict(precision="int4"), ValueError, "precision is 'int4'; expected 'float32', 'int8', "),
            (dict(device="cuda:0"), ValueError, "device is 'cuda:0'; expected None or 'cpu'"),
            (dict(pool={}), ValueError, "pool is {}; expected None"),
            (dict(chunk_size=0), ValueError, "chunk_size is 0; expected at least 1"),
            (dict(processes=0), ValueError, "processes is 0; expected"),
            (dict(output_value=None), ValueError, "output_value is None; expected 'sentence_embedding' or"),
            (dict(batch_size=0), ValueError, "batch_size is 0; expected at least 1"),
            (dict(truncate_dim=49), ValueError, r"truncate_dim is 49; expected 1\.\.48"),
            (dict(batch_size="2"), TypeError, "batch_size is '2'; expected a whole number"),
        ]
        encoder = model()
        for given, error, words in calls:
            with self.assertRaisesRegex(error, words):
                encoder.encode("a", **given)
        self.assertEqual(encoder.encode("a", device="cpu").shape, (48,))

    def test_texts_that_are_none(self):
        encoder = model()
        for given, error, words in ((b"a", TypeError, "sentences is bytes"), (3, TypeError, "sentences is int"),
                                    (["a", 3], TypeError, r"sentences\[1\] is int; expected str"),
                                    ([("a", "b"), "c"], TypeError, r"sentences\[1\] is 'c'; expected a pair"),
                                    (["a", "\ud800"], ValueError, r"sentences\[1\]: character 0 is half of a pair")):
            with self.assertRaisesRegex(error, words):
                encoder.encode(given)

    def test_tokenizers_that_are_none(self):
        with self.assertRaisesRegex(ValueError, "no tokenizer.json in the folder of the weights; expected tokenizer="):
            bert_48_4.Model(arrays(bert_48_4)).encode("a")
        with self.assertRaises(FileNotFoundError):
            bert_48_4.Model(arrays(bert_48_4), tokenizer="none.json")
        with tempfile.TemporaryDirectory() as folder:
            path = tokenizer(folder + "/tokenizer.json")
            with open(path) as file:
                text = file.read()
            for old, new, words in (("WordPiece", "Wordy", "Wordy"), ('"##s": 11', '"##s": 50', "ids up to 50; ")):
                with open(path, "w") as file:
                    file.write(text.replace(old, new))
                with self.assertRaisesRegex(ValueError, words):
                    bert_48_4.Model(arrays(bert_48_4), tokenizer=path)

    def test_models_without_vectors(self):
        for package, words in ((llama_45_3, "llama_45_3 gives no vector of a sequence"),
                               (transformer_40_2, "gives no vector")):
            with self.assertRaisesRegex(ValueError, words):
                package.Model(arrays(package)).encode("a")
        with self.assertRaisesRegex(ValueError, "transformer_40_2 takes no token ids"):
            transformer_40_2.Model(arrays(transformer_40_2)).tokenizer
        self.assertFalse(hasattr(golden_maps.Layer, "encode"))


@unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
class Tokens(unittest.TestCase):
    def test_a_text_and_its_pair(self):
        got = model().tokenizer.encode("The cats", "a Zebra")
        self.assertEqual(got.ids, [2, 9, 5, 11, 3, 4, 1, 3])
        self.assertEqual(got.type_ids, [0, 0, 0, 0, 0, 1, 1, 1])
        self.assertEqual(got.tokens, ["[CLS]", "the", "cat", "##s", "[SEP]", "a", "[UNK]", "[SEP]"])
        self.assertEqual(got.offsets[1:4], [(0, 3), (4, 7), (7, 8)])
        self.assertEqual(got.special_tokens_mask, [1, 0, 0, 0, 1, 0, 0, 1])
        self.assertEqual(model().tokenizer.encode("a cat", add_special_tokens=False).ids, [4, 5])

    def test_back_to_text(self):
        words = model().tokenizer
        self.assertEqual(words.decode([9, 5, 11, 7]), "the cats sat")
        self.assertEqual(words.decode(np.array([], np.int64)), "")

    def test_it_is_found_beside_the_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(_text.beside(folder))
            path = tokenizer(folder + "/tokenizer.json")
            self.assertEqual(_text.beside(folder), path)
            self.assertEqual(_text.beside(os.path.join(folder, "w.safetensors")), path)

    def test_a_pipe_is_not_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            write_packed(folder + "/w.gap", None)
            for name in ("tokenizer.json", "config_sentence_transformers.json"):
                os.mkfifo(os.path.join(folder, name))
                with self.assertRaisesRegex((OSError, ValueError), "%s: .*regular file" % name):
                    bert_48_4.Model(folder + "/w.gap").encode("a cat")
                os.remove(os.path.join(folder, name))
                tokenizer(folder + "/tokenizer.json")

    def test_it_is_found_in_packed_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(tokenizer(folder + "/other.json"), "rb") as file:
                content = file.read()
            path = folder + "/w.gap"
            write_packed(path, None)
            self.assertIsNone(_text.attached(path))
            with self.assertRaisesRegex(ValueError, "no tokenizer.json in the folder of the weights"):
                bert_48_4.Model(path).encode("a cat")
            write_packed(path, content)
            self.assertEqual(_text.attached(path), content)
            np.testing.assert_array_equal(bert_48_4.Model(path).encode("a cat"), model().encode("a cat"))

    def test_another_one_than_recorded_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path, packed = tokenizer(folder + "/tokenizer.json"), folder + "/w.gap"
            write_packed(packed, None)
            records = b'return {\n  tokenizer = "%016x",\n' % 1
            for spec, is_taken in ((records, False), (b"return {\n  d_model = 48,\n", True)):
                with mock.patch.object(_text, "model", SimpleNamespace(spec=spec, vocab_size=bert_48_4_ids())):
                    self.assertEqual(_text.Tokenizer(path).is_recorded, is_taken)
                    if not is_taken:
                        with self.assertRaisesRegex(ValueError, "was made for another tokenizer"):
                            bert_48_4.Model(packed).encode("a cat")
                        bert_48_4.Model(packed, tokenizer=path).encode("a cat")

    def test_the_tokenizers_package_gives_the_same(self):
        try:
            import tokenizers
        except ImportError:
            self.skipTest("no tokenizers package")
        ours = model().tokenizer
        theirs = tokenizers.Tokenizer.from_file(ours.path)
        for text in TEXTS:
            wanted, got = theirs.encode(text), ours.encode(text)
            self.assertEqual((got.ids, got.type_ids, got.tokens, got.offsets, got.special_tokens_mask),
                             (wanted.ids, wanted.type_ids, wanted.tokens, wanted.offsets, wanted.special_tokens_mask))


if __name__ == "__main__":
    unittest.main()
