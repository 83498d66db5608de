"""What a run says while it goes on."""

import sys


class Progress:
    """One line on a terminal that the next one overwrites, nothing elsewhere; what must be read goes above it."""

    def __init__(self):
        self.is_on = sys.stderr.isatty()

    def __call__(self, text):
        if self.is_on:
            print(f"\r{text[:110]}\033[K", end="", file=sys.stderr, flush=True)

    def aloud(self, text):
        print("\r\033[K" * self.is_on + text, file=sys.stderr, flush=True)
