"""Regular expressions for the oracle: those that Oniguruma, which the tokenizers package has, and PCRE2 would read in
two ways, and others that tokenizers of models have."""
import unicodedata

from tokenizers import Regex, Tokenizer, models, pre_tokenizers

EXPRESSIONS = [
    r"\s", r"\S+", r"\w+|[^\w\s]+", r"\W+", r"\d{1,3}", r"\D+", r"\h+", r"\H+", r"\b", r"\B", r"^", r"$", r"^.", r".$",
    r"[\s\d]+", r"[^\s\w]", r"[\S]+", r"[^\S\n]+", r"[\d\h]+", r"[\D]+", r"\v", r"[\v\b]", r"\u0041|[\u0061-\u0063]",
    r"[[:space:]]+", r"[[:punct:]]", r"[^[:punct:][:space:]]+", r"[[:alpha:]]+", r"[[:alnum:]_]+", r"[[:digit:]]",
    r"[[:upper:]][[:lower:]]*", r"[[:xdigit:]]{2,}", r"[[:cntrl:]]", r"[[:word:]]+", r"\N+", r"\O{3}", r"(?m:.{5})",
    r"(?i:the|σοφός)", r"[a-z]{,2}[0-9]", r"x{2}|[{}]", r"(?<=\w)\s(?=\w)", r"(?<!\d),(?!\d)", r"\p{Lu}\p{Ll}+",
    r"\P{L}+", r"[^\p{L}\p{N}]", r"\p{Han}|\p{Hiragana}+", r"[\p{^Thai}\s]+", r"(?>a|ab)c|a++b", r"(\w)\1", r"\R",
    r"\x{4f60}|\x41", r"[\]\[\\]", r"[a\-z]", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+x?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re)?|\p{N}{1,3}"
    r"|\s*[\r\n]+|\s",
]
# What the two would read in two ways, and is refused: libga_text knows no other way to say it.
REFUSED = [r"[a&&b]", r"[a[bc]]", r"[\W]", r"[\H]", r"\Qa", r"a{2}+", r"[[:graph:]]", r"[]a]", r"(?s:.)"]


def cutter(expression):
    """A tokenizer whose tokens are what the expression cuts a text into: unknown ones, told by their offsets."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(expression), "isolated")
    return tokenizer


# Letters since Unicode 15 or 16: alphabetic, or lower case.
LATER = [(0x363, 0x36F), (0xC04, 0xC04), (0xF82, 0xF83), (0x10FC, 0x10FC), (0x1DD3, 0x1DE6), (0xA7F2, 0xA7F4),
         (0xAB69, 0xAB69), (0x11080, 0x11081)]


def known(text):
    """text without the code points that the tables of an older Unicode lack or have as something else."""
    return "".join(c for c in text if unicodedata.category(c) != "Cn" and
                   not any(first <= ord(c) <= last for first, last in LATER))
