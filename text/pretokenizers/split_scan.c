// split_scan.c: the regular expressions of byte-level models in wide use, as scanners written by hand: a table for
// ASCII, and the Unicode categories of the package for the rest. Knows no pre-tokenizer.
#include "split_scan.h"

#include <string.h>

#include "unicode.h"

// -- Classes of characters ------------------------------------------------------------------------------------------

// Each character has one of these; LINE is white space as well.
enum { LETTER = 1, NUMBER = 2, SPACE = 4, OTHER = 8, LINE = 16, WHITE = SPACE | LINE };

#define O8 OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER
#define L8 LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER
#define N8 NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER
// clang-format off
static const unsigned char ascii[128] = {
    O8, OTHER, SPACE, LINE, SPACE, SPACE, LINE, OTHER, OTHER, O8, O8,
    SPACE, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, O8,
    N8, NUMBER, NUMBER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER,
    OTHER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, L8, L8,
    LETTER, LETTER, LETTER, OTHER, OTHER, OTHER, OTHER, OTHER,
    OTHER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, LETTER, L8, L8,
    LETTER, LETTER, LETTER, OTHER, OTHER, OTHER, OTHER, OTHER,
};
// clang-format on
#undef O8
#undef L8
#undef N8

static unsigned class_of_code_point(uint32_t code_point)
{
    return ga_text_is_letter(code_point)       ? LETTER
           : ga_text_is_number(code_point)     ? NUMBER
           : ga_text_is_whitespace(code_point) ? SPACE
                                               : OTHER;
}

static inline unsigned class_at(const char *text, size_t at, size_t *length_out)
{
    const unsigned char byte = (unsigned char)text[at];
    if (byte < 0x80) {
        return *length_out = 1, ascii[byte];
    }
    return class_of_code_point(ga_text_code_point(text + at, length_out));
}

// The end of the characters from `at` on that have one of these classes, at most `most` of them.
static inline size_t run_end(const char *text, size_t at, size_t end, unsigned classes, size_t most)
{
    size_t length;
    for (size_t count = 0; at < end && count < most && (class_at(text, at, &length) & classes) != 0; count++) {
        at += length;
    }
    return at;
}

// The same of all of them.
static inline size_t whole_run_end(const char *text, size_t at, size_t end, unsigned classes)
{
    while (at < end && (unsigned char)text[at] < 0x80 && (ascii[(unsigned char)text[at]] & classes) != 0) {
        at++;
    }
    return at < end && (unsigned char)text[at] >= 0x80 ? run_end(text, at, end, classes, SIZE_MAX) : at;
}

// -- Parts of expressions -------------------------------------------------------------------------------------------

static bool is_at(const char *text, size_t at, size_t end, const char *what, size_t length)
{
    return end - at >= length && memcmp(text + at, what, length) == 0;
}

// 's|'t|'re|'ve|'m|'ll|'d after the first character: the end of the match, or `at`.
static size_t contraction_end(const char *text, size_t at, size_t end)
{
    static const char *const tails[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
        const size_t length = strlen(tails[i]);
        if (is_at(text, at + 1, end, tails[i], length)) {
            return at + 1 + length;
        }
    }
    return at;
}

static unsigned char lower(char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

// The same in any case, U+017F being a letter s.
static size_t any_case_contraction_end(const char *text, size_t at, size_t end)
{
    if (end - at < 2) {
        return at;
    }
    if (is_at(text, at + 1, end, "\xc5\xbf", 2)) {
        return at + 3;
    }
    const char folded[4] = {'\'', (char)lower(text[at + 1]), end - at > 2 ? (char)lower(text[at + 2]) : '\0', '\0'};
    const size_t match = contraction_end(folded, 0, end - at > 2 ? 3 : 2);
    return at + match;
}

// \s+(?!\S)|\s+: white space but for its last character if something follows, so that this goes to the next match.
static size_t spaces_end(const char *text, size_t at, size_t end)
{
    size_t last = at, to = at, length;
    while (to < end && (class_at(text, to, &length) & WHITE) != 0) {
        last = to;
        to += length;
    }
    return to < end && last > at ? last : to;
}

// \s*[\r\n]+: to the last end of a line in the white space; `at` if there is none.
static size_t lines_end(const char *text, size_t at, size_t end)
{
    size_t line = at, length;
    for (size_t to = at; to < end; to += length) {
        const unsigned kind = class_at(text, to, &length);
        if ((kind & WHITE) == 0) {
            break;
        }
        line = kind == LINE ? to + 1 : line;
    }
    return line;
}

// -- Scanners -------------------------------------------------------------------------------------------------------

size_t ga_text_scan_gpt2(const char *text, size_t at, size_t end)
{
    const size_t contraction = text[at] == '\'' ? contraction_end(text, at, end) : at;
    if (contraction > at) {
        return contraction;
    }
    size_t length;
    const size_t first = at + (text[at] == ' ' && at + 1 < end ? 1 : 0);
    const unsigned kind = class_at(text, first, &length);
    return (kind & WHITE) == 0 ? whole_run_end(text, first + length, end, kind) : spaces_end(text, at, end);
}

// [^\r\n\p{L}\p{N}]?\p{L}+: the end of the match, or `at`.
static size_t word_end(const char *text, size_t at, size_t end)
{
    size_t length;
    const unsigned kind = class_at(text, at, &length);
    const size_t first = (kind & (OTHER | SPACE)) != 0 ? at + length : at;
    const size_t to = kind == NUMBER || kind == LINE ? first : whole_run_end(text, first, end, LETTER);
    return to > first ? to : at;
}

//  ?[^\s\p{L}\p{N}]+[\r\n]*: the end of the match, or `at`.
static size_t other_end(const char *text, size_t at, size_t end)
{
    const size_t first = at + (text[at] == ' ' ? 1 : 0);
    const size_t to = whole_run_end(text, first, end, OTHER);
    return to > first ? whole_run_end(text, to, end, LINE) : at;
}

static size_t scan_words(const char *text, size_t at, size_t end, size_t digits)
{
    size_t to = text[at] == '\'' ? any_case_contraction_end(text, at, end) : at;
    to = to > at ? to : word_end(text, at, end);
    to = to > at ? to : run_end(text, at, end, NUMBER, digits);
    to = to > at ? to : other_end(text, at, end);
    to = to > at ? to : lines_end(text, at, end);
    return to > at ? to : spaces_end(text, at, end);
}

static size_t scan_llama3(const char *text, size_t at, size_t end)
{
    return scan_words(text, at, end, 3);
}

static size_t scan_qwen2(const char *text, size_t at, size_t end)
{
    return scan_words(text, at, end, 1);
}

// -- By text --------------------------------------------------------------------------------------------------------

#define WORDS_BEGIN "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define WORDS_END "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

static const struct {
    const char *expression;
    ga_text_scan *scan;
} known[] = {
    {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+", ga_text_scan_gpt2},
    {WORDS_BEGIN "\\p{N}{1,3}" WORDS_END, scan_llama3},
    {WORDS_BEGIN "\\p{N}" WORDS_END, scan_qwen2},
};

ga_text_scan *ga_text_scan_of(struct ga_text_bytes expression)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        const size_t length = strlen(known[i].expression);
        if (length == expression.length && memcmp(known[i].expression, expression.bytes, length) == 0) {
            return known[i].scan;
        }
    }
    return NULL;
}
