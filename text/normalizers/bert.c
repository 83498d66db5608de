// bert.c: the normalizer BertNormalizer: cleans, puts spaces around Chinese characters, strips accents, lowers case.
#include <stdlib.h>

#include "forms.h"
#include "normalizer.h"
#include "transform.h"
#include "unicode.h"

struct bert {
    bool clean_text, handle_chinese_chars, lowercase, strip_accents;
    unsigned char ascii[128]; // what becomes of each byte; REMOVED: nothing
};

enum { REMOVED = 0xFF };

// Texts between its steps, and characters of their normalization form.
struct scratch {
    struct ga_text_string steps[2];
    struct ga_text_units units;
};

static const struct ga_text_field fields[] = {
    {"clean_text", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct bert, clean_text)},
    {"handle_chinese_chars", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct bert, handle_chinese_chars)},
    {"lowercase", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct bert, lowercase)},
    {"strip_accents", GA_TEXT_BOOL, GA_TEXT_NULLABLE, offsetof(struct bert, strip_accents)},
};

static unsigned char ascii_of(const struct bert *bert, unsigned c)
{
    const bool blank = c == '\t' || c == '\n' || c == '\r';
    if (bert->clean_text && blank) {
        return ' ';
    }
    if (bert->clean_text && (c < 0x20 || c == 0x7F)) {
        return REMOVED;
    }
    return (unsigned char)(bert->lowercase && c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
}

static enum ga_status open_bert(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct bert *bert = calloc(1, sizeof *bert);
    if (!bert) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof fields / sizeof *fields, bert);
    if (status != GA_OK) {
        free(bert);
        return status;
    }
    if (!json_is_boolean(json_object_get(object, "strip_accents"))) {
        bert->strip_accents = bert->lowercase;
    }
    for (unsigned c = 0; c < 128; c++) {
        bert->ascii[c] = ascii_of(bert, c);
    }
    *self_out = bert;
    return GA_OK;
}

static enum ga_status open_scratch(const void *self, void **scratch_out)
{
    (void)self;
    *scratch_out = calloc(1, sizeof(struct scratch));
    return *scratch_out ? GA_OK : GA_MEMORY;
}

static void close_scratch(void *memory)
{
    struct scratch *scratch = memory;
    if (scratch) {
        ga_text_string_free(&scratch->steps[0]);
        ga_text_string_free(&scratch->steps[1]);
        ga_text_units_free(&scratch->units);
        free(scratch);
    }
}

// -- Its steps ------------------------------------------------------------------------------------------------------

static enum ga_status clean(const struct ga_text_string *in, struct ga_text_string *out)
{
    enum ga_status status = GA_OK;
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        const uint32_t c = ga_text_code_point(in->bytes + at, &length);
        const bool blank = c == '\t' || c == '\n' || c == '\r';
        if (!blank && (c == 0 || c == 0xFFFD || ga_text_classes(c) & GA_TEXT_IS_REMOVED)) {
            continue;
        }
        const bool space = ga_text_is_whitespace(c);
        status = ga_text_string_append(out, space ? " " : in->bytes + at, space ? 1 : length, ga_text_span_at(in, at));
    }
    return status;
}

static enum ga_status space_chinese(const struct ga_text_string *in, struct ga_text_string *out)
{
    enum ga_status status = GA_OK;
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        const uint32_t c = ga_text_code_point(in->bytes + at, &length);
        const struct ga_text_span span = ga_text_span_at(in, at);
        const bool spaced = ga_text_is_chinese(c);
        status = spaced ? ga_text_string_append(out, " ", 1, span) : GA_OK;
        status = status ? status : ga_text_string_append(out, in->bytes + at, length, span);
        status = status || !spaced ? status : ga_text_string_append(out, " ", 1, span);
    }
    return status;
}

static bool is_nonspacing(uint32_t c)
{
    return c >= 0x300 && ga_text_classes(c) & GA_TEXT_IS_NONSPACING;
}

// -- All of them ----------------------------------------------------------------------------------------------------

static enum ga_status apply_ascii(const struct bert *bert, const struct ga_text_string *in, struct ga_text_string *out)
{
    const enum ga_status status = ga_text_string_reserve(out, in->length);
    if (status != GA_OK) {
        return status;
    }
    size_t kept = out->length;
    for (size_t i = 0; i < in->length; i++) {
        const unsigned char c = bert->ascii[(unsigned char)in->bytes[i]];
        out->bytes[kept] = (char)c;
        if (out->aligned && c != REMOVED) {
            out->spans[kept] = in->spans[i];
        }
        kept += c != REMOVED;
    }
    out->length = kept;
    return GA_OK;
}

// Hands the text of one step to the next: steps go from one string of scratch to the other.
static struct ga_text_string *next_string(struct scratch *scratch, const struct ga_text_string *last)
{
    struct ga_text_string *next = &scratch->steps[last == &scratch->steps[0]];
    next->length = 0;
    next->aligned = last->aligned;
    return next;
}

static enum ga_status apply(const void *self, void *memory, const struct ga_text_string *in, struct ga_text_where where,
                            struct ga_text_string *out, struct ga_error *error)
{
    (void)where, (void)error;
    const struct bert *bert = self;
    struct scratch *scratch = memory;
    if (ga_text_is_ascii(in->bytes, in->length)) {
        return apply_ascii(bert, in, out);
    }
    const struct ga_text_string *last = in;
    struct ga_text_string *next;
    enum ga_status status = GA_OK;
    if (bert->clean_text) {
        status = clean(last, next = next_string(scratch, last)), last = next;
    }
    if (bert->handle_chinese_chars && status == GA_OK) {
        status = space_chinese(last, next = next_string(scratch, last)), last = next;
    }
    if (bert->strip_accents && status == GA_OK) {
        status = ga_text_form(last, false, false, &scratch->units, next = next_string(scratch, last)), last = next;
    }
    if (bert->strip_accents && status == GA_OK) {
        status = ga_text_filter(last, is_nonspacing, next = next_string(scratch, last)), last = next;
    }
    if (status != GA_OK) {
        return status;
    }
    return bert->lowercase ? ga_text_lowercase_text(last, out) : ga_text_string_copy(out, last, 0, last->length);
}

const struct ga_text_normalizer_class ga_text_bert_normalizer = {
    .base = {.type = "BertNormalizer",
             .open = open_bert,
             .close = free,
             .open_scratch = open_scratch,
             .close_scratch = close_scratch},
    .apply = apply,
    .edges = ga_text_loosens_edges,
};
