// cache.c: the block a cache of keys and values lies in: its size, what stands at its start, what comes in and goes out
// between calls. Runs no kernel; what a call appends is written by the generated code.
#include "cache.h"

#include <string.h>

#include "arena.h"
#include "call.h"
#include "tensor.h"

const int32_t *ga_cache_lengths(const struct ga_cache *cache)
{
    return ga_cache_counts(cache, GA_CACHE_LENGTHS);
}

size_t ga_cache_capacity(const struct ga_cache *cache)
{
    return cache->capacity;
}

// -- Sizes ----------------------------------------------------------------------------------------------------------

static size_t layers_of(const struct ga_model *model)
{
    return model->stack == NULL ? 1 : model->stack->n_layers;
}

// Keys that a layer's memory may have, in a model that attends to one.
static size_t memory_capacity(const struct ga_model *model)
{
    return ga_call_has_memory(model) ? model->kv_len.max : 0;
}

// What one part of a cache of these sizes looks like, but for its bytes, with so many counts of each sequence; batch,
// capacity and the layout are small enough that nothing overflows.
static struct ga_cache plan_part(const struct ga_model *model, const struct ga_variant *variant,
                                 const struct ga_cache_layout *layout, size_t batch, size_t capacity, size_t counts)
{
    const size_t panels = (capacity + layout->key_panel - 1) / layout->key_panel;
    const size_t keys = ga_align_up(panels * model->d_head * layout->key_panel * sizeof(float)) / sizeof(float);
    return (struct ga_cache){
        .model = model,
        .variant = variant,
        .batch = batch,
        .capacity = capacity,
        .layers = layers_of(model),
        .stores = GA_CACHE_HEADER + ga_align_up(counts * batch * sizeof(int32_t)),
        .store = keys + ga_align_up(capacity * layout->value_stride * sizeof(float)) / sizeof(float),
        .values = keys,
    };
}

// Panels, padding and lengths do not make a cache so many times larger than its keys, in any variant.
enum { ROOM = 4096 };

static enum ga_status check_sizes(const struct ga_model *model, size_t batch, size_t capacity, struct ga_error *error)
{
    if (model->cache == 0) {
        return ga_fail(error, GA_UNSUPPORTED, "%s was generated without a cache; set cache in the spec", model->name);
    }
    if (capacity < 1 || capacity > model->cache) {
        return ga_fail(error, GA_ARGUMENT, "%s: a cache's capacity is %zu; expected 1..%zu", model->name, capacity,
                       model->cache);
    }
    const size_t keys = capacity + memory_capacity(model);
    const size_t shape[] = {layers_of(model), batch, model->n_kv_heads, keys, model->d_head, ROOM};
    size_t bytes = 0;
    const enum ga_status status = ga_call_batch(model, batch, error);
    if (status == GA_OK && !(ga_shape_elements(6, shape, &bytes) && bytes <= PTRDIFF_MAX)) {
        return ga_fail(error, GA_OVERFLOW, "%s: a cache of %zu sequences of %zu keys does not fit in memory",
                       model->name, batch, capacity);
    }
    return status;
}

// Bytes of one part, aligned as the next one's; SIZE_MAX where they overflow.
static size_t part_bytes(const struct ga_cache *part)
{
    const size_t shape[] = {part->batch, part->model->n_kv_heads, part->store, sizeof(float)};
    size_t bytes = 0;
    return ga_shape_elements(4, shape, &bytes) && bytes <= PTRDIFF_MAX - part->stores
               ? ga_align_up(part->stores + bytes)
               : SIZE_MAX;
}

// The parts of a cache of these sizes, one layer's own and (of no batch where there is none) its memory's; their bytes
// are those of both, SIZE_MAX where they overflow.
static void plan(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t capacity,
                 struct ga_cache *own_out, struct ga_cache *memory_out)
{
    *own_out = plan_part(model, variant, &variant->cache, batch, capacity, 1);
    *memory_out = (struct ga_cache){.batch = 0};
    own_out->bytes = part_bytes(own_out);
    if (own_out->bytes != SIZE_MAX && ga_call_has_memory(model)) {
        *memory_out = plan_part(model, variant, &variant->memory_cache, batch, memory_capacity(model), GA_CACHE_COUNTS);
        const size_t bytes = part_bytes(memory_out);
        own_out->memory = own_out->bytes;
        own_out->bytes =
            bytes <= PTRDIFF_MAX && own_out->bytes <= PTRDIFF_MAX - bytes ? own_out->bytes + bytes : SIZE_MAX;
        memory_out->bytes = own_out->bytes;
    }
}

size_t ga_cache_size(const struct ga_model *model, const struct ga_variant *variant, size_t batch, size_t capacity)
{
    if (check_sizes(model, batch, capacity, NULL) != GA_OK) {
        return SIZE_MAX;
    }
    struct ga_cache own;
    struct ga_cache memory;
    plan(model, variant, batch, capacity, &own, &memory);
    const size_t shape[] = {own.layers, own.bytes};
    size_t bytes = 0;
    return own.bytes != SIZE_MAX && ga_shape_elements(2, shape, &bytes) && bytes <= PTRDIFF_MAX ? bytes : SIZE_MAX;
}

// Writes the start of each layer's parts.
static void start_layers(struct ga_cache *block, const struct ga_cache *own, const struct ga_cache *memory)
{
    for (size_t layer = 0; layer < own->layers; layer++) {
        struct ga_cache *part = (struct ga_cache *)((unsigned char *)block + layer * own->bytes);
        *part = *own;
        memset(ga_cache_counts(part, GA_CACHE_LENGTHS), 0, own->batch * sizeof(int32_t));
        if (own->memory != 0) {
            struct ga_cache *behind = (struct ga_cache *)((unsigned char *)part + own->memory);
            *behind = *memory;
            memset(ga_cache_counts(behind, GA_CACHE_LENGTHS), 0, GA_CACHE_COUNTS * own->batch * sizeof(int32_t));
        }
    }
}

enum ga_status ga_cache_init(const struct ga_loaded *loaded, size_t batch, size_t capacity, void *block, size_t size,
                             struct ga_cache **cache_out, struct ga_error *error)
{
    if (loaded == NULL || cache_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_cache_init: %s is NULL", loaded == NULL ? "loaded" : "cache_out");
    }
    *cache_out = NULL;
    const struct ga_model *model = ga_loaded_model(loaded);
    const struct ga_variant *variant = ga_loaded_variant(loaded);
    enum ga_status status = check_sizes(model, batch, capacity, error);
    if (status == GA_OK) {
        const size_t needed = ga_cache_size(model, variant, batch, capacity);
        status = ga_call_block(model, "the block for a cache", block, size, needed, error);
    }
    if (status == GA_OK) {
        struct ga_cache own;
        struct ga_cache memory;
        plan(model, variant, batch, capacity, &own, &memory);
        start_layers(block, &own, &memory);
        *cache_out = block;
    }
    return status;
}

// -- Between calls --------------------------------------------------------------------------------------------------

static enum ga_status check_sequence(const struct ga_cache *cache, const char *call, size_t sequence,
                                     struct ga_error *error)
{
    if (cache == NULL) {
        return ga_fail(error, GA_ARGUMENT, "%s: cache is NULL", call);
    }
    if (sequence >= cache->batch) {
        return ga_fail(error, GA_ARGUMENT, "%s: sequence is %zu; expected 0..%zu", call, sequence, cache->batch - 1);
    }
    return GA_OK;
}

// Every layer counts for itself, so that each part is a cache.
static void set_length(struct ga_cache *cache, size_t sequence, size_t length)
{
    for (size_t layer = 0; layer < cache->layers; layer++) {
        ga_cache_counts(ga_cache_layer(cache, layer), GA_CACHE_LENGTHS)[sequence] = (int32_t)length;
    }
}

enum ga_status ga_cache_cut(struct ga_cache *cache, size_t sequence, size_t length, struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_cut", sequence, error);
    if (status == GA_OK && length > ga_cache_length(cache, sequence)) {
        return ga_fail(error, GA_ARGUMENT, "ga_cache_cut: length is %zu, but sequence %zu holds %zu keys", length,
                       sequence, ga_cache_length(cache, sequence));
    }
    if (status == GA_OK) {
        set_length(cache, sequence, length);
    }
    if (status == GA_OK && length == 0) {
        ga_cache_forget_memory(cache, sequence);
    }
    return status;
}

// One key or value of a store: element d of a key is key[d * key_panel], of a value value[d].
static float *key_at(const struct ga_cache *cache, float *keys, size_t j)
{
    const size_t panel = cache->variant->cache.key_panel;
    return keys + j / panel * panel * cache->model->d_head + j % panel;
}

static void put_row(const struct ga_cache *cache, float *store, size_t j, const float *key, const float *value)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const size_t d_head = cache->model->d_head;
    float *to = key_at(cache, store, j), *row = store + cache->values + j * layout->value_stride;
    for (size_t d = 0; d < d_head; d++) {
        to[d * layout->key_panel] = key[d];
    }
    memcpy(row, value, d_head * sizeof *row);
    memset(row + d_head, 0, (layout->value_stride - d_head) * sizeof *row);
}

static void get_row(const struct ga_cache *cache, float *store, size_t j, float *key, float *value)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const size_t d_head = cache->model->d_head;
    const float *from = key_at(cache, store, j);
    for (size_t d = 0; d < d_head; d++) {
        key[d] = from[d * layout->key_panel];
    }
    memcpy(value, store + cache->values + j * layout->value_stride, d_head * sizeof *value);
}

static enum ga_status check_rows(const char *call, const float *keys, const float *values, size_t rows, size_t count,
                                 struct ga_error *error)
{
    if ((keys == NULL || values == NULL) && rows > 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL", call, keys == NULL ? "keys" : "values");
    }
    if (count > rows) {
        return ga_fail(error, GA_ARGUMENT, "%s: %zu rows are too few for %zu keys", call, rows, count);
    }
    return GA_OK;
}

enum ga_status ga_cache_put(struct ga_cache *cache, size_t sequence, const float *keys, const float *values,
                            size_t rows, size_t count, struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_put", sequence, error);
    if (status == GA_OK) {
        status = check_rows("ga_cache_put", keys, values, rows, count, error);
    }
    if (status != GA_OK) {
        return status;
    }
    const size_t d_head = cache->model->d_head, past = ga_cache_length(cache, sequence);
    if (count > cache->capacity - past) {
        return ga_fail(error, GA_SIZE, "ga_cache_put: %zu keys join %zu of sequence %zu in a cache with room for %zu",
                       count, past, sequence, cache->capacity);
    }
    const size_t heads = cache->model->n_kv_heads;
    for (size_t g = 0; g < cache->layers * heads; g++, keys += rows * d_head, values += rows * d_head) {
        struct ga_cache *layer = ga_cache_layer(cache, g / heads);
        for (size_t j = 0; j < count; j++) {
            put_row(layer, ga_cache_keys(layer, sequence, g % heads), past + j, keys + j * d_head, values + j * d_head);
        }
    }
    set_length(cache, sequence, past + count);
    return GA_OK;
}

enum ga_status ga_cache_get(const struct ga_cache *cache, size_t sequence, float *keys, float *values, size_t rows,
                            struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_get", sequence, error);
    if (status == GA_OK) {
        status = check_rows("ga_cache_get", keys, values, rows, ga_cache_length(cache, sequence), error);
    }
    if (status != GA_OK) {
        return status;
    }
    const size_t d_head = cache->model->d_head, length = ga_cache_length(cache, sequence);
    const size_t heads = cache->model->n_kv_heads;
    for (size_t g = 0; g < cache->layers * heads; g++, keys += rows * d_head, values += rows * d_head) {
        const struct ga_cache *layer =
            (const struct ga_cache *)((const unsigned char *)cache + g / heads * cache->bytes);
        for (size_t j = 0; j < length; j++) {
            get_row(layer, ga_cache_keys(layer, sequence, g % heads), j, keys + j * d_head, values + j * d_head);
        }
        memset(keys + length * d_head, 0, (rows - length) * d_head * sizeof *keys);
        memset(values + length * d_head, 0, (rows - length) * d_head * sizeof *values);
    }
    return GA_OK;
}

// -- In a call ------------------------------------------------------------------------------------------------------

size_t ga_cache_new_keys(const struct ga_io *call, size_t sequence)
{
    if (call->cache->model->stack != NULL) {
        return call->q_lengths == NULL ? call->q_len : (size_t)call->q_lengths[sequence];
    }
    return call->kv_lengths == NULL ? call->kv_len : (size_t)call->kv_lengths[sequence];
}

void ga_cache_advance(struct ga_cache *cache, const struct ga_io *call)
{
    for (size_t b = 0; cache != NULL && b < call->batch; b++) {
        set_length(cache, b, ga_cache_length(cache, b) + ga_cache_new_keys(call, b));
    }
}

enum ga_status ga_cache_check(const struct ga_loaded *loaded, const struct ga_io *call, struct ga_error *error)
{
    const struct ga_model *model = ga_loaded_model(loaded);
    const struct ga_variant *variant = ga_loaded_variant(loaded);
    const struct ga_cache *cache = call->cache;
    if (cache == NULL) {
        return GA_OK;
    }
    if ((uintptr_t)cache % GA_ALIGN != 0) {
        return ga_fail(error, GA_ALIGNMENT, "%s: cache is not aligned to %d bytes", model->name, GA_ALIGN);
    }
    if (cache->model != model || cache->variant != variant) {
        return ga_fail(error, GA_ARGUMENT,
                       "%s: cache is another model's, or another instruction set's; expected one that ga_cache_init "
                       "made with these weights (isa %s)",
                       model->name, variant->isa);
    }
    if (cache->batch != call->batch) {
        return ga_fail(error, GA_ARGUMENT, "%s: cache holds %zu sequences; expected the call's batch, %zu", model->name,
                       cache->batch, call->batch);
    }
    return GA_OK;
}

enum ga_status ga_cache_check_room(const struct ga_io *call, struct ga_error *error)
{
    const struct ga_cache *cache = call->cache;
    for (size_t b = 0; cache != NULL && b < call->batch; b++) {
        const size_t past = ga_cache_length(cache, b), count = ga_cache_new_keys(call, b);
        if (past > cache->capacity || count > cache->capacity - past) {
            return ga_fail(error, GA_SIZE,
                           "%s: %zu keys join the %zu of sequence %zu, but the cache has room for %zu in all; expected "
                           "a larger cache, or ga_cache_cut before",
                           cache->model->name, count, past, b, cache->capacity);
        }
    }
    return GA_OK;
}

void ga_cache_places(struct ga_io *call, bool self)
{
    if (call->cache == NULL || call->cache->model->rope.positions == 0) {
        return;
    }
    call->kv_position = call->kv_position == NULL ? ga_cache_lengths(call->cache) : call->kv_position;
    call->position = call->position == NULL && self ? ga_cache_lengths(call->cache) : call->position;
}

size_t ga_cache_bytes(const struct ga_cache *cache)
{
    return ga_cache_size(cache->model, cache->variant, cache->batch, cache->capacity);
}
