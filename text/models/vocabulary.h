// vocabulary.h: tokens by their bytes and by their ids, in two flat tables. Internal to libga_text.
#ifndef GA_TEXT_VOCABULARY_H
#define GA_TEXT_VOCABULARY_H

#include "reader.h"

enum {
    GA_TEXT_NO_ID = -1,
    GA_TEXT_LONGEST_TOKEN = 512, // bytes of a token of WordPiece and Unigram, which look at so many from each byte on
};

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
    uint64_t seed; // of the hash
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
// package. Returns GA_OK, GA_MEMORY, GA_OVERFLOW, or GA_FORMAT where hashes of too many are
// alike; vocabulary then is empty.
enum ga_status ga_text_vocabulary_make(struct ga_text_vocabulary *vocabulary, const struct ga_text_bytes *tokens,
                                       size_t count);

// The id of a token, or GA_TEXT_NO_ID.
int32_t ga_text_vocabulary_id(const struct ga_text_vocabulary *vocabulary, const char *bytes, size_t length);

// The token of an id, borrowed; bytes NULL where there is none.
struct ga_text_bytes ga_text_vocabulary_token(const struct ga_text_vocabulary *vocabulary, int32_t id);

// Refuses tokens of more than GA_TEXT_LONGEST_TOKEN bytes: GA_FORMAT after an entry in the reader's error.
enum ga_status ga_text_vocabulary_check_lengths(const struct ga_text_vocabulary *vocabulary,
                                                struct ga_text_reader *reader);

void ga_text_vocabulary_free(struct ga_text_vocabulary *vocabulary);

// Says in the reader's error why ga_text_vocabulary_make gave a status, which it returns.
enum ga_status ga_text_vocabulary_refuse(struct ga_text_reader *reader, enum ga_status status);

// A hash of bytes for open addressing: fast, not for secrets. A table that hostile files fill looks at GA_TEXT_PROBES
// slots and no more: where they do not do, it is made again by the next seed, and refused after GA_TEXT_SEEDS. What
// comes of it hangs on the file alone. Of 2^24 entries in twice as many slots, one needs more than 90 by chance.
enum { GA_TEXT_PROBES = 256, GA_TEXT_SEEDS = 8 };
uint64_t ga_text_hash(const char *bytes, size_t length, uint64_t seed);

#endif
