// unicode.h: code points of valid UTF-8, and the classes of them that components ask for. Internal to libga_text.
//
// utf8proc answers, and not ICU: it is one file of 350 KB that links statically and needs no data files. The classes
// are those of the tokenizers package, whose tables are of other versions of Unicode; the differences are in
// unicode_versions.h.
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

// The bytes from the beginning of bytes[length] that are valid UTF-8 (no surrogates, nothing overlong): length where all
// are.
size_t ga_text_valid_utf8(const char *bytes, size_t length);

bool ga_text_is_whitespace(uint32_t code_point);  // the property White_Space: \s, char::is_whitespace
bool ga_text_is_letter(uint32_t code_point);      // \p{L} as regular expressions of the package have it
bool ga_text_is_number(uint32_t code_point);      // \p{N} as regular expressions of the package have it
bool ga_text_is_mark(uint32_t code_point);        // \p{M} as regular expressions of the package have it
bool ga_text_is_word(uint32_t code_point);        // \w as regular expressions of the package have it
bool ga_text_is_numeric(uint32_t code_point);     // char::is_numeric: what Digits cuts at
bool ga_text_is_punctuation(uint32_t code_point); // of ASCII, or of a category P: what Punctuation and Bert cut at

#endif
