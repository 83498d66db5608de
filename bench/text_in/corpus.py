"""The texts that are measured: sentences of the Python language's own reference, and long passages of it. They come
with every Python, so that no network is asked, and are the same wherever the Python is."""

import random
import re
from pydoc_data.topics import topics

SENTENCES, PASSAGES = 1500, 200
WORDS = range(4, 61)  # of a sentence
PASSAGE_WORDS = 180  # about 240 token ids: a little below the 256 that all-MiniLM-L6-v2 takes
MARKS = re.compile(r"[=<>{}\[\]|\\^~]|::|\*\*|>>>|__")


def _paragraphs():
    """Prose, each once: no code, no tables."""
    found = {}
    for name in sorted(topics):
        for block in re.split(r"\n\s*\n", topics[name]):
            text = " ".join(block.split())
            if text[:1].isupper() and text.endswith((".", ":")):
                found[text] = None
    return list(found)


def sentences():
    """SENTENCES different ones, mixed."""
    found = {}
    for paragraph in _paragraphs():
        for sentence in re.split(r"(?<=[.?!]) +(?=[A-Z])", paragraph):
            if len(sentence.split()) in WORDS and not MARKS.search(sentence):
                found[sentence] = None
    chosen = list(found)
    random.Random(1).shuffle(chosen)
    if len(chosen) < SENTENCES:
        raise SystemExit(f"bench-text-in: this Python's reference has {len(chosen)} sentences; {SENTENCES} are needed")
    return chosen[:SENTENCES]


def passages():
    """PASSAGES of equal numbers of words, one after the other through the reference, from its start again."""
    words = " ".join(_paragraphs()).split()
    starts = [number * PASSAGE_WORDS * 2 // 3 % (len(words) - PASSAGE_WORDS) for number in range(PASSAGES)]
    return [" ".join(words[start:start + PASSAGE_WORDS]) for start in starts]


def write(folder):
    """(file of sentences, file of passages), a text a line."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "sentences.txt", folder / "passages.txt"
    for path, texts in zip(paths, (sentences(), passages())):
        path.write_text("\n".join(texts) + "\n", "utf-8")
    return paths


def read(path):
    return path.read_text("utf-8").splitlines()
