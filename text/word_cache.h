// word_cache.h: the ids of short pieces of text that were seen before, in a table of fixed size, a line of the CPU's
// cache for each. Internal to libga_text. Keeps no long pieces: those are worked out each time.
#ifndef GA_TEXT_WORD_CACHE_H
#define GA_TEXT_WORD_CACHE_H

#include <string.h>

#include "text_model.h"

enum {
    GA_TEXT_WORD_BYTES = 32, // of the longest piece that is kept
    GA_TEXT_WORD_IDS = 7,    // of a piece that is kept, at most
    GA_TEXT_SHORT_BYTES = 16,
    GA_TEXT_SHORT_IDS = 3,
    GA_TEXT_SHORT_WAYS = 4, // pieces that may be kept in the same place
    GA_TEXT_LONG_WAYS = 2,
    GA_TEXT_SHORT_BITS = 15, // of the number of places: 4 MiB, the words that make up nearly all texts of a language
    GA_TEXT_LONG_BITS = 12,  // 512 KiB
};

// What pieces are looked up by: they are equal where keys are. bytes: those of the piece, by eights that may overlap.
struct ga_text_word_key {
    uint64_t bytes[GA_TEXT_WORD_BYTES / 8];
    uint64_t hash;
    uint16_t length; // of the piece, and above its 8 bits what the ids depend on besides, as the caller counts it
};

// A piece and its ids: 32 and 64 bytes. Zeroed memory is a piece of no bytes, which nobody looks up.
struct ga_text_short_word {
    uint64_t bytes[GA_TEXT_SHORT_BYTES / 8];
    uint16_t length;
    uint16_t count;
    int32_t ids[GA_TEXT_SHORT_IDS];
};

struct ga_text_long_word {
    uint64_t bytes[GA_TEXT_WORD_BYTES / 8];
    uint16_t length;
    uint16_t count;
    int32_t ids[GA_TEXT_WORD_IDS];
};

struct ga_text_word_cache {
    struct ga_text_short_word (*shorts)[GA_TEXT_SHORT_WAYS]; // the latest is first
    struct ga_text_long_word (*longs)[GA_TEXT_LONG_WAYS];
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

static inline uint64_t ga_text_word_hash(const struct ga_text_word_key *key)
{
    uint64_t hash = (key->bytes[0] ^ (uint64_t)key->length << 48) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key->bytes[1]) * UINT64_C(0xD6E8FEB86659FD93);
    if ((key->length & 0xFF) > GA_TEXT_SHORT_BYTES) {
        hash = (hash ^ hash >> 29 ^ key->bytes[2]) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 32 ^ key->bytes[3]) * UINT64_C(0xD6E8FEB86659FD93);
    }
    return hash;
}

static inline struct ga_text_short_word *ga_text_short_words(const struct ga_text_word_cache *cache,
                                                             const struct ga_text_word_key *key)
{
    return cache->shorts[key->hash >> (64 - GA_TEXT_SHORT_BITS)];
}

static inline struct ga_text_long_word *ga_text_long_words(const struct ga_text_word_cache *cache,
                                                           const struct ga_text_word_key *key)
{
    return cache->longs[key->hash >> (64 - GA_TEXT_LONG_BITS)];
}

// Makes the key of bytes[length], 1 to GA_TEXT_WORD_BYTES of them, and asks the CPU for what find will look at.
// place: below 256.
static inline void ga_text_word_begin(const struct ga_text_word_cache *cache, const char *bytes, size_t length,
                                      unsigned place, struct ga_text_word_key *key)
{
    key->bytes[1] = key->bytes[2] = key->bytes[3] = 0;
    if (length < 4) {
        key->bytes[0] = (unsigned char)bytes[0] | (unsigned)(unsigned char)bytes[length / 2] << 8 |
                        (unsigned)(unsigned char)bytes[length - 1] << 16;
    } else if (length < 8) {
        key->bytes[0] = ga_text_load(bytes, 4) | ga_text_load(bytes + length - 4, 4) << 32;
    } else {
        key->bytes[0] = ga_text_load(bytes, 8);
        key->bytes[1] = ga_text_load(length <= 16 ? bytes + length - 8 : bytes + 8, 8);
        key->bytes[2] = length <= 16 ? 0 : ga_text_load(bytes + length - 16, 8);
        key->bytes[3] = length <= 16 ? 0 : ga_text_load(bytes + length - 8, 8);
    }
    key->length = (uint16_t)(length | place << 8);
    key->hash = ga_text_word_hash(key);
#if defined(__GNUC__)
    __builtin_prefetch(length <= GA_TEXT_SHORT_BYTES ? (const void *)ga_text_short_words(cache, key)
                                                     : (const void *)ga_text_long_words(cache, key));
#endif
}

// The ids of a piece, *count_out of them, or NULL where it is not kept. Valid until the next piece is kept.
static inline const int32_t *ga_text_word_find(const struct ga_text_word_cache *cache,
                                               const struct ga_text_word_key *key, size_t *count_out)
{
    const struct ga_text_short_word *shorts = ga_text_short_words(cache, key);
    for (size_t i = 0; (key->length & 0xFF) <= GA_TEXT_SHORT_BYTES && i < GA_TEXT_SHORT_WAYS; i++) {
        if (shorts[i].bytes[0] == key->bytes[0] && shorts[i].bytes[1] == key->bytes[1] &&
            shorts[i].length == key->length) {
            return *count_out = shorts[i].count, shorts[i].ids;
        }
    }
    const struct ga_text_long_word *longs = ga_text_long_words(cache, key);
    for (size_t i = 0; i < GA_TEXT_LONG_WAYS; i++) {
        if (memcmp(longs[i].bytes, key->bytes, sizeof(key->bytes)) == 0 && longs[i].length == key->length) {
            return *count_out = longs[i].count, longs[i].ids;
        }
    }
    return NULL;
}

// Appends ids[count], at most GA_TEXT_WORD_IDS, with empty ranges. Returns GA_OK, GA_MEMORY or GA_OVERFLOW.
static inline enum ga_status ga_text_word_append(const int32_t *ids, size_t count, struct ga_text_tokens *tokens)
{
    if (tokens->capacity - tokens->count < GA_TEXT_WORD_IDS) {
        const enum ga_status status = ga_text_tokens_reserve(tokens, GA_TEXT_WORD_IDS);
        if (status != GA_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        tokens->items[tokens->count + i] = (struct ga_text_token){ids[i], 0, 0};
    }
    tokens->count += count;
    return GA_OK;
}

// Keeps tokens[count] for the piece of a key in place of the oldest that is there, if they are few.
void ga_text_word_keep(const struct ga_text_word_cache *cache, const struct ga_text_word_key *key,
                       const struct ga_text_token *tokens, size_t count);

#endif
