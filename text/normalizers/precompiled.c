// precompiled.c: the normalizer Precompiled: puts texts of sentencepiece's map in the place of characters, as the
// tokenizers package does: a short grapheme is looked up as a whole and, if a key is its beginning, is replaced whole.
#include <stdlib.h>
#include <string.h>

#include "charsmap.h"
#include "graphemes.h"
#include "normalizer.h"
#include "transform.h"
#include "unicode.h"

enum { GA_TEXT_LONGEST_GRAPHEME = 5 }; // bytes of one that is looked up as a whole

struct precompiled {
    struct ga_text_charsmap charsmap;
    bool keeps[128]; // which characters of ASCII stay as they are
    bool keeps_ascii;
};

// -- Opening --------------------------------------------------------------------------------------------------------

static void look_at_ascii(struct precompiled *self)
{
    self->keeps_ascii = true;
    for (uint32_t c = 0; c < 128; c++) {
        self->keeps[c] = ga_text_charsmap_find(&self->charsmap, (const char[]){(char)c}, 1).bytes == NULL;
        self->keeps_ascii &= self->keeps[c];
    }
    const struct ga_text_bytes lines = ga_text_charsmap_find(&self->charsmap, "\r\n", 2);
    self->keeps_ascii &= lines.bytes == NULL;
}

static const struct ga_text_field fields[] = {{"precompiled_charsmap", GA_TEXT_STRING, GA_TEXT_REQUIRED, 0}};

static enum ga_status read(struct precompiled *self, struct ga_text_reader *reader, json_t *object)
{
    struct ga_text_bytes text;
    struct ga_text_charsmap_fault fault;
    enum ga_status status = ga_text_read_fields(reader, object, fields, 1, &text);
    if (status != GA_OK) {
        return status;
    }
    status = ga_text_charsmap_read(&self->charsmap, text, &fault);
    if (status == GA_FORMAT) {
        return ga_text_refuse(reader, "precompiled_charsmap", fault.found, fault.expected);
    }
    return status == GA_OK ? GA_OK : ga_text_refuse_memory(reader);
}

static enum ga_status open_precompiled(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct precompiled *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(self, reader, object);
    if (status != GA_OK) {
        free(self);
        return status;
    }
    look_at_ascii(self);
    *self_out = self;
    return GA_OK;
}

static void close_precompiled(void *self)
{
    struct precompiled *precompiled = self;
    if (precompiled != NULL) {
        ga_text_charsmap_free(&precompiled->charsmap);
        free(precompiled);
    }
}

// -- Rewriting ------------------------------------------------------------------------------------------------------

// A character on its way out: the package decides how many it removes after it has seen the next ones.
struct rewriting {
    const struct precompiled *self;
    struct ga_text_transform transform;
    bool has_last;
    uint32_t last;
    int last_change;
};

static enum ga_status give_last(struct rewriting *r)
{
    const bool has_last = r->has_last;
    r->has_last = false;
    return has_last ? ga_text_put(&r->transform, r->last, r->last_change) : GA_OK;
}

static enum ga_status put(struct rewriting *r, uint32_t code_point, int change)
{
    const enum ga_status status = give_last(r);
    r->last = code_point;
    r->last_change = change;
    r->has_last = true;
    return status;
}

static int count_characters(struct ga_text_bytes text)
{
    int count = 0;
    for (size_t i = 0; i < text.length; i++) {
        count += (text.bytes[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return count;
}

// Puts text in the place of `replaced` characters. Of more characters the last ones are inserted; of fewer the last
// one, or that before all of them, takes the rest with it.
static enum ga_status put_text(struct rewriting *r, struct ga_text_bytes text, int replaced)
{
    const int count = count_characters(text);
    enum ga_status status = GA_OK;
    size_t length;
    int index = 0;
    for (size_t at = 0; at < text.length && status == GA_OK; at += length) {
        status = put(r, ga_text_code_point(text.bytes + at, &length), index++ < replaced ? 0 : 1);
    }
    if (count < replaced && r->has_last) {
        r->last_change += count - replaced;
    }
    return status;
}

static enum ga_status put_characters(struct rewriting *r, size_t begin, size_t end)
{
    const char *bytes = r->transform.in->bytes;
    enum ga_status status = GA_OK;
    size_t length;
    for (size_t at = begin; at < end && status == GA_OK; at += length) {
        const uint32_t code_point = ga_text_code_point(bytes + at, &length);
        const struct ga_text_bytes text = ga_text_charsmap_find(&r->self->charsmap, bytes + at, length);
        status = text.bytes == NULL ? put(r, code_point, 0) : put_text(r, text, 1);
    }
    return status;
}

static enum ga_status put_grapheme(struct rewriting *r, size_t begin, size_t end)
{
    const struct ga_text_bytes grapheme = {r->transform.in->bytes + begin, end - begin};
    struct ga_text_bytes text = {NULL, 0};
    if (grapheme.length <= GA_TEXT_LONGEST_GRAPHEME) {
        text = ga_text_charsmap_find(&r->self->charsmap, grapheme.bytes, grapheme.length);
    }
    return text.bytes == NULL ? put_characters(r, begin, end) : put_text(r, text, count_characters(grapheme));
}

// The end of the characters of ASCII from `at` on that stay as they are and are graphemes of their own.
static size_t kept_end(const struct precompiled *self, const struct ga_text_string *in, size_t at)
{
    while (at < in->length && (unsigned char)in->bytes[at] < 0x80 && self->keeps[(unsigned char)in->bytes[at]] &&
           (at + 1 == in->length || ((unsigned char)in->bytes[at + 1] < 0x80 && in->bytes[at] != '\r'))) {
        at++;
    }
    return at;
}

// With an alignment, whose places earlier changes may have moved, what is kept is given character by character too.
static enum ga_status keep(struct rewriting *r, size_t begin, size_t end)
{
    enum ga_status status = GA_OK;
    for (; begin < end && status == GA_OK && r->transform.out->aligned; begin++) {
        status = put(r, (unsigned char)r->transform.in->bytes[begin], 0);
    }
    if (begin == end || status != GA_OK) {
        return status;
    }
    status = give_last(r);
    status = status == GA_OK ? ga_text_string_copy(r->transform.out, r->transform.in, begin, end - 1) : status;
    return status == GA_OK ? put(r, (unsigned char)r->transform.in->bytes[end - 1], 0) : status;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_string *in,
                            struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)scratch;
    (void)where;
    (void)error;
    struct rewriting r = {.self = self, .transform = {in, out, 0}};
    enum ga_status status = ga_text_string_reserve(out, in->length);
    for (size_t at = 0, end; at < in->length && status == GA_OK; at = end) {
        end = kept_end(self, in, at);
        if (end > at) {
            status = keep(&r, at, end);
        } else {
            end = ga_text_grapheme_end(in->bytes, in->length, at);
            status = put_grapheme(&r, at, end);
        }
    }
    return status == GA_OK ? give_last(&r) : status;
}

// Whether keys begin with a character that joins the one after it to a grapheme, even a space: then what becomes of a
// lead depends on what is before it.
static bool has_joining_key(const struct precompiled *self)
{
    bool has = false;
    for (uint32_t c = 0x80; c < 0x20000 && !has; c++) {
        char bytes[4];
        has = ga_text_joins_next(c) && ga_text_charsmap_has(&self->charsmap, bytes, ga_text_utf8(c, bytes));
    }
    return has;
}

// A lead stays where no key begins with it, whatever mark follows and joins it. Of others anything may become.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    const struct precompiled *precompiled = self;
    const struct ga_text_bytes lead = ga_text_lead_bytes(edges->lead);
    edges->are_solid = false;
    return !ga_text_charsmap_has(&precompiled->charsmap, lead.bytes, lead.length) && !has_joining_key(precompiled);
}

static bool keeps_ascii(const void *self)
{
    return ((const struct precompiled *)self)->keeps_ascii;
}

const struct ga_text_normalizer_class ga_text_precompiled = {
    .base = {"Precompiled", open_precompiled, close_precompiled, NULL, NULL},
    .apply = apply,
    .edges = prove,
    .keeps_ascii = keeps_ascii,
};
