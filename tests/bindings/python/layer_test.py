"""layer_test.py: layers from their wheels: values, every argument and output, what is refused, threads, caches."""
import concurrent.futures
import os
import tempfile
import unittest
from unittest import mock

import additive_mask_40_4
import cache_40_4
import golden_maps
import bool_mask_44_3
import numpy as np
import widths_40_4
import tokens_96_6
from golden_maps import _call, _layer
from made import arrays, attention, rows, softmax

WEIGHTS = arrays(golden_maps, "w_o")
PLAIN = golden_maps.Layer(WEIGHTS)


class Values(unittest.TestCase):
    def test_a_call_gives_what_the_formula_says(self):
        x = rows(2, 7, 48)
        expected, weights = attention(WEIGHTS, x, 3)
        got = PLAIN(x, outputs=["output", "attention"])
        np.testing.assert_allclose(got["output"], expected, atol=2e-6)
        np.testing.assert_allclose(got["attention"], weights, atol=2e-6)

    def test_the_short_way_gives_the_bits_of_the_long_one(self):
        for length in (1, 16, 5):
            x = rows(3, length, 48)
            for other in (PLAIN(x, x, x), PLAIN(x, outputs="output"), PLAIN(x, kv_lengths=[length] * 3)):
                np.testing.assert_array_equal(PLAIN(x), other)
        for keys in (1, 7, 7, 16):
            x, key, value = rows(2, 5, 48), rows(2, keys, 48, seed=2), rows(2, keys, 48, seed=3)
            slow = PLAIN(x, key, value, outputs="output")
            value.flags.writeable = keys != 16
            np.testing.assert_array_equal(PLAIN(x, key, value), slow)
            with self.assertRaisesRegex(ValueError, "value is not contiguous"):
                PLAIN(x, key, rows(2, keys, 48, 2)[..., 0])

    def test_the_short_way_takes_no_other_arrays(self):
        self.assertTrue(_call.READS_ARRAYS)
        x, wide = rows(2, 5, 48), rows(2, 5, 96)
        shifted = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
        for shape in ((x,), (x, x, x)):
            expected = PLAIN(*shape)
            others = (wide[..., ::2], ValueError, "contiguous"), (x.astype(">f4"), TypeError, "dtype >f4"), (
                x.view(np.int32), TypeError, "dtype int32"), (x[0], ValueError, "shape"), (wide, ValueError, "shape"), (
                shifted, ValueError, "aligned")
            for other, error, words in others:
                for place in range(len(shape)):
                    with self.assertRaisesRegex(error, words):
                        PLAIN(*shape[:place], other, *shape[place + 1:])
                np.testing.assert_array_equal(PLAIN(*shape), expected)
            np.testing.assert_array_equal(PLAIN(*[x.reshape(5, 2, 48).reshape(2, 5, 48) for _ in shape]), expected)
        with mock.patch.object(_layer, "_IS_PLAIN", False):
            np.testing.assert_array_equal(PLAIN(x, x, x), expected)

    def test_lengths_hide_what_stands_after_them(self):
        x = rows(2, 9, 48)
        short, spoilt = PLAIN(x, q_lengths=[4, 9]), x.copy()
        spoilt[0, 4:] = np.nan
        np.testing.assert_array_equal(short, PLAIN(spoilt, q_lengths=np.array([4, 9], np.int64)))
        np.testing.assert_array_equal(short[0, :4], PLAIN(x[:1, :4])[0])
        self.assertFalse(short[0, 4:].any())

    def test_arrays_that_cannot_be_written_are_read(self):
        x = rows(1, 4, 48)
        expected = PLAIN(x)
        x.flags.writeable = False
        np.testing.assert_array_equal(PLAIN(x), expected)

    def test_results_are_arrays_of_their_own(self):
        x = rows(1, 4, 48)
        first = PLAIN(x)
        kept = first.copy()
        PLAIN(x + 1)
        np.testing.assert_array_equal(first, kept)

    def test_every_output_has_its_shape_and_its_meaning(self):
        weights = arrays(widths_40_4, "w_o")
        layer, names = widths_40_4.Layer(weights), ["attention", "q_proj", "k_proj", "v_proj", "q_heads", "k_heads",
                                                   "v_heads", "scores", "x_heads", "x_concat", "output"]
        query, key, value = rows(2, 5, 40), rows(2, 6, 24, seed=2), rows(2, 6, 33, seed=3)
        got = layer(query, key, value, outputs=names)
        self.assertEqual(list(got), names)
        shapes = {name: array.shape for name, array in got.items()}
        self.assertEqual(shapes, {
            "attention": (2, 4, 5, 6), "q_proj": (2, 5, 36), "k_proj": (2, 6, 18), "v_proj": (2, 6, 18),
            "q_heads": (2, 4, 5, 9), "k_heads": (2, 2, 6, 9), "v_heads": (2, 2, 6, 9), "scores": (2, 4, 5, 6),
            "x_heads": (2, 4, 5, 9), "x_concat": (2, 5, 36), "output": (2, 5, 21)})
        near = {"atol": 2e-6}
        np.testing.assert_allclose(got["k_proj"], key @ weights["w_k.weight"].T + weights["w_k.bias"], **near)
        np.testing.assert_allclose(got["attention"], softmax(got["scores"]), **near)
        np.testing.assert_allclose(got["x_heads"], got["attention"] @ got["v_heads"].repeat(2, 1), **near)
        np.testing.assert_array_equal(got["x_concat"], got["x_heads"].transpose(0, 2, 1, 3).reshape(2, 5, 36))
        np.testing.assert_array_equal(got["output"], layer(query, key, value))

    def test_masks_spread_over_the_axes_that_they_lack(self):
        layer = bool_mask_44_3.Layer(arrays(bool_mask_44_3))
        x, mask = rows(2, 6, 44), np.random.default_rng(3).random((2, 3, 6, 6)) < 0.6
        for shape in ((2, 3, 6, 6), (1, 3, 6, 6), (2, 1, 1, 6), (6, 6), (6,), (1, 1, 6, 1)):
            part = mask[tuple(slice(n) for n in (1,) * (4 - len(shape)) + shape)].reshape(shape)
            whole = np.ascontiguousarray(np.broadcast_to(part, mask.shape))
            expected = layer(x, mask=whole, outputs="attention")
            np.testing.assert_array_equal(layer(x, mask=part, outputs="attention"), expected)
            np.testing.assert_array_equal(layer(x, mask=part.view(np.uint8), outputs="attention"), expected)
            self.assertEqual(expected.shape, (2, 3, 6, 8))  # two keys of the layer's own

    def test_masks_of_numbers_are_added(self):
        layer = additive_mask_40_4.Layer(arrays(additive_mask_40_4))
        x, mask = rows(2, 6, 40), rows(6, 6, seed=5)
        self.assertGreater(np.abs(layer(x, mask=mask) - layer(x)).max(), 1e-4)
        np.testing.assert_array_equal(layer(x, mask=np.zeros((1, 1), np.float32)), layer(x))
        mean = layer(x, mask=mask, outputs=["attention", "attention_mean"])
        np.testing.assert_allclose(mean["attention_mean"], mean["attention"].mean(1), atol=1e-6)

    def test_masks_of_numbers_that_are_refused(self):
        layer = additive_mask_40_4.Layer(arrays(additive_mask_40_4))
        x, mask = rows(2, 6, 40), rows(6, 6, seed=5)
        struct = np.zeros(6, np.dtype([("row", np.float32, 6), ("flag", np.uint8)]))  # rows of 25 bytes
        for given, error, words in ((mask.astype(">f4"), TypeError, "mask is of >f4; expected float32"),
                                    (struct["row"], ValueError, "mask has strides")):
            with self.assertRaisesRegex(error, words):
                layer(x, mask=given)
        cache, keys = cache_40_4.Layer(arrays(cache_40_4)).new_cache(), rows(2, 3, 10)
        with self.assertRaisesRegex(TypeError, "keys has dtype >f4; expected float32"):
            cache.put(0, keys.astype(">f4"), keys)

    def test_ids_stand_for_rows(self):
        weights = arrays(tokens_96_6)
        layer = tokens_96_6.Layer(weights)
        table = next(array for array in weights.values() if array.shape == (61, 96))
        ids = [[3, 60, 0], [1, 1, 1]]
        expected = layer(table[np.array(ids)])
        for tokens in (ids, np.array(ids), np.array(ids, np.uint8), np.asfortranarray(np.array(ids, np.int32)),
                       np.array(ids, ">i4"), np.array(ids, ">u8")):
            np.testing.assert_array_equal(layer(tokens=tokens), expected)


class Weights(unittest.TestCase):
    def test_files_give_what_arrays_give(self):
        save = __import__("golden_maps._weights", fromlist=["x"])._safetensors
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.safetensors")
            with open(path, "wb") as file:
                file.write(save(WEIGHTS))
            x = rows(1, 5, 48)
            np.testing.assert_array_equal(golden_maps.Layer(path)(x), PLAIN(x))
            with open(path, "r+b") as file:
                file.truncate(100)
            with self.assertRaisesRegex(ValueError, "w.safetensors"):
                golden_maps.Layer(path)

    def test_names_of_any_layout_will_do(self):
        stacked = {"in_proj_weight": np.concatenate([WEIGHTS["w_%s.weight" % r] for r in "qkv"]),
                   "in_proj_bias": np.concatenate([WEIGHTS["w_%s.bias" % r] for r in "qkv"]).astype(np.float64),
                   "out_proj.weight": WEIGHTS["w_o.weight"], "out_proj.bias": WEIGHTS["w_o.bias"]}
        x = rows(1, 5, 48)
        np.testing.assert_array_equal(golden_maps.Layer(stacked)(x), PLAIN(x))
        prefixed = {"block." + name: array for name, array in WEIGHTS.items()}
        np.testing.assert_array_equal(golden_maps.Layer(prefixed, prefix="block.")(x), PLAIN(x))

    def test_arrays_of_another_byte_order_give_the_same(self):
        x, wide = rows(1, 5, 48), {name: array.astype(np.float64) for name, array in WEIGHTS.items()}
        halves = {name: array.astype(np.float16) for name, array in WEIGHTS.items()}
        for weights in (WEIGHTS, wide, halves):
            for order in "<>":
                other = {name: array.astype(array.dtype.newbyteorder(order)) for name, array in weights.items()}
                np.testing.assert_array_equal(golden_maps.Layer(other)(x), golden_maps.Layer(weights)(x))
        for order in "<>":
            for kind in ("i2", "i4", "i8", "u4", "u8"):
                lengths = np.array([4], order + kind)
                np.testing.assert_array_equal(PLAIN(x, q_lengths=lengths), PLAIN(x, q_lengths=[4]))

    def test_what_is_wrong_is_named(self):
        less = {name: array for name, array in WEIGHTS.items() if name != "w_k.bias"}
        rows_of = [
            (less, {}, ValueError, "w_k.bias"), ({**WEIGHTS, "w_q.weight": rows(48, 47)}, {}, ValueError, "48, 48"),
            ({**WEIGHTS, "more": rows(2)}, {"strict": True}, ValueError, "more"),
            ({**WEIGHTS, "w_o.bias": np.zeros(48, int)}, {}, TypeError, "w_o.bias.*int64"),
            (WEIGHTS, {"isa": "avx2\0"}, ValueError, "isa is 'avx2.x00'; expected a str without NUL"),
            (WEIGHTS, {"prefix": 3}, TypeError, "prefix is 3; expected a str"),
            (WEIGHTS, {"layout": "nope"}, ValueError, "nope"), (WEIGHTS, {"isa": "nope"}, ValueError, "nope"),
            (WEIGHTS, {"threads": 0}, ValueError, "threads"), (WEIGHTS, {"threads": 1.5}, TypeError, "threads"),
            (None, {}, TypeError, "weights is None"), (7, {}, TypeError, "weights is int"),
            ("/no/such/file", {}, FileNotFoundError, "/no/such/file"), ("/dev/null", {}, OSError, "/dev/null"),
        ]
        for weights, options, error, words in rows_of:
            with self.assertRaisesRegex(error, words):
                golden_maps.Layer(weights, **options)


class Refusals(unittest.TestCase):
    def test_what_is_wrong_is_named_with_what_was_expected(self):
        x = rows(2, 5, 48)
        calls = [
            (lambda: PLAIN(x.astype(np.float64)), TypeError, "query has dtype float64; expected float32"),
            (lambda: PLAIN(x.astype(">f4")), TypeError, "query has dtype >f4; expected float32"),
            (lambda: PLAIN(x.tolist()), TypeError, "query is builtins.list; expected a numpy array"),
            (lambda: PLAIN(x[:, ::2]), ValueError, "query is not contiguous"),
            (lambda: PLAIN(x, rows(2, 5, 47)), ValueError, r"key has shape \[2, 5, 47\]; expected \[2, kv_len, 48\]"),
            (lambda: PLAIN(x, x, rows(2, 4, 48)), ValueError, r"value has shape \[2, 4, 48\]; expected \[2, 5, 48\]"),
            (lambda: PLAIN(x[0]), ValueError, r"query has shape \[5, 48\]; expected \[batch, q_len, 48\]"),
            (lambda: PLAIN(rows(1, 17, 48)), ValueError, r"q_len is 17; expected 1\.\.16"),
            (lambda: PLAIN(rows(1, 0, 48)), ValueError, r"q_len is 0; expected 1\.\.16"),
            (lambda: PLAIN(x, q_lengths=[5]), ValueError, r"q_lengths has shape \[1\]; expected \[2\]"),
            (lambda: PLAIN(x, q_lengths=[5, 6]), ValueError, r"q_lengths\[1\] is 6; expected 0\.\.5"),
            (lambda: PLAIN(x, q_lengths=[5.0, 5.0]), TypeError, "q_lengths has dtype float64"),
            (lambda: PLAIN(x, q_lengths=[5, 2**40]), ValueError, "q_lengths holds 1099511627776"),
            (lambda: PLAIN(x, mask=np.ones((5, 5), bool)), ValueError, "mask is given"),
            (lambda: PLAIN(x, tokens=[[1, 2]]), ValueError, "tokens"),
            (lambda: PLAIN(x, cache=3), TypeError, "cache is int"),
            (lambda: PLAIN(x, outputs="scores"), ValueError, "'scores'; this model gives attention, output"),
            (lambda: PLAIN(), ValueError, "query is NULL"), (lambda: PLAIN.new_cache(), ValueError, "without"),
        ]
        for call, error, words in calls:
            with self.assertRaisesRegex(error, words):
                call()
        np.testing.assert_array_equal(PLAIN(x), PLAIN(x, x, x))  # and the next call is as good as ever

    def test_masks_that_do_not_fit(self):
        layer = bool_mask_44_3.Layer(arrays(bool_mask_44_3))
        x, ones = rows(2, 6, 44), np.ones((6, 6), bool)
        calls = [
            (ones[:5], ValueError, r"mask has shape \(5, 6\)"), (np.ones((1,) * 5, bool), ValueError, "shape"),
            (np.ones((2, 2, 6, 6), bool), ValueError, r"\(2, 3, 6, 6\)"),
            (ones.astype(np.float32), TypeError, "mask is of float32"),
            (np.ones((6, 12), bool)[:, ::2], ValueError, "keys side by side"), ([[True]], TypeError, "builtins.list"),
        ]
        for mask, error, words in calls:
            with self.assertRaisesRegex(error, words):
                layer(x, mask=mask)


class Threads(unittest.TestCase):
    def test_bits_are_the_same_for_any_number(self):
        x, expected = rows(3, 16, 48), PLAIN(rows(3, 16, 48))
        for threads in (2, 3, "all"):
            layer = golden_maps.Layer(WEIGHTS, threads=threads)
            np.testing.assert_array_equal(layer(x), expected)
            layer.threads = 1
            np.testing.assert_array_equal(layer(x), expected)

    def test_pythons_threads_share_a_layer(self):
        inputs = [rows(1 + i % 3, 1 + i % 16, 48, seed=i) for i in range(60)]
        expected = [PLAIN(x) for x in inputs]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in range(5):
                for got, wanted in zip(pool.map(PLAIN, inputs), expected):
                    np.testing.assert_array_equal(got, wanted)


class Caches(unittest.TestCase):
    def setUp(self):
        self.layer = cache_40_4.Layer(arrays(cache_40_4))

    def test_steps_give_the_bits_of_one_call(self):
        x = rows(2, 9, 40)
        causal = [self.layer(np.ascontiguousarray(x[:, : i + 1]), cache=self.layer.new_cache(2))[:, -1]
                  for i in range(9)]
        cache = self.layer.new_cache(2, capacity=9)
        self.assertEqual((len(cache), cache.capacity, cache.lengths.tolist()), (2, 9, [0, 0]))
        for i in range(9):
            np.testing.assert_array_equal(self.layer(x[:, i : i + 1].copy(), cache=cache)[:, 0], causal[i])
        self.assertEqual(cache.lengths.tolist(), [9, 9])
        with self.assertRaisesRegex(ValueError, "cache"):
            self.layer(x[:, :1].copy(), cache=cache)

    def test_caches_are_cut_copied_read_and_filled(self):
        x, cache = rows(2, 6, 40), self.layer.new_cache(2, 20)
        self.layer(x, cache=cache)
        twin = cache.copy()
        cache.cut(1, 2)
        self.assertEqual((cache.lengths.tolist(), twin.lengths.tolist()), ([6, 2], [6, 6]))
        keys, values = twin.get(1)
        self.assertEqual((keys.shape, values.shape), ((2, 6, 10), (2, 6, 10)))
        cache.put(1, keys[:, 2:], values[:, 2:])
        more = rows(2, 1, 40, seed=8)
        np.testing.assert_array_equal(self.layer(more, cache=cache), self.layer(more, cache=twin))

    def test_what_is_wrong_is_named(self):
        x, cache = rows(2, 6, 40), self.layer.new_cache(2, 20)
        calls = [
            (lambda: self.layer(x), ValueError, "cache is NULL"), (lambda: cache.cut(2), IndexError, "sequence 2"),
            (lambda: cache.cut(0, 5), ValueError, "5"), (lambda: self.layer.new_cache(0), ValueError, "batch is 0"),
            (lambda: self.layer.new_cache(1, 151), ValueError, r"capacity is 151; expected 1\.\.150"),
            (lambda: self.layer(x[:1].copy(), cache=cache), ValueError, "batch"),
            (lambda: cache.put(0, x, x), ValueError, "keys has shape"),
            (lambda: cache_40_4.Layer(arrays(cache_40_4))(x, cache=cache), ValueError, "other weights"),
        ]
        for call, error, words in calls:
            with self.assertRaisesRegex(error, words):
                call()

    def test_numbers_do_not_wrap(self):
        cache, wide, other = self.layer.new_cache(np.int64(2), 20), 2**64, cache_40_4.Layer
        self.layer(rows(2, 6, 40), cache=cache)
        keys = cache.get(0)[0]
        calls = [
            (lambda: cache.cut(0, wide), ValueError, r"length is 18446744073709551616; expected 0\.\.6"),
            (lambda: cache.cut(0, wide + 1), ValueError, "length is"), (lambda: cache.cut(0, -1), ValueError, "length"),
            (lambda: cache.cut(0, 7), ValueError, r"length is 7; expected 0\.\.6"),
            (lambda: cache.cut(0, 1.0), TypeError, "length is 1.0; expected a whole number"),
            (lambda: cache.cut(0, np.nan), TypeError, "length is nan"), (lambda: cache.cut(0, True), TypeError, "True"),
            (lambda: cache.cut(wide), IndexError, "sequence 18446744073709551616"),
            (lambda: cache.get(-1), IndexError, "sequence -1"), (lambda: cache.get(0.5), TypeError, "sequence is 0.5"),
            (lambda: cache.put(wide, keys, keys), IndexError, "sequence 18446744073709551616"),
            (lambda: self.layer.new_cache(wide + 2, 5), MemoryError, "18446744073709551618 sequences of 5 rows"),
            (lambda: self.layer.new_cache(2**62, 5), MemoryError, "4611686018427387904 sequences"),
            (lambda: self.layer.new_cache(1, wide + 5), ValueError, "capacity is"),
            (lambda: other(arrays(cache_40_4), threads=wide + 1), ValueError, r"threads is .*; expected 1\.\."),
            (lambda: other(arrays(cache_40_4), threads=-1), ValueError, "threads is -1"),
            (lambda: self.layer(rows(1, 2, 40), position=[2**64]), ValueError, "position holds 18446744073709551616"),
            (lambda: self.layer(rows(1, 2, 40), position=[-(2**70)]), ValueError, "position holds -11805916207174113"),
            (lambda: self.layer(rows(1, 2, 40), position=[2**64, None]), TypeError, "position has dtype object"),
        ]
        for call, error, words in calls:
            with self.assertRaisesRegex(error, words):
                call()
        self.assertEqual(cache.lengths.tolist(), [6, 6])
        cache.cut(np.int32(1), np.uint8(2))
        self.assertEqual(cache.lengths.tolist(), [6, 2])

    def test_a_cache_is_one_calls_at_a_time(self):
        cache = self.layer.new_cache(2, 20)
        cache._enter(self.layer._packed)
        with self.assertRaisesRegex(RuntimeError, "in use"):
            self.layer(rows(2, 6, 40), cache=cache)
        cache._leave()


if __name__ == "__main__":
    unittest.main()
