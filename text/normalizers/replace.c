// replace.c: Replace, as a normalizer: puts a text in the place of each match of a pattern.
#include <stdlib.h>
#include <string.h>

#include "normalizer.h"
#include "pattern.h"
#include "replace.h"
#include "transform.h"
#include "unicode.h"

enum { LONGEST = 1024 }; // bytes of what is put in place of a match

struct replace_fields {
    json_t *pattern;
    struct ga_text_bytes content;
};

static const struct ga_text_field fields[] = {
    {"pattern", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct replace_fields, pattern)},
    {"content", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct replace_fields, content)},
};

enum ga_status ga_text_replace_open(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct replace_fields given = {NULL, {NULL, 0}};
    enum ga_status status = ga_text_read_fields(reader, object, fields, 2, &given);
    if (status != GA_OK) {
        return status;
    }
    if (given.content.length > LONGEST) {
        return ga_text_refuse(reader, "content", "a longer one", "a string of at most 1024 bytes");
    }
    struct ga_text_replace *replace = calloc(1, sizeof *replace);
    char *content = malloc(given.content.length + 1);
    const size_t length = ga_text_reader_enter(reader, "pattern", 0);
    status = replace && content ? ga_text_pattern_open(reader, given.pattern, &replace->pattern)
                                : ga_text_refuse_memory(reader);
    ga_text_reader_leave(reader, length);
    if (status != GA_OK) {
        free(content);
        free(replace);
        return status;
    }
    memcpy(content, given.content.bytes, given.content.length);
    replace->content = (struct ga_text_bytes){content, given.content.length};
    *self_out = replace;
    return GA_OK;
}

void ga_text_replace_close(void *self)
{
    struct ga_text_replace *replace = self;
    if (replace) {
        ga_text_pattern_close(replace->pattern);
        free((char *)replace->content.bytes);
        free(replace);
    }
}

enum ga_status ga_text_replace_open_scratch(const void *self, void **scratch_out)
{
    return ga_text_pattern_open_scratch(((const struct ga_text_replace *)self)->pattern, scratch_out);
}

enum ga_status ga_text_replace_apply(const struct ga_text_replace *replace, void *scratch,
                                     const struct ga_text_string *in, struct ga_text_string *out,
                                     struct ga_error *error)
{
    enum ga_status status = GA_OK;
    ga_text_pattern_begin(scratch, in->length);
    size_t copied = 0, from = 0, last_end = SIZE_MAX;
    while (from <= in->length && status == GA_OK) {
        struct ga_text_span match;
        bool found;
        status = ga_text_pattern_find(replace->pattern, scratch, in->bytes, in->length, from, &match, &found, error);
        if (status != GA_OK || !found) {
            break;
        }
        from = ga_text_pattern_after(match, in->bytes, in->length);
        if (match.begin == match.end && match.end == last_end) {
            continue; // an empty match where the last one ended is none
        }
        last_end = match.end;
        status = ga_text_string_copy(out, in, copied, match.begin);
        const struct ga_text_span span = match.end ? ga_text_span_at(in, match.end - 1) : (struct ga_text_span){0, 0};
        status = status ? status : ga_text_string_append(out, replace->content.bytes, replace->content.length, span);
        copied = match.end;
    }
    return status == GA_OK ? ga_text_string_copy(out, in, copied, in->length) : status;
}

static enum ga_status apply(const void *self, void *scratch, const struct ga_text_string *in,
                            struct ga_text_where where, struct ga_text_string *out, struct ga_error *error)
{
    (void)where;
    return in->length ? ga_text_replace_apply(self, scratch, in, out, error) : GA_OK;
}

// Whether a character of text is white space or U+2581.
static bool has_gaps(struct ga_text_bytes text)
{
    bool has = ga_text_contains(text, ga_text_lead_bytes(GA_TEXT_LEAD_MARK));
    for (size_t at = 0, length; at < text.length && !has; at += length) {
        has = ga_text_is_whitespace(ga_text_code_point(text.bytes + at, &length));
    }
    return has;
}

// The lead that a text is.
static bool find_lead(struct ga_text_bytes text, enum ga_text_lead *lead_out)
{
    static const enum ga_text_lead leads[] = {GA_TEXT_LEAD_SPACE, GA_TEXT_LEAD_MARK};
    bool found = false;
    for (size_t i = 0; i < sizeof leads / sizeof *leads && !found; i++) {
        found = ga_text_equal(text, ga_text_lead_bytes(leads[i]));
        *lead_out = found ? leads[i] : *lead_out;
    }
    return found;
}

// A lead may become another one. A string without it is never found across an edge, as both the end of a chunk and the
// lead would be in it; what is not a string may be.
static bool prove(const void *self, struct ga_text_edges *edges)
{
    const struct ga_text_replace *replace = self;
    bool is_regex;
    const struct ga_text_bytes text = ga_text_pattern_text(replace->pattern, &is_regex);
    const struct ga_text_bytes lead = ga_text_lead_bytes(edges->lead);
    if (is_regex || text.length == 0) {
        return false;
    }
    if (ga_text_equal(text, lead)) {
        return find_lead(replace->content, &edges->lead);
    }
    edges->are_solid = edges->are_solid && replace->content.length > 0 && !has_gaps(replace->content);
    return !ga_text_contains(text, lead);
}

const struct ga_text_normalizer_class ga_text_replace = {
    .base = {.type = "Replace",
             .open = ga_text_replace_open,
             .close = ga_text_replace_close,
             .open_scratch = ga_text_replace_open_scratch,
             .close_scratch = ga_text_pattern_close_scratch},
    .apply = apply,
    .edges = prove,
};
