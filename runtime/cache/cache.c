// cache.c: the block a cache of keys and values lies in: its size, what stands at its start, what a call appends. Runs
// no kernel; the rows are written by the generated code, or by cache_rows.c between calls.
#include "cache.h"

#include <string.h>

#include "arena.h"
#include "call.h"
#include "tensor.h"

const int32_t *ga_cache_lengths(const struct ga_cache *cache)
{
    return cache == NULL ? NULL : ga_cache_counts(cache, GA_CACHE_LENGTHS);
}

size_t ga_cache_capacity(const struct ga_cache *cache)
{
    return cache == NULL ? 0 : cache->capacity;
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
    const size_t element = ga_dtype_size(model->cache_dtype);
    const size_t keys = ga_align_up(panels * ga_cache_panel_bytes(model, layout));
    const size_t unit = ga_cache_unit(layout), rows = (capacity + unit - 1) / unit * unit;
    const size_t scales = keys + ga_align_up(rows * layout->value_stride * element);
    return (struct ga_cache){
        .model = model,
        .variant = variant,
        .batch = batch,
        .capacity = capacity,
        .layers = layers_of(model),
        .stores = GA_CACHE_HEADER + ga_align_up(counts * batch * sizeof(int32_t)),
        .store = scales + ga_align_up(capacity * ga_cache_scale_bytes(model)),
        .values = keys,
        .scales = scales,
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
    const size_t shape[] = {part->batch, part->model->n_kv_heads, part->store};
    size_t bytes = 0;
    return ga_shape_elements(3, shape, &bytes) && bytes <= PTRDIFF_MAX - part->stores
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
    if (!ga_call_has_variant(model, variant) || check_sizes(model, batch, capacity, NULL) != GA_OK) {
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
            struct ga_cache *after = (struct ga_cache *)((unsigned char *)part + own->memory);
            *after = *memory;
            memset(ga_cache_counts(after, GA_CACHE_LENGTHS), 0, GA_CACHE_COUNTS * own->batch * sizeof(int32_t));
        }
    }
}

// A block of a cache that needs so many bytes, apart from the weights it is for.
static enum ga_status check_block(const struct ga_loaded *loaded, const void *block, size_t size, size_t needed,
                                  struct ga_error *error)
{
    const char *name = "the block for a cache";
    const struct ga_span spans[] = {
        {name, block, needed, GA_ALIGN},
        {"the packed weights", loaded->packed, loaded->variant->packed_bytes, GA_ALIGN},
        {"the handle of the packed weights", loaded, sizeof *loaded, _Alignof(struct ga_loaded)},
    };
    const enum ga_status status = ga_call_block(loaded->model, name, block, size, needed, error);
    return status == GA_OK ? ga_call_spans(loaded->model->name, spans, 3, 1, error) : status;
}

enum ga_status ga_cache_init(const struct ga_loaded *loaded, size_t batch, size_t capacity, void *block, size_t size,
                             struct ga_cache **cache_out, struct ga_error *error)
{
    if (cache_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_cache_init: cache_out is NULL");
    }
    *cache_out = NULL;
    enum ga_status status = ga_call_loaded("ga_cache_init", loaded, error);
    if (status != GA_OK) {
        return status;
    }
    const struct ga_model *model = loaded->model;
    const struct ga_variant *variant = loaded->variant;
    status = check_sizes(model, batch, capacity, error);
    if (status == GA_OK) {
        status = check_block(loaded, block, size, ga_cache_size(model, variant, batch, capacity), error);
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

// -- In a call ------------------------------------------------------------------------------------------------------

size_t ga_cache_new_keys(const struct ga_io *call, size_t sequence)
{
    if (call->cache->model->stack != NULL) {
        return call->q_lengths == NULL ? call->q_len : (size_t)call->q_lengths[sequence];
    }
    return call->kv_lengths == NULL ? call->kv_len : (size_t)call->kv_lengths[sequence];
}

void ga_cache_set_length(struct ga_cache *cache, size_t sequence, size_t length)
{
    for (size_t layer = 0; layer < cache->layers; layer++) {
        ga_cache_counts(ga_cache_layer(cache, layer), GA_CACHE_LENGTHS)[sequence] = (int32_t)length;
    }
}

void ga_cache_advance(struct ga_cache *cache, const struct ga_io *call)
{
    for (size_t b = 0; cache != NULL && b < call->batch; b++) {
        ga_cache_set_length(cache, b, ga_cache_length(cache, b) + ga_cache_new_keys(call, b));
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
    if (cache->variant != variant) { // which is of one model alone, of whose copies there may be several
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
