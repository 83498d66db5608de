// chunks.h: a cache from chunks of raw text (component.h) to their ids. Internal to libga_text.
#ifndef GA_TEXT_CHUNKS_H
#define GA_TEXT_CHUNKS_H

#include "component.h"
#include "text_model.h"

enum { GA_TEXT_LONGEST_CHUNK = 64, GA_TEXT_CHUNK_IDS = 64 }; // of a chunk that is kept: bytes, ids

struct ga_text_chunk;

// Bounded: what does not fit empties it. Zeroed memory is one that is not opened.
struct ga_text_chunks {
    struct ga_text_chunk *entries;
    char *keys;
    int32_t *ids;
    size_t count, n_keys, n_ids;
};

// Returns GA_OK or GA_MEMORY; chunks then is not opened.
enum ga_status ga_text_chunks_open(struct ga_text_chunks *chunks);
void ga_text_chunks_close(struct ga_text_chunks *chunks);

// Appends the ids of bytes[length], at most GA_TEXT_LONGEST_CHUNK, to tokens, with empty ranges. *found_out: whether
// they were there. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_chunks_find(const struct ga_text_chunks *chunks, const char *bytes, size_t length,
                                   struct ga_text_where where, struct ga_text_tokens *tokens, bool *found_out);

// Keeps tokens[count] for bytes[length], where they are few enough.
void ga_text_chunks_keep(struct ga_text_chunks *chunks, const char *bytes, size_t length, struct ga_text_where where,
                         const struct ga_text_token *tokens, size_t count);

// The end of the chunk of bytes[length] that begins at `begin`.
size_t ga_text_chunk_end(const char *bytes, size_t length, size_t begin);

#endif
