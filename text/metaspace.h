// metaspace.h: what the pre-tokenizer and the decoder Metaspace read. Internal to libga_text.
#ifndef GA_TEXT_METASPACE_H
#define GA_TEXT_METASPACE_H

#include <string.h>

#include "reader.h"

enum ga_text_prepend_scheme { GA_TEXT_ALWAYS, GA_TEXT_FIRST, GA_TEXT_NEVER };

struct ga_text_metaspace {
    char mark[4]; // one character
    size_t mark_length;
    enum ga_text_prepend_scheme scheme;
    bool split;
};

// struct ga_text_component_class's open; free() closes it.
enum ga_status ga_text_metaspace_open(struct ga_text_reader *reader, json_t *object, void **self_out);

// Whether the mark is at bytes + at, before bytes + end.
static inline bool ga_text_metaspace_is_at(const struct ga_text_metaspace *m, const char *bytes, size_t at, size_t end)
{
    return bytes[at] == m->mark[0] && end - at >= m->mark_length && memcmp(bytes + at, m->mark, m->mark_length) == 0;
}

#endif
