"""wheel_test.py: wheels as files: their lists, that the same files give the same bytes, names, help()."""
import base64
import csv
import hashlib
import os
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import golden_maps
import bert_48_4

WHEELS = os.environ["WHEELS"].split()
MAKE = "bindings/python/make_wheel.py"
WITH_TEXT = () if bert_48_4._text.WHY_NOT else (
    "bert_48_4", "dense_36_4", "llama_45_3", "memory_mask_40_4", "tokens_96_6")


class Files(unittest.TestCase):
    def test_lists_have_every_file_with_its_hash(self):
        for path in WHEELS:
            with zipfile.ZipFile(path) as wheel:
                names = wheel.namelist()
                self.assertEqual(names, sorted(names))
                listed = next(name for name in names if name.endswith("/RECORD"))
                rows = list(csv.reader(wheel.read(listed).decode().splitlines()))
                self.assertEqual(sorted(row[0] for row in rows), names)
                for name, digest, size in rows:
                    data = wheel.read(name)
                    hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    expected = ["", ""] if name == listed else ["sha256=" + hashed, str(len(data))]
                    self.assertEqual([digest, size], expected)
                self.assertTrue(all(entry.date_time[0] == 1980 for entry in wheel.infolist()))

    def test_the_library_needs_nothing_that_is_not_there(self):
        for path in WHEELS:
            with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
                wheel.extractall(folder)
                name = os.path.basename(path).split("-")[0]
                library = "%s/%s/lib%s.so" % (folder, name, name)
                text = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
                self.assertNotIn("not found", text)
                self.assertRegex(text, r"libjansson\.so\S* => %s/" % folder)
                for other in re.findall(r"lib(?:utf8proc|pcre2)\S* => \S*", text):
                    self.assertIn(" => %s/" % folder, other)
                self.assertEqual("pcre2" in text, name in WITH_TEXT, text)

    def test_the_same_files_give_the_same_bytes(self):
        library = os.path.join(os.path.dirname(golden_maps.__file__), "libgolden_maps.so")
        with tempfile.TemporaryDirectory() as folder:
            made = []
            for at, files in enumerate(([MAKE, "LICENSE"], ["LICENSE", MAKE])):
                out = os.path.join(folder, "%d.whl" % at)
                subprocess.run([sys.executable, "-B", MAKE, "--name", "some", "--version", "1", "--platform", "p",
                                "--summary", "s", "--library", library, "--cc", "cc", "--out", out, *files], check=True)
                with open(out, "rb") as file:
                    made.append(file.read())
            self.assertEqual(made[0], made[1])

    def test_names_that_python_has_are_refused(self):
        for name in ("lambda", "numpy", "torch"):
            done = subprocess.run([sys.executable, "-B", MAKE, "--name", name, "--version", "1", "--platform", "p",
                                   "--summary", "s", "--library", "none", "--cc", "cc", "--out", "none", "none"],
                                  capture_output=True, text=True)
            self.assertIn("cannot be called " + name, done.stderr)
            self.assertNotEqual(done.returncode, 0)


class Words(unittest.TestCase):
    def test_help_says_shapes_and_arguments(self):
        text = pydoc.plain(pydoc.render_doc(golden_maps))
        for words in ("float32 [batch, 1..16, 48]", "scores are scaled by", "q_lengths, kv_lengths: real rows",
                      "threads: over how many", "from_torch(module", "new_cache(self"):
            self.assertIn(words, text)
        self.assertIn("ids of [batch, 1..70], below 50", bert_48_4.__doc__)
        for package in (golden_maps, bert_48_4):
            self.assertEqual(os.path.basename(WHEELS[0]).split("-")[1], package.__version__)
            self.assertEqual(package.BITS_REVISION, package._declarations.GA_BITS_REVISION)
            for name in package.__all__:
                self.assertTrue(getattr(package, name).__doc__ or name == "__version__", name)

    def test_a_process_may_use_amx_after_it_has_asked_and_asks_twice_at_no_harm(self):
        allowed = golden_maps.allow_amx()
        self.assertIs(type(allowed), bool)
        self.assertEqual(golden_maps.allow_amx(), allowed)
        self.assertEqual(bert_48_4.allow_amx(), allowed)


if __name__ == "__main__":
    unittest.main()
