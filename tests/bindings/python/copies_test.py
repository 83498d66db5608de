"""copies_test.py: copies of the wheel's objects by copy, deepcopy and pickle: the same numbers, whichever goes first,
in this process and in others; and what cannot be copied, which says what to do."""
import concurrent.futures
import copy
import gc
import json
import multiprocessing
import os
import pickle
import tempfile
import unittest

import cache_40_4
import golden_maps
import numpy as np
import bert_48_4
from golden_maps import _call, _library, _weights
from made import arrays, rows, tokenizer

FOLDER = tempfile.TemporaryDirectory()
WEIGHTS = arrays(golden_maps, "w_o")
X = rows(2, 7, 48)
COPIES = (copy.copy, copy.deepcopy)


def by_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


def written(package, name):
    """The path of a file of made-up weights, in a folder of its own."""
    folder = os.path.join(FOLDER.name, name)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "w.safetensors")
    with open(path, "wb") as file:
        file.write(_weights._safetensors(arrays(package)))
    return path


def used_memory():
    """Takes blocks of many sizes, which lie where something was freed."""
    gc.collect()
    return [np.full(n, 7, np.float32) for n in range(100, 60000, 300)]


class Layers(unittest.TestCase):
    def test_a_copy_and_its_origin_may_go_first(self):
        for way in COPIES:
            for is_called in (False, True):
                for goes_first in range(2):
                    pair = [golden_maps.Layer(WEIGHTS, threads=2)]
                    expected = golden_maps.Layer(WEIGHTS)(X)
                    if is_called:
                        pair[0](X)
                    pair.append(way(pair[0]))
                    np.testing.assert_array_equal(pair[1](X), expected)
                    del pair[goes_first]
                    taken = used_memory()
                    np.testing.assert_array_equal(pair[0](X), expected)
                    del taken

    def test_a_copy_has_frames_and_threads_of_its_own(self):
        layer = golden_maps.Layer(WEIGHTS, threads=2)
        layer(X)
        twin = copy.copy(layer)
        self.assertEqual((twin._frames, twin.threads), ([], 2))
        twin.threads = 3
        self.assertEqual(layer.threads, 2)
        np.testing.assert_array_equal(twin(X), layer(X))

    def test_one_of_a_file_is_opened_again(self):
        path = written(golden_maps, "layer")
        layer = golden_maps.Layer(os.path.relpath(path), threads=2, isa=golden_maps.Layer(path).isa)
        data, here = pickle.dumps(layer), os.getcwd()
        self.assertLess(len(data), 1000)  # a path, and no weights
        os.chdir("/")
        try:
            again = pickle.loads(data)
        finally:
            os.chdir(here)
        self.assertEqual((again.isa, again.threads), (layer.isa, 2))
        np.testing.assert_array_equal(again(X), layer(X))
        os.remove(path)
        with self.assertRaises(FileNotFoundError):
            pickle.loads(data)

    def test_what_cannot_be_copied_says_what_to_do(self):
        layer = golden_maps.Layer(WEIGHTS)
        with self.assertRaisesRegex(TypeError, "golden_maps: weights that came from arrays cannot be pickled.*a file"):
            pickle.dumps([X, layer])
        for held in (_library.Block(64), _call.Frame(layer._packed)):
            for way in (*COPIES, by_pickle):
                with self.assertRaisesRegex(TypeError, "golden_maps: memory of C cannot be copied or pickled; copy"):
                    way(held)
        for way in (*COPIES, by_pickle):
            self.assertEqual(way(_library.Threads(2)).count, 2)

    def test_every_object_that_frees_memory_is_one_of_them(self):
        for package in (golden_maps, bert_48_4):
            for name in ("_arrays", "_cache", "_call", "_encode", "_library", "_sampling", "_text", "_weights"):
                module = __import__("%s.%s" % (package.__name__, name), fromlist=["x"])
                held = __import__(package.__name__ + "._library", fromlist=["x"]).Held
                for thing in vars(module).values():
                    if isinstance(thing, type) and hasattr(thing, "__del__"):
                        self.assertTrue(issubclass(thing, held), thing)


class Caches(unittest.TestCase):
    def test_a_copy_is_a_cache_of_its_own(self):
        layer, x = cache_40_4.Layer(arrays(cache_40_4)), rows(1, 3, 40)
        more = rows(1, 1, 40, seed=8)
        for way in COPIES:
            cache = layer.new_cache(1, 20)
            layer(x, cache=cache)
            twin = way(cache)
            layer(more, cache=cache)
            self.assertEqual((cache.lengths.tolist(), twin.lengths.tolist()), ([4], [3]))
            expected = cache.get(0)[0]
            del cache
            taken = used_memory()
            layer(more, cache=twin)
            np.testing.assert_array_equal(twin.get(0)[0], expected)
            del taken
        both = copy.deepcopy({"layer": layer, "cache": twin})
        both["layer"](more, cache=both["cache"])
        self.assertEqual((both["cache"].lengths.tolist(), twin.lengths.tolist()), ([5], [4]))
        with self.assertRaisesRegex(TypeError, "cache_40_4: a cache cannot be pickled.*get gives, which put takes"):
            pickle.dumps(twin)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = written(bert_48_4, "model")
        cls.model = bert_48_4.Model(cls.path, threads=2)
        cls.ids = [[1, 2, 3, 4]]

    def test_copies_give_the_same_numbers(self):
        for way in (*COPIES, by_pickle):
            np.testing.assert_array_equal(way(self.model)(self.ids), self.model(self.ids))

    def test_prompts_are_each_ones_own(self):
        twin = copy.copy(self.model)
        twin.prompts = {"it": "the "}
        self.assertNotIn("it", self.model.prompts)

    def test_spawned_workers_open_the_file_again(self):
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            for got in pool.map(self.model, [self.ids] * 4):
                np.testing.assert_array_equal(got, self.model(self.ids))

    @unittest.skipIf(bert_48_4._text.WHY_NOT, "no text in this wheel: %s" % bert_48_4._text.WHY_NOT)
    def test_tokenizers_are_shared_or_opened_again(self):
        folder = os.path.dirname(self.path)
        path, texts = tokenizer(folder + "/tokenizer.json"), ["the cats", "a dog"]
        with open(folder + "/config_sentence_transformers.json", "w") as file:
            json.dump({"prompts": {"query": "the "}, "default_prompt_name": "query"}, file)
        for model in (bert_48_4.Model(self.path), bert_48_4.Model(self.path, tokenizer=path)):
            for is_open in (False, True):
                for way in (*COPIES, by_pickle):
                    np.testing.assert_array_equal(way(model).encode(texts), model.encode(texts) if is_open else
                                                  bert_48_4.Model(self.path).encode(texts))
                model.encode("a")
        words = model.tokenizer
        for way in (*COPIES, by_pickle):
            self.assertEqual(way(words).encode("the cats").ids, [2, 9, 5, 11, 3])


if __name__ == "__main__":
    unittest.main()
