"""Facts about cells of narrow numbers: which models they need, what is held against what, the limits, the report and
its picture. Part of bench_test.py, which runs it; measures nothing."""

import os
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from unittest import mock

import build
import cells
import ladder
import machine
import options
import rounds
import rungs
import stats
import whole_cells
from report import line, narrow
from systems import llamacpp

SETTINGS = {"rounds": 1, "warm_ms": 50, "sample_ms": 150, "cpus": [1], "quick": False}
MACHINE = {"cpu": "A <CPU> & more", "cpus": 2, "isas": ["avx512"], "caches": {"L1": 32768}, "system": "s", "libc": "c",
           "python": "3"}
LAYER, TOKEN = "narrow_1x128x512x8", "models_narrow_next_128_1x1x768x12"


def variants(**times):
    """Each of one round; i16__avx512 stands for "i16 avx512"."""
    return {"variants": {name.replace("__", " "): {"error": 1e-3, "distance": 1e-6,
                                                   "rounds": [{"us": [us], "cpu_share": 1.0}]}
                         for name, us in times.items()}, "failed": {}, "unfit": {}}


def result(name=LAYER):
    made = rounds.start(cells.BY_NAME[name], {"isa": "avx512", "costs": {}})
    made["machine"] = [{"gflops": {"avx512": 100.0}, "gb_per_s": 50.0, "ghz": 3.0,
                        "peaks": {"f32": 100.0, "bf16": 200.0, "i16": 0.0, "int8": 400.0},
                        "reads": {"w_bf16": 10.0} if name == TOKEN else {}}]
    made["systems"] = {
        "genattn": variants(f32__avx512=3000.0, i16__avx512=1500.0, int8__avx512=800.0, w_bf16__avx512=2000.0),
        "openvino": variants(bf16__attn=1800.0, int8__ptq=1200.0, int8__w0=1000.0),
    }
    return made


def results(*found):
    return {"machine": MACHINE, "versions": {}, "settings": SETTINGS, "skipped": {}, "failed": {},
            "cells": list(found)}


def step(made, name):
    return next(one for one in ladder.steps(made) if one.rung.name == name)


class Narrow(unittest.TestCase):
    def test_a_rung_is_no_word_of_another_kind_of_cell(self):
        self.assertEqual(stats.rung_of("int8 attn s8"), "int8")
        self.assertIsNone(stats.rung_of("attn"))

    def test_models_that_do_not_fit_are_told_with_what_they_take(self):
        cell = cells.BY_NAME["models_narrow_llama_next_128_1x1x2048x16"]
        self.assertRegex(rungs.too_large(cell, rungs.choose(None), 16 << 30), r"take 2\d GB, of which 17 are free")
        self.assertIsNone(rungs.too_large(cell, rungs.choose(["w_int4"]), 16 << 30))

    def test_only_models_of_chosen_numbers_are_made(self):
        models = build.models([cells.BY_NAME[TOKEN]], rungs.choose(["w_int4"]))
        self.assertEqual([one.numbers for one in models], ["", "w_int4"])

    def test_every_rung_of_ours_has_a_model_that_asks_for_it(self):
        models = build.models([cells.BY_NAME[LAYER]], rungs.choose(None))
        self.assertEqual([one.model for one in models][:4],
                         ["bench_1_128_512_8", "bench_1_128_512_8_fast", "bench_1_128_512_8_fast2",
                          "bench_1_128_512_8_bf16"])
        self.assertIn('  matmul = "fast",\n', build.spec(models[1]))
        self.assertIn('  matmul = "fast:2",\n', build.spec(models[2]))
        self.assertIn('  dtype = "bf16",\n', build.spec(models[3]))
        self.assertNotIn("dtype", build.spec(models[0]))

    def test_fast_products_are_measured_where_rows_see_all_others(self):
        names = {cell: [rung.name for rung in rungs.of_cell(cells.BY_NAME[cell])] for cell in (LAYER, TOKEN)}
        self.assertLessEqual({"fast", "fast2", rungs.PEERS_F32}, set(names[LAYER]))
        self.assertTrue({"fast", "fast2", rungs.PEERS_F32}.isdisjoint(names[TOKEN]))
        self.assertEqual(rungs.choose(["fast"]), ["f32", "fast", "peers_f32"])

    def test_storage_is_for_tokens_alone(self):
        self.assertFalse(any(rung.is_storage for rung in rungs.of_cell(cells.BY_NAME[LAYER])))
        names = [one.model for one in build.models([cells.BY_NAME[TOKEN]], rungs.choose(None))]
        self.assertIn("whole_1_1_768_12_next_128_w_bf16", names)

    def test_a_prompt_reads_many_tokens_and_makes_the_logits_of_one(self):
        prompt = cells.BY_NAME["models_narrow_prompt_1x128x768x12"]
        products = 12 * (128 * 2 * 12 * 768**2 + 4 * (128 * 129 // 2) * 768) + 2 * 50257 * 768
        self.assertEqual(prompt.flops, products)
        self.assertEqual((prompt.model, prompt.capacity), ("whole_1_128_768_12_prompt", 192))

    def test_a_llama_has_few_heads_of_keys_and_three_matrices_in_its_feed_forward(self):
        llama = cells.BY_NAME["models_narrow_llama_next_128_1x1x1024x12"]
        matrices = 2 * 1024**2 + 2 * 256 * 1024 + 3 * 2816 * 1024
        self.assertEqual(llama.flops, 12 * (2 * matrices + 4 * 129 * 1024) + 2 * 8000 * 1024)
        self.assertEqual(llama.weight_bytes, 4 * (12 * (matrices + 2 * 1024) + 8000 * 1024))
        self.assertEqual(llama.cache_bytes, 2 * 4 * 12 * 128 * 256)
        text = build.spec(llama.of(rungs.BY_NAME["w_bf16"]))
        for line_of_it in ('  n_kv_heads = 4,\n', '  weights_dtype = "bf16",\n', "gated = true"):
            self.assertIn(line_of_it, text)

    def test_keys_and_values_of_earlier_tokens_take_two_bytes_but_of_f32_and_i16(self):
        token, rung = cells.BY_NAME[TOKEN], rungs.BY_NAME["int8_w_int4"]
        self.assertIn('  cache_dtype = "bf16",\n', build.spec(token.of(rung)))
        for name in ("f32", "i16"):
            self.assertNotIn("cache_dtype", build.spec(token.of(rungs.BY_NAME[name])))
        names = [rungs.our_variant(token, one) for one in (rung, rungs.BY_NAME["f32"])]
        self.assertEqual(names, ["int8_w_int4 bf16_cache", "f32"])
        self.assertEqual([token.cache_bytes / rungs.cache_bytes(token, name) for name in names], [2, 1])

    def test_what_is_long_has_positions_for_it(self):
        long = cells.BY_NAME["models_narrow_next_2048_1x1x768x12"]
        self.assertIn("rows = 4096", "\n".join(whole_cells.spec_fields(long)))
        self.assertNotEqual(long.weights_name, cells.BY_NAME[TOKEN].weights_name)

    def test_a_rung_that_is_not_known_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no numbers are called 'int9'"):
            rungs.choose(["int9"])
        self.assertEqual(rungs.choose(["i16"]), ["f32", "bf16", "i16", "w_bf16"])  # it is held against bf16

    def test_they_are_measured_and_reported_apart(self):
        parts = options.parts(options.parse(["--cells", "1x1x512x8,narrow_1x20*", "--peers", "openvino,openblas"]))
        self.assertEqual([part.systems for part in parts],
                         [["genattn", "openvino", "openblas"], ["genattn", "openvino"]])
        self.assertEqual(parts[1].out, parts[0].out / "narrow")

    def test_a_limited_run_leaves_out_peers_that_cannot_be_told_and_has_a_folder_of_its_own(self):
        with mock.patch.object(machine, "has", return_value=True):
            limited = options.parts(options.parse(["--cells", "narrow_1x20*", "--isa", "avx2vnni"]))[0]
        self.assertEqual(limited.systems, ["genattn", "openvino", "llamacpp"])
        self.assertEqual(limited.out.parts[-2:], ("avx2vnni", "narrow"))

    def test_a_limited_run_takes_the_llama_cpp_that_was_built_for_it_or_none(self):
        with tempfile.TemporaryDirectory() as prefix, mock.patch.object(sys, "prefix", prefix), \
                mock.patch.object(sys, "path", list(sys.path)), mock.patch.dict(sys.modules), \
                mock.patch.dict(os.environ, {machine.LIMIT: "avx2"}):
            sys.modules.pop("llama_cpp", None)
            self.assertIsNone(llamacpp.version())
            package = pathlib.Path(prefix) / "avx2" / "llama_cpp"
            package.mkdir(parents=True)
            (package / "__init__.py").write_text("__version__ = 'built for avx2'")
            self.assertEqual(llamacpp.version(), "built for avx2")

    def test_llama_cpp_is_installed_for_whole_models_alone_and_as_the_run_is_limited(self):
        with mock.patch.object(machine, "has", return_value=True):
            for arguments, words in (("--cells models_next_128*", "llamacpp"), ("--cells 1x20*", ""),
                                     ("--isa avx2 --cells models_next_128*", "llamacpp avx2"),
                                     ("--cells models_next_128* --list", ""),
                                     ("--cells models_next_128* --peers pytorch", "")):
                self.assertEqual(options.llamacpp(options.parse(arguments.split())), words)

    def test_a_peer_that_cannot_be_told_is_refused_by_name_in_a_limited_run(self):
        asked = options.parse(["--peers", "onnxruntime"])
        asked.isa = "avx2"
        with mock.patch.object(machine, "has", return_value=True):
            asked.threads = asked.cells = asked.numbers = None
            with self.assertRaisesRegex(ValueError, "--isa avx2: onnxruntime cannot be told"):
                options.complete(asked)

    def test_a_set_that_this_cpu_lacks_is_listed_and_not_measured(self):
        with mock.patch.object(machine, "has", return_value=False):
            self.assertTrue(options.parse(["--isa", "avx2vnni", "--list"]).chosen)
            asked = options.parse([])
            asked.isa, asked.cells, asked.threads, asked.numbers = "avx2vnni", None, None, None
            with self.assertRaisesRegex(ValueError, "--isa avx2vnni: this CPU has not got it"):
                options.complete(asked)

    def test_ours_is_limited_to_the_set_itself_or_to_what_refines_it(self):
        for isa, ours in (("avx2", "avx2"), ("avx2vnni", None)):
            with mock.patch.dict(os.environ):
                machine.limit(isa)
                self.assertEqual((machine.isas(), machine.narrow_isa()), (["avx2"], ours))
        self.assertIsNone(machine.narrow_isa())

    def test_numbers_that_no_chosen_cell_has_are_refused(self):
        asked = options.parse([])
        asked.cells, asked.threads, asked.numbers = [TOKEN], None, ["fast2"]
        with self.assertRaisesRegex(ValueError, "--numbers fast2: no chosen cell has these"):
            options.complete(asked)

    def test_numbers_leave_out_all_other_cells(self):
        chosen = options.parse(["--numbers", "int8"])
        self.assertEqual(chosen.chosen, cells.NARROW)
        self.assertEqual(chosen.numbers, ["f32", "int8", "w_int8"])

    def test_a_slow_variant_is_left_out_only_beside_its_own_numbers(self):
        entry = variants(int8__a=100.0, int8__b=120.0, bf16__a=300.0)
        self.assertEqual([rounds._is_far(entry, name) for name in entry["variants"]], [False, True, False])


class Ladder(unittest.TestCase):
    def test_ours_is_held_against_the_same_numbers_and_our_f32(self):
        found = step(result(), "int8")
        self.assertAlmostEqual(found.ratio, 1000 / 800)
        self.assertAlmostEqual(found.cpu_ratio, 1000 / 800)
        self.assertAlmostEqual(found.speed_up, 3000 / 800)

    def test_i16_is_held_against_bf16(self):
        self.assertEqual(step(result(), "i16").peer.label, "openvino bf16 attn")

    def test_whoever_keeps_keys_in_half_reads_half_of_them(self):
        made, cell = result(TOKEN), cells.BY_NAME[TOKEN]
        made["systems"]["llamacpp"] = variants(w_bf16__BF16=1000.0, w_bf16__BF16__f16_cache=1000.0)
        whole, half = (ladder.percent_of_read(made, found) for found in ladder.figures(made, ("w_bf16",))[:2])
        self.assertAlmostEqual(whole - half, 100 * cell.cache_bytes / 2 / 10e9 / 1000e-6)

    def test_storage_has_no_peak_as_it_does_not_say_what_is_multiplied(self):
        made = result("models_narrow_prompt_1x128x768x12")
        self.assertIsNone(ladder.percent_of_peak(made, step(made, "w_bf16").ours))

    def test_a_rung_that_only_peers_have_is_no_win_and_no_loss(self):
        found = step(result(), "bf16")
        self.assertIsNone(found.ours)
        self.assertIsNone(found.ratio)

    def test_percent_is_of_the_rungs_own_peak(self):
        made = result()
        made["flops"] = 400e9 * 800e-6 / 2
        self.assertAlmostEqual(ladder.percent_of_peak(made, step(made, "int8").ours), 50.0)
        self.assertIsNone(ladder.percent_of_peak(made, step(made, "i16").ours))  # the CPU has none of it

    def test_a_token_is_held_against_reading_its_narrow_weights(self):
        made, cell = result(TOKEN), cells.BY_NAME[TOKEN]
        size = cell.weight_bytes / 2 + cell.cache_bytes
        self.assertAlmostEqual(ladder.percent_of_read(made, step(made, "w_bf16").ours), 100 * size / 10e9 / 2000e-6)
        self.assertIsNone(ladder.percent_of_read(made, step(made, "int8").ours))


class Report(unittest.TestCase):
    def test_every_row_of_a_table_has_as_many_columns(self):
        for title, _, make in narrow.SECTIONS:
            counts = {row.count("|") for row in make([result(), result(TOKEN)]).splitlines()}
            self.assertEqual(len(counts), 1, title)

    def test_the_document_has_ratios_and_distances(self):
        found = results(result())
        text = narrow.document(found, found["cells"])
        for part in ("**1.25**", "3.75", "1.0e-06", "OpenVINO int8 w0"):
            self.assertIn(part, text)

    def test_the_picture_is_well_formed(self):
        for found in (results(result()), results()):
            root = xml.etree.ElementTree.fromstring(narrow.chart(found, found["cells"]))
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")

    def test_a_line_of_the_terminal_names_each_rung(self):
        text = line(result())
        self.assertEqual([row.split()[1] for row in text.splitlines()], ["f32", "bf16", "i16", "int8", "w_bf16"])
