// charsmap.h: sentencepiece's precompiled map from texts to texts: a double array over bytes, and the texts that its
// values point to. Internal to libga_text. Any bytes may be given for one: a look-up never leaves them.
#ifndef GA_TEXT_CHARSMAP_H
#define GA_TEXT_CHARSMAP_H

#include "bytes.h"

struct ga_text_charsmap {
    uint32_t *units; // [n_units], the double array
    size_t n_units;
    char *texts; // [length], valid UTF-8; each ends with a NUL or with the last byte
    size_t length;
};

// What is wrong with bytes that are no map: a sentence's end for a message, or NULL for nothing.
struct ga_text_charsmap_fault {
    const char *found, *expected;
};

// Reads a map from base64. Returns GA_OK, GA_MEMORY, or GA_FORMAT with *fault_out filled; charsmap then is empty.
enum ga_status ga_text_charsmap_read(struct ga_text_charsmap *charsmap, struct ga_text_bytes base64,
                                     struct ga_text_charsmap_fault *fault_out);

void ga_text_charsmap_free(struct ga_text_charsmap *charsmap);

// What the shortest key that key[length] begins with is mapped to: borrowed; bytes NULL if there is none.
struct ga_text_bytes ga_text_charsmap_find(const struct ga_text_charsmap *charsmap, const char *key, size_t length);

// What the longest key that key[length] begins with is mapped to, *taken_out its bytes; bytes NULL if there is none.
// Keys of more than 256 bytes are not found: a damaged map has some without end.
struct ga_text_bytes ga_text_charsmap_longest(const struct ga_text_charsmap *charsmap, const char *key, size_t length,
                                              size_t *taken_out);

// Whether a key begins with text[length].
bool ga_text_charsmap_has(const struct ga_text_charsmap *charsmap, const char *text, size_t length);

#endif
