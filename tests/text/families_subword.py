"""The families of BPE and Unigram tokenizers that the oracle compares: a row each, a name and a function of lines."""
import base64
import collections
import io
import json
import math

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
MARK = "\u2581"

# -- BPE -------------------------------------------------------------------------------------------------------------


def byte_level(lines, cuts, size=900, special=("<s>", "</s>", "<unk>", "<mask>"), alphabet=True, **options):
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = cuts
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet else []))
    return tokenizer


def split(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def gpt2(lines):
    tokenizer = byte_level(lines, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def roberta(lines):
    tokenizer = byte_level(lines, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), True, False)
    return tokenizer


def roberta_spaced(lines):
    tokenizer = byte_level(lines, pre_tokenizers.ByteLevel(add_prefix_space=True))
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0), True, True)
    tokenizer.enable_truncation(16)
    return tokenizer


def modernbert(lines):
    tokenizer = byte_level(lines, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    return tokenizer


def llama3(lines):
    tokenizer = byte_level(lines, split(WORDS % r"\p{N}{1,3}"), ignore_merges=True)
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 0)])])
    return tokenizer


def qwen2(lines):
    tokenizer = byte_level(lines, split(WORDS % r"\p{N}"))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_special_tokens(["<|im_start|>", "<|endoftext|>"])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False, use_regex=False)
    return tokenizer


def starcoder(lines):
    cuts = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    return byte_level(lines, pre_tokenizers.Sequence(cuts))


def some_bytes(lines):
    """A vocabulary that lacks bytes, without a token for what is unknown: the package leaves them out."""
    return byte_level(lines[:40], pre_tokenizers.ByteLevel(), 150, (), False)


def characters(lines, size=900, special=("<unk>", "<s>", "</s>"), model=None, cuts=None, normalizer=None, **options):
    tokenizer = Tokenizer(models.BPE(**(model or {"unk_token": "<unk>"})))
    if cuts is not None:
        tokenizer.pre_tokenizer = cuts
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), show_progress=False, limit_alphabet=120, **options))
    return tokenizer


def sentencepiece_bpe(lines, normalizer, cuts, decoder):
    model = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    tokenizer = characters(lines, 1200, ["<unk>", "<s>", "</s>"] + BYTES, model,
                           pre_tokenizers.Metaspace(prepend_scheme="first"))
    changed = json.loads(tokenizer.to_str())
    changed.update({"normalizer": normalizer, "pre_tokenizer": cuts, "decoder": decoder})
    return Tokenizer.from_str(json.dumps(changed))


def replaced(old, new):
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def llama2(lines):
    steps = [replaced(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"},
             {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    tokenizer = sentencepiece_bpe(
        lines, {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, replaced(" ", MARK)]}, None,
        {"type": "Sequence", "decoders": steps})
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    return tokenizer


def mistral(lines):
    metaspace = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": False}
    steps = [replaced(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    return sentencepiece_bpe(lines, None, metaspace, {"type": "Sequence", "decoders": steps})


def gemma(lines):
    cuts = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    steps = [replaced(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
    return sentencepiece_bpe(lines, replaced(" ", MARK), cuts, {"type": "Sequence", "decoders": steps})


def clip(lines):
    model = {"unk_token": "<unk>", "end_of_word_suffix": "</w>"}
    tokenizer = characters(lines, model=model, cuts=pre_tokenizers.Whitespace(), end_of_word_suffix="</w>",
                           normalizer=normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]))
    tokenizer.decoder = decoders.BPEDecoder()
    return tokenizer


def prefixed(lines):
    model = {"unk_token": "<unk>", "continuing_subword_prefix": "##", "fuse_unk": True}
    return characters(lines, model=model, cuts=pre_tokenizers.WhitespaceSplit(), continuing_subword_prefix="##")


# -- Unigram ---------------------------------------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message of protobuf: sentencepiece's models are such."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value
        else:
            at += 4 if key & 7 == 5 else 8


def charsmap(rule):
    """sentencepiece's normalizer: a map that it has built in, of a model of a few words."""
    import sentencepiece
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the quick brown fox jumps"] * 9), model_writer=model, vocab_size=40,
        normalization_rule_name=rule, hard_vocab_limit=False, minloglevel=2)
    normalizer = next(value for key, value in fields(model.getvalue()) if key == 3)
    data = next(value for key, value in fields(normalizer) if key == 2)
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(data).decode()}


def scored(lines, size, special):
    """Pieces of words with the logarithm of how often they are there: no trainer takes lines like these."""
    counts = collections.Counter()
    for line in lines:
        for word in line.lower().split():
            if all(ord(c) < 0x500 for c in word):  # the rest is unknown, or bytes
                word = MARK + word[:40]
                counts.update(word[i:k] for i in range(len(word)) for k in range(i + 1, min(i + 9, len(word)) + 1))
    pieces = sorted(counts.items(), key=lambda item: (-item[1] * len(item[0]), item[0]))[:size]
    total = sum(count for _, count in pieces)
    return [[piece, 0.0] for piece in special] + [
        [piece, math.log(count / total)] for piece, count in pieces if piece not in special]


def unigram(lines, steps, cuts, special=("<s>", "</s>", "<unk>"), **changes):
    changed = json.loads(Tokenizer(models.Unigram()).to_str())
    changed["model"]["vocab"] = scored(lines, 1500, special)
    changed["model"]["unk_id"] = 2
    changed["normalizer"] = {"type": "Sequence", "normalizers": steps} if steps else None
    changed["pre_tokenizer"] = cuts
    changed["decoder"] = cuts if cuts["type"] == "Metaspace" else cuts["pretokenizers"][-1]
    changed["model"].update(changes)
    tokenizer = Tokenizer.from_str(json.dumps(changed))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 1)])
    return tokenizer


def metaspace(scheme="always", split=True):
    return {"type": "Metaspace", "replacement": MARK, "prepend_scheme": scheme, "split": split}


SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}


def xlm_roberta(lines):
    cuts = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace()]}
    return unigram(lines, [charsmap("nmt_nfkc")], cuts)


def t5(lines):
    return unigram(lines, [charsmap("nmt_nfkc"), SPACES], metaspace())


def albert(lines):
    steps = [replaced("``", '"'), replaced("''", '"'), {"type": "NFKD"}, {"type": "StripAccents"},
             {"type": "Lowercase"}, charsmap("nfkc_cf")]
    return unigram(lines, steps, metaspace())


def deberta(lines):
    strip = {"type": "Strip", "strip_left": True, "strip_right": True}
    return unigram(lines, [strip, charsmap("nmt_nfkc"), SPACES], metaspace())


def unigram_bytes(lines):
    return unigram(lines, [], metaspace("first"), ["<s>", "</s>", "<unk>"] + BYTES, byte_fallback=True)


def unigram_whole(lines):
    return unigram(lines, [{"type": "NFKC"}], metaspace("never", False))


SUBWORD = [
    ("gpt2", gpt2),
    ("roberta", roberta),
    ("roberta_spaced", roberta_spaced),
    ("modernbert", modernbert),
    ("llama3", llama3),
    ("qwen2", qwen2),
    ("starcoder", starcoder),
    ("some_bytes", some_bytes),
    ("llama2", llama2),
    ("mistral", mistral),
    ("gemma", gemma),
    ("clip", clip),
    ("prefixed", prefixed),
    ("xlm_roberta", xlm_roberta),
    ("t5", t5),
    ("albert", albert),
    ("deberta", deberta),
    ("unigram_bytes", unigram_bytes),
    ("unigram_whole", unigram_whole),
]
