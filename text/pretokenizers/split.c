// split.c: the pre-tokenizer Split: cuts at what a pattern matches. Known expressions have scanners; PCRE2 runs the
// rest.
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "pretokenizer.h"
#include "split_scan.h"
#include "unicode.h"

struct split {
    struct ga_text_pattern *pattern;
    ga_text_scan *scan; // NULL: the pattern is run
    enum ga_text_behaviour behaviour;
    bool invert;
};

struct split_scratch {
    void *pattern;
    struct ga_text_match *matches; // [count], room for capacity
    size_t count, capacity;
};

// -- Reading --------------------------------------------------------------------------------------------------------

// The object as the JSON has it.
struct split_fields {
    json_t *pattern;
    struct ga_text_bytes behaviour;
    bool invert;
};

static const struct ga_text_field fields[] = {
    {"pattern", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct split_fields, pattern)},
    {"behavior", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct split_fields, behaviour)},
    {"invert", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct split_fields, invert)},
};

static enum ga_status read_pattern(struct split *self, struct ga_text_reader *reader, json_t *value)
{
    const enum ga_status status = ga_text_pattern_open(reader, value, &self->pattern);
    if (status != GA_OK) {
        self->pattern = NULL;
        return status;
    }
    bool is_regex;
    const struct ga_text_bytes text = ga_text_pattern_text(self->pattern, &is_regex);
    self->scan = is_regex ? ga_text_scan_of(text) : NULL;
    return GA_OK;
}

static enum ga_status read(struct split *self, struct ga_text_reader *reader, json_t *object)
{
    struct split_fields in = {0};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof(fields) / sizeof(*fields), &in);
    status = status == GA_OK ? ga_text_read_behaviour(reader, "behavior", in.behaviour, &self->behaviour) : status;
    self->invert = in.invert;
    return status == GA_OK ? read_pattern(self, reader, in.pattern) : status;
}

static void close_split(void *self)
{
    struct split *split = self;
    if (split != NULL) {
        ga_text_pattern_close(split->pattern);
        free(split);
    }
}

static enum ga_status open_split(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct split *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(self, reader, object);
    if (status != GA_OK) {
        close_split(self);
        return status;
    }
    *self_out = self;
    return GA_OK;
}

static void close_scratch(void *scratch)
{
    struct split_scratch *s = scratch;
    if (s != NULL) {
        ga_text_pattern_close_scratch(s->pattern);
        free(s->matches);
        free(s);
    }
}

static enum ga_status open_scratch(const void *self, void **scratch_out)
{
    struct split_scratch *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return GA_MEMORY;
    }
    const enum ga_status status = ga_text_pattern_open_scratch(((const struct split *)self)->pattern, &s->pattern);
    if (status != GA_OK) {
        s->pattern = NULL;
        close_scratch(s);
        return status;
    }
    *scratch_out = s;
    return GA_OK;
}

// -- Matches --------------------------------------------------------------------------------------------------------

// Where looking for matches in a piece stands.
struct match_finding {
    const struct split *split;
    struct split_scratch *scratch;
    struct ga_text_bytes piece;
    size_t from;     // where the next search begins; beyond the piece: there is none
    size_t last_end; // of the last match
    bool has_last;
    struct ga_error *error;
};

static enum ga_status add_match(struct match_finding *f, size_t begin, size_t end, bool matching)
{
    struct split_scratch *s = f->scratch;
    void *items = s->matches;
    const enum ga_status status = ga_text_grow(&items, &s->capacity, s->count, 1, sizeof(*s->matches));
    s->matches = items;
    if (status == GA_OK) {
        const struct ga_text_span span = {(uint32_t)begin, (uint32_t)end};
        s->matches[s->count++] = (struct ga_text_match){span, matching != f->split->invert};
    }
    return status;
}

static size_t after_character(struct ga_text_bytes piece, size_t at)
{
    size_t length = 1;
    if (at < piece.length) {
        ga_text_code_point(piece.bytes + at, &length);
    }
    return at + length;
}

static enum ga_status find_pattern(const struct match_finding *f, struct ga_text_span *match, bool *found)
{
    return ga_text_pattern_find(f->split->pattern, f->scratch->pattern, f->piece.bytes, f->piece.length, f->from, match,
                                found, f->error);
}

// The next match; an empty one at the end of the last match is passed over, as in Oniguruma's iterator.
static enum ga_status next_match(struct match_finding *f, struct ga_text_span *match, bool *found)
{
    while (f->from <= f->piece.length) {
        const enum ga_status status = find_pattern(f, match, found);
        if (status != GA_OK || !*found) {
            return status;
        }
        if (match->begin != match->end || !f->has_last || match->end != f->last_end) {
            f->from = f->last_end = match->end;
            f->has_last = true;
            return GA_OK;
        }
        f->from = after_character(f->piece, f->from);
    }
    *found = false;
    return GA_OK;
}

static enum ga_status find_matches(struct match_finding *f)
{
    size_t end = 0;
    struct ga_text_span match;
    bool found;
    enum ga_status status = next_match(f, &match, &found);
    while (status == GA_OK && found) {
        status = match.begin > end ? add_match(f, end, match.begin, false) : GA_OK;
        status = status == GA_OK ? add_match(f, match.begin, match.end, true) : status;
        end = match.end;
        status = status == GA_OK ? next_match(f, &match, &found) : status;
    }
    return status == GA_OK && end < f->piece.length ? add_match(f, end, f->piece.length, false) : status;
}

// Matches of a scanner leave nothing out.
static enum ga_status scan_matches(struct match_finding *f)
{
    enum ga_status status = GA_OK;
    for (size_t at = 0, end; at < f->piece.length && status == GA_OK; at = end) {
        end = f->split->scan(f->piece.bytes, at, f->piece.length);
        status = add_match(f, at, end, true);
    }
    return status;
}

// -- Cuts -----------------------------------------------------------------------------------------------------------

static bool cuts_at_each_match(const struct split *split)
{
    return split->behaviour == GA_TEXT_ISOLATED || (split->behaviour == GA_TEXT_REMOVED && split->invert);
}

static enum ga_status scan_cuts(const struct split *split, const char *text, struct ga_text_span piece,
                                struct ga_text_cuts *out)
{
    enum ga_status status = GA_OK;
    for (size_t at = piece.begin, end; at < piece.end && status == GA_OK; at = end) {
        end = split->scan(text, at, piece.end);
        status = ga_text_cuts_append(out, at, end);
    }
    return status;
}

static enum ga_status match_cuts(struct match_finding *f, uint32_t begin, struct ga_text_cuts *out)
{
    f->scratch->count = 0;
    ga_text_pattern_begin(f->scratch->pattern, f->piece.length);
    enum ga_status status = f->split->scan != NULL ? scan_matches(f) : find_matches(f);
    for (size_t i = 0; status == GA_OK && i < f->scratch->count; i++) {
        f->scratch->matches[i].span.begin += begin;
        f->scratch->matches[i].span.end += begin;
    }
    return status == GA_OK ? ga_text_cut_matches(f->split->behaviour, f->scratch->matches, f->scratch->count, out)
                           : status;
}

static enum ga_status cut(const void *self, void *scratch, const struct ga_text_string *in, struct ga_text_span piece,
                          struct ga_text_cuts *out, struct ga_error *error)
{
    const struct split *split = self;
    if (split->scan != NULL && cuts_at_each_match(split)) {
        return scan_cuts(split, in->bytes, piece, out);
    }
    struct match_finding finding = {.split = split,
                                    .scratch = scratch,
                                    .piece = {in->bytes + piece.begin, piece.end - piece.begin},
                                    .error = error};
    return match_cuts(&finding, piece.begin, out);
}

// Whether it cuts before each lead, where it looks for that. Contiguous joins two of them that meet.
static bool cuts_at_lead(const struct split *split, bool are_solid)
{
    static const bool cuts[] = {
        [GA_TEXT_REMOVED] = true,          [GA_TEXT_ISOLATED] = true,    [GA_TEXT_MERGED_WITH_PREVIOUS] = false,
        [GA_TEXT_MERGED_WITH_NEXT] = true, [GA_TEXT_CONTIGUOUS] = false,
    };
    return !split->invert && (cuts[split->behaviour] || (split->behaviour == GA_TEXT_CONTIGUOUS && are_solid));
}

// Every scanner begins a match at a space between two characters that are no white space. Of other patterns only the
// lead itself is known to.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    const struct split *split = self;
    bool is_regex;
    const struct ga_text_bytes text = ga_text_pattern_text(split->pattern, &is_regex);
    const bool is_lead = !is_regex && ga_text_equal(text, ga_text_lead_bytes(edges->lead));
    edges->are_cut = true;
    return (split->scan != NULL && cuts_at_each_match(split) && edges->lead == GA_TEXT_LEAD_SPACE &&
            edges->are_solid) ||
           (is_lead && cuts_at_lead(split, edges->are_solid));
}

const struct ga_text_pretokenizer_class ga_text_split = {
    .base = {"Split", open_split, close_split, open_scratch, close_scratch},
    .cut = cut,
    .edges = prove,
};
