#!/usr/bin/env python3
"""Facts about the pure parts of the benchmark: what cells cost, medians and means, the tables, the pictures, the
predictions. Needs the standard library alone and measures nothing. The last line is 'N passed, N failed'."""

import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[2] / "bench/gemm"))
sys.dont_write_bytecode = True

import cells  # noqa: E402  (bench/ is on the path only now)
import features_facts  # noqa: E402
import gemm_report  # noqa: E402
import library  # noqa: E402
import narrow_facts  # noqa: E402
import predict  # noqa: E402
import program_bench  # noqa: E402
import rounds  # noqa: E402
import stats  # noqa: E402
import timing  # noqa: E402
import whole_cells  # noqa: E402
from report import labels, predicted, ratios, roofline, tables  # noqa: E402

SETTINGS = {"rounds": 3, "warm_ms": 50, "sample_ms": 150, "cpus": [1], "quick": False}
MACHINE = {"cpu": "A <CPU> & more", "cpus": 2, "isas": ["avx2"], "caches": {"L1": 32768}, "system": "s", "libc": "c",
           "python": "3"}


US_A_ROW = {"exact": 20.0, "fast": 18.0, "fast:2": 16.0, "openblas numpy": 25.0, "onednn": 24.0}


class ProductsAlone(unittest.TestCase):
    results = {"machine": MACHINE, "cells": [
        {"rows": rows, "depth": 768, "width": 768, "isa": isa, "peak": 100.0,
         "over exact": {"fast": 1.11, "fast:2": 1.25}, "us": {name: us * rows for name, us in US_A_ROW.items()},
         "errors": {"exact": 1e-7, "fast": 2e-7, "fast:2": 4e-7}}
        for isa in ("avx512", "avx2") for rows in (16, 128)]}

    def test_the_share_of_the_peak_counts_the_plain_products_operations(self):
        self.assertAlmostEqual(gemm_report.percent(self.results["cells"][0], "exact"), 100 * 2 * 768 * 768 / 20e3 / 100)

    def test_the_table_names_ratios_and_errors(self):
        text = gemm_report.document(self.results)
        for part in ("| 128 x 768 x 768 |", "**1.11** | **1.25** | 1.50 |", "| 1.0e-07 | 2.0e-07 | 4.0e-07 |",
                     "OpenBLAS (NumPy)", "## avx512", "## avx2"):
            self.assertIn(part, text)

    def test_cells_are_in_order_wider_sets_first(self):
        cells = sorted(reversed(self.results["cells"]), key=gemm_report.place)
        self.assertEqual(cells, self.results["cells"])

    def test_the_picture_is_well_formed(self):
        root = xml.etree.ElementTree.fromstring(gemm_report.chart(self.results, "avx2", self.results["cells"][2:]))
        self.assertIn("depth 768, width 768", [node.text for node in root.iter()])


class Library(unittest.TestCase):
    def test_its_structs_are_those_of_this_runtime(self):
        header = (pathlib.Path(__file__).resolve().parents[2] / "runtime/include/genattn/model.h").read_text()
        self.assertEqual(re.search(r"GA_ABI = (\d+)", header)[1], str(library.ABI))
        fields = re.search(r"^struct ga_io \{(.*?)^\};", header, re.S | re.M)[1]
        names = re.findall(r"(\w+)(?:\[\w+\])?;", re.sub(r"//.*", "", fields))
        self.assertEqual(names, [name for name, _ in library.Io._fields_])


def variant(*medians, error=1e-7):
    """A variant whose rounds had these medians."""
    return {"error": error, "rounds": [{"us": [us * 0.5, us, us * 9], "cpu_share": 1.0} for us in medians]}


def result(name="1x128x512x8", us=3000.0, peer=3300.0):
    made = rounds.start(cells.BY_NAME[name], {"isa": "avx2", "costs": {}})
    made["machine"] = [{"gflops": {"avx2": 100.0}, "gb_per_s": 50.0, "ghz": 3.0}]
    made["levels"] = {"L2": 100.0, "memory": 20.0}
    made["systems"] = {
        "genattn": {"variants": {"avx2": variant(us)}, "failed": {}, "unfit": {}, "overhead_us": 0.5},
        "onnxruntime": {"variants": {"attn": variant(peer), "plain": variant(peer * 2)}, "failed": {}, "unfit": {}},
        "pytorch": {"variants": {"eager4": variant(peer * 3)}, "failed": {"eager_qkv": "why | not"}, "unfit": {}},
    }
    return made


def results(*found):
    return {"machine": MACHINE, "versions": {"torch": "1"}, "settings": SETTINGS, "skipped": {"t2_x": "no threads"},
            "failed": {}, "cells": list(found)}


class Cells(unittest.TestCase):
    def test_the_demo_has_94_tokens(self):
        self.assertEqual((len(cells.RAGGED), sum(cells.RAGGED), max(cells.RAGGED)), (10, 94, 20))

    def test_names_are_unique(self):
        self.assertEqual(len(cells.BY_NAME), len(cells.LAYERS) + len(cells.MODELS))

    def test_flops_count_projections_and_visible_pairs(self):
        self.assertEqual(cells.BY_NAME["1x128x512x8"].flops, 8 * 128 * 512**2 + 4 * 128 * 128 * 512)
        self.assertEqual(cells.BY_NAME["causal_1x128x512x8"].pairs, 128 * 129 // 2)
        self.assertEqual(cells.BY_NAME["ragged_10x20x512x8"].rows, 94)

    def test_a_row_after_a_cache_reads_weights_keys_and_values(self):
        cell = cells.BY_NAME["cached_512_1x1x512x8"]
        self.assertEqual(cell.pairs, 513)
        self.assertEqual(cell.cache_bytes, 2 * 512 * 512 * 4)
        self.assertEqual(cell.read_bytes - cell.cache_bytes, cells.BY_NAME["1x1x512x8"].weight_bytes)

    def test_a_pattern_that_fits_nothing_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no cell is called 'x9'"):
            cells.choose(["x9"], [1])

    def test_patterns_and_threads_choose(self):
        chosen = cells.choose(["causal_*", "t2_*"], [1])
        self.assertEqual([cell.length for cell in chosen], [128, 512, 2048])

    def test_every_cell_is_in_a_group(self):
        self.assertEqual([c.name for c in cells.ALL if not any(group.has(c) for group in cells.GROUPS)], [])


class WholeModels(unittest.TestCase):
    def test_flops_count_products_and_attention_of_all_layers(self):
        cell = cells.BY_NAME["models_1x128x384x6"]
        self.assertEqual(cell.flops, 6 * (128 * 2 * 12 * 384**2 + 4 * 128**2 * 384))

    def test_the_mix_is_about_half_of_its_longest(self):
        for length in whole_cells.LENGTHS:
            lengths = whole_cells.mix(length)
            self.assertEqual((len(lengths), max(lengths)), (8, length))
            self.assertAlmostEqual(sum(lengths) / 8 / length, 0.5, delta=0.02)

    def test_the_next_token_reads_weights_logits_and_cache(self):
        cell = cells.BY_NAME["models_next_512_1x1x768x12"]
        self.assertEqual(cell.cache_bytes, 2 * 4 * 12 * 512 * 768)
        self.assertGreater(cell.weight_bytes, 4 * (12 * 12 * 768**2 + 50257 * 768))
        self.assertLess(cell.weight_bytes, 1.01 * 4 * (12 * 12 * 768**2 + 50257 * 768))

    def test_they_are_chosen_by_name_alone(self):
        self.assertEqual(cells.choose(None, [1, 2]), cells.LAYERS)
        self.assertEqual(cells.choose(["*"], [1, 2]), cells.LAYERS)
        self.assertEqual(cells.choose(["models_*"], [1, 2]), cells.MODELS)

    def test_they_are_not_measured_beside_layers(self):
        with self.assertRaisesRegex(ValueError, "separate runs"):
            cells.choose(["models_1x128*", "1x128x512x8"], [1])

    def test_every_one_is_in_a_group(self):
        self.assertEqual([c.name for c in whole_cells.ALL if not any(group.has(c) for group in whole_cells.GROUPS)], [])

    def test_a_spec_says_what_bert_and_gpt2_are(self):
        bert, gpt2 = ("\n".join(whole_cells.spec_fields(cells.BY_NAME[name]))
                      for name in ("models_ragged_8x16x384x6", "models_next_128_1x1x768x12"))
        self.assertIn("lengths = true", bert)
        self.assertIn("eps = 1e-12", bert)
        self.assertIn("vocab_size = 50257", gpt2)
        self.assertIn("causal = true", gpt2)

    def test_their_report_says_so(self):
        found = results(result("models_1x128x384x6"), result("models_ragged_8x16x384x6"))
        text = tables.document(found, found["cells"])
        self.assertIn("# Whole models: ", text)
        self.assertIn("| B = 1, L = 128 | 1 |", text)
        self.assertIn("Time of a whole model", ratios.chart(found, found["cells"]))

    def test_a_variant_far_behind_is_left_at_its_first_round(self):
        entry = {"variants": {"a": variant(100.0), "b": variant(109.0), "c": variant(120.0)}}
        self.assertEqual([rounds._is_far(entry, name) for name in "abc"], [False, False, True])
        entry["variants"]["c"]["rounds"][0]["cpu_share"] = 0.6
        self.assertFalse(rounds._is_far(entry, "c"))


class Stats(unittest.TestCase):
    def test_geometric_mean(self):
        self.assertAlmostEqual(stats.geometric_mean([1.0, 4.0, 2.0]), 2.0)
        self.assertIsNone(stats.geometric_mean([]))

    def test_a_figure_is_the_median_of_round_medians(self):
        found = stats.figure("s", "v", variant(30.0, 10.0, 20.0))
        self.assertEqual((found.us, found.low, found.high), (20.0, 10.0, 30.0))

    def test_time_that_others_had_the_cpu_is_none_of_a_call(self):
        rounds_made = [{"us": [10.0, 30.0], "cpu_share": 0.4}, {"us": [20.0], "cpu_share": 0.5}]
        self.assertAlmostEqual(stats.cpu_time(rounds_made), 8.0)
        self.assertIsNone(stats.cpu_time([{"us": [1.0], "cpu_share": None}]))

    def test_a_variant_without_rounds_has_no_figure(self):
        self.assertIsNone(stats.figure("s", "v", variant()))

    def test_the_ratio_is_of_the_best_peer(self):
        made = result(us=100.0, peer=120.0)
        self.assertAlmostEqual(stats.ratio(made, stats.peers(made)), 1.2)
        self.assertAlmostEqual(stats.ratio(made, stats.PYTORCH), 3.6)
        self.assertEqual(stats.best_peer(made).label, "onnxruntime attn")

    def test_percent_of_peak(self):
        made = result()
        made["flops"] = 100e9 * 3000e-6 / 2
        self.assertAlmostEqual(stats.percent_of_peak(made, stats.ours(made)), 50.0)


# A program whose bench writes JSON as ours does: beside the path, then renamed over it. The cell says what was asked.
RENAMING = """#!{python}
import json, os, sys
path = sys.argv[sys.argv.index("--json") + 1]
cell = {{"us_median": 2.0, "us_min": 1.0, "us_max": float(sys.argv[sys.argv.index("--lengths") + 1])}}
with open(path + ".part", "w") as file:
    json.dump({{"cells": [cell]}}, file)
os.rename(path + ".part", path)
"""


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "program"

    def write(self, text):
        self.path.write_text(text)
        self.path.chmod(0o755)

    def test_its_bench_is_read_though_it_renames_its_file(self):
        self.write(RENAMING.format(python=sys.executable))
        self.assertEqual(program_bench.measure(self.path, "--lengths", 20),
                         {"us": [2.0], "us_min": 1.0, "us_max": 20.0, "cpu_share": None})

    def test_what_it_says_when_it_fails_is_passed_on(self):
        self.write("#!/bin/sh\necho 'no such option' >&2\nexit 2\n")
        with self.assertRaisesRegex(RuntimeError, "no such option"):
            program_bench.measure(self.path)


class Lost(unittest.TestCase):
    def setUp(self):
        self.results = results(result())

    def change(self, system, **entry):
        self.results["cells"][0]["systems"][system] = {"variants": {}, "failed": {}, "unfit": {}} | entry

    def test_a_run_whose_columns_are_full_has_lost_nothing(self):
        self.assertEqual(stats.lost(self.results), [])  # pytorch's failed variant stands beside one with a figure

    def test_a_system_without_a_figure_is_named_with_its_reason(self):
        self.change("program", variants={"bench": variant()}, failed={"bench": "empty file"})
        self.assertEqual(stats.lost(self.results), ["1x128x512x8: program has no figure: bench: empty file"])

    def test_a_system_without_a_variant_is_named(self):
        self.change("program")
        self.assertEqual(stats.lost(self.results), ["1x128x512x8: program has no figure: it has no variant"])

    def test_a_system_that_a_cell_is_not_for_is_no_loss(self):
        self.change("program", unfit={"bench": "takes no lengths"})
        self.assertEqual(stats.lost(self.results), [])

    def test_a_system_that_did_not_start_is_named(self):
        self.results["failed"] = {"openvino": "no module"}
        self.assertEqual(stats.lost(self.results), ["openvino could not start: no module"])


class Prediction(unittest.TestCase):
    def test_parts_add_up_at_the_peak(self):
        made = result()
        found = predict.parts(made, 100.0, 1000.0, 0.0)
        self.assertAlmostEqual(sum(found.values()) - found["softmax"], made["flops"] / 100e3)

    def test_one_row_takes_the_time_of_reading_its_weights(self):
        found = predict.parts(result("1x1x512x8"), 1000.0, 10.0, 0.0)
        self.assertAlmostEqual(found["project"] + found["out"], 4 * 4 * 512**2 / 10e3)

    def test_a_row_after_a_cache_takes_the_time_of_reading_both(self):
        found = predict.parts(result("cached_2048_1x1x512x8"), 1e6, 10.0, 0.0)
        read = cells.BY_NAME["cached_2048_1x1x512x8"].read_bytes
        self.assertAlmostEqual(sum(found.values()) - found["softmax"], read / 10e3, delta=0.01 * read / 10e3)

    def test_over_a_tenth_off_is_marked(self):
        self.assertFalse(predict.predict(result(us=3200.0)).is_off)
        self.assertTrue(predict.predict(result(us=4000.0)).is_off)


class Timing(unittest.TestCase):
    def test_every_round_has_all_calls_and_begins_with_another(self):
        made, shortest = [], timing.SHORTEST_SAMPLE_NS
        timing.SHORTEST_SAMPLE_NS = 1  # one call a sample
        try:
            rounds_made = timing.time_rounds([lambda i=i: made.append(i) for i in range(3)], 0, 0)
        finally:
            timing.SHORTEST_SAMPLE_NS = shortest
        self.assertEqual(len(rounds_made), timing.FEWEST_ROUNDS)
        self.assertEqual({len(found) for found in rounds_made}, {3})
        self.assertEqual(made[3:12], [0, 1, 2, 1, 2, 0, 2, 0, 1])  # after one call of each to warm up


class Versions(unittest.TestCase):
    def test_results_that_are_added_to_name_both_versions(self):
        first = stats.both_versions({"a": "1", "b": "1"}, {"a": "2", "b": "1", "c": "1"})
        self.assertEqual(first, {"a": "1 and 2", "b": "1", "c": "1"})
        self.assertEqual(stats.both_versions(first, {"a": "2"}), first)


class First(unittest.TestCase):
    def test_systems_are_listed_fastest_first_by_their_median(self):
        def entry(*seconds):
            return {"variant": "v", "runs": [{"seconds": s, "mib": 10.0} for s in seconds]}

        text = tables.first_table({"onnxruntime": entry(0.2, 0.1, 0.3), "program": entry(0.011, 0.012, 0.5)})
        lines = text.splitlines()[2:]
        self.assertIn("| 12.0 [11.0 … 500.0] |", lines[0])
        self.assertIn("ONNX Runtime", lines[1])

    def test_nothing_measured_is_no_table(self):
        self.assertEqual(tables.first_table({}), "")


class Report(unittest.TestCase):
    def setUp(self):
        self.found = [result(), result("1x1x512x8", 90.0, 80.0), result("t2_1x20x512x8", 300.0, 310.0)]
        self.results = results(*self.found)

    def test_every_row_of_a_table_has_as_many_columns(self):
        for title, _, make in tables.SECTIONS:
            counts = {line.count("|") for line in make(self.found).splitlines()}
            self.assertLessEqual(len(counts), 1, title)

    def test_the_document_names_ratios_and_what_was_left_out(self):
        text = tables.document(self.results, self.found)
        for part in ("**1.10**", "**0.89**", "t2_x: no threads", "why | not"):
            self.assertIn(part, text)

    def test_pictures_are_well_formed_and_stand_alone(self):
        for chart in (ratios.chart, roofline.chart, predicted.chart):
            for found in (self.found, self.found[:1], []):
                text = chart(self.results, found)
                root = xml.etree.ElementTree.fromstring(text)
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertNotIn("href", text)

    def test_the_ratio_of_a_cell_stands_in_the_picture(self):
        texts = [node.text for node in xml.etree.ElementTree.fromstring(ratios.chart(self.results, self.found)).iter()]
        self.assertIn("1.10×", texts)
        self.assertIn("0.89×", texts)
        self.assertIn("1 × 20 rows, 512 / 8 heads, 2 threads", texts)

    def test_the_picture_of_predictions_has_the_ratio_of_each_cell(self):
        picture = xml.etree.ElementTree.fromstring(predicted.chart(self.results, self.found))
        texts = [node.text for node in picture.iter()]
        for result_of_one_thread in self.found[:2]:
            self.assertIn(f"{predict.predict(result_of_one_thread).factor:.2f}", texts)

    def test_pictures_name_each_cell_in_words(self):
        picture = xml.etree.ElementTree.fromstring(roofline.chart(self.results, self.found))
        texts = [node.text for node in picture.iter()]
        for name in (result["name"] for result in self.found if result["threads"] == 1):
            self.assertIn(labels.label(name), texts)
            self.assertNotIn(name, texts)
        for name, expected in (
                ("1x1x512x8", "1 × 1 row, 512 / 8 heads"),
                ("causal_1x128x512x8", "1 × 128 rows, 512 / 8 heads, causal"),
                ("ragged_packed_10x20x512x8", "10 × 20 rows, 512 / 8 heads, packed"),
                ("cached_512_1x1x512x8", "1 row after 512, 512 / 8 heads"),
                ("models_ragged_8x16x384x6", "8 × 16 rows, 384, 6 layers, ragged"),
                ("models_next_128_1x1x768x12", "next token after 128, 768, 12 layers")):
            self.assertEqual(labels.label(name), expected)
        long = [labels.label(name) for name in cells.BY_NAME if not cells.BY_NAME[name].numbers]
        self.assertLessEqual(max(map(len, long)), 48)  # as wide as there is room for


def main():
    load = unittest.defaultTestLoader.loadTestsFromModule
    facts = unittest.TestSuite([load(sys.modules[__name__]), load(features_facts), load(narrow_facts)])
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(facts)
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not outcome.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
