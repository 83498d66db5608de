"""run.py: runs files of unittest in this folder, one after the other: run.py FILE... The last line is 'N passed, N
failed'; what is skipped is said."""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    sys.path.insert(0, HERE)
    suite = unittest.TestSuite()
    for path in sys.argv[1:]:
        name = os.path.splitext(os.path.basename(path))[0]
        suite.addTests(unittest.defaultTestLoader.loadTestsFromName(name))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    for test, why in result.skipped:
        print("skipped: %s: %s" % (test.id(), why))
    failed = len(result.failures) + len(result.errors)
    print("%d passed, %d failed" % (result.testsRun - failed - len(result.skipped), failed))
    sys.exit(failed > 0)


if __name__ == "__main__":  # workers that tests spawn read this file too
    main()
