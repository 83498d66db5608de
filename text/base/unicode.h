// unicode.h: code points of valid UTF-8, and the classes of them that components ask for. Internal to libga_text.
//
// Normalization forms and case are utf8proc's, and not ICU's: it is one library of 350 KB that links statically and
// needs no data files. Classes are a table of ours: parts of the tokenizers package are of different versions of
// Unicode.
#ifndef GA_TEXT_UNICODE_H
#define GA_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The code point at bytes, which begin a character of valid UTF-8; *length_out: how many bytes it has, 1 to 4.
static inline uint32_t ga_text_code_point(const char *bytes, size_t *length_out)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (b[0] < 0x80)
        return *length_out = 1, b[0];
    if (b[0] < 0xE0)
        return *length_out = 2, (uint32_t)(b[0] & 0x1F) << 6 | (b[1] & 0x3F);
    if (b[0] < 0xF0)
        return *length_out = 3, (uint32_t)(b[0] & 0x0F) << 12 | (uint32_t)(b[1] & 0x3F) << 6 | (b[2] & 0x3F);
    *length_out = 4;
    return (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3F) << 12 | (uint32_t)(b[2] & 0x3F) << 6 | (b[3] & 0x3F);
}

// Writes a code point as UTF-8; returns how many bytes it has, 1 to 4.
size_t ga_text_utf8(uint32_t code_point, char bytes[4]);

// How many bytes from the beginning of bytes[length] are valid UTF-8 (no surrogates, nothing overlong): length where
// all are.
size_t ga_text_valid_utf8(const char *bytes, size_t length);

// How many bytes of bytes[left], which begin no character, are replaced together: the longest beginning of a character
// there, or one byte, as Unicode recommends and Python's "replace" does.
size_t ga_text_invalid_run(const char *bytes, size_t left);

// Classes of code points, as bits. Each is that of the part of the package that it is named for.
enum ga_text_class {
    GA_TEXT_IS_LETTER = 1 << 0,      // \p{L} of a pattern in the JSON
    GA_TEXT_IS_NUMBER = 1 << 1,      // \p{N} of a pattern in the JSON
    GA_TEXT_IS_MARK = 1 << 2,        // \p{M} of a pattern in the JSON
    GA_TEXT_IS_REGEX_WORD = 1 << 3,  // \w of a pattern in the JSON
    GA_TEXT_IS_WORD = 1 << 4,        // \w of Whitespace and of single_word
    GA_TEXT_IS_NUMERIC = 1 << 5,     // what Digits cuts at
    GA_TEXT_IS_PUNCTUATION = 1 << 6, // what Punctuation and BertPreTokenizer cut at
    GA_TEXT_IS_NONSPACING = 1 << 7,  // what strip_accents of BertNormalizer removes
    GA_TEXT_IS_REMOVED = 1 << 8,     // what clean_text of BertNormalizer removes
    GA_TEXT_IS_COMBINING = 1 << 9,   // what StripAccents removes
    GA_TEXT_IS_UNKNOWN = 1 << 10,    // what normalization forms leave alone, whatever utf8proc knows of it
};

// The classes of a code point.
unsigned ga_text_classes(uint32_t code_point);

// The property White_Space: \s, and what WhitespaceSplit cuts at.
bool ga_text_is_whitespace(uint32_t code_point);

// Whether BERT and llama.cpp take a code point for Chinese, each of which is a word.
bool ga_text_is_chinese(uint32_t code_point);

// The lower case of a code point: one or two code points in lower; returns how many.
size_t ga_text_lower(uint32_t code_point, uint32_t lower[2]);

static inline bool ga_text_is_letter(uint32_t code_point)
{
    return ga_text_classes(code_point) & GA_TEXT_IS_LETTER;
}

static inline bool ga_text_is_number(uint32_t code_point)
{
    return ga_text_classes(code_point) & GA_TEXT_IS_NUMBER;
}

#endif
