// cache.h: how a cache of keys and values lies in its block. For the runtime and generated code; callers see model.h.
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// The start of a cache's block, or of the part of it that is one layer's. Everything behind it is found by sizes and
// not by pointers, so that a copy of the bytes is a cache too. The lengths follow, then for each sequence and key head
// a store: panels of keys, then rows of values.
struct ga_cache {
    const struct ga_model *model;
    const struct ga_variant *variant;
    size_t batch, capacity;
    size_t layers; // of a whole model: as many of these blocks follow each other, one for each layer
    size_t bytes;  // of each
    size_t stores; // where they begin, in bytes from here
    size_t store;  // floats of each
    size_t values; // where its values begin, in floats
};

// The part of a whole model's cache that is one layer's, a cache as a single layer has it.
static inline struct ga_cache *ga_cache_layer(struct ga_cache *cache, size_t layer)
{
    return (struct ga_cache *)((unsigned char *)cache + layer * cache->bytes);
}

// The store of a sequence and a key head: panels of keys, [.][d_head][variant->cache.key_panel], a column a key.
static inline float *ga_cache_keys(const struct ga_cache *cache, size_t sequence, size_t kv_head)
{
    float *stores = (float *)((unsigned char *)(uintptr_t)cache + cache->stores);
    return stores + (sequence * cache->model->n_kv_heads + kv_head) * cache->store;
}

// Its values: rows [capacity], variant->cache.value_stride apart.
static inline float *ga_cache_values(const struct ga_cache *cache, size_t sequence, size_t kv_head)
{
    return ga_cache_keys(cache, sequence, kv_head) + cache->values;
}

// Keys a sequence holds.
static inline size_t ga_cache_length(const struct ga_cache *cache, size_t sequence)
{
    return (size_t)ga_cache_lengths(cache)[sequence];
}

// Counts what a call that has run appended: its real rows of each sequence. A cache of NULL is none.
void ga_cache_advance(struct ga_cache *cache, const struct ga_io *call);

// GA_OK where a call's cache is one: aligned, of this model and variant, of the call's batch; and where there is none.
enum ga_status ga_cache_check(const struct ga_loaded *loaded, const struct ga_io *call, struct ga_error *error);

// GA_OK where the cache has room for what the call appends, whose lengths were checked; and where there is none.
enum ga_status ga_cache_check_room(const struct ga_io *call, struct ga_error *error);

// Where rotary positions of a call go on that says nothing of them: keys, and queries that are the same rows, stand
// behind those the cache holds. Changes nothing without a cache.
void ga_cache_places(struct ga_io *call, bool self);

// Bytes of a cache that was checked.
size_t ga_cache_bytes(const struct ga_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
