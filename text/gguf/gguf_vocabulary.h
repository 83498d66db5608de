// gguf_vocabulary.h: the tokens of a GGUF file with their types, and the ids and switches that go with them, checked.
// Internal to libga_text.
#ifndef GA_TEXT_GGUF_VOCABULARY_H
#define GA_TEXT_GGUF_VOCABULARY_H

#include "gguf_metadata.h"

// What tokenizer.ggml.token_type says.
enum ga_text_gguf_type {
    GA_TEXT_GGUF_NORMAL = 1,
    GA_TEXT_GGUF_UNKNOWN_TYPE,
    GA_TEXT_GGUF_CONTROL,
    GA_TEXT_GGUF_USER,
    GA_TEXT_GGUF_UNUSED
};

struct ga_text_gguf_vocabulary {
    struct ga_text_bytes *tokens; // [count], in the file's bytes; an empty one has length 0
    size_t count;
    int64_t bos, eos, unknown, separator; // ids; -1: there is none
    bool adds_bos, adds_eos, adds_prefix;
    bool strips_right; // special tokens take the white space after them along
};

// Reads it. bos, eos, unknown, separator and the switches have their defaults before, which the file's values replace;
// ids beyond the tokens are refused, or as defaults left out. GA_OK, GA_FORMAT or GA_MEMORY after an entry in error.
enum ga_status ga_text_gguf_vocabulary_read(const struct ga_text_gguf *gguf,
                                            struct ga_text_gguf_vocabulary *vocabulary);

// The type of a token, of enum ga_text_gguf_type or another number. Tokens that end a text in chats are control tokens
// whatever the file says, as in llama.cpp.
uint32_t ga_text_gguf_type(const struct ga_text_gguf *gguf, const struct ga_text_gguf_vocabulary *vocabulary,
                           size_t id);

// Whether generation ends at a token: it is the end of a text, of a turn or of a message, by its id or by its name.
bool ga_text_gguf_ends(const struct ga_text_gguf *gguf, const struct ga_text_gguf_vocabulary *vocabulary, size_t id);

void ga_text_gguf_vocabulary_free(struct ga_text_gguf_vocabulary *vocabulary);

#endif
