// word_cache.h: the ids of short pieces of text that were seen before, in a table of fixed size, a line of the CPU's
// cache for each. Internal to libga_text. Keeps no long pieces: those are worked out each time.
#ifndef GA_TEXT_WORD_CACHE_H
#define GA_TEXT_WORD_CACHE_H

#include <string.h>

#include "text_model.h"

enum {
    GA_TEXT_WORD_BITS = 16,
    GA_TEXT_WORDS = 1 << GA_TEXT_WORD_BITS, // 4 MiB: the words that make up nearly all texts of a language
    GA_TEXT_WORD_BYTES = 32,
    GA_TEXT_WORD_IDS = 7,
};

// A piece and its ids: 64 bytes. Zeroed memory is a piece of no bytes, which nobody looks up.
struct ga_text_word {
    uint64_t bytes[GA_TEXT_WORD_BYTES / 8]; // of the piece: see ga_text_word_key
    uint8_t length;
    uint8_t place; // what the ids depend on besides, as the caller counts it
    uint8_t count; // of ids
    int32_t ids[GA_TEXT_WORD_IDS];
};

struct ga_text_word_cache {
    struct ga_text_word *words; // [GA_TEXT_WORDS], each where its piece says
};

// Returns GA_OK or GA_MEMORY.
enum ga_status ga_text_word_cache_open(struct ga_text_word_cache *cache);
void ga_text_word_cache_close(struct ga_text_word_cache *cache);

static inline uint64_t ga_text_load(const char *bytes, size_t length)
{
    uint64_t value = 0;
    memcpy(&value, bytes, length);
    return value;
}

// Fills word->bytes, length and place: pieces are equal where these are. length: 1 to GA_TEXT_WORD_BYTES. Bytes are
// loaded by eights that may overlap, which is the same for all pieces of this length.
static inline void ga_text_word_key(struct ga_text_word *word, const char *bytes, size_t length, unsigned place)
{
    uint64_t key[4] = {0};
    if (length < 4) {
        key[0] = (unsigned char)bytes[0] | (unsigned)(unsigned char)bytes[length / 2] << 8 |
                 (unsigned)(unsigned char)bytes[length - 1] << 16;
    } else if (length < 8) {
        key[0] = ga_text_load(bytes, 4) | ga_text_load(bytes + length - 4, 4) << 32;
    } else if (length <= 16) {
        key[0] = ga_text_load(bytes, 8);
        key[1] = ga_text_load(bytes + length - 8, 8);
    } else {
        key[0] = ga_text_load(bytes, 8);
        key[1] = ga_text_load(bytes + 8, 8);
        key[2] = ga_text_load(bytes + length - 16, 8);
        key[3] = ga_text_load(bytes + length - 8, 8);
    }
    memcpy(word->bytes, key, sizeof(key));
    word->length = (uint8_t)length;
    word->place = (uint8_t)place;
}

// The only place where the piece of a key may be kept.
static inline struct ga_text_word *ga_text_word_slot(const struct ga_text_word_cache *cache,
                                                     const struct ga_text_word *key)
{
    uint64_t hash =
        (key->bytes[0] ^ (uint64_t)key->length << 56 ^ (uint64_t)key->place << 48) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key->bytes[1]) * UINT64_C(0xD6E8FEB86659FD93);
    if (key->length > 16) {
        hash = (hash ^ hash >> 29 ^ key->bytes[2]) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 32 ^ key->bytes[3]) * UINT64_C(0xD6E8FEB86659FD93);
    }
    return &cache->words[hash >> (64 - GA_TEXT_WORD_BITS)];
}

static inline bool ga_text_word_is(const struct ga_text_word *word, const struct ga_text_word *key)
{
    const uint64_t different = (word->bytes[0] ^ key->bytes[0]) | (word->bytes[1] ^ key->bytes[1]) |
                               (word->bytes[2] ^ key->bytes[2]) | (word->bytes[3] ^ key->bytes[3]);
    return different == 0 && word->length == key->length && word->place == key->place;
}

// Appends the ids that are kept, with empty ranges. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
static inline enum ga_status ga_text_word_append(const struct ga_text_word *word, struct ga_text_tokens *tokens)
{
    if (tokens->capacity - tokens->count < GA_TEXT_WORD_IDS) {
        void *items = tokens->items;
        const enum ga_status status =
            ga_text_grow(&items, &tokens->capacity, tokens->count, GA_TEXT_WORD_IDS, sizeof(*tokens->items));
        tokens->items = items;
        if (status != GA_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < word->count; i++) {
        tokens->items[tokens->count + i] = (struct ga_text_token){word->ids[i], 0, 0};
    }
    tokens->count += word->count;
    return GA_OK;
}

// Keeps tokens[count] for the piece of a key in place of what is there, if they are few.
void ga_text_word_keep(struct ga_text_word *slot, const struct ga_text_word *key, const struct ga_text_token *tokens,
                       size_t count);

#endif
