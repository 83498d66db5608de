// vocabulary.h: tokens by their bytes and by their ids, in two flat tables. Internal to libga_text.
#ifndef GA_TEXT_VOCABULARY_H
#define GA_TEXT_VOCABULARY_H

#include "reader.h"

enum { GA_TEXT_NO_ID = -1 };

// Zeroed memory is an empty one.
struct ga_text_vocabulary {
    char *bytes; // of all tokens, in the order of their ids
    size_t length;
    uint32_t *begins; // [count + 1], of ids in bytes
    bool *has;        // [count + 1], whether an id has a token
    size_t count;     // the largest id and 1
    size_t n_tokens;  // how many ids have a token
    int32_t *slots;   // [mask + 1], open addressing: an id, or GA_TEXT_NO_ID
    uint32_t mask;
};

// Reads an object { token: id }. Refuses ids below 0, above GA_TEXT_IDS, above 4 for each token plus 1024, and ids that
// two tokens have. Returns GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's error; vocabulary then is
// empty.
enum ga_status ga_text_vocabulary_read(struct ga_text_vocabulary *vocabulary, struct ga_text_reader *reader,
                                       json_t *object);

// Reads the tokens of a packed tokenizer: valid UTF-8 each, whatever the tables hold. Returns GA_OK, GA_FORMAT or
// GA_MEMORY after an entry in the reader's error; vocabulary then is empty.
enum ga_status ga_text_vocabulary_unpack(struct ga_text_vocabulary *vocabulary, struct ga_text_reader *reader);

// Makes of it what ga_text_vocabulary_unpack reads. GA_MEMORY.
enum ga_status ga_text_vocabulary_pack(const struct ga_text_vocabulary *vocabulary, struct ga_text_tables *tables);

// Makes one of tokens[count], whose ids are their places; of equal tokens the last has the id that is found, as in the
// package. Returns GA_OK, GA_MEMORY or GA_OVERFLOW; vocabulary then is empty.
enum ga_status ga_text_vocabulary_make(struct ga_text_vocabulary *vocabulary, const struct ga_text_bytes *tokens,
                                       size_t count);

// The id of a token, or GA_TEXT_NO_ID.
int32_t ga_text_vocabulary_id(const struct ga_text_vocabulary *vocabulary, const char *bytes, size_t length);

// The token of an id, borrowed; bytes NULL where there is none.
struct ga_text_bytes ga_text_vocabulary_token(const struct ga_text_vocabulary *vocabulary, int32_t id);

void ga_text_vocabulary_free(struct ga_text_vocabulary *vocabulary);

// A hash of bytes for open addressing: fast, not for secrets; tables that hostile files fill compare after it and are
// bounded.
uint64_t ga_text_hash(const char *bytes, size_t length);

#endif
