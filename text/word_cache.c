// word_cache.c: the ids of short pieces of text that were seen before. Knows no model and no text.
#include "word_cache.h"

#include <stdlib.h>

enum ga_status ga_text_word_cache_open(struct ga_text_word_cache *cache)
{
    cache->shorts = calloc((size_t)1 << GA_TEXT_SHORT_BITS, sizeof(*cache->shorts));
    cache->longs = calloc((size_t)1 << GA_TEXT_LONG_BITS, sizeof(*cache->longs));
    if (cache->shorts == NULL || cache->longs == NULL) {
        ga_text_word_cache_close(cache);
        return GA_MEMORY;
    }
    return GA_OK;
}

void ga_text_word_cache_close(struct ga_text_word_cache *cache)
{
    free(cache->shorts);
    free(cache->longs);
    *cache = (struct ga_text_word_cache){0};
}

static void copy_ids(int32_t *ids, const struct ga_text_token *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids[i] = tokens[i].id;
    }
}

static void keep_short(struct ga_text_short_word *words, const struct ga_text_word_key *key,
                       const struct ga_text_token *tokens, size_t count)
{
    memmove(words + 1, words, (GA_TEXT_SHORT_WAYS - 1) * sizeof(*words));
    words[0] = (struct ga_text_short_word){
        .bytes = {key->bytes[0], key->bytes[1]}, .length = key->length, .count = (uint16_t)count};
    copy_ids(words[0].ids, tokens, count);
}

static void keep_long(struct ga_text_long_word *words, const struct ga_text_word_key *key,
                      const struct ga_text_token *tokens, size_t count)
{
    memmove(words + 1, words, (GA_TEXT_LONG_WAYS - 1) * sizeof(*words));
    words[0] = (struct ga_text_long_word){.length = key->length, .count = (uint16_t)count};
    memcpy(words[0].bytes, key->bytes, sizeof(key->bytes));
    copy_ids(words[0].ids, tokens, count);
}

void ga_text_word_keep(const struct ga_text_word_cache *cache, const struct ga_text_word_key *key,
                       const struct ga_text_token *tokens, size_t count)
{
    if ((key->length & 0xFF) <= GA_TEXT_SHORT_BYTES && count <= GA_TEXT_SHORT_IDS) {
        keep_short(ga_text_short_words(cache, key), key, tokens, count);
    } else if (count <= GA_TEXT_WORD_IDS) {
        keep_long(ga_text_long_words(cache, key), key, tokens, count);
    }
}
