// cache_rows.c: what happens to a cache of keys and values between calls: sequences are cut, rows come from elsewhere
// and go there. Runs no kernel; how the block lies is cache.c's.
#include <string.h>

#include "arena.h"
#include "bf16.h"
#include "cache.h"
#include "call.h"
#include "row_scales.h"
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

// -- Rows, of any type ----------------------------------------------------------------------------------------------

static void put_float(unsigned char *element, float number, uint16_t scale)
{
    (void)scale;
    memcpy(element, &number, sizeof number);
}

static float get_float(const unsigned char *element, uint16_t scale)
{
    float number;
    (void)scale;
    memcpy(&number, element, sizeof number);
    return number;
}

static void put_half(unsigned char *element, float number, uint16_t scale)
{
    const uint16_t half = ga_bf16_of_float(number);
    (void)scale;
    memcpy(element, &half, sizeof half);
}

static float get_half(const unsigned char *element, uint16_t scale)
{
    uint16_t half;
    (void)scale;
    memcpy(&half, element, sizeof half);
    return ga_float_of_bf16(half);
}

static void put_scaled(unsigned char *element, float number, uint16_t scale)
{
    const int8_t quantized = ga_row_number_of(number, scale);
    memcpy(element, &quantized, sizeof quantized);
}

static float get_scaled(const unsigned char *element, uint16_t scale)
{
    int8_t quantized;
    memcpy(&quantized, element, sizeof quantized);
    return (float)quantized * ga_float_of_bf16(scale);
}

// By element type, how a float becomes one and how one becomes a float; scale: of the row, where it has one.
static const struct {
    void (*put)(unsigned char *element, float number, uint16_t scale);
    float (*get)(const unsigned char *element, uint16_t scale);
} types[] = {
    [GA_F32] = {put_float, get_float},
    [GA_BF16] = {put_half, get_half},
    [GA_I8] = {put_scaled, get_scaled},
};

// A row in a cache: its elements, `unit` of them side by side and `stride` bytes from these to the next ones; its
// scale, which may lie at any byte; and its sum, NULL where there is none.
struct kept {
    unsigned char *first, *scale, *sum;
    size_t unit, stride, element;
};

// Key j, a column of its panel.
static struct kept kept_key(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const size_t panel = layout->key_panel, column = j % panel, unit = ga_cache_unit(layout);
    const size_t element = ga_dtype_size(cache->model->cache_dtype), scale = ga_cache_scale_bytes(cache->model);
    unsigned char *at = (unsigned char *)ga_cache_keys(cache, sequence, kv_head) +
                        j / panel * ga_cache_panel_bytes(cache->model, layout);
    return (struct kept){.first = at + panel * ga_cache_key_header(cache->model, layout) + column * unit * element,
                         .scale = at + column * scale,
                         .sum = layout->sum > 0 ? at + panel * scale + column * layout->sum : NULL,
                         .unit = unit,
                         .stride = panel * unit * element,
                         .element = element};
}

// Value j: where values lie side by side, one element is as far from the next as there are of them.
static struct kept kept_value(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j)
{
    const size_t unit = ga_cache_unit(&cache->variant->cache), stride = cache->variant->cache.value_stride;
    const size_t element = ga_dtype_size(cache->model->cache_dtype), scale = ga_cache_scale_bytes(cache->model);
    unsigned char *values = (unsigned char *)ga_cache_values(cache, sequence, kv_head),
                  *scales = (unsigned char *)ga_cache_value_scales(cache, sequence, kv_head);
    return (struct kept){.first = values + ((j - j % unit) * stride + j % unit) * element,
                         .scale = scales + j * scale,
                         .unit = 1,
                         .stride = unit * element,
                         .element = element};
}

static unsigned char *kept_element(const struct kept *row, size_t d)
{
    return row->first + d / row->unit * row->stride + d % row->unit * row->element;
}

// The sum of a row's numbers, where it is kept.
static void put_sum(const struct kept *to, size_t width)
{
    int32_t sum = 0;
    for (size_t d = 0; to->sum != NULL && d < width; d++) {
        int8_t number;
        memcpy(&number, kept_element(to, d), sizeof number);
        sum += number;
    }
    if (to->sum != NULL) {
        memcpy(to->sum, &sum, sizeof sum);
    }
}

// A row of d_head floats, and zeros up to `width`.
static void put_kept(const struct ga_model *model, struct kept to, const float *row, size_t width)
{
    const size_t bytes = ga_cache_scale_bytes(model);
    const uint16_t scale = bytes > 0 ? ga_row_scale_of(row, 1, model->d_head) : 0;
    memcpy(to.scale, &scale, bytes);
    for (size_t d = 0; d < width; d++) {
        types[model->cache_dtype].put(kept_element(&to, d), d < model->d_head ? row[d] : 0, scale);
    }
    put_sum(&to, width);
}

static void get_kept(const struct ga_model *model, struct kept from, float *row)
{
    uint16_t scale = 0;
    memcpy(&scale, from.scale, ga_cache_scale_bytes(model));
    for (size_t d = 0; d < model->d_head; d++) {
        row[d] = types[model->cache_dtype].get(kept_element(&from, d), scale);
    }
}

static void put_row(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j, const float *key,
                    const float *value)
{
    const struct ga_cache_layout *layout = &cache->variant->cache;
    const size_t depth = layout->depth > 0 ? layout->depth : cache->model->d_head;
    put_kept(cache->model, kept_key(cache, sequence, kv_head, j), key, depth);
    put_kept(cache->model, kept_value(cache, sequence, kv_head, j), value, layout->value_stride);
}

static void get_row(const struct ga_cache *cache, size_t sequence, size_t kv_head, size_t j, float *key, float *value)
{
    get_kept(cache->model, kept_key(cache, sequence, kv_head, j), key);
    get_kept(cache->model, kept_value(cache, sequence, kv_head, j), value);
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
