"""Times libga_text, the tokenizers package and tokie: lines one at a time, one thread, by CPU time, one table.

    python3 bench/text.py out/bench/text_speed [rounds]

The lines are the comments and documentation of Python's own library; each family's vocabulary is trained on them. The
package and tokie are called from Python, which adds about a microsecond a line; text_speed is C.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WANTED = 3_000_000  # bytes of text


def lines():
    """Sentences of Python's own library, each once."""
    found = set()
    for path in sorted(pathlib.Path(os.__file__).parent.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        for line in path.read_text("utf-8", "ignore").splitlines():
            text = line.strip().lstrip("# ")
            if text.count(" ") >= 5 and not any(c in text for c in "=(){}[]"):
                found.add(text)
    chosen = sorted(found)
    random.Random(1).shuffle(chosen)
    return chosen


def train(model, trainer, texts, normalizer, pre_tokenizer):
    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def wordpiece(texts):
    trainer = trainers.WordPieceTrainer(vocab_size=30000, special_tokens=BERT_SPECIAL, show_progress=False)
    tokenizer = train(models.WordPiece(unk_token="[UNK]"), trainer, texts, normalizers.BertNormalizer(),
                      pre_tokenizers.BertPreTokenizer())
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def byte_level(texts):
    trainer = trainers.BpeTrainer(vocab_size=30000, special_tokens=["<|endoftext|>"], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer = train(models.BPE(), trainer, texts, None, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def unigram(texts):
    trainer = trainers.UnigramTrainer(vocab_size=30000, special_tokens=["<s>", "</s>", "<unk>"], unk_token="<unk>",
                                      show_progress=False)
    tokenizer = train(models.Unigram(), trainer, texts, normalizers.NFKC(), pre_tokenizers.Metaspace())
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


FAMILIES = [("WordPiece", wordpiece), ("byte-level BPE", byte_level), ("Unigram", unigram)]


def best_of(rounds, call, texts):
    best = 1e30
    for _ in range(rounds):
        begin = time.process_time()
        for text in texts:
            call(text)
        best = min(best, time.process_time() - begin)
    return sum(len(text.encode()) + 1 for text in texts) / best / 1e6


def tokie_rate(path, texts, rounds):
    try:
        import tokie
        return best_of(rounds, tokie.Tokenizer.from_json(path).encode, texts)
    except Exception as error:  # not installed, or a family that it does not read
        print(f"tokie: {error}", file=sys.stderr)
        return None


def main():
    speed, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    texts, size = [], 0
    for line in lines():
        if size < WANTED:
            texts.append(line)
            size += len(line.encode()) + 1
    print(f"{len(texts)} lines, {size / 1e6:.1f} MB\n\n| family | libga_text | tokenizers | tokie | beside tokie |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        corpus = os.path.join(folder, "lines.txt")
        pathlib.Path(corpus).write_text("\n".join(texts) + "\n", "utf-8")
        for name, make in FAMILIES:
            tokenizer, path = make(texts), os.path.join(folder, "tokenizer.json")
            tokenizer.save(path)
            said = subprocess.run([speed, path, corpus, str(rounds)], capture_output=True, text=True)
            ours = float(said.stdout.split()[0]) if said.returncode == 0 else None
            theirs = best_of(1, tokenizer.encode, texts)
            other = tokie_rate(path, texts, rounds)
            factor = f"{ours / other:.2f}x" if ours and other else "-"
            cells = [f"{rate:.1f} MB/s" if rate else "-" for rate in (ours, theirs, other)]
            print(f"| {name} | {' | '.join(cells)} | {factor} |", flush=True)
            if ours is None:
                print(said.stderr, file=sys.stderr)


main()
