// transform.h: a text rewritten character by character, with the alignment that the tokenizers package keeps. Internal
// to libga_text.
#ifndef GA_TEXT_TRANSFORM_H
#define GA_TEXT_TRANSFORM_H

#include "bytes.h"

// Where rewriting stands: what is before `at` in `in` has been used up. Set at to skip what is removed in front.
struct ga_text_transform {
    const struct ga_text_string *in;
    struct ga_text_string *out;
    size_t at;
};

// Appends a code point to out. change 0: it takes the place of the next character of in. -n: and n more characters are
// removed after that one. 1: it is inserted, with the span of what is before it. Returns GA_OK, GA_MEMORY or
// GA_OVERFLOW.
enum ga_status ga_text_put(struct ga_text_transform *transform, uint32_t code_point, int change);

// The byte after the next `count` characters of text from `at` on.
size_t ga_text_skip(const struct ga_text_string *text, size_t at, size_t count);

// Appends in without the characters for which removes(code point) holds. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_filter(const struct ga_text_string *in, bool (*removes)(uint32_t code_point),
                              struct ga_text_string *out);

// Appends in, in lower case. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_lowercase_text(const struct ga_text_string *in, struct ga_text_string *out);

#endif
