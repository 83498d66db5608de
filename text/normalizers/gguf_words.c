// gguf_words.c: the normalizer GGUFWords: the words that llama.cpp makes of a text for WordPiece, each after a space
// and U+2581. No tokenizer.json has it: it is part of what a GGUF file becomes. Cuts nothing.
//
// llama.cpp is not BertNormalizer: of a character's NFD it keeps the first code point (of a Korean syllable the first
// letter), it removes all marks, and its classes are those of Unicode 15.1.
#include <stdlib.h>

#include <utf8proc.h>

#include "normalizer.h"
#include "unicode.h"

struct words {
    bool lowercase, strip_accents;
};

static const struct ga_text_field fields[] = {
    {"lowercase", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct words, lowercase)},
    {"strip_accents", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct words, strip_accents)},
};

static enum ga_status open_words(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct words *words = calloc(1, sizeof *words);
    if (!words) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof fields / sizeof *fields, words);
    if (status != GA_OK) {
        free(words);
        return status;
    }
    *self_out = words;
    return GA_OK;
}

// -- Characters -----------------------------------------------------------------------------------------------------

enum kind { SPACE, REMOVED, PART, SINGLE };

static enum kind kind_of_category(uint32_t c, bool strip_accents)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CO:
        return REMOVED;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return strip_accents ? REMOVED : PART;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
        return SINGLE;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
        return c < 0x7F ? SINGLE : PART;
    default:
        return PART;
    }
}

static enum kind kind_of(uint32_t c, bool strip_accents)
{
    if (ga_text_is_whitespace(c)) {
        return SPACE;
    }
    if (c == 0 || c == 0xFFFD) {
        return REMOVED;
    }
    return ga_text_is_chinese(c) ? SINGLE : kind_of_category(c, strip_accents);
}

enum { LONGEST = 32 }; // code points of a decomposition

static uint32_t first_of_nfd(uint32_t c)
{
    utf8proc_int32_t parts[LONGEST];
    int boundary = 0;
    const utf8proc_ssize_t count =
        c < 0xC0 ? 0 : utf8proc_decompose_char((utf8proc_int32_t)c, parts, LONGEST, UTF8PROC_DECOMPOSE, &boundary);
    return count > 0 && count <= LONGEST ? (uint32_t)parts[0] : c;
}

// -- Words ----------------------------------------------------------------------------------------------------------

static enum ga_status append(const struct words *words, uint32_t c, bool begins, struct ga_text_span span,
                             struct ga_text_string *out)
{
    char bytes[4];
    const uint32_t shown = words->lowercase ? (uint32_t)utf8proc_tolower((utf8proc_int32_t)c) : c;
    const enum ga_status status = begins ? ga_text_string_append(out, " \u2581", 4, span) : GA_OK;
    return status ? status : ga_text_string_append(out, bytes, ga_text_utf8(shown, bytes), span);
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_string *in,
                            struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)scratch, (void)where, (void)error;
    const struct words *words = self;
    enum ga_status status = GA_OK;
    bool in_word = false;
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        const uint32_t given = ga_text_code_point(in->bytes + at, &length);
        const uint32_t c = words->strip_accents ? first_of_nfd(given) : given;
        const enum kind kind = kind_of(c, words->strip_accents);
        if (kind == PART || kind == SINGLE) {
            status = append(words, c, kind == SINGLE || !in_word, ga_text_span_at(in, at), out);
        }
        in_word = kind == REMOVED ? in_word : kind == PART;
    }
    return status;
}

// Every word of a chunk has its space, and a chunk without words is nothing. Other leads are parts of words.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    (void)self;
    edges->are_solid = false;
    return edges->lead == GA_TEXT_LEAD_SPACE;
}

const struct ga_text_normalizer_class ga_text_gguf_words = {
    .base = {.type = "GGUFWords", .open = open_words, .close = free},
    .apply = apply,
    .edges = prove,
};
