"""Facts about what a feature costs: ratios of pairs, the work that must be done, the limits, the report and its
picture. Part of bench_test.py, which runs it; measures nothing."""

import unittest
import xml.etree.ElementTree

import feature_rows
import pairs
from report import features as feature_report

MACHINE = {"cpu": "A <CPU> & more", "cpus": 2, "isas": ["avx2"], "caches": {"L1": 32768}, "system": "s", "libc": "c",
           "python": "3"}


def feature(name="causal", length=512, off=100.0, on=80.0, alone=None, gflops=100.0):
    """A finished row of what features cost, as it stands in the JSON."""
    row = feature_rows.BY_NAME[name]
    rounds_of_all = [(off, on, *(alone or ()))] * 5
    found = {"name": name, "length": length, "layer": pairs.summary([(off, on)] * 5), "gflops": gflops,
             "alone": alone and pairs.summary([alone] * 5), "attention": None, "key_value": None}
    found["must"], found["must_attention"] = pairs.must(row, length, gflops, lambda _size: 50.0)
    if alone and row.fewer_heads:
        found["key_value"] = pairs.key_value_part(rounds_of_all)
    elif alone:
        found["attention"] = pairs.attention_part(rounds_of_all)
    return found | {"limits": pairs.limits(row, length, found)}


class Features(unittest.TestCase):
    def test_a_ratio_is_the_median_of_the_pairs(self):
        found = pairs.summary([(100.0, 110.0), (200.0, 220.0), (100.0, 300.0)])
        self.assertAlmostEqual(found["ratio"], 1.1)
        self.assertEqual((found["off_us"], found["on_us"], found["pairs"]), (100.0, 220.0, 3))

    def test_both_ways_to_the_attention_part_agree_where_projections_cost_the_same(self):
        for ratio in pairs.attention_part([(100.0, 80.0, 40.0, 20.0), (200.0, 160.0, 80.0, 40.0)]):
            self.assertAlmostEqual(ratio, 0.5)

    def test_slower_projections_show_in_the_difference_alone(self):
        found = pairs.attention_part([(100.0, 90.0, 40.0, 20.0)] * 3)
        self.assertEqual([round(ratio, 3) for ratio in found], [0.5, 0.75])

    def test_key_and_value_projections_are_half_of_four(self):
        self.assertAlmostEqual(pairs.key_value_part([(100.0, 68.5, 20.0, 18.5)] * 3), 0.25)

    def test_work_of_a_triangle_and_of_a_window(self):
        self.assertEqual(feature_rows.triangle(4), 10)
        self.assertEqual(feature_rows.window_pairs(6, 3), 1 + 2 + 3 + 3 + 3 + 3)
        self.assertEqual(feature_rows.window_pairs(3, 128), feature_rows.triangle(3))

    def test_what_skips_work_must_cost_less_than_nothing(self):
        for name in ("causal", "window", "half_lengths", "gqa", "shared_heads"):
            self.assertLess(feature()["must"] if name == "causal" else feature(name)["must"], 1.0, name)
        self.assertAlmostEqual(feature("causal", 512)["must_attention"], 513 / 1024)
        self.assertAlmostEqual(feature("gqa")["must_attention"], 1.0)

    def test_what_adds_work_must_cost_more_and_what_adds_none_nothing(self):
        for name in ("bool_mask", "additive_mask", "softcap", "alibi", "gelu", "attention", "bias_kv"):
            self.assertGreater(feature(name)["must"], 1.0, name)
        for name in ("dropout", "attention_listed", "no_biases", "mask_fill"):
            self.assertEqual(feature(name)["must"], 1.0, name)

    def test_a_block_lives_in_the_first_level_that_holds_it_twice(self):
        levels, caches = {"L1": 300.0, "L2": 100.0, "memory": 20.0}, {"L1": 32768, "L2": 1 << 20}
        for size, speed in ((16384, 300.0), (16385, 100.0), (1 << 20, 20.0)):
            self.assertEqual(pairs.level_speed(levels, caches, size), speed)

    def test_limits_count_the_worse_way(self):
        made = feature(on=70.0, alone=(50.0, 25.0))
        self.assertEqual([(limit["what"], limit["at_most"]) for limit in made["limits"]], [("attention", 0.62)])
        self.assertAlmostEqual(made["limits"][0]["found"], 0.5)
        self.assertEqual(feature(length=128)["limits"], [])

    def test_models_are_shared_and_their_names_fit(self):
        plain = feature_rows.model(feature_rows.BY_NAME["sinks"], 128, False)
        self.assertEqual(plain, feature_rows.model(feature_rows.BY_NAME["gqa"], 512, False))
        names = {feature_rows.model(row, length, is_on, alone)[0]
                 for row, length in feature_rows.choose(None, None) for is_on in (0, 1) for alone in (0, 1)}
        self.assertTrue(all(len(name) <= 40 for name in names))

    def test_patterns_and_lengths_choose(self):
        chosen = feature_rows.choose(["rope_*"], [64])
        self.assertEqual([(row.name, length) for row, length in chosen],
                         [("rope_half_split", 64), ("rope_interleaved", 64)])
        with self.assertRaisesRegex(ValueError, "no feature is called 'ropes'"):
            feature_rows.choose(["ropes"], None)

    def test_the_report_names_costs_and_broken_limits(self):
        found = [feature(on=70.0, alone=(50.0, 40.0)), feature("gqa", 512, 100.0, 68.5, (20.0, 18.5)),
                 feature("dropout", 128, 100.0, 100.5)]
        made = {"machine": MACHINE, "isa": "avx2", "levels": {"L2": 100.0}, "rows": found, "cpu_share": 0.5}
        text = feature_report.document(made)
        for part in ("**-30.0 %**", "**+0.5 %**", "**no**", "**0.250**", "The machine was busy"):
            self.assertIn(part, text)
        for _, _, make in feature_report.SECTIONS:
            self.assertEqual(len({row.count("|") for row in make(made).splitlines()}), 1)
        self.assertIn("above 0.62", feature_report.line(found[0]))

    def test_the_picture_is_well_formed_and_stands_alone(self):
        for found in ([feature(), feature("dropout", 64, 100.0, 1000.0)], [feature(on=1.0)]):
            text = feature_report.chart({"machine": MACHINE, "isa": "avx2", "rows": found})
            xml.etree.ElementTree.fromstring(text)
            self.assertNotIn("href", text)
