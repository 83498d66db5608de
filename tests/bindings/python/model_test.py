"""model_test.py: whole models from their wheels: outputs, lengths, what a decoder attends to, generation."""
import unittest

import transformer_40_2
import numpy as np
import bert_48_4
import llama_45_3
import memory_mask_40_4
from made import arrays, rows

BERT = bert_48_4.Model(arrays(bert_48_4))
LLAMA = llama_45_3.Model(arrays(llama_45_3))
BOTH = transformer_40_2.Model(arrays(transformer_40_2))
RECALLS = memory_mask_40_4.Model(arrays(memory_mask_40_4))


class Encoders(unittest.TestCase):
    def test_the_last_that_is_computed_is_what_a_call_gives(self):
        ids = [[1, 2, 3, 4], [5, 6, 0, 0]]
        got = BERT(ids, [4, 2], outputs=["embedding", "output", "hidden", "layer_attention"])
        np.testing.assert_array_equal(BERT(ids, lengths=[4, 2]), got["embedding"])
        self.assertEqual(got["embedding"].shape, (2, 48))
        self.assertEqual([array.shape for array in got["hidden"]], [(2, 4, 48)] * 3)
        np.testing.assert_array_equal(got["hidden"][2], got["output"])
        self.assertEqual([array.shape for array in got["layer_attention"]], [(2, 4, 4, 4)] * 2)
        np.testing.assert_allclose(got["layer_attention"][1][1, :, :2, :2].sum(-1), np.ones((4, 2)), atol=1e-6)
        self.assertEqual(LLAMA([[1, 2]], cache=LLAMA.new_cache()).shape, (1, 2, 51))

    def test_a_sequence_is_the_same_alone(self):
        ids = np.array([[1, 2, 3, 4], [5, 6, 49, 49]])
        np.testing.assert_array_equal(BERT(ids, [4, 2])[1], BERT(ids[1:, :2])[0])

    def test_types_and_masks_are_taken(self):
        ids = [[1, 2, 3, 4]]
        self.assertGreater(np.abs(BERT(ids, token_types=[[0, 0, 1, 1]]) - BERT(ids)).max(), 1e-4)
        mask = np.where(np.tri(4, dtype=bool), 0, -np.inf).astype(np.float32)
        seen = BERT(ids, mask=mask, outputs="layer_attention")
        self.assertEqual(np.triu(seen[0][0, 0], 1).max(), 0)

    def test_what_is_wrong_is_named(self):
        calls = [
            (lambda: BERT([[50]]), ValueError, r"tokens\[0\]\[0\] is 50; expected 0\.\.49"),
            (lambda: BERT([[1], [2, 3]]), (TypeError, ValueError), ""), (lambda: BERT([1, 2]), ValueError, "tokens"),
            (lambda: BERT([[1]], token_types=[[2]]), ValueError, r"token_types\[0\]\[0\] is 2"),
            (lambda: BERT([[1]], token_types=[[0, 0]]), ValueError, r"token_types has shape \[1, 2\]"),
            (lambda: BERT([[1]], outputs=["logits"]), ValueError, "'logits'; this model gives embedding, hidden"),
            (lambda: BERT(rows(1, 2, 48)), TypeError, "tokens has dtype float32"),
            (lambda: BERT(query=rows(1, 2, 47)), ValueError, r"expected \[batch, q_len, 48\]"),
            (lambda: BERT.generate([[1]]), ValueError, "cannot go on"),
        ]
        for call, error, words in calls:
            with self.assertRaisesRegex(error, words):
                call()


class Generation(unittest.TestCase):
    def greedy(self, ids, new):
        """By calls of all rows, without going on from a cache."""
        ids = list(ids)
        for _ in range(new):
            logits = LLAMA([ids], cache=LLAMA.new_cache(), outputs="last_logits")
            ids.append(int(logits[0].argmax()))
        return ids

    def test_the_most_likely_ids_come_one_by_one(self):
        prompts = [[1, 2, 3], [7], [50, 4, 4, 9, 2]]
        expected = [self.greedy(ids, 6) for ids in prompts]
        self.assertEqual(LLAMA.generate(prompts, new=6), expected)
        self.assertEqual(LLAMA.generate(prompts[0], new=6), expected[:1])
        padded = np.array([[1, 2, 3, 0, 0], [7, 0, 0, 0, 0], [50, 4, 4, 9, 2]])
        self.assertEqual(LLAMA.generate(padded, lengths=[3, 1, 5], new=6), expected)
        stop = expected[0][4]
        cut = expected[0][: expected[0].index(stop, 3) + 1]
        self.assertEqual(LLAMA.generate(prompts[0], new=6, stop=stop), [cut])
        self.assertEqual(LLAMA.generate([prompts[0], prompts[1]], new=6, stop=[stop])[0], cut)

    def test_drawn_ids_follow_seed_and_limits(self):
        draw = {"new": 8, "temperature": 1.5}
        first = LLAMA.generate([1, 2], seed=1, **draw)
        self.assertEqual(first, LLAMA.generate([1, 2], seed=1, **draw))
        self.assertNotEqual(first, LLAMA.generate([1, 2], seed=2, **draw))
        greedy = LLAMA.generate([1, 2], new=8)
        self.assertEqual(LLAMA.generate([1, 2], seed=3, top_k=1, **draw), greedy)
        self.assertEqual(LLAMA.generate([1, 2], seed=3, top_p=1e-9, **draw), greedy)

    def test_chances_are_those_of_softmax(self):
        sampler = __import__("llama_45_3._sampling", fromlist=["x"])._Sampler
        logits = np.log(np.array([0.1, 0.5, 0.15, 0.25], np.float32))
        count = 20000

        def shares(**limits):
            one = sampler(1.0, limits.get("top_k", 0), limits.get("top_p", 1.0), 5)
            return np.bincount([one.pick(logits) for _ in range(count)], minlength=4) / count

        limit = 5 * np.sqrt(0.25 / count)  # five standard deviations of a share
        np.testing.assert_allclose(shares(), [0.1, 0.5, 0.15, 0.25], atol=limit)
        np.testing.assert_allclose(shares(top_k=2), [0, 2 / 3, 0, 1 / 3], atol=limit)
        np.testing.assert_allclose(shares(top_p=0.7), [0, 2 / 3, 0, 1 / 3], atol=limit)
        np.testing.assert_allclose(shares(top_p=0.76), [0, 0.5 / 0.9, 0.15 / 0.9, 0.25 / 0.9], atol=limit)

    def test_what_is_wrong_is_named(self):
        calls = [({"new": 50}, r"52 tokens with the 50 new ones; expected at most 50"), ({"temperature": -1}, "-1"),
                 ({"top_p": 0}, "top_p"), ({"top_k": -1}, "top_k is -1"), ({"lengths": [1, 2]}, "with lists"),
                 ({"new": -1}, "new is -1; expected at least 0"), ({"new": 2**64}, "18446744073709551618 tokens"),
                 ({"stop": 2**64}, r"stop is 18446744073709551616; expected 0\.\.50"), ({"stop": [1, -1]}, "is -1"),
                 ({"seed": -1}, "seed is -1")]
        for options, words in calls:
            with self.assertRaisesRegex(ValueError, words):
                LLAMA.generate([[1, 2]], **options)
        with self.assertRaisesRegex(ValueError, "at least one"):
            LLAMA.generate([[1, 2], []])
        padded = np.array([[1, 2, 3], [7, 0, 0]])
        for lengths, words in (([3], r"lengths has shape \[1\]; expected \[2\]"), ([3, -1], r"lengths\[1\] is -1"),
                               ([3, 4], r"lengths\[1\] is 4; expected 1\.\.3")):
            with self.assertRaisesRegex(ValueError, words):
                LLAMA.generate(padded, lengths=lengths)


class Transformers(unittest.TestCase):
    def test_a_target_goes_on_over_its_source(self):
        source, target, cache = rows(2, 5, 40), rows(2, 3, 40, seed=4), BOTH.new_cache(2)
        whole = BOTH(query=target, key=source, kv_lengths=[5, 3], cache=cache, outputs=["output", "memory"])
        self.assertEqual((whole["output"].shape, whole["memory"].shape), ((2, 3, 40), (2, 5, 40)))
        steps = BOTH.new_cache(2)
        first = BOTH(query=target[:, :1].copy(), memory=whole["memory"], kv_lengths=[5, 3], cache=steps)
        np.testing.assert_array_equal(first[:, 0], whole["output"][:, 0])
        second = BOTH(query=target[:, 1:].copy(), cache=steps)  # what it attends to is in the cache
        np.testing.assert_array_equal(second, whole["output"][:, 1:])

    def test_memory_beside_a_source_is_refused(self):
        with self.assertRaisesRegex(ValueError, "memory is given with key"):
            BOTH(query=rows(1, 3, 40), key=rows(1, 2, 40), memory=rows(1, 2, 40), cache=BOTH.new_cache())

    def test_a_mask_of_the_memory_hides_rows_of_it(self):
        ids = {"tokens": [[1, 2, 3], [4, 5, 6]], "key_tokens": [[7, 8, 9, 10], [11, 12, 13, 14]]}
        shown = np.ones((2, 1, 3, 4), bool)
        whole = RECALLS(**ids)
        np.testing.assert_array_equal(RECALLS(**ids, memory_mask=shown), whole)
        shown[1, :, :2, 3] = False
        np.testing.assert_array_equal(RECALLS(**ids, memory_mask=shown)[0], whole[0])
        apart = np.abs(RECALLS(**ids, memory_mask=shown)[1] - whole[1]).max(-1)
        self.assertGreater(apart[:2].min(), 1e-5)  # a score of -1e-12 in place of that of a row of the memory
        for mask, error, words in ((shown[..., :3], ValueError, r"memory_mask has shape \(2, 1, 3, 3\)"),
                                   (shown.astype(np.float32), TypeError, "memory_mask is of float32")):
            with self.assertRaisesRegex(error, words):
                RECALLS(**ids, memory_mask=mask)
        with self.assertRaisesRegex(ValueError, "memory_mask is given, but the model was generated without"):
            BOTH(query=rows(1, 3, 40), key=rows(1, 2, 40), memory_mask=shown[:1, :, :, :2], cache=BOTH.new_cache())


if __name__ == "__main__":
    unittest.main()
