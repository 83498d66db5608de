// matches.c: what becomes of matches of a pattern when a text is cut at them. Finds none itself.
#include <stdlib.h>
#include <string.h>

#include "pretokenizer.h"

static const char *const behaviours[] = {
    [GA_TEXT_REMOVED] = "Removed",
    [GA_TEXT_ISOLATED] = "Isolated",
    [GA_TEXT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
    [GA_TEXT_MERGED_WITH_NEXT] = "MergedWithNext",
    [GA_TEXT_CONTIGUOUS] = "Contiguous",
};

enum ga_status ga_text_read_behaviour(struct ga_text_reader *reader, const char *field, struct ga_text_bytes name,
                                      enum ga_text_behaviour *behaviour_out)
{
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        if (strlen(behaviours[i]) == name.length && memcmp(behaviours[i], name.bytes, name.length) == 0) {
            *behaviour_out = (enum ga_text_behaviour)i;
            return GA_OK;
        }
    }
    return ga_text_refuse(reader, field, name.bytes,
                          "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

enum ga_status ga_text_matches_append(struct ga_text_matches *matches, size_t begin, size_t end, bool matching)
{
    if (begin == end) {
        return GA_OK;
    }
    void *items = matches->items;
    const enum ga_status status = ga_text_grow(&items, &matches->capacity, matches->count, 1, sizeof *matches->items);
    matches->items = items;
    if (status == GA_OK) {
        const struct ga_text_span span = {(uint32_t)begin, (uint32_t)end};
        matches->items[matches->count++] = (struct ga_text_match){span, matching};
    }
    return status;
}

enum ga_status ga_text_matches_open(const void *self, void **scratch_out)
{
    (void)self;
    *scratch_out = calloc(1, sizeof(struct ga_text_matches));
    return *scratch_out ? GA_OK : GA_MEMORY;
}

void ga_text_matches_close(void *scratch)
{
    if (scratch) {
        free(((struct ga_text_matches *)scratch)->items);
        free(scratch);
    }
}

// Whether match i goes with the one before it.
static bool joins_previous(enum ga_text_behaviour behaviour, const struct ga_text_match *matches, size_t i, bool joined)
{
    const bool matching = matches[i].matches, before = matches[i - 1].matches;
    switch (behaviour) {
    case GA_TEXT_CONTIGUOUS:
        return matching == before;
    case GA_TEXT_MERGED_WITH_PREVIOUS:
        return matching && !before;
    case GA_TEXT_MERGED_WITH_NEXT:
        return before && !matching && !joined;
    default:
        return false;
    }
}

// A range is held until the next one does not join it: an empty one may grow.
enum ga_status ga_text_cut_matches(enum ga_text_behaviour behaviour, const struct ga_text_match *matches, size_t count,
                                   struct ga_text_cuts *out)
{
    enum ga_status status = GA_OK;
    struct ga_text_span held = {0, 0};
    bool joined = false;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        if (behaviour == GA_TEXT_REMOVED && matches[i].matches) {
            continue;
        }
        joined = i > 0 && joins_previous(behaviour, matches, i, joined);
        if (joined) {
            held.end = matches[i].span.end;
        } else {
            status = ga_text_cuts_append(out, held.begin, held.end);
            held = matches[i].span;
        }
    }
    return status == GA_OK ? ga_text_cuts_append(out, held.begin, held.end) : status;
}
