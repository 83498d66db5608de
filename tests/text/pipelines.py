"""Random pipelines for the oracle: normalizers, pre-tokenizers, models, post-processors and added tokens that nobody
puts together, and texts of what they take apart: spaces, marks, beginnings, specials.

A component of a pool is a function of a random.Random that gives its object of the JSON.
"""
import json

from families_subword import MARK, charsmap

ALPHABET = "abcx'!1é_" + MARK + "Ġ"
MODELLED = ALPHABET + "AB \n\u0301ĊÃ©âĸģ"  # and what becomes of it, in bytes too
ODD = ["\u0301", "\ufc5e", "\uff9e", "\u037a", "\u0e33", "\u0d4e", "ß", "İ", "中", "\u00a0", "\u2003", "\x01", "\r"]
SPECIALS = ["<m>", "<s>", "</s>", "ab", "a b", "B" + MARK]


def one(*pool):
    """A random component of a pool: an object, or what makes one."""
    def make(rng):
        chosen = rng.choice(pool)
        return chosen(rng) if callable(chosen) else chosen
    return make


def flags(kind, *names, **fixed):
    return lambda rng: {"type": kind, **{name: rng.random() < 0.5 for name in names}, **fixed}


def plain(*kinds):
    return [{"type": kind} for kind in kinds]


def sequence(field, make, most):
    """None, a component or a Sequence of some."""
    def make_sequence(rng):
        count = rng.randrange(most + 1)
        parts = [make(rng) for _ in range(count)]
        return parts[0] if count == 1 else {"type": "Sequence", field: parts} if count else None
    return make_sequence


# -- Normalizers -----------------------------------------------------------------------------------------------------


def replace(rng):
    strings = [" ", " ", " ", MARK, "a", "x", "ab", "  ", "b ", " x", "é", "\n"]
    regexes = [" {2,}", r"\s+", "[xb]"]
    pattern = {"String": rng.choice(strings)} if rng.random() < 0.8 else {"Regex": rng.choice(regexes)}
    contents = ["", "", " ", MARK, MARK, "_", "x", "  ", "\n", "\u0301", "Ġ", "a ", " a"]
    return {"type": "Replace", "pattern": pattern, "content": rng.choice(contents)}


def prepend(rng):
    return {"type": "Prepend", "prepend": rng.choice([MARK, "_", " ", "x"])}


PRECOMPILED = {}


def precompiled(rng):
    rule = rng.choice(["nmt_nfkc", "nfkc_cf"])
    if rule not in PRECOMPILED:
        PRECOMPILED[rule] = charsmap(rule)
    return PRECOMPILED[rule]


NORMALIZERS = sequence("normalizers", one(
    flags("BertNormalizer", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"),
    *plain("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents"), flags("Strip", "strip_left", "strip_right"),
    replace, replace, replace, prepend, precompiled), 4)

# -- Pre-tokenizers --------------------------------------------------------------------------------------------------

BEHAVIOURS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def split(rng):
    pattern = rng.choice([{"String": " "}, {"String": MARK}, {"String": "a"}, {"Regex": GPT2}, {"Regex": r"\s+"},
                          {"Regex": "Ġ"}])
    return {"type": "Split", "pattern": pattern, "behavior": rng.choice(BEHAVIOURS), "invert": rng.random() < 0.25}


def metaspace(rng):
    return {"type": "Metaspace", "replacement": rng.choice([MARK, MARK, "_"]), "split": rng.random() < 0.8,
            "prepend_scheme": rng.choice(["always", "first", "first", "never"])}


def punctuation(rng):
    return {"type": "Punctuation", "behavior": rng.choice(BEHAVIOURS)}


PRETOKENIZERS = sequence("pretokenizers", one(
    *plain("BertPreTokenizer", "Whitespace", "WhitespaceSplit"), punctuation, flags("Digits", "individual_digits"),
    flags("ByteLevel", "add_prefix_space", "use_regex", trim_offsets=True), metaspace, metaspace, split, split), 3)

# -- Models ----------------------------------------------------------------------------------------------------------


def pieces(rng, count):
    """Distinct short strings of the alphabet, and each of its characters."""
    found = dict.fromkeys(MODELLED)
    for _ in range(count):
        found["".join(rng.choice(ALPHABET) for _ in range(rng.randrange(2, 4)))] = None
    return list(found)


def wordpiece(rng):
    vocabulary = ["<u>"] + [piece for text in pieces(rng, 40) for piece in (text, "##" + text)]
    return {"type": "WordPiece", "unk_token": "<u>", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": rng.choice([4, 100]), "vocab": {t: i for i, t in enumerate(vocabulary)}}


def bpe(rng):
    vocabulary, merges = ["<u>"] + [c for c in MODELLED if rng.random() < 0.95], []
    for _ in range(rng.randrange(40)):
        pair = [rng.choice(vocabulary[1:]), rng.choice(vocabulary[1:])]
        if rng.random() < 0.4:
            pair = [rng.choice([MARK, "Ġ"]), rng.choice(vocabulary[1:])]
        if set(pair) <= set(vocabulary) and "".join(pair) not in vocabulary and len("".join(pair)) < 6:
            vocabulary.append("".join(pair))
            merges.append(pair)
    if rng.random() < 0.3:
        vocabulary += [f"<0x{byte:02X}>" for byte in range(256)]
    return {"type": "BPE", "dropout": None, "unk_token": rng.choice(["<u>", "<u>", None]),
            "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": rng.random() < 0.5,
            "byte_fallback": rng.random() < 0.5, "ignore_merges": rng.random() < 0.2,
            "vocab": {token: i for i, token in enumerate(vocabulary)}, "merges": merges}


def unigram(rng):
    scored = [[piece, -rng.uniform(1, 9)] for piece in pieces(rng, 60)]
    return {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": [["<u>", 0.0]] + scored}


MODELS = one(wordpiece, bpe, bpe, unigram)

# -- What is around them ---------------------------------------------------------------------------------------------

CLS, SEP = ["<s>", 1], ["</s>", 2]
NAMED = {name: {"id": name, "ids": [number], "tokens": [name]} for name, number in (CLS, SEP)}


def place(name, type_id=0):
    return {"SpecialToken" if name.startswith("<") else "Sequence": {"id": name, "type_id": type_id}}


def template(rng):
    single = [place(name) for name in rng.choice(["<s> A </s>", "A", "A </s> </s>"]).split()]
    return {"type": "TemplateProcessing", "single": single, "special_tokens": NAMED,
            "pair": single + [place("B", 1)] + [place("</s>", 1)] * rng.randrange(2)}


POSTPROCESSORS = sequence("processors", one(
    {"type": "BertProcessing", "sep": SEP, "cls": CLS}, template,
    flags("RobertaProcessing", "trim_offsets", "add_prefix_space", sep=SEP, cls=CLS),
    flags("ByteLevel", "add_prefix_space", "trim_offsets", "use_regex")), 1)


def added(rng, model):
    """Added tokens, beyond the vocabulary or in it."""
    vocabulary = model["vocab"]
    ids = dict(vocabulary) if isinstance(vocabulary, dict) else {entry[0]: i for i, entry in enumerate(vocabulary)}
    tokens, next_id = [], len(vocabulary)
    for content in rng.sample(SPECIALS, rng.randrange(4)):
        token = {name: rng.random() < 0.25 for name in ("single_word", "lstrip", "rstrip", "normalized", "special")}
        tokens.append({"id": ids.get(content, next_id), "content": content, **token})
        next_id += content not in ids
    return tokens


def truncation(rng):
    return {"direction": rng.choice(["Left", "Right"]), "max_length": rng.randrange(4, 12), "stride": 0,
            "strategy": rng.choice(["LongestFirst", "OnlyFirst", "OnlySecond"])} if rng.random() < 0.15 else None


def pipeline(rng):
    """The text of a random tokenizer.json."""
    model = MODELS(rng)
    return json.dumps({"version": "1.0", "truncation": truncation(rng), "padding": None,
                       "added_tokens": added(rng, model), "normalizer": NORMALIZERS(rng),
                       "pre_tokenizer": PRETOKENIZERS(rng), "post_processor": POSTPROCESSORS(rng), "decoder": None,
                       "model": model})


def text(rng):
    """A text whose words, spaces and beginnings are what the components above take away, join and cut at."""
    parts = []
    for _ in range(rng.randrange(12)):
        kind = rng.random()
        parts.append(rng.choice(SPECIALS) if kind < 0.08 else rng.choice(ODD) if kind < 0.2 else
                     "".join(rng.choice(ALPHABET + "AB") for _ in range(rng.randrange(1, 4))))
        parts.append(rng.choice([" ", " ", " ", "  ", "   ", "\t", "\n", " \n", ""]))
    return rng.choice(["", "", " ", "  ", "\n"]) + "".join(parts)
