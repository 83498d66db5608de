// classes.c: the pre-tokenizers Punctuation and Digits: cuts at characters of a class.
#include <stdlib.h>

#include "pretokenizer.h"
#include "unicode.h"

struct at_class {
    unsigned classes; // where it cuts
    enum ga_text_behaviour behaviour;
};

static enum ga_status make(struct ga_text_reader *reader, unsigned classes, enum ga_text_behaviour behaviour,
                           void **self_out)
{
    struct at_class *self = malloc(sizeof *self);
    if (!self) {
        return ga_text_refuse_memory(reader);
    }
    *self = (struct at_class){classes, behaviour};
    *self_out = self;
    return GA_OK;
}

static enum ga_status cut(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                          struct ga_text_cuts *out, struct ga_error *error)
{
    (void)error;
    const struct at_class *at_class = self;
    struct ga_text_matches *matches = scratch;
    enum ga_status status = GA_OK;
    size_t begin = piece.begin;
    matches->count = 0;
    for (size_t at = piece.begin, length; at < piece.end && status == GA_OK; at += length) {
        if (ga_text_classes(ga_text_code_point(in->bytes + at, &length)) & at_class->classes) {
            status = ga_text_matches_append(matches, begin, at, false);
            status = status ? status : ga_text_matches_append(matches, at, at + length, true);
            begin = at + length;
        }
    }
    status = status ? status : ga_text_matches_append(matches, begin, piece.end, false);
    return status ? status : ga_text_cut_matches(at_class->behaviour, matches->items, matches->count, out);
}

// No lead is of either class, so that only MergedWithPrevious, MergedWithNext and Contiguous reach over it.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    (void)edges;
    const enum ga_text_behaviour behaviour = ((const struct at_class *)self)->behaviour;
    return behaviour == GA_TEXT_REMOVED || behaviour == GA_TEXT_ISOLATED;
}

// -- Punctuation ----------------------------------------------------------------------------------------------------

struct punctuation_fields {
    struct ga_text_bytes behaviour;
};

static const struct ga_text_field punctuation_fields[] = {
    {"behavior", GA_TEXT_STRING, GA_TEXT_OPTIONAL, offsetof(struct punctuation_fields, behaviour)},
};

static enum ga_status open_punctuation(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct punctuation_fields given = {{NULL, 0}};
    enum ga_text_behaviour behaviour = GA_TEXT_ISOLATED;
    enum ga_status status = ga_text_read_fields(reader, object, punctuation_fields, 1, &given);
    if (status == GA_OK && given.behaviour.bytes) {
        status = ga_text_read_behaviour(reader, "behavior", given.behaviour, &behaviour);
    }
    return status == GA_OK ? make(reader, GA_TEXT_IS_PUNCTUATION, behaviour, self_out) : status;
}

const struct ga_text_pretokenizer_class ga_text_punctuation = {
    .base = {.type = "Punctuation",
             .open = open_punctuation,
             .close = free,
             .open_scratch = ga_text_matches_open,
             .close_scratch = ga_text_matches_close},
    .cut = cut,
    .edges = prove,
};

// -- Digits ---------------------------------------------------------------------------------------------------------

struct digits_fields {
    bool individual_digits;
};

static const struct ga_text_field digits_fields[] = {
    {"individual_digits", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct digits_fields, individual_digits)},
};

static enum ga_status open_digits(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct digits_fields given = {false};
    const enum ga_status status = ga_text_read_fields(reader, object, digits_fields, 1, &given);
    if (status != GA_OK) {
        return status;
    }
    return make(reader, GA_TEXT_IS_NUMERIC, given.individual_digits ? GA_TEXT_ISOLATED : GA_TEXT_CONTIGUOUS, self_out);
}

const struct ga_text_pretokenizer_class ga_text_digits = {
    .base = {.type = "Digits",
             .open = open_digits,
             .close = free,
             .open_scratch = ga_text_matches_open,
             .close_scratch = ga_text_matches_close},
    .cut = cut,
    .edges = prove,
};
