// text_model.h: a model: ids of one piece of text. Internal to libga_text. Knows nothing of texts, added tokens and
// offsets in the original.
#ifndef GA_TEXT_TEXT_MODEL_H
#define GA_TEXT_TEXT_MODEL_H

#include "component.h"
#include "vocabulary.h"

// A token of a piece: its id, and which bytes of the piece it covers.
struct ga_text_token {
    int32_t id;
    uint32_t begin;
    uint32_t end;
};

// Tokens that grow. Zeroed memory is an empty list.
struct ga_text_tokens {
    struct ga_text_token *items; // [count], room for capacity
    size_t count;
    size_t capacity;
};

// Appends a token. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
enum ga_status ga_text_tokens_reserve(struct ga_text_tokens *tokens, size_t more); // makes room, with the same answers
enum ga_status ga_text_tokens_append(struct ga_text_tokens *tokens, int32_t id, size_t begin, size_t end);
void ga_text_tokens_free(struct ga_text_tokens *tokens);

// The tokens from place `begin` on, of at least as many; NULL where there never was one.
static inline const struct ga_text_token *ga_text_tokens_from(const struct ga_text_tokens *tokens, size_t begin)
{
    return tokens->items ? tokens->items + begin : NULL;
}

struct ga_text_model_class {
    struct ga_text_component_class base; // scratch: caches and work space; no state that changes results

    // Appends the tokens of piece[length] (normalized UTF-8, at least one byte) to out. Linear in length, but for a
    // logarithm. Returns GA_OK, GA_MEMORY or GA_OVERFLOW; GA_FORMAT after an entry in error where the piece needs the
    // token for unknown pieces and the vocabulary has none.
    enum ga_status (*encode)(const void *self, void *scratch, const char *piece, size_t length,
                             struct ga_text_tokens *out, struct ga_error *error);

    // The model's own tokens, without added ones. Borrowed.
    const struct ga_text_vocabulary *(*vocabulary)(const void *self);

    // Makes the tables of a packed tokenizer of it, which are empty: those that open then reads (struct ga_text_reader)
    // in the place of the JSON's "vocab" and "merges". GA_OK, GA_MEMORY or GA_OVERFLOW.
    enum ga_status (*pack)(const void *self, struct ga_text_tables *tables);

    // Whether the text of a token, where it is asked for, is what the token covers of the piece instead of what the
    // vocabulary has for its id: so of Unigram's unknown pieces. NULL: never.
    bool (*is_surface)(const void *self, int32_t id);

    // Whether pieces have words: NULL: they have none. The end of the word of piece[length] that begins at `begin`; the
    // tokens of the piece are those of its words, one after the other, but for their ranges.
    bool (*has_words)(const void *self);
    size_t (*word_end)(const void *self, const char *piece, size_t length, size_t begin);

    ga_text_edges_function *edges; // asked only where edges are not cut
};

extern const struct ga_text_model_class ga_text_wordpiece;
extern const struct ga_text_model_class ga_text_bpe;
extern const struct ga_text_model_class ga_text_unigram;

#endif
