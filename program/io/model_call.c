// model_call.c: runs a model on inputs that were read, into outputs it makes.
// Checks sizes for overflow; what the inputs hold was checked where they were read.
#include "model_call.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

static const size_t fields[GA_OUTPUT_MORE] = {
    [GA_OUTPUT] = offsetof(struct ga_model_call, io.output),
    [GA_ATTENTION] = offsetof(struct ga_model_call, io.attention),
    [GA_ATTENTION_MEAN] = offsetof(struct ga_model_call, io.attention_mean),
    [GA_CACHE_KEYS] = offsetof(struct ga_model_call, cache_keys),
    [GA_CACHE_VALUES] = offsetof(struct ga_model_call, cache_values),
    [GA_EMBEDDING] = offsetof(struct ga_model_call, io.embedding),
    [GA_LOGITS] = offsetof(struct ga_model_call, io.logits),
    [GA_LAST_LOGITS] = offsetof(struct ga_model_call, io.last_logits),
    [GA_CLASS_LOGITS] = offsetof(struct ga_model_call, io.class_logits),
};

// The place of an output of a series in its list.
static size_t place_of(enum ga_series series, size_t output)
{
    return output - (size_t)ga_series_output(series, 0);
}

// Where an output's rows are pointed at; lists have been made room for.
static float **output_field(struct ga_model_call *call, size_t output)
{
    const enum ga_series series = ga_series_of((enum ga_output)output);
    if (series < GA_SERIES) {
        return &call->listed[series].data[place_of(series, output)];
    }
    return output < GA_OUTPUT_MORE ? (float **)(void *)((unsigned char *)call + fields[output])
                                   : &call->io.intermediates[output - GA_OUTPUT_MORE];
}

// The shape of an output of a stack: a row for each sequence, or for each row of it, or for each head and row.
static size_t stack_shape(const struct ga_model *model, const struct ga_model_call *call, enum ga_output output,
                          size_t shape[4])
{
    const enum ga_series series = ga_series_of(output);
    const bool of_heads = series < GA_SERIES && series != GA_OF_HIDDEN;
    const size_t rows = series == GA_OF_SRC_ATTENTION ? call->io.kv_len : call->io.q_len;
    const size_t keys = series == GA_OF_ATTENTION ? call->io.q_len : call->io.kv_len;
    const bool of_logits = output == GA_LOGITS || output == GA_LAST_LOGITS;
    const bool of_sequence = output == GA_EMBEDDING || output == GA_LAST_LOGITS || output == GA_CLASS_LOGITS;
    const size_t width = of_heads                    ? keys
                         : of_logits                 ? model->stack->n_logits
                         : output == GA_CLASS_LOGITS ? model->stack->n_labels
                         : output == GA_EMBEDDING    ? model->stack->d_embedding
                                                     : model->d_model;
    size_t rank = 0;
    if (call->batched) {
        shape[rank++] = call->io.batch;
    }
    if (of_heads) {
        shape[rank++] = model->n_heads;
    }
    if (!of_sequence) {
        shape[rank++] = rows;
    }
    shape[rank++] = width;
    return rank;
}

// The shape of the output itself: as the query's.
static size_t output_shape(const struct ga_model *model, const struct ga_model_call *call, size_t shape[4])
{
    const bool by_head = model->kind == GA_SDPA;
    size_t rank = 0;
    if (call->batched) {
        shape[rank++] = call->io.batch;
    }
    if (by_head && !call->bare) {
        shape[rank++] = model->n_heads;
    }
    shape[rank++] = call->io.q_len;
    shape[rank++] = by_head ? model->d_v : model->d_out;
    return rank;
}

// The shape of attention over all keys, or of its mean over the heads.
static size_t attention_shape(const struct ga_model *model, const struct ga_model_call *call, enum ga_output output,
                              size_t shape[4])
{
    size_t rank = 0;
    shape[rank++] = call->io.batch;
    if (output == GA_ATTENTION) {
        shape[rank++] = model->n_heads;
    }
    shape[rank++] = call->io.q_len;
    shape[rank++] = call->kv_len + model->extra_keys;
    return rank;
}

static size_t shape_of(const struct ga_model *model, const struct ga_model_call *call, enum ga_output output,
                       size_t shape[4])
{
    const struct ga_io *io = &call->io;
    if (output == GA_OUTPUT) {
        return output_shape(model, call, shape);
    }
    if (output == GA_ATTENTION || output == GA_ATTENTION_MEAN) {
        return attention_shape(model, call, output, shape);
    }
    if (output < GA_OUTPUT_MORE || output >= GA_HIDDEN) {
        return stack_shape(model, call, output, shape);
    }
    return ga_intermediate_shape(model, (enum ga_intermediate)(output - GA_OUTPUT_MORE), io->batch, io->q_len,
                                 call->kv_len, shape);
}

static float *output_data(const struct ga_model_call *call, size_t output)
{
    float *data;
    const enum ga_series series = ga_series_of((enum ga_output)output);
    if (series < GA_SERIES) {
        return call->listed[series].data[place_of(series, output)];
    }
    if (output >= GA_OUTPUT_MORE) {
        return call->io.intermediates[output - GA_OUTPUT_MORE];
    }
    memcpy(&data, (const unsigned char *)call + fields[output], sizeof data);
    return data;
}

struct ga_tensor ga_model_call_output(const struct ga_context *context, const struct ga_model_call *call,
                                      enum ga_output output)
{
    if (output == GA_CACHE_KEYS || output == GA_CACHE_VALUES) {
        return ga_model_call_cache_tensor(context, call, output == GA_CACHE_VALUES);
    }
    const enum ga_series series = ga_series_of(output);
    char *room = series < GA_SERIES ? call->listed[series].names[place_of(series, output)] : NULL;
    struct ga_tensor tensor = {
        .name = ga_output_name(output, room), .dtype = GA_F32, .data = output_data(call, output)};
    tensor.rank = shape_of(context->model, call, output, tensor.shape);
    return tensor;
}

// Room to point at what each layer of a stack gives, where any of a series is wanted.
static enum ga_exit make_list(const struct ga_context *context, const bool wanted[GA_OUTPUTS], enum ga_series series,
                              struct ga_model_call *call)
{
    const size_t count = ga_series_count(context->model, series);
    struct ga_listed *listed = &call->listed[series];
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || wanted[ga_series_output(series, i)];
    }
    if (!any) {
        return GA_EXIT_OK;
    }
    listed->data = calloc(count, sizeof *listed->data);
    listed->names = calloc(count, sizeof *listed->names);
    listed->count = count;
    return listed->data && listed->names
               ? GA_EXIT_OK
               : ga_failed(context, "%s: no memory for %zu %s tensors", call->path, count, ga_series_name(series));
}

static enum ga_exit make_lists(const struct ga_context *context, const bool wanted[GA_OUTPUTS],
                               struct ga_model_call *call)
{
    enum ga_exit code = GA_EXIT_OK;
    for (size_t s = 0; s < GA_SERIES && code == GA_EXIT_OK; s++) {
        code = make_list(context, wanted, (enum ga_series)s, call);
    }
    call->io.hidden = call->listed[GA_OF_HIDDEN].data;
    call->io.layer_attention = call->listed[GA_OF_ATTENTION].data;
    call->io.layer_cross_attention = call->listed[GA_OF_CROSS_ATTENTION].data;
    call->io.src_layer_attention = call->listed[GA_OF_SRC_ATTENTION].data;
    if (call->io.src_layer_attention && !call->io.key && !call->io.key_tokens) {
        return ga_failed(context,
                         "%s: what the source's rows give each other is asked for, but the file holds memory "
                         "in place of src",
                         call->path);
    }
    return code;
}

static enum ga_exit make_output(const struct ga_context *context, const struct ga_model_call *call,
                                enum ga_output output, float **data_out)
{
    struct ga_tensor tensor = ga_model_call_output(context, call, output);
    size_t bytes;
    *data_out = ga_tensor_bytes(&tensor, &bytes) ? ga_block_new(bytes) : NULL;
    if (*data_out) {
        return GA_EXIT_OK;
    }
    char shape[GA_PRINTABLE];
    return ga_failed(context, "%s: no memory for %s %s", call->path, tensor.name,
                     ga_shape_text(tensor.rank, tensor.shape, shape, sizeof shape));
}

// Whether anything is wanted that a stack gives without its output.
static bool asks_for_other(const bool wanted[GA_OUTPUTS])
{
    bool other = wanted[GA_EMBEDDING] || wanted[GA_LOGITS] || wanted[GA_LAST_LOGITS] || wanted[GA_CLASS_LOGITS];
    for (size_t i = GA_HIDDEN; i < GA_OUTPUTS; i++) {
        other = other || wanted[i];
    }
    return other;
}

// Keys and values leave a cache together; the output is made also where only the outputs that come with it are wanted.
static bool is_made(const bool wanted[GA_OUTPUTS], size_t output)
{
    const bool cached = output == GA_CACHE_KEYS || output == GA_CACHE_VALUES;
    return wanted[output] || (cached && (wanted[GA_CACHE_KEYS] || wanted[GA_CACHE_VALUES])) ||
           (output == GA_OUTPUT && !asks_for_other(wanted));
}

enum ga_exit ga_model_call_room(const struct ga_context *context, const bool wanted[GA_OUTPUTS],
                                struct ga_model_call *call)
{
    enum ga_exit code = make_lists(context, wanted, call);
    for (size_t i = 0; i < GA_OUTPUTS && code == GA_EXIT_OK; i++) {
        if (is_made(wanted, i)) {
            code = make_output(context, call, (enum ga_output)i, output_field(call, i));
        }
    }
    return code;
}

enum ga_exit ga_model_call_run(const struct ga_context *context, const struct ga_model_instance *instance,
                               const bool wanted[GA_OUTPUTS], size_t step, struct ga_model_call *call)
{
    struct ga_io *io = &call->io;
    enum ga_exit code = ga_model_call_cache_new(context, instance, call);
    code = code == GA_EXIT_OK ? ga_model_call_room(context, wanted, call) : code;
    if (code != GA_EXIT_OK) {
        return code;
    }
    io->parallel = instance->parallel;
    size_t size = ga_model_scratch_size(context->model, instance->variant, io->batch, io->q_len, call->kv_len,
                                        io->parallel ? io->parallel->threads : 1);
    void *scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
    if (!scratch) {
        return ga_failed(context, "%s: no memory for %zu bytes of scratch", call->path, size);
    }
    struct ga_error error;
    enum ga_status status = step ? ga_model_call_run_steps(context, instance, call, step, scratch, size, &error)
                                 : ga_model_run(instance->loaded, io, scratch, size, &error);
    ga_block_free(scratch);
    return status == GA_OK ? ga_model_call_cache_out(context, call)
                           : ga_failed(context, "%s: %s", call->path, error.text);
}

static void free_list(struct ga_listed *listed)
{
    for (size_t i = 0; listed->data && i < listed->count; i++) {
        ga_block_free(listed->data[i]);
    }
    free(listed->data);
    free(listed->names);
}

void ga_model_call_close(struct ga_model_call *call)
{
    for (size_t i = 0; i < GA_HIDDEN; i++) {
        ga_block_free(*output_field(call, i));
    }
    for (size_t s = 0; s < GA_SERIES; s++) {
        free_list(&call->listed[s]);
    }
    free(call->mask);
    free(call->src_mask);
    free(call->memory_mask);
    ga_block_free(call->io.cache);
    for (size_t i = 0; i < GA_COPIES; i++) {
        free(call->copies[i]);
    }
    ga_weights_close(call->file);
    *call = (struct ga_model_call){0};
}
