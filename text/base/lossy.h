// lossy.h: bytes that may not be UTF-8, as text: U+FFFD takes the place of what is not. Internal to libga_text.
#ifndef GA_TEXT_LOSSY_H
#define GA_TEXT_LOSSY_H

#include "bytes.h"

// Appends bytes[length] to out; each longest beginning of a character that does not end as one, or a byte that begins
// none, becomes one U+FFFD, as Unicode recommends and Rust does. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_append_lossy(struct ga_text_string *out, const char *bytes, size_t length);

#endif
