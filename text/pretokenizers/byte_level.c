// byte_level.c: the pre-tokenizer ByteLevel: cuts like GPT-2 and spells each byte as a character. It refuses nothing
// but unknown fields: any text has such a spelling.
#include <stdlib.h>
#include <string.h>

#include "byte_level.h"
#include "byte_level_alphabet.h"
#include "pretokenizer.h"
#include "split_scan.h"

static enum ga_status before(const void *self, void *scratch, const struct ga_text_string *in,
                             struct ga_text_span piece, struct ga_text_where where, struct ga_text_string *out)
{
    (void)scratch;
    (void)where;
    enum ga_status status = GA_OK;
    if (((const struct ga_text_byte_level_fields *)self)->add_prefix_space && in->bytes[piece.begin] != ' ') {
        status = ga_text_string_append(out, " ", 1, ga_text_span_at(in, piece.begin));
    }
    return status == GA_OK ? ga_text_string_copy(out, in, piece.begin, piece.end) : status;
}

static enum ga_status cut(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                          struct ga_text_cuts *out, struct ga_error *error)
{
    (void)scratch;
    (void)error;
    if (!((const struct ga_text_byte_level_fields *)self)->use_regex) {
        return ga_text_cuts_append(out, piece.begin, piece.end);
    }
    enum ga_status status = GA_OK;
    for (size_t at = piece.begin, end; at < piece.end && status == GA_OK; at = end) {
        end = ga_text_scan_gpt2(in->bytes, at, piece.end);
        status = ga_text_cuts_append(out, at, end);
    }
    return status;
}

static enum ga_status after(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                            struct ga_text_string *out)
{
    (void)self;
    (void)scratch;
    const size_t length = piece.end - piece.begin;
    const enum ga_status status = ga_text_string_reserve(out, 2 * length);
    for (size_t i = piece.begin; status == GA_OK && i < piece.end; i++) {
        char character[2];
        const size_t bytes = ga_text_byte_character((unsigned char)in->bytes[i], character);
        memcpy(out->bytes + out->length, character, sizeof(character));
        for (size_t j = 0; out->aligned && j < bytes; j++) {
            out->spans[out->length + j] = in->spans[i];
        }
        out->length += bytes;
    }
    return status;
}

static bool rewrites(const void *self)
{
    return ((const struct ga_text_byte_level_fields *)self)->add_prefix_space;
}

static bool never(const void *self)
{
    (void)self;
    return false;
}

// A chunk that begins with a space is given none. The expression begins a match at a space between two characters that
// are no white space.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    const bool cuts = ((const struct ga_text_byte_level_fields *)self)->use_regex;
    const bool local = edges->are_cut || (edges->lead == GA_TEXT_LEAD_SPACE && (!cuts || edges->are_solid));
    edges->are_cut = edges->are_cut || cuts;
    edges->lead = GA_TEXT_LEAD_BYTE;
    return local;
}

const struct ga_text_pretokenizer_class ga_text_byte_level = {
    .base = {"ByteLevel", ga_text_byte_level_open, free, NULL, NULL},
    .before = before,
    .cut = cut,
    .after = after,
    .rewrites = rewrites,
    .asks_place = never,
    .edges = prove,
};
