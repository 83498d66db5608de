// metaspace.c: the pre-tokenizer Metaspace: writes a mark in place of each space, and before the text, and cuts before
// marks. It refuses fields that contradict each other.
#include <stdlib.h>
#include <string.h>

#include "metaspace.h"
#include "pretokenizer.h"
#include "unicode.h"

static enum ga_status before(const void *self, void *scratch, const struct ga_text_string *in,
                             struct ga_text_span piece, struct ga_text_where where, struct ga_text_string *out)
{
    (void)scratch;
    const struct ga_text_metaspace *m = self;
    const bool is_marked =
        in->bytes[piece.begin] == ' ' || ga_text_metaspace_is_at(m, in->bytes, piece.begin, piece.end);
    const bool is_wanted = m->scheme == GA_TEXT_ALWAYS || (m->scheme == GA_TEXT_FIRST && where.text_start);
    enum ga_status status = GA_OK;
    if (is_wanted && !is_marked) {
        status = ga_text_string_append(out, m->mark, m->mark_length, ga_text_span_at(in, piece.begin));
    }
    for (size_t at = piece.begin; at < piece.end && status == GA_OK;) {
        const char *space = memchr(in->bytes + at, ' ', piece.end - at);
        const size_t end = space == NULL ? piece.end : (size_t)(space - in->bytes);
        status = ga_text_string_copy(out, in, at, end);
        if (status == GA_OK && space != NULL) {
            status = ga_text_string_append(out, m->mark, m->mark_length, ga_text_span_at(in, end));
        }
        at = end + 1;
    }
    return status;
}

static enum ga_status cut(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                          struct ga_text_cuts *out, struct ga_error *error)
{
    (void)scratch;
    (void)error;
    const struct ga_text_metaspace *m = self;
    enum ga_status status = GA_OK;
    size_t begin = piece.begin;
    for (size_t at = begin + 1; at < piece.end && m->split && status == GA_OK; at++) {
        if (ga_text_metaspace_is_at(m, in->bytes, at, piece.end)) {
            status = ga_text_cuts_append(out, begin, at);
            begin = at;
        }
    }
    return status == GA_OK ? ga_text_cuts_append(out, begin, piece.end) : status;
}

static bool asks_place(const void *self)
{
    return ((const struct ga_text_metaspace *)self)->scheme == GA_TEXT_FIRST;
}

// A chunk that begins with a space, or with the mark, is given none. Without cuts a text is one piece, and no list of
// chunks. "first" must know that no later chunk begins at byte 0: that the first one is not empty.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    const struct ga_text_metaspace *m = self;
    const struct ga_text_bytes mark = {m->mark, m->mark_length};
    const bool is_marked = edges->lead == GA_TEXT_LEAD_SPACE || ga_text_equal(mark, ga_text_lead_bytes(edges->lead));
    const bool cuts = edges->are_cut || (is_marked && m->split);
    edges->are_cut = cuts;
    return cuts && (m->scheme != GA_TEXT_FIRST || edges->are_solid);
}

const struct ga_text_pretokenizer_class ga_text_metaspace = {
    .base = {"Metaspace", ga_text_metaspace_open, free, NULL, NULL},
    .before = before,
    .cut = cut,
    .edges = prove,
    .asks_place = asks_place,
};
