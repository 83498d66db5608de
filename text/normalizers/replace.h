// replace.h: what Replace as a normalizer and Replace as a decoder share. Internal to libga_text.
#ifndef GA_TEXT_REPLACE_H
#define GA_TEXT_REPLACE_H

#include "pattern.h"

struct ga_text_replace {
    struct ga_text_pattern *pattern;
    struct ga_text_bytes content; // its own copy
};

// The functions of a component (component.h) that is a Replace.
enum ga_status ga_text_replace_open(struct ga_text_reader *reader, json_t *object, void **self_out);
void ga_text_replace_close(void *self);
enum ga_status ga_text_replace_open_scratch(const void *self, void **scratch_out);

// Appends in to out, each match replaced. Returns GA_OK, GA_MEMORY or GA_OVERFLOW; GA_FORMAT after an entry in error
// where the pattern passes its limits.
enum ga_status ga_text_replace_apply(const struct ga_text_replace *replace, void *scratch,
                                     const struct ga_text_string *in, struct ga_text_string *out,
                                     struct ga_error *error);

#endif
