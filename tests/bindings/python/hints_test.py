"""hints_test.py: the type hints of the packages, as mypy reads them: what is right passes, what is wrong is found."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import golden_maps

USE = """
from typing import Any, Dict, Tuple
import numpy as np
import numpy.typing as npt
import golden_maps

x: npt.NDArray[np.float32] = np.zeros((1, 2, 48), np.float32)
layer = golden_maps.Layer("w.safetensors", threads=2)
y: npt.NDArray[np.float32] = layer(x, q_lengths=[2])
both: Dict[str, Any] = layer(x, outputs=["output", "attention"])
cache: golden_maps.Cache = layer.new_cache(2)
held: Tuple[npt.NDArray[Any], npt.NDArray[Any]] = cache.get(0)

from golden_maps._model import Model
model: Model = Model("w.safetensors").to("cpu")
bits: npt.NDArray[np.int8] = model.encode_query(["a"], prompt_name="query", precision="binary")
model.max_seq_length = 1 + model.get_embedding_dimension()
"""
MISUSE = """
import golden_maps
from golden_maps._model import Model

layer = golden_maps.Layer("w", threads=[])
layer(1, outputs=3)
layer.nothing
Model().encode_document(["a"], precision="int4")
Model().encode_query(["a"], batch="many")
"""

# Reading PyTorch takes mypy a minute.
WITHOUT_TORCH = """
[mypy]
[mypy-torch.*]
follow_imports = skip
ignore_missing_imports = True
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy for this Python")
class Hints(unittest.TestCase):
    def check(self, *arguments, text=None):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                arguments += (os.path.join(folder, "some.py"),)
                with open(arguments[-1], "w") as file:
                    file.write(text)
            return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", self.cache, *arguments],
                                  capture_output=True, text=True, cwd=folder).stdout

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cache = cls.folder.name

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_right_and_wrong_use_are_told_apart(self):
        self.assertIn("Success", self.check(text=USE))
        self.assertEqual(self.check(text=MISUSE).count("error:"), 5)

    def test_the_package_keeps_its_own(self):
        path = os.path.join(self.cache, "mypy.ini")
        with open(path, "w") as file:
            file.write(WITHOUT_TORCH)
        found = self.check("--allow-subclassing-any", "--config-file", path, os.path.dirname(golden_maps.__file__))
        self.assertIn("Success", found)


if __name__ == "__main__":
    unittest.main()
