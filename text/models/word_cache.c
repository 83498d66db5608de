// word_cache.c: the tokens of short pieces of text that were seen before, in a table of fixed size. Knows no model.
#include "word_cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    GA_TEXT_WORDS = 1 << 15, // 2 MiB: about the vocabulary of a language, and what a core has of its own
    GA_TEXT_WORD_BYTES = 32,
    GA_TEXT_WORD_TOKENS = 6,
};

// 64 bytes. The bytes of a piece after its length are zero, so that equal pieces have equal words.
struct ga_text_word {
    uint64_t key[GA_TEXT_WORD_BYTES / 8];
    int32_t ids[GA_TEXT_WORD_TOKENS];
    uint8_t ends[GA_TEXT_WORD_TOKENS];
    uint8_t length; // of the piece; 0: nothing is kept here
    uint8_t count;
};

static void read_key(const char *piece, size_t length, uint64_t key[4])
{
    memset(key, 0, GA_TEXT_WORD_BYTES);
    memcpy(key, piece, length);
}

static size_t place_of(const uint64_t key[4], size_t length)
{
    uint64_t hash = (key[0] + length) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key[1]) * UINT64_C(0xD6E8FEB86659FD93);
    hash = (hash ^ hash >> 29 ^ key[2]) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ key[3]) * UINT64_C(0xD6E8FEB86659FD93);
    return hash >> 49;
}

static bool has_key(const struct ga_text_word *word, const uint64_t key[4], size_t length)
{
    const uint64_t different = (word->key[0] ^ key[0]) | (word->key[1] ^ key[1]) | (word->key[2] ^ key[2]) |
                               (word->key[3] ^ key[3]) | (word->length ^ length);
    return different == 0;
}

static enum ga_status append_word(const struct ga_text_word *word, size_t position, struct ga_text_tokens *out)
{
    void *items = out->items;
    const enum ga_status status = ga_text_grow(&items, &out->capacity, out->count, word->count, sizeof(*out->items));
    out->items = items;
    if (status != GA_OK) {
        return status;
    }
    struct ga_text_token *tokens = out->items + out->count;
    size_t begin = position;
    for (size_t i = 0; i < word->count; i++) {
        const size_t end = position + word->ends[i];
        tokens[i] = (struct ga_text_token){word->ids[i], (uint32_t)begin, (uint32_t)end};
        begin = end;
    }
    out->count += word->count;
    return GA_OK;
}

enum ga_status ga_text_word_cache_find(const struct ga_text_word_cache *cache, struct ga_text_bytes piece,
                                       size_t position, struct ga_text_tokens *out, bool *found_out)
{
    *found_out = false;
    if (cache->words == NULL || piece.length == 0 || piece.length > GA_TEXT_WORD_BYTES) {
        return GA_OK;
    }
    uint64_t key[4];
    read_key(piece.bytes, piece.length, key);
    const struct ga_text_word *word = &cache->words[place_of(key, piece.length)];
    *found_out = has_key(word, key, piece.length);
    return *found_out ? append_word(word, position, out) : GA_OK;
}

static bool can_keep(size_t length, size_t position, const struct ga_text_token *tokens, size_t count)
{
    if (length == 0 || length > GA_TEXT_WORD_BYTES || count > GA_TEXT_WORD_TOKENS) {
        return false;
    }
    size_t end = position;
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].begin != end || tokens[i].end <= end) {
            return false;
        }
        end = tokens[i].end;
    }
    return end == position + length;
}

static bool has_table(struct ga_text_word_cache *cache)
{
    if (cache->words == NULL && !cache->failed) {
        cache->words = calloc(GA_TEXT_WORDS, sizeof(*cache->words));
        cache->failed = cache->words == NULL;
    }
    return !cache->failed;
}

void ga_text_word_cache_keep(struct ga_text_word_cache *cache, struct ga_text_bytes piece, size_t position,
                             const struct ga_text_token *tokens, size_t count)
{
    if (!can_keep(piece.length, position, tokens, count) || !has_table(cache)) {
        return;
    }
    uint64_t key[4];
    read_key(piece.bytes, piece.length, key);
    struct ga_text_word *word = &cache->words[place_of(key, piece.length)];
    memcpy(word->key, key, sizeof(key));
    for (size_t i = 0; i < count; i++) {
        word->ids[i] = tokens[i].id;
        word->ends[i] = (uint8_t)(tokens[i].end - position);
    }
    word->length = (uint8_t)piece.length;
    word->count = (uint8_t)count;
}

void ga_text_word_cache_free(struct ga_text_word_cache *cache)
{
    free(cache->words);
    *cache = (struct ga_text_word_cache){0};
}
