"""examples_test.py: the programs of examples/ in Python, with the wheels that they import: what they print; and the
vectors of texts beside those of the model's own program."""
import subprocess
import sys
import tempfile
import unittest

import encoder
import numpy as np
from encoder import _text, _weights
from made import WORDS, arrays, tokenizer

PROGRAM = "out/test/examples/bin/encoder"


class Examples(unittest.TestCase):
    def test_layer(self):
        done = subprocess.run([sys.executable, "-B", "examples/layer.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(2, 100, 512) rows in, (2, 100, 512) rows out", done.stdout)
        self.assertIn("in a batch and alone: the same bits", done.stdout)
        self.assertIn("refused: query has dtype float64; expected float32", done.stdout)

    @unittest.skipIf(_text.WHY_NOT, "no text in this wheel: %s" % _text.WHY_NOT)
    def test_texts_have_the_bits_of_the_program(self):
        random, texts = np.random.default_rng(3), ["", "a", "the cats  sat\ton a mat!"]
        texts += [" ".join(random.choice(WORDS, n)) for n in random.integers(1, 60, 100)]
        with tempfile.TemporaryDirectory() as folder:
            weights = folder + "/w.safetensors"
            with open(weights, "wb") as file:
                file.write(_weights._safetensors(arrays(encoder, "roles")))
            tokenizer(folder + "/tokenizer.json")
            with open(folder + "/texts", "w") as file:
                file.writelines(text + "\n" for text in texts)
            subprocess.run([PROGRAM, "embed", "--weights", weights, "--text", folder + "/texts", "--output",
                            folder + "/e.safetensors"], check=True, capture_output=True)
            wanted = np.fromfile(folder + "/e.safetensors", np.uint8)[-len(texts) * 64 * 4:].view(np.float32)
            got = encoder.Model(weights).encode(texts)
        self.assertEqual(got.tobytes(), wanted.tobytes())


if __name__ == "__main__":
    unittest.main()
