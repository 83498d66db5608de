// gguf_spaces.c: the normalizer GGUFSpaces: what llama.cpp makes of a text for Unigram: the longest keys of
// sentencepiece's map, not those of graphemes, and spaces as U+2581. No tokenizer.json has it: it is part of what a
// GGUF file becomes.
#include <stdlib.h>

#include "charsmap.h"
#include "normalizer.h"
#include "unicode.h"

struct spaces {
    struct ga_text_charsmap charsmap; // without units: there is none
    bool adds_prefix, merges;
};

struct spaces_fields {
    struct ga_text_bytes charsmap;
    bool adds_prefix, merges;
};

static const struct ga_text_field fields[] = {
    {"precompiled_charsmap", GA_TEXT_STRING, GA_TEXT_NULLABLE, offsetof(struct spaces_fields, charsmap)},
    {"add_space_prefix", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct spaces_fields, adds_prefix)},
    {"remove_extra_whitespaces", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct spaces_fields, merges)},
};

static enum ga_status read(struct spaces *self, struct ga_text_reader *reader, json_t *object)
{
    struct spaces_fields given = {.charsmap = {NULL, 0}};
    struct ga_text_charsmap_fault fault;
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof fields / sizeof *fields, &given);
    if (status != GA_OK) {
        return status;
    }
    self->adds_prefix = given.adds_prefix;
    self->merges = given.merges;
    status = given.charsmap.bytes ? ga_text_charsmap_read(&self->charsmap, given.charsmap, &fault) : GA_OK;
    if (status == GA_FORMAT) {
        return ga_text_refuse(reader, "precompiled_charsmap", fault.found, fault.expected);
    }
    return status == GA_OK ? GA_OK : ga_text_refuse_memory(reader);
}

static void close_spaces(void *self)
{
    struct spaces *spaces = self;
    if (spaces) {
        ga_text_charsmap_free(&spaces->charsmap);
        free(spaces);
    }
}

static enum ga_status open_spaces(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct spaces *self = calloc(1, sizeof *self);
    if (!self) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(self, reader, object);
    if (status != GA_OK) {
        close_spaces(self);
        return status;
    }
    *self_out = self;
    return GA_OK;
}

// -- Rewriting ------------------------------------------------------------------------------------------------------

// What has been written of a text so far.
struct writing {
    const struct spaces *self;
    struct ga_text_string *out;
    bool in_word, has_prefix;
};

static enum ga_status put_mark(struct writing *w, struct ga_text_span span)
{
    return ga_text_string_append(w->out, "\u2581", 3, span);
}

// A byte that is no space: the first of a word may have a mark before it.
static enum ga_status put_byte(struct writing *w, const char *byte, struct ga_text_span span)
{
    enum ga_status status = GA_OK;
    if (!w->in_word && (w->self->merges || (w->self->adds_prefix && !w->has_prefix))) {
        status = put_mark(w, span);
        w->has_prefix = true;
    }
    w->in_word = true;
    return status ? status : ga_text_string_append(w->out, byte, 1, span);
}

static enum ga_status put_text(struct writing *w, struct ga_text_bytes text, struct ga_text_span span)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < text.length && status == GA_OK; i++) {
        if (text.bytes[i] != ' ') {
            status = put_byte(w, text.bytes + i, span);
            continue;
        }
        w->in_word = false;
        status = w->self->merges ? GA_OK : put_mark(w, span);
    }
    return status;
}

// The bytes that the text in place of bytes [at, at + length) stands for.
static struct ga_text_span span_of(const struct ga_text_string *in, size_t at, size_t length)
{
    return (struct ga_text_span){ga_text_span_at(in, at).begin, ga_text_span_at(in, at + length - 1).end};
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_string *in,
                            struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)scratch, (void)where, (void)error;
    struct writing w = {.self = self, .out = out};
    enum ga_status status = ga_text_string_reserve(out, in->length);
    for (size_t at = 0, length; at < in->length && status == GA_OK; at += length) {
        struct ga_text_bytes text =
            ga_text_charsmap_longest(&w.self->charsmap, in->bytes + at, in->length - at, &length);
        if (!text.bytes) {
            ga_text_code_point(in->bytes + at, &length);
            text = (struct ga_text_bytes){in->bytes + at, length};
        }
        status = put_text(&w, text, span_of(in, at, length));
    }
    return status;
}

const struct ga_text_normalizer_class ga_text_gguf_spaces = {
    .base = {.type = "GGUFSpaces", .open = open_spaces, .close = close_spaces},
    .apply = apply, // tokens may hold spaces: it proves nothing
};
