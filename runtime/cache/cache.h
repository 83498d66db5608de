// cache.h: how a cache of keys and values lies in its block. For the runtime and generated code; callers see model.h.
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "arena.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// The start of a cache's block, or of the part of it that is one layer's. Everything after it is found by sizes and
// not by pointers, so that a copy of the bytes is a cache too. The lengths follow, then for each sequence and key head
// a store: panels of keys, then rows of values. After a layer that also attends to a memory, an encoder's output, is a
// part of the same form for the keys and values of that, which the call that begins a sequence makes and later ones
// read.
struct ga_cache {
    const struct ga_model *model;
    const struct ga_variant *variant;
    size_t batch, capacity;
    size_t layers; // of a whole model: as many of these blocks follow each other, one for each layer
    size_t bytes;  // of each, its memory's part included
    size_t stores; // where they begin, in bytes from here
    size_t store;  // bytes of each
    size_t values; // where its values begin, in bytes
    size_t scales; // where the scales of values begin, in bytes; the end where there are none
    size_t memory; // where the part for the layer's memory begins, in bytes from here; 0: there is none
};

enum { GA_CACHE_HEADER = 2 * GA_ALIGN }; // bytes before the lengths
_Static_assert(sizeof(struct ga_cache) <= GA_CACHE_HEADER, "the lengths begin after the struct");

// The counts after the header, [batch] each; but for the first, only in a memory's part, and the first layer's
// stand for all.
enum ga_cache_count {
    GA_CACHE_LENGTHS, // keys each sequence holds
    GA_CACHE_HELD,    // 1 where it holds its memory, which may have no rows
    GA_CACHE_JOINING, // rows of its memory that join with the call that runs
    GA_CACHE_COUNTS
};

static inline int32_t *ga_cache_counts(const struct ga_cache *cache, enum ga_cache_count which)
{
    return (int32_t *)((unsigned char *)(uintptr_t)cache + GA_CACHE_HEADER) + (size_t)which * cache->batch;
}

// The part of a whole model's cache that is one layer's, a cache as a single layer has it.
static inline struct ga_cache *ga_cache_layer(struct ga_cache *cache, size_t layer)
{
    return (struct ga_cache *)((unsigned char *)cache + layer * cache->bytes);
}

// The part of it that is one layer's memory, where there is one.
static inline struct ga_cache *ga_cache_memory(struct ga_cache *cache, size_t layer)
{
    return (struct ga_cache *)((unsigned char *)ga_cache_layer(cache, layer) + cache->memory);
}

// Rows of each sequence's memory that a running call takes from what it was given, [batch]; of the others 0.
static inline const int32_t *ga_cache_joining(const struct ga_cache *cache)
{
    return ga_cache_counts((const struct ga_cache *)((const unsigned char *)cache + cache->memory), GA_CACHE_JOINING);
}

// Bytes of the scale of a row, of a cache that keeps quantized rows (GA_I8); none of another.
static inline size_t ga_cache_scale_bytes(const struct ga_model *model)
{
    return model->cache_dtype == GA_I8 ? sizeof(uint16_t) : 0;
}

// How many elements of a key, and values of a column, lie side by side.
static inline size_t ga_cache_unit(const struct ga_cache_layout *layout)
{
    return layout->unit > 0 ? layout->unit : 1;
}

// Bytes of a key before the elements of its panel: its scale, and the sum of its numbers.
static inline size_t ga_cache_key_header(const struct ga_model *model, const struct ga_cache_layout *layout)
{
    return ga_cache_scale_bytes(model) + layout->sum;
}

// Bytes from a panel of keys to the next, a multiple of those of a scale.
static inline size_t ga_cache_panel_bytes(const struct ga_model *model, const struct ga_cache_layout *layout)
{
    const size_t scale = ga_cache_scale_bytes(model), element = ga_dtype_size(model->cache_dtype);
    const size_t depth = layout->depth > 0 ? layout->depth : model->d_head;
    const size_t bytes = layout->key_panel * (depth * element + ga_cache_key_header(model, layout));
    return bytes + (scale > 0 ? bytes % scale : 0);
}

// The store of a sequence and a key head: panels of keys, [.][d_head][variant->cache.key_panel], a column a key. Its
// elements are of model->cache_dtype: where that is not GA_F32, a pointer to floats is not what it says, to be cast.
// Of quantized rows, the scales of a panel's keys, as bf16, come before its numbers, and where the layout has sums also
// these, as int32_t.
static inline float *ga_cache_keys(const struct ga_cache *cache, size_t sequence, size_t kv_head)
{
    unsigned char *stores = (unsigned char *)(uintptr_t)cache + cache->stores;
    return (float *)(stores + (sequence * cache->model->n_kv_heads + kv_head) * cache->store);
}

// Its values, of the same type: rows [capacity], variant->cache.value_stride apart.
static inline float *ga_cache_values(const struct ga_cache *cache, size_t sequence, size_t kv_head)
{
    return (float *)((unsigned char *)ga_cache_keys(cache, sequence, kv_head) + cache->values);
}

// The scales of its values, as bf16: [capacity] and up to a whole line; of quantized rows alone.
static inline uint16_t *ga_cache_value_scales(const struct ga_cache *cache, size_t sequence, size_t kv_head)
{
    return (uint16_t *)(void *)((unsigned char *)ga_cache_keys(cache, sequence, kv_head) + cache->scales);
}

// Keys a sequence holds.
static inline size_t ga_cache_length(const struct ga_cache *cache, size_t sequence)
{
    return (size_t)ga_cache_lengths(cache)[sequence];
}

// Sets how many keys a sequence holds; every layer counts for itself, so that each part is a cache.
void ga_cache_set_length(struct ga_cache *cache, size_t sequence, size_t length);

// Rows of a sequence that join with a call: of one layer those of its keys, of a stack those that go through it.
size_t ga_cache_new_keys(const struct ga_io *call, size_t sequence);

// Counts what a call that has run appended: its real rows of each sequence. A cache of NULL is none.
void ga_cache_advance(struct ga_cache *cache, const struct ga_io *call);

// GA_OK where a call's cache is one: aligned, of this model and variant, of the call's batch; and where there is none.
enum ga_status ga_cache_check(const struct ga_loaded *loaded, const struct ga_io *call, struct ga_error *error);

// GA_OK where the cache has room for what the call appends, whose lengths were checked; and where there is none.
enum ga_status ga_cache_check_room(const struct ga_io *call, struct ga_error *error);

// -- A decoder's memory; without a cache that holds one, nothing happens --------------------------------------------

// GA_OK where a call gives the memory of each sequence that it has rows of and whose memory the cache does not hold.
enum ga_status ga_cache_check_memory(const struct ga_io *call, struct ga_error *error);

// Before a call that was checked runs: counts the rows that join, of those sequences' memories.
void ga_cache_join_memory(const struct ga_io *call);

// After it has run: these are held from now on.
void ga_cache_hold_memory(const struct ga_io *call);

// A sequence that starts anew holds none.
void ga_cache_forget_memory(struct ga_cache *cache, size_t sequence);

// -------------------------------------------------------------------------------------------------------------------

// Where rotary positions of a call go on that says nothing of them: keys, and queries that are the same rows, stand
// after those the cache holds. Changes nothing without a cache.
void ga_cache_places(struct ga_io *call, bool self);

// Bytes of a cache that was checked.
size_t ga_cache_bytes(const struct ga_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
