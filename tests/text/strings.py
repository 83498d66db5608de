"""Random strings for the oracle: every block of Unicode, what normalization changes, scripts, emoji, code."""
import unicodedata

WORDS = """the of and to in is was for on that with as it by at from his an were are which this be or had not also
their her has one its after first but two been when who into more no he may used new other world university during
don't it's we've they're John's Straße naïve façade coöperate Übergröße État über İstanbul DŽungla ﬁnance ﬂow Ångström
你好 世界 中文分词 日本語 ひらがな カタカナ ｶﾀｶﾅ 한국어 조선말 Привет мир Ελληνικά σοφός ΣΟΦΟΣ עברית العربية हिन्दी ภาษาไทย தமிழ்
unaffable tokenization internationalization antidisestablishmentarianism 3.14159 1,234,567 2024-01-31 12:30:59 ½ Ⅷ ² ٣٤٥
for(int i=0;i<n;++i) foo_bar->baz[3] = "str\\n"; def f(x): return x**2 https://example.org/a?b=c&d=%20e user@mail.com
👩‍👩‍👧‍👦 👍🏽 🇩🇪 ❤️ 🏳️‍🌈 1️⃣ 🧑🏿‍🚀 … — –
“quoted” ‘x’ «a» ¿qué? ¡no! #tag @name
$5 €10 £3 100% a/b c\\d e|f ~ ^ ` {x} [y] <z>""".split()
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[UNK]", "[PAD]", "<s>", "</s>", "<mask>", "<unk>", "<pad>", "<|endoftext|>",
           "<|im_start|>", "<0x0A>", "##", "##s", "▁", "Ġ", "[mask]", "[Extra 1]", "extra"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2003", "\u200b", "\u200d", "\ufeff", "\x85"]
MARKS = ["\u0301", "\u0308", "\u0327", "\u0345", "\u0323", "\u05b0", "\u093c", "\u3099", "\u0e33", "\ufe0f", "\u20dd"]


def code_point(rng):
    kind = rng.random()
    if kind < 0.3:
        return chr(rng.randrange(0x20, 0x250))
    if kind < 0.6:
        block = rng.randrange(0, 0x3200 // 16) * 16
        return chr(block + rng.randrange(16))
    while True:
        c = rng.randrange(0x110000) if kind < 0.7 else rng.randrange(0x20000)
        if not 0xD800 <= c < 0xE000:
            return chr(c)


def block(rng):
    """A few characters of one block of 128."""
    begin = rng.randrange(0x30000 // 128) * 128
    text = "".join(chr(begin + rng.randrange(128)) for _ in range(rng.randrange(1, 8)))
    return "".join(c for c in text if not 0xD800 <= ord(c) < 0xE000)


def assigned(rng):
    while True:
        c = chr(rng.randrange(0x32000))
        if unicodedata.category(c)[0] != "C":
            return c


def word(rng):
    kind = rng.random()
    if kind < 0.55:
        text = rng.choice(WORDS)
    elif kind < 0.65:
        text = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randrange(1, 14)))
    elif kind < 0.72:
        text = block(rng)
    elif kind < 0.8:
        text = "".join(assigned(rng) for _ in range(rng.randrange(1, 5)))
    elif kind < 0.85:
        text = "".join(code_point(rng) for _ in range(rng.randrange(1, 6)))
    elif kind < 0.89:
        text = rng.choice(WORDS)[:3] + "".join(rng.choice(MARKS) for _ in range(rng.randrange(1, 5)))
    elif kind < 0.93:
        text = rng.choice(SPECIAL)
    elif kind < 0.96:
        text = str(rng.randrange(10 ** rng.randrange(1, 12)))
    elif kind < 0.98:
        text = chr(rng.randrange(0x20)) + rng.choice(WORDS)
    else:
        text = rng.choice("aé中ßx😀") * rng.randrange(1, 130)
    if rng.random() < 0.15:
        text = unicodedata.normalize(rng.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)
    return rng.choice([text, text, text.upper(), text.capitalize()]) if rng.random() < 0.3 else text


def string(rng):
    """One random text."""
    count = min(60, int(rng.expovariate(0.15)))
    parts = [rng.choice(SPACES) if rng.random() < 0.2 else ""]
    for _ in range(count):
        parts.append(word(rng))
        kind = rng.random()
        parts.append(" " if kind < 0.75 else rng.choice(SPACES) if kind < 0.9 else "")
    return "".join(parts).encode("utf-8", "ignore").decode()


def corpus(rng, count):
    """Lines to train a vocabulary with: without NUL, which jansson does not take in the names of a JSON object."""
    lines = [" ".join(rng.choice(WORDS) if rng.random() < 0.8 else word(rng) for _ in range(12)) for _ in range(count)]
    return [line.replace("\0", "") for line in lines]
