// simple.c: the normalizers Lowercase, StripAccents, Strip and Prepend.
#include <stdlib.h>
#include <string.h>

#include "normalizer.h"
#include "transform.h"
#include "unicode.h"

static enum ga_status open_empty(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    *self_out = NULL;
    return ga_text_read_fields(reader, object, NULL, 0, NULL);
}

// -- Lowercase ------------------------------------------------------------------------------------------------------

static enum ga_status lowercase(const void *self, void *scratch, const struct ga_text_string *in,
                                struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)self, (void)scratch, (void)where, (void)error;
    return ga_text_lowercase_text(in, out);
}

const struct ga_text_normalizer_class ga_text_lowercase = {
    .base = {.type = "Lowercase", .open = open_empty},
    .apply = lowercase,
    .edges = ga_text_keeps_edges,
};

// -- StripAccents ---------------------------------------------------------------------------------------------------

static bool is_combining(uint32_t c)
{
    return c >= 0x300 && ga_text_classes(c) & GA_TEXT_IS_COMBINING;
}

static enum ga_status strip_accents(const void *self, void *scratch, const struct ga_text_string *in,
                                    struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)self, (void)scratch, (void)where, (void)error;
    return ga_text_filter(in, is_combining, out);
}

const struct ga_text_normalizer_class ga_text_strip_accents = {
    .base = {.type = "StripAccents", .open = open_empty},
    .apply = strip_accents,
    .edges = ga_text_loosens_edges,
};

// -- Strip ----------------------------------------------------------------------------------------------------------

struct strip {
    bool left, right;
};

static const struct ga_text_field strip_fields[] = {
    {"strip_left", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct strip, left)},
    {"strip_right", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct strip, right)},
};

static enum ga_status open_strip(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct strip *strip = calloc(1, sizeof *strip);
    if (!strip) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = ga_text_read_fields(reader, object, strip_fields, 2, strip);
    if (status != GA_OK) {
        free(strip);
        return status;
    }
    *self_out = strip;
    return GA_OK;
}

static enum ga_status apply_strip(const void *self, void *scratch, const struct ga_text_string *in,
                                  struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)scratch, (void)where, (void)error;
    const struct strip *strip = self;
    size_t begin = in->length, end = 0;
    for (size_t at = 0, length; at < in->length; at += length) {
        if (!ga_text_is_whitespace(ga_text_code_point(in->bytes + at, &length))) {
            begin = at < begin ? at : begin;
            end = at + length;
        }
    }
    if (begin == in->length) { // all of it is white space
        return strip->left || strip->right ? GA_OK : ga_text_string_copy(out, in, 0, in->length);
    }
    return ga_text_string_copy(out, in, strip->left ? begin : 0, strip->right ? end : in->length);
}

const struct ga_text_normalizer_class ga_text_strip = {
    .base = {.type = "Strip", .open = open_strip, .close = free},
    .apply = apply_strip, // a chunk's spaces are not those at the ends of a text: it proves nothing
};

// -- Prepend --------------------------------------------------------------------------------------------------------

enum { LONGEST = 1024 }; // bytes that are put before a text

struct prepend {
    size_t length;
    char bytes[];
};

struct prepend_fields {
    struct ga_text_bytes prepend;
};

static const struct ga_text_field prepend_fields[] = {
    {"prepend", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct prepend_fields, prepend)},
};

static enum ga_status open_prepend(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct prepend_fields given = {{NULL, 0}};
    const enum ga_status status = ga_text_read_fields(reader, object, prepend_fields, 1, &given);
    if (status != GA_OK) {
        return status;
    }
    if (given.prepend.length > LONGEST) {
        return ga_text_refuse(reader, "prepend", "a longer one", "a string of at most 1024 bytes");
    }
    struct prepend *prepend = malloc(sizeof *prepend + given.prepend.length);
    if (!prepend) {
        return ga_text_refuse_memory(reader);
    }
    prepend->length = given.prepend.length;
    memcpy(prepend->bytes, given.prepend.bytes, given.prepend.length);
    *self_out = prepend;
    return GA_OK;
}

static enum ga_status apply_prepend(const void *self, void *scratch, const struct ga_text_string *in,
                                    struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)scratch, (void)error;
    const struct prepend *prepend = self;
    enum ga_status status = GA_OK;
    if (in->length > 0 && where.section_start) {
        status = ga_text_string_append(out, prepend->bytes, prepend->length, ga_text_span_at(in, 0));
    }
    return status == GA_OK ? ga_text_string_copy(out, in, 0, in->length) : status;
}

// A text gets it where it is not empty, and the first chunk as well.
static bool prove_prepend(const void *self, struct ga_text_edges *edges)
{
    (void)self;
    return edges->are_solid;
}

const struct ga_text_normalizer_class ga_text_prepend = {
    .base = {.type = "Prepend", .open = open_prepend, .close = free},
    .apply = apply_prepend,
    .edges = prove_prepend,
};
