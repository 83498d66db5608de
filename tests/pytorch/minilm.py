#!/usr/bin/env python3
"""Holds out/bin/minilm against all-MiniLM-L6-v2 as transformers runs it, in double precision: the rows that every
layer leaves, its attention and the embeddings, of sentences of one word to more than the model takes, alone and in
ragged batches, on every instruction set this CPU has; then the demo's search against transformers' own pooled
vectors, and what docs/models.md says of it; and `encode` of its Python wheel. Prints the largest differences beside
those of PyTorch's float32; the last line is 'N passed, N failed'; the exit status is 1 where one failed."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors.numpy import load_file

os.environ["HF_HUB_OFFLINE"] = "1"
import transformers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "demo/minilm"))
import sentence_encoder  # noqa: E402
import sentences  # noqa: E402

DEMO = ROOT / "demo/minilm"
N_LAYERS = 6
SHOWN = 2e-4  # by which weights of two pictures may differ, which show four digits
LIMIT = 1e-6  # of the largest difference in embeddings, which are of length one
NEAREST = 10  # whose order is compared for each query
ATTENDED_TOKENS = 40  # of the longest sentence whose attention is compared: maps of all layers and heads are large
SCALAR_TOKENS = 150  # of the longest sentence that portable C, the slowest, embeds too


def read_lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def chosen_sentences():
    """Every eleventh of the demo's, all long ones, and some that end at the limits of 128 and 256 tokens."""
    texts = read_lines(DEMO / "sentences.txt")
    texts = [text for i, text in enumerate(texts) if i % 11 == 0 or len(text) > 300]
    return texts + [" ".join(["word"] * (tokens - 2)) for tokens in (127, 128, 129, 255, 256, 300)]


class Facts:
    """Counts what holds, and says what does not."""

    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {what}")


# -- PyTorch --------------------------------------------------------------------------------------------------------

def pooled(rows, lengths):
    """The mean of each sequence's real rows over its length, as sentence-transformers pools them."""
    real = (torch.arange(rows.shape[1]) < lengths[:, None]).to(rows.dtype)[..., None]
    return torch.nn.functional.normalize((rows * real).sum(1) / real.sum(1), dim=1)


def expected(module, ids):
    """hidden_0 ... hidden_6 and embedding of one sentence."""
    found = module(torch.tensor([ids]), output_hidden_states=True)
    tensors = {f"hidden_{i}": rows[0].numpy() for i, rows in enumerate(found.hidden_states)}
    tensors["embedding"] = pooled(found.last_hidden_state, torch.tensor([len(ids)]))[0].numpy()
    return tensors


def padded_embeddings(module, tokens, batch=32):
    """Embeddings of padded batches of like length, as sentence-transformers makes them."""
    order = sorted(range(len(tokens)), key=lambda i: -len(tokens[i]))
    vectors = [None] * len(tokens)
    for begin in range(0, len(order), batch):
        part = order[begin:begin + batch]
        lengths = torch.tensor([len(tokens[i]) for i in part])
        ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(tokens[i]) for i in part], batch_first=True)
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        for i, vector in zip(part, pooled(module(ids, attention_mask=mask).last_hidden_state, lengths)):
            vectors[i] = vector.numpy()
    return numpy.stack(vectors)


# -- Comparing ------------------------------------------------------------------------------------------------------

NAMES = [f"hidden_{i}" for i in range(N_LAYERS + 1)] + ["embedding"]


def far(found, wanted):
    """The largest difference."""
    return float(numpy.abs(found.astype(numpy.float64) - wanted).max())


def largest(many, wanted):
    """By name the largest difference of all sentences."""
    return {name: max(far(found[name], one[name]) for found, one in zip(many, wanted)) for name in NAMES}


def told(label, differences):
    print(f"{label:24}" + "".join(f"{differences[name]:11.2g}" for name in NAMES))


def batch_of(encoder, tokens):
    """What one call gives for ragged sentences, sentence by sentence."""
    found = encoder.run(tokens, "hidden_all,embedding")
    return [{name: found[name][b] if name == "embedding" else found[name][b, :len(ids)] for name in NAMES}
            for b, ids in enumerate(tokens)]


def compare_isa(facts, encoder, isa, tokens, wanted, theirs):
    """All sentences in one ragged batch, and each alone; PyTorch's own float32 says how close the rows must be."""
    together = batch_of(encoder, tokens)
    alone = [batch_of(encoder, [ids])[0] for ids in tokens]
    limits = largest(theirs, wanted)
    for form, found in (("ragged batch", together), ("alone", alone)):
        differences = largest(found, wanted)
        told(f"{isa}, {form}", differences)
        for name in NAMES:
            limit = LIMIT if name == "embedding" else 2 * limits[name] + LIMIT
            facts.expect(differences[name] <= limit,
                         f"{isa}, {form}: {name} is off by {differences[name]:.3g}, at most {limit:.3g}")
    for b, (one, other) in enumerate(zip(together, alone)):
        same = all(numpy.array_equal(one[name], other[name]) for name in NAMES)
        facts.expect(same, f"{isa}: sentence {b} has other bits alone than in a batch")


def compare_layers(facts, program, folder, module):
    info = json.loads(subprocess.run([program, "info", "--json"], check=True, capture_output=True, text=True).stdout)
    encoder = sentences.Encoder(program, folder)
    tokens = encoder.tokens(chosen_sentences())
    theirs = [expected(module.float(), ids) for ids in tokens]
    wanted = [expected(module.double(), ids) for ids in tokens]
    print(f"{len(tokens)} sentences of {min(map(len, tokens))} to {max(map(len, tokens))} tokens; "
          "largest differences from float64:")
    print(" " * 24 + "".join(f"{name:>11}" for name in NAMES))
    told("PyTorch's float32", largest(theirs, wanted))
    for isa in [variant["isa"] for variant in info["variants"] if variant["runs_here"]]:
        chosen = range(len(tokens))
        if isa == "scalar":
            chosen = [i for i in chosen if len(tokens[i]) <= SCALAR_TOKENS][::4]
        compare_isa(facts, sentences.Encoder(program, folder, isa), isa,
                    *([many[i] for i in chosen] for many in (tokens, wanted, theirs)))


def attentions(module, tokens):
    """[layers, heads, rows, rows] of each sentence."""
    return [torch.cat(module(torch.tensor([ids]), output_attentions=True).attentions).numpy() for ids in tokens]


def compare_attention(facts, encoder, module):
    """The attention of every layer and head, in one ragged batch: zeros where there is padding."""
    tokens = [ids for ids in encoder.tokens(chosen_sentences()) if len(ids) <= ATTENDED_TOKENS]
    found, ours_off, theirs_off = encoder.run(tokens, "attention_all"), 0.0, 0.0
    theirs, exact = attentions(module.float(), tokens), attentions(module.double(), tokens)
    for b, ids in enumerate(tokens):
        theirs_off = max(theirs_off, far(theirs[b], exact[b]))
        for layer, wanted in enumerate(exact[b]):
            ours = found[f"attention_{layer}"][b]
            ours_off = max(ours_off, far(ours[:, :len(ids), :len(ids)], wanted))
            padding = numpy.abs(ours[:, len(ids):]).max(initial=0) + numpy.abs(ours[:, :, len(ids):]).max(initial=0)
            facts.expect(padding == 0, f"attention_{layer} of sentence {b} gives padding a weight")
    limit = 2 * theirs_off + LIMIT
    facts.expect(ours_off <= limit, f"attention is off by {ours_off:.3g}, at most {limit:.3g}")
    print(f"attention of {len(tokens)} sentences: {ours_off:.2g} from float64, PyTorch's float32 {theirs_off:.2g}")


def compare_picture(facts):
    """The demo page's command draws the demo page's picture, but for digits that another CPU may round otherwise."""
    text = (ROOT / "demo/README.md").read_text(encoding="utf-8")
    command = re.search(r"^ {4}(out/minilm/venv/bin/python demo/minilm/draw\.py .*)$", text, re.M).group(1)
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    facts.expect(done.returncode == 0, f"{command}: {done.stderr}")
    shown, drawn = ((ROOT / path).read_text(encoding="utf-8")
                    for path in ("docs/minilm-attention.svg", "out/minilm/attention.svg"))
    titles = [re.findall(r"<title>(.*?): ([0-9.e-]+)</title>", svg) for svg in (shown, drawn)]
    facts.expect(titles[0] and [name for name, _ in titles[0]] == [name for name, _ in titles[1]],
                 "docs/minilm-attention.svg shows other tokens than are drawn")
    off = max((abs(float(a) - float(b)) for (_, a), (_, b) in zip(*titles)), default=1)
    facts.expect(off <= SHOWN, f"docs/minilm-attention.svg shows weights that are off by {off:.3g}")


def embedded(program, folder, texts):
    """What the program's `embed --text` writes of texts."""
    with tempfile.TemporaryDirectory() as here:
        source, target = pathlib.Path(here, "texts.txt"), pathlib.Path(here, "out.safetensors")
        source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        subprocess.run([program, "embed", "--weights", folder, "--text", source, "--output", target], check=True,
                       capture_output=True)
        return load_file(target)["embedding"]


def found_by_search(program, folder, queries):
    """By query the places of the demo's sentences that the program's `search` prints, best first."""
    with tempfile.TemporaryDirectory() as here:
        done = subprocess.run([program, "search", "--weights", folder, "--corpus", DEMO / "sentences.txt", "--index",
                               f"{here}/index", "--top", str(NEAREST), "--format", "json", "--", *queries], check=True,
                              capture_output=True, text=True)
    places = {query: [] for query in queries}
    for hit in map(json.loads, done.stdout.splitlines()):
        places[hit["query"]].append(hit["line"] - 1)
    return places


def compare_search(facts, program, folder, module):
    """The vectors of texts and the order that `search` finds, for all sentences and queries of the demo."""
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    texts, queries = read_lines(DEMO / "sentences.txt"), read_lines(DEMO / "queries.txt")
    settings = json.loads((folder / "sentence_bert_config.json").read_text())
    tokens = theirs(texts + queries, truncation=True, max_length=settings["max_seq_length"]).input_ids
    wanted = padded_embeddings(module.float(), tokens)
    off = far(embedded(program, folder, texts + queries), wanted)
    facts.expect(off <= LIMIT, f"the demo's embeddings are off by {off:.3g} from PyTorch's float32")
    print(f"the demo's {len(texts)} sentences and {len(queries)} queries: {off:.2g} from PyTorch's float32")
    found = found_by_search(program, folder, queries)
    for query, vector in zip(queries, wanted[len(texts):]):
        right = numpy.argsort(-(wanted[:len(texts)] @ vector), kind="stable")[:NEAREST].tolist()
        facts.expect(found[query] == right, f"{query}: nearest are {found[query]}, PyTorch's {right}")


def compare_document(facts):
    """The document's command prints what the document says."""
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    command = re.search(r"^ {4}(ninja demo-minilm)$", text, re.M).group(1)
    printed = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    promised = re.findall(r"^ {4}(  0\.\d{3}  .+)$", text, re.M)
    facts.expect(promised, "docs/models.md shows nothing that is found")
    for line in promised:
        facts.expect(line in printed.splitlines(), f"docs/models.md shows a line that {command} does not print: {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="out/bin/minilm")
    parser.add_argument("folder", type=pathlib.Path, help="of the model")
    parser.add_argument("site", type=pathlib.Path, help="where its wheel is unpacked")
    options = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    facts = Facts()
    with torch.no_grad():
        module = transformers.BertModel.from_pretrained(options.folder, attn_implementation="eager").eval()
        compare_layers(facts, options.program, options.folder, module)
        compare_attention(facts, sentences.Encoder(options.program, options.folder), module)
        compare_search(facts, options.program, options.folder, module)
    sentence_encoder.compare(facts, options.site, options.folder,
                             lambda texts: embedded(options.program, options.folder, texts),
                             (read_lines(DEMO / "sentences.txt")[:60], read_lines(DEMO / "queries.txt")))
    compare_document(facts)
    compare_picture(facts)
    print(f"{facts.passed} passed, {facts.failed} failed")
    return 1 if facts.failed or not facts.passed else 0


if __name__ == "__main__":
    sys.exit(main())
