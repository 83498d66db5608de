// chunks.h: a cache from chunks of raw text (component.h) to their ids. Internal to libga_text.
#ifndef GA_TEXT_CHUNKS_H
#define GA_TEXT_CHUNKS_H

#include "component.h"
#include "text_model.h"

enum { GA_TEXT_LONGEST_CHUNK = 32, GA_TEXT_CHUNK_IDS = 6 }; // of a chunk that is kept: bytes, ids

struct ga_text_chunk;

// Of a fixed size: a chunk takes the place of another where there is none free. Zeroed memory is one that is not opened.
struct ga_text_chunks {
    struct ga_text_chunk *entries;
    uint32_t next; // which of its set the next one takes the place of
};

// A chunk as the cache has it: its bytes with zeros after them, and their hash.
struct ga_text_chunk_key {
    uint64_t words[GA_TEXT_LONGEST_CHUNK / 8];
    uint32_t hash;
    uint8_t length;
    uint8_t where;
};

// Returns GA_OK or GA_MEMORY.
enum ga_status ga_text_chunks_open(struct ga_text_chunks *chunks);
void ga_text_chunks_close(struct ga_text_chunks *chunks);

// Makes the key of bytes[length], of at most GA_TEXT_LONGEST_CHUNK bytes; `readable` bytes may be read.
void ga_text_chunk_make_key(struct ga_text_chunk_key *key, const char *bytes, size_t length, size_t readable,
                            struct ga_text_where where);

// Appends the ids of a chunk to tokens, with empty ranges. *found_out: whether they were there. Returns GA_OK, GA_MEMORY
// or GA_OVERFLOW.
enum ga_status ga_text_chunks_find(const struct ga_text_chunks *chunks, const struct ga_text_chunk_key *key,
                                   struct ga_text_tokens *tokens, bool *found_out);

// Keeps tokens[count] for a chunk, where they are few enough.
void ga_text_chunks_keep(struct ga_text_chunks *chunks, const struct ga_text_chunk_key *key,
                         const struct ga_text_token *tokens, size_t count);

// The end of the chunk of bytes[length] that begins at `begin`.
size_t ga_text_chunk_end(const char *bytes, size_t length, size_t begin);

#endif
