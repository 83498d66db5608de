// word_cache.c: the ids of short pieces of text that were seen before. Knows no model and no text.
#include "word_cache.h"

#include <stdlib.h>

enum ga_status ga_text_word_cache_open(struct ga_text_word_cache *cache)
{
    cache->words = calloc(GA_TEXT_WORDS, sizeof(*cache->words));
    return cache->words == NULL ? GA_MEMORY : GA_OK;
}

void ga_text_word_cache_close(struct ga_text_word_cache *cache)
{
    free(cache->words);
    cache->words = NULL;
}

void ga_text_word_keep(struct ga_text_word *slot, const struct ga_text_word *key, const struct ga_text_token *tokens,
                       size_t count)
{
    if (count > GA_TEXT_WORD_IDS) {
        return;
    }
    *slot = *key;
    slot->count = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        slot->ids[i] = tokens[i].id;
    }
}
