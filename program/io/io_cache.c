// io_cache.c: the cache of a call: filled from the file's cache_keys and cache_values, run through in one call or in
// steps of a few rows, and given back as tensors. Knows nothing of what a call computes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "model_call.h"

// -- In -------------------------------------------------------------------------------------------------------------

enum { MOST_AXES = 5 };

// Heads of all layers that hold keys of their own.
static size_t cached_heads(const struct ga_model *model)
{
    return model->n_kv_heads * (model->stack ? model->stack->n_layers : 1);
}

// The shape of the cached rows of a call, so many a sequence: [batch, n_kv_heads, rows, d_head], of a stack [batch,
// n_layers, n_kv_heads, rows, d_head]; returns its axes.
static size_t cached_axes(const struct ga_model *model, const struct ga_model_call *call, size_t rows,
                          size_t shape_out[MOST_AXES])
{
    size_t axes = 0;
    shape_out[axes++] = call->io.batch;
    if (model->stack) {
        shape_out[axes++] = model->stack->n_layers;
    }
    shape_out[axes++] = model->n_kv_heads;
    shape_out[axes++] = rows;
    shape_out[axes++] = model->d_head;
    return axes;
}

// Finds how many rows a tensor of cached rows has, which one sequence may hold without the batch axis; false: it has
// another shape.
static bool read_cached_rows(const struct ga_context *context, const struct ga_model_call *call,
                             const struct ga_tensor *tensor, size_t *rows_out)
{
    size_t wanted[MOST_AXES];
    *rows_out = tensor->rank >= 2 ? tensor->shape[tensor->rank - 2] : 0;
    const size_t axes = cached_axes(context->model, call, *rows_out, wanted);
    const size_t missing = tensor->rank < axes && call->io.batch == 1 ? 1 : 0;
    return ga_weights_are_floats(tensor) && *rows_out <= context->model->cache &&
           ga_tensor_has_shape(tensor, axes - missing, wanted + missing);
}

// "F32, F16, BF16 or F64 [2, 4, 0..50, 16]": the dtype and shape of cached rows, for a message.
static const char *expected_text(const struct ga_context *context, const struct ga_model_call *call, size_t rows,
                                 char text[GA_PRINTABLE])
{
    const struct ga_model *model = context->model;
    char layers[24] = "", range[24];
    snprintf(range, sizeof range, rows == SIZE_MAX ? "0..%zu" : "%zu", rows == SIZE_MAX ? model->cache : rows);
    if (model->stack) {
        snprintf(layers, sizeof layers, "%zu, ", model->stack->n_layers);
    }
    snprintf(text, GA_PRINTABLE, GA_FLOATS " [%zu, %s%zu, %s, %zu]", call->io.batch, layers, model->n_kv_heads, range,
             model->d_head);
    return text;
}

// Finds the floats of a tensor of cached rows; rows: how many it must have, SIZE_MAX where any number will do.
static enum ga_exit find_cached(const struct ga_context *context, const struct ga_model_call *call, const char *name,
                                size_t rows, const float **floats_out, size_t *rows_out)
{
    const struct ga_tensor *tensor = ga_weights_find(call->file, name);
    char expected[GA_PRINTABLE];
    *floats_out = NULL;
    if (!tensor) {
        *rows_out = 0;
        return GA_EXIT_OK;
    }
    if (read_cached_rows(context, call, tensor, rows_out) && (rows == SIZE_MAX || *rows_out == rows)) {
        return ga_floats_read(context, call, tensor, floats_out);
    }
    return ga_refuse_shape(context, call->path, tensor, expected_text(context, call, rows, expected));
}

enum ga_exit ga_model_call_cached(const struct ga_context *context, struct ga_model_call *call)
{
    size_t rows;
    enum ga_exit code = find_cached(context, call, "cache_keys", SIZE_MAX, &call->cached_keys, &call->cached);
    if (code == GA_EXIT_OK) {
        code = find_cached(context, call, "cache_values", call->cached, &call->cached_values, &rows);
    }
    const bool has_keys = ga_weights_find(call->file, "cache_keys") != NULL;
    if (code == GA_EXIT_OK && has_keys != (ga_weights_find(call->file, "cache_values") != NULL)) {
        code =
            ga_failed(context, "%s: tensor \"cache_%s\" without \"cache_%s\"; give both, or neither for an empty cache",
                      call->path, has_keys ? "keys" : "values", has_keys ? "values" : "keys");
    }
    return code;
}

// The most rows any sequence holds before the call and after.
static size_t rows_after(const struct ga_model *model, const struct ga_model_call *call)
{
    return call->cached + (call->io.key && !model->stack ? call->io.kv_len : call->io.q_len);
}

static enum ga_exit put_sequences(const struct ga_context *context, const struct ga_model_call *call)
{
    const struct ga_model *model = context->model;
    const int32_t *lengths = call->copies[GA_COPY_CACHE_LENGTHS];
    const size_t elements = cached_heads(model) * call->cached * model->d_head;
    struct ga_error error;
    for (size_t b = 0; call->cached > 0 && b < call->io.batch; b++) {
        const float *keys = call->cached_keys + b * elements;
        const float *values = call->cached_values + b * elements;
        const size_t count = lengths ? (size_t)lengths[b] : call->cached;
        if (ga_cache_put(call->io.cache, b, keys, values, call->cached, count, &error) != GA_OK) {
            return ga_failed(context, "%s: %s", call->path, error.text);
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_model_call_cache_new(const struct ga_context *context, const struct ga_model_instance *instance,
                                     struct ga_model_call *call)
{
    const struct ga_model *model = context->model;
    const size_t capacity = rows_after(model, call);
    if (model->cache == 0) {
        return GA_EXIT_OK;
    }
    if (capacity > model->cache) {
        return ga_failed(context, "%s: %zu rows in the cache and %zu new ones are more than its spec's cache, %zu",
                         call->path, call->cached, capacity - call->cached, model->cache);
    }
    const size_t size = ga_cache_size(model, instance->variant, call->io.batch, capacity);
    void *block = size == SIZE_MAX ? NULL : ga_block_new(size);
    struct ga_error error = {.status = GA_OK, .text = "no memory for a cache"};
    if (!block ||
        ga_cache_init(instance->loaded, call->io.batch, capacity, block, size, &call->io.cache, &error) != GA_OK) {
        ga_block_free(block);
        return ga_failed(context, "%s: %s", call->path, error.text);
    }
    return put_sequences(context, call);
}

// -- Steps ----------------------------------------------------------------------------------------------------------

// Some rows of each sequence of a call, as the inputs of a call of their own, and room for its output.
struct step {
    struct ga_io io;
    float *query, *output;
    int32_t *tokens, *lengths;
};

static bool step_new(struct step *step, const struct ga_context *context, const struct ga_io *io, size_t rows)
{
    const size_t batch = io->batch;
    *step = (struct step){
        .io = {.batch = batch,
               .parallel = io->parallel,
               .cache = io->cache,
               // Of a stack: what it attends to besides, which the first step is given whole.
               .kv_len = context->model->stack ? io->kv_len : 0,
               .kv_lengths = context->model->stack ? io->kv_lengths : NULL,
               .key = context->model->stack ? io->key : NULL,
               .key_tokens = io->key_tokens,
               .memory = io->memory},
        .query = calloc(batch * rows * context->model->d_model, sizeof(float)),
        .output = calloc(batch * rows * context->model->d_out, sizeof(float)),
        .tokens = calloc(batch * rows, sizeof(int32_t)),
        .lengths = calloc(batch, sizeof(int32_t)),
    };
    return step->query && step->output && step->tokens && step->lengths;
}

static void step_free(struct step *step)
{
    free(step->query);
    free(step->output);
    free(step->tokens);
    free(step->lengths);
}

static void copy_rows(void *to, size_t to_rows, size_t to_from, const void *from, size_t from_rows, size_t from_from,
                      size_t batch, size_t count, size_t bytes)
{
    for (size_t b = 0; b < batch; b++) {
        memcpy((char *)to + (b * to_rows + to_from) * bytes, (const char *)from + (b * from_rows + from_from) * bytes,
               count * bytes);
    }
}

static size_t rows_left(const struct ga_io *io, size_t b, size_t from, size_t count)
{
    const size_t real = io->q_lengths ? (size_t)io->q_lengths[b] : io->q_len, left = real > from ? real - from : 0;
    return left < count ? left : count;
}

// Points the step at its rows of the whole call.
static void step_take(struct step *step, const struct ga_context *context, const struct ga_io *io, size_t from,
                      size_t count)
{
    step->io.q_len = count;
    step->io.output = step->output;
    if (io->tokens) {
        copy_rows(step->tokens, count, 0, io->tokens, io->q_len, from, io->batch, count, sizeof(int32_t));
        step->io.tokens = step->tokens;
    } else {
        copy_rows(step->query, count, 0, io->query, io->q_len, from, io->batch, count,
                  context->model->d_model * sizeof(float));
        step->io.query = step->query;
    }
    for (size_t b = 0; io->q_lengths && b < io->batch; b++) {
        step->lengths[b] = (int32_t)rows_left(io, b, from, count);
        step->io.q_lengths = step->lengths;
    }
}

enum ga_status ga_model_call_run_steps(const struct ga_context *context, const struct ga_model_instance *instance,
                                       const struct ga_model_call *call, size_t rows, void *scratch, size_t size,
                                       struct ga_error *error)
{
    const struct ga_io *io = &call->io;
    const size_t width = context->model->d_out * sizeof(float);
    struct step step;
    enum ga_status status = step_new(&step, context, io, rows) ? GA_OK : ga_fail(error, GA_MEMORY, "no memory");
    for (size_t from = 0; from < io->q_len && status == GA_OK; from += rows) {
        const size_t count = io->q_len - from < rows ? io->q_len - from : rows;
        step_take(&step, context, io, from, count);
        status = ga_model_run(instance->loaded, &step.io, scratch, size, error);
        step.io.key = NULL; // what a decoder attends to the cache holds now
        step.io.key_tokens = NULL;
        step.io.memory = NULL;
        copy_rows(io->output, io->q_len, from, step.output, count, 0, io->batch, count, width);
    }
    step_free(&step);
    return status;
}

// -- Out ------------------------------------------------------------------------------------------------------------

enum ga_exit ga_model_call_cache_out(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_model *model = context->model;
    const size_t rows = rows_after(model, call), elements = cached_heads(model) * rows * model->d_head;
    struct ga_error error;
    for (size_t b = 0; call->cache_keys && b < call->io.batch; b++) {
        if (ga_cache_get(call->io.cache, b, call->cache_keys + b * elements, call->cache_values + b * elements, rows,
                         &error) != GA_OK) {
            return ga_failed(context, "%s: %s", call->path, error.text);
        }
    }
    return GA_EXIT_OK;
}

struct ga_tensor ga_model_call_cache_tensor(const struct ga_context *context, const struct ga_model_call *call,
                                            bool is_values)
{
    const struct ga_model *model = context->model;
    struct ga_tensor tensor = {
        .name = is_values ? "cache_values" : "cache_keys",
        .dtype = GA_F32,
        .data = is_values ? call->cache_values : call->cache_keys,
    };
    tensor.rank = cached_axes(model, call, rows_after(model, call), tensor.shape);
    return tensor;
}
