// metaspace_fields.c: what the pre-tokenizer and the decoder Metaspace read. Rewrites no text.
#include "metaspace.h"

#include <stdlib.h>

#include "unicode.h"

// The object as the JSON has it.
struct metaspace_fields {
    struct ga_text_bytes replacement, scheme;
    json_t *add_prefix_space;
    bool split;
};

static const struct ga_text_field fields[] = {
    {"replacement", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct metaspace_fields, replacement)},
    {"prepend_scheme", GA_TEXT_STRING, GA_TEXT_OPTIONAL, offsetof(struct metaspace_fields, scheme)},
    {"add_prefix_space", GA_TEXT_ANY, GA_TEXT_NULLABLE, offsetof(struct metaspace_fields, add_prefix_space)},
    {"split", GA_TEXT_BOOL, GA_TEXT_NULLABLE, offsetof(struct metaspace_fields, split)},
    {"str_rep", GA_TEXT_IGNORED, GA_TEXT_NULLABLE, 0},
};

static enum ga_status read_mark(struct ga_text_metaspace *self, struct ga_text_reader *reader,
                                struct ga_text_bytes text)
{
    if (text.length > 0) {
        ga_text_code_point(text.bytes, &self->mark_length);
    }
    if (text.length == 0 || text.length != self->mark_length) {
        return ga_text_refuse(reader, "replacement", NULL, "a string of one character");
    }
    memcpy(self->mark, text.bytes, text.length);
    return GA_OK;
}

static enum ga_status read_scheme(struct ga_text_metaspace *self, struct ga_text_reader *reader,
                                  struct ga_text_bytes name)
{
    static const char *const names[] = {"always", "first", "never"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (name.bytes == NULL || (strlen(names[i]) == name.length && memcmp(names[i], name.bytes, name.length) == 0)) {
            self->scheme = (enum ga_text_prepend_scheme)i;
            return GA_OK;
        }
    }
    return ga_text_refuse(reader, "prepend_scheme", NULL, "\"always\", \"first\" or \"never\"");
}

// An older field, which may not contradict the scheme.
static enum ga_status check_prefix(const struct ga_text_metaspace *self, struct ga_text_reader *reader, json_t *value)
{
    if (value != NULL && !json_is_null(value) && !json_is_boolean(value)) {
        return ga_text_refuse(reader, "add_prefix_space", NULL, "true, false or null");
    }
    return value != NULL && json_is_false(value) && self->scheme != GA_TEXT_NEVER
               ? ga_text_refuse(reader, "add_prefix_space", "false", "true, where prepend_scheme is not \"never\"")
               : GA_OK;
}

static enum ga_status read(struct ga_text_metaspace *self, struct ga_text_reader *reader, json_t *object)
{
    struct metaspace_fields in = {.split = true};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof(fields) / sizeof(*fields), &in);
    status = status == GA_OK ? read_mark(self, reader, in.replacement) : status;
    status = status == GA_OK ? read_scheme(self, reader, in.scheme) : status;
    self->split = in.split;
    return status == GA_OK ? check_prefix(self, reader, in.add_prefix_space) : status;
}

enum ga_status ga_text_metaspace_open(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct ga_text_metaspace *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(self, reader, object);
    if (status != GA_OK) {
        free(self);
        return status;
    }
    *self_out = self;
    return GA_OK;
}
