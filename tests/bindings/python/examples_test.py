"""examples_test.py: the program of examples/ in Python, with the wheel that it imports: what it prints."""
import subprocess
import sys
import unittest


class Examples(unittest.TestCase):
    def test_layer(self):
        done = subprocess.run([sys.executable, "-B", "examples/layer.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(2, 100, 512) rows in, (2, 100, 512) rows out", done.stdout)
        self.assertIn("in a batch and alone: the same bits", done.stdout)
        self.assertIn("refused: query has dtype float64; expected float32", done.stdout)


if __name__ == "__main__":
    unittest.main()
