// word_cache.h: the tokens of short pieces of text that were seen before, in a table of fixed size. Internal to
// libga_text. Holds no tokens of long pieces: those are worked out each time.
#ifndef GA_TEXT_WORD_CACHE_H
#define GA_TEXT_WORD_CACHE_H

#include "text_model.h"

struct ga_text_word; // a piece and its tokens, in a line of the CPU's cache

// Zeroed memory is a cache that has not been used; its table is allocated with the first piece that is kept.
struct ga_text_word_cache {
    struct ga_text_word *words; // [GA_TEXT_WORDS], each where the hash of its piece says; NULL before the first
    bool failed;                // no memory was to be had: nothing is kept
};

// Appends the tokens of piece[length] to out if they are kept, and says so in *found_out. position: where the piece begins;
// it is added to their places. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_word_cache_find(const struct ga_text_word_cache *cache, struct ga_text_bytes piece,
                                       size_t position, struct ga_text_tokens *out, bool *found_out);

// Keeps tokens[count] of a piece that begins at position in place of another piece's, if they are few, the piece is short,
// and the tokens cover it from its beginning to its end without gaps. Without memory for the table nothing is kept,
// which changes no result.
void ga_text_word_cache_keep(struct ga_text_word_cache *cache, struct ga_text_bytes piece, size_t position,
                             const struct ga_text_token *tokens, size_t count);

void ga_text_word_cache_free(struct ga_text_word_cache *cache);

#endif
