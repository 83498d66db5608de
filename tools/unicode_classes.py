# Writes text/base/unicode_classes.c: the classes of code points as the tokenizers package has them, asked of the
# package itself, as its parts are of different versions of Unicode. Needs the packages tokenizers and libutf8proc.
#
#     python3 tools/unicode_classes.py > text/base/unicode_classes.c
import ctypes

from tokenizers import Regex, normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
INDEXED = 0x20000  # blocks of 256 below are found by an index


def cuts(step):
    return lambda c: len(step.pre_tokenize_str("\n" + chr(c) + "\n")) == 3


def cuts_regex(pattern):
    return cuts(pre_tokenizers.Split(Regex(pattern), "isolated"))


def removes(step):
    return lambda c: step.normalize_str("a" + chr(c) + "a") == "aa"


def bert(**on):
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return normalizers.BertNormalizer(**{name: on.get(name, False) for name in names})


# \w of the regex crate: a word character is joined to letters around it, anything else is not.
def is_word(c):
    return len(pre_tokenizers.Whitespace().pre_tokenize_str("a" + chr(c) + "a")) == 1


utf8proc = ctypes.CDLL("libutf8proc.so.2")
utf8proc.utf8proc_category.restype = ctypes.c_int


class Property(ctypes.Structure):
    _fields_ = [("category", ctypes.c_uint16), ("combining_class", ctypes.c_int16)]


utf8proc.utf8proc_get_property.restype = ctypes.POINTER(Property)


def combining_class(c):
    return utf8proc.utf8proc_get_property(ctypes.c_int32(c)).contents.combining_class


def decomposition(c):
    buffer, boundary = (ctypes.c_int32 * 64)(), ctypes.c_int(0)
    count = utf8proc.utf8proc_decompose_char(c, buffer, 64, (1 << 4) | (1 << 2), ctypes.byref(boundary))
    return "".join(chr(x) for x in buffer[:count])


NFD, NFKD = normalizers.NFD(), normalizers.NFKD()


# What the tables of normalization forms of the package lack, which utf8proc has or may come to have.
def is_unknown(c):
    if utf8proc.utf8proc_category(c) == 0:
        return True
    if 0 < combining_class(c) < 240 and NFD.normalize_str("a\u0345" + chr(c)) == "a\u0345" + chr(c):
        return True
    return NFKD.normalize_str(chr(c)) != decomposition(c)


# In the order of the bits of unicode.c.
CLASSES = [
    ("LETTER", cuts_regex(r"\p{L}")),
    ("NUMBER", cuts_regex(r"\p{N}")),
    ("MARK", cuts_regex(r"\p{M}")),
    ("REGEX_WORD", cuts_regex(r"\w")),
    ("WORD", is_word),
    ("NUMERIC", cuts(pre_tokenizers.Digits(True))),
    ("PUNCTUATION", cuts(pre_tokenizers.Punctuation("isolated"))),
    ("NONSPACING", removes(bert(strip_accents=True))),
    ("REMOVED", removes(bert(clean_text=True))),
    ("COMBINING", removes(normalizers.StripAccents())),
    ("UNKNOWN", is_unknown),
]


def rows(items, per_line, text):
    lines = [", ".join(text(x) for x in items[i:i + per_line]) for i in range(0, len(items), per_line)]
    return "".join("    " + line + ",\n" for line in lines)


def main():
    segments, last = [], None
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000:
            continue
        bits = sum(1 << i for i, (_, holds) in enumerate(CLASSES) if holds(c))
        if bits != last:
            segments.append(c << len(CLASSES) | bits)
            last = bits
    index, at = [], 0
    for block in range(0, INDEXED + 1, 256):
        while at + 1 < len(segments) and segments[at + 1] >> len(CLASSES) <= block:
            at += 1
        index.append(at)
    print("// Written by tools/unicode_classes.py: runs of code points of the same classes, and which run each block")
    print("// of 256 begins in.")
    print('#include "unicode_classes.h"\n\n// clang-format off')
    print("const uint32_t ga_text_class_runs[] = {\n" + rows(segments, 9, hex) + "};\n")
    print("const uint16_t ga_text_class_index[] = {\n" + rows(index, 19, str) + "};\n// clang-format on\n")
    print("const uint32_t ga_text_n_class_runs = sizeof ga_text_class_runs / sizeof *ga_text_class_runs;")


main()
