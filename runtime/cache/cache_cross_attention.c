// cache_cross_attention.c: what a cache holds of the memories that a decoder attends to: which sequences have theirs,
// and which get them with a call. Projects nothing; the keys and values are written by the generated code.
#include "cache.h"

static bool has_memory(const struct ga_cache *cache)
{
    return cache != NULL && cache->memory != 0;
}

// Whether a call has the first rows of a sequence after its memory. One without rows waits for a call that has some:
// what is given of it before then means nothing.
static bool takes_memory(const struct ga_io *call, size_t sequence)
{
    return ga_cache_new_keys(call, sequence) > 0 &&
           ga_cache_counts(ga_cache_memory(call->cache, 0), GA_CACHE_HELD)[sequence] == 0;
}

enum ga_status ga_cache_check_memory(const struct ga_io *call, struct ga_error *error)
{
    const bool is_given = call->key != NULL || call->key_tokens != NULL || call->memory != NULL;
    for (size_t b = 0; has_memory(call->cache) && !is_given && b < call->batch; b++) {
        if (takes_memory(call, b)) {
            return ga_fail(
                error, GA_ARGUMENT,
                "%s: the call gives nothing to attend to (%s), and the cache holds nothing of sequence %zu "
                "to attend to; expected it in the first call with rows of a sequence",
                call->cache->model->name,
                call->cache->model->kind == GA_TRANSFORMER ? "key, key_tokens and memory are NULL" : "key is NULL", b);
        }
    }
    return GA_OK;
}

void ga_cache_join_memory(const struct ga_io *call)
{
    for (size_t b = 0; has_memory(call->cache) && b < call->batch; b++) {
        const size_t rows = call->kv_lengths == NULL ? call->kv_len : (size_t)call->kv_lengths[b];
        ga_cache_counts(ga_cache_memory(call->cache, 0), GA_CACHE_JOINING)[b] =
            takes_memory(call, b) ? (int32_t)rows : 0;
    }
}

void ga_cache_hold_memory(const struct ga_io *call)
{
    const int32_t *joining = has_memory(call->cache) ? ga_cache_joining(call->cache) : NULL;
    for (size_t b = 0; joining != NULL && b < call->batch; b++) {
        if (!takes_memory(call, b)) {
            continue;
        }
        for (size_t layer = 0; layer < call->cache->layers; layer++) {
            ga_cache_counts(ga_cache_memory(call->cache, layer), GA_CACHE_LENGTHS)[b] = joining[b];
        }
        ga_cache_counts(ga_cache_memory(call->cache, 0), GA_CACHE_HELD)[b] = 1;
    }
}

void ga_cache_forget_memory(struct ga_cache *cache, size_t sequence)
{
    for (size_t layer = 0; has_memory(cache) && layer < cache->layers; layer++) {
        ga_cache_counts(ga_cache_memory(cache, layer), GA_CACHE_LENGTHS)[sequence] = 0;
    }
    if (has_memory(cache)) {
        ga_cache_counts(ga_cache_memory(cache, 0), GA_CACHE_HELD)[sequence] = 0;
    }
}
