// cache_rows.c: what happens to a cache of keys and values between calls: sequences are cut, rows come from elsewhere
// and go there. Runs no kernel; how the block lies is cache.c's.
#include <string.h>

#include "arena.h"
#include "bf16.h"
#include "cache.h"
#include "call.h"
#include "tensor.h"

static enum ga_status check_sequence(const struct ga_cache *cache, const char *call, size_t sequence,
                                     struct ga_error *error)
{
    if (cache == NULL) {
        return ga_fail(error, GA_ARGUMENT, "%s: cache is NULL", call);
    }
    if (!ga_is_aligned(cache, GA_ALIGN)) {
        return ga_fail(error, GA_ALIGNMENT, "%s: cache is not aligned to %d bytes", call, GA_ALIGN);
    }
    if (!ga_call_has_variant(cache->model, cache->variant)) {
        return ga_fail(error, GA_ARGUMENT, "%s: cache is none; expected one that ga_cache_init made", call);
    }
    if (sequence >= cache->batch) {
        return ga_fail(error, GA_ARGUMENT, "%s: sequence is %zu; expected 0..%zu", call, sequence, cache->batch - 1);
    }
    const size_t length = ga_cache_length(cache, sequence);
    return length <= cache->capacity
               ? GA_OK
               : ga_fail(error, GA_ARGUMENT,
                         "%s: sequence %zu holds %zu keys in a cache with room for %zu: it is damaged", call, sequence,
                         length, cache->capacity);
}

enum ga_status ga_cache_cut(struct ga_cache *cache, size_t sequence, size_t length, struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_cut", sequence, error);
    if (status == GA_OK && length > ga_cache_length(cache, sequence)) {
        return ga_fail(error, GA_ARGUMENT, "ga_cache_cut: length is %zu, but sequence %zu holds %zu keys", length,
                       sequence, ga_cache_length(cache, sequence));
    }
    if (status == GA_OK) {
        ga_cache_set_length(cache, sequence, length);
    }
    if (status == GA_OK && length == 0) {
        ga_cache_forget_memory(cache, sequence);
    }
    return status;
}

// -- Elements, of either type ---------------------------------------------------------------------------------------

static void put_element(const struct ga_cache *cache, float *elements, size_t at, float number)
{
    if (cache->model->cache_dtype == GA_BF16) {
        ((uint16_t *)elements)[at] = ga_bf16_of_float(number);
    } else {
        elements[at] = number;
    }
}

static float get_element(const struct ga_cache *cache, const float *elements, size_t at)
{
    return cache->model->cache_dtype == GA_BF16 ? ga_float_of_bf16(((const uint16_t *)elements)[at]) : elements[at];
}

// The first element of key j in its panel; those after it are key_panel apart.
static size_t key_at(const struct ga_cache *cache, size_t j)
{
    const size_t panel = cache->variant->cache.key_panel;
    return j / panel * panel * cache->model->d_head + j % panel;
}

static void put_row(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j, const float *key,
                    const float *value)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const size_t d_head = cache->model->d_head;
    float *keys = ga_cache_keys(cache, sequence, kv_head), *values = ga_cache_values(cache, sequence, kv_head);
    for (size_t d = 0; d < d_head; d++) {
        put_element(cache, keys, key_at(cache, j) + d * layout->key_panel, key[d]);
    }
    for (size_t d = 0; d < layout->value_stride; d++) {
        put_element(cache, values, j * layout->value_stride + d, d < d_head ? value[d] : 0);
    }
}

static void get_row(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j, float *key, float *value)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const float *keys = ga_cache_keys(cache, sequence, kv_head), *values = ga_cache_values(cache, sequence, kv_head);
    for (size_t d = 0; d < cache->model->d_head; d++) {
        key[d] = get_element(cache, keys, key_at(cache, j) + d * layout->key_panel);
        value[d] = get_element(cache, values, j * layout->value_stride + d);
    }
}

// -------------------------------------------------------------------------------------------------------------------

// Keys and values on their way in or out, by the call's name: aligned, as large as memory can be, and apart from the
// cache, where they are written also from each other.
static enum ga_status check_rows(const struct ga_cache *cache, const char *call, const float *keys, const float *values,
                                 size_t rows, bool are_written, struct ga_error *error)
{
    const struct ga_model *model = cache->model;
    const size_t shape[] = {cache->layers, model->n_kv_heads, rows, model->d_head, sizeof(float)};
    size_t bytes = 0;
    if ((keys == NULL || values == NULL) && rows > 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL", call, keys == NULL ? "keys" : "values");
    }
    if (!ga_shape_elements(5, shape, &bytes) || bytes > PTRDIFF_MAX) {
        return ga_fail(error, GA_OVERFLOW, "%s: keys of %zu rows a head do not fit in memory", call, rows);
    }
    const struct ga_span in_cache = {"cache", cache, ga_cache_bytes(cache), GA_ALIGN},
                         of_keys = {"keys", keys, bytes, sizeof *keys},
                         of_values = {"values", values, bytes, sizeof *values};
    const struct ga_span spans[] = {in_cache, of_keys, of_values};
    const enum ga_status status = ga_call_spans(call, spans, 3, 1, error);
    return status == GA_OK && are_written ? ga_call_spans(call, spans + 1, 2, 1, error) : status;
}

static enum ga_status fail_rows(const char *call, size_t rows, size_t count, struct ga_error *error)
{
    return ga_fail(error, GA_ARGUMENT, "%s: %zu rows are too few for %zu keys", call, rows, count);
}

enum ga_status ga_cache_put(struct ga_cache *cache, size_t sequence, const float *keys, const float *values,
                            size_t rows, size_t count, struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_put", sequence, error);
    if (status == GA_OK) {
        status = check_rows(cache, "ga_cache_put", keys, values, rows, false, error);
    }
    if (status == GA_OK && count > rows) {
        status = fail_rows("ga_cache_put", rows, count, error);
    }
    if (status != GA_OK || rows == 0) {
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
            put_row(layer, sequence, g % heads, past + j, keys + j * d_head, values + j * d_head);
        }
    }
    ga_cache_set_length(cache, sequence, past + count);
    return GA_OK;
}

enum ga_status ga_cache_get(const struct ga_cache *cache, size_t sequence, float *keys, float *values, size_t rows,
                            struct ga_error *error)
{
    enum ga_status status = check_sequence(cache, "ga_cache_get", sequence, error);
    if (status == GA_OK) {
        status = check_rows(cache, "ga_cache_get", keys, values, rows, true, error);
    }
    if (status == GA_OK && ga_cache_length(cache, sequence) > rows) {
        status = fail_rows("ga_cache_get", rows, ga_cache_length(cache, sequence), error);
    }
    if (status != GA_OK || rows == 0) {
        return status;
    }
    const size_t d_head = cache->model->d_head, length = ga_cache_length(cache, sequence);
    const size_t heads = cache->model->n_kv_heads;
    for (size_t g = 0; g < cache->layers * heads; g++, keys += rows * d_head, values += rows * d_head) {
        const struct ga_cache *layer =
            (const struct ga_cache *)((const unsigned char *)cache + g / heads * cache->bytes);
        for (size_t j = 0; j < length; j++) {
            get_row(layer, sequence, g % heads, j, keys + j * d_head, values + j * d_head);
        }
        memset(keys + length * d_head, 0, (rows - length) * d_head * sizeof *keys);
        memset(values + length * d_head, 0, (rows - length) * d_head * sizeof *values);
    }
    return GA_OK;
}
