// request.c: runs a model on inputs that were read, into outputs it makes.
// Checks sizes for overflow; what the inputs hold was checked where they were read.
#include "request.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

static bool always(const struct ga_model *model)
{
    return model != NULL;
}

static bool gives_attention(const struct ga_model *model)
{
    return model->attention_output;
}

static bool gives_attention_mean(const struct ga_model *model)
{
    return model->attention_mean_output;
}

static bool gives_cache(const struct ga_model *model)
{
    return model->cache > 0;
}

static const struct output {
    const char *name;
    bool (*given)(const struct ga_model *model);
    size_t field; // of struct ga_request
} outputs[GA_OUTPUT_MORE] = {
    [GA_OUTPUT] = {"output", always, offsetof(struct ga_request, io.output)},
    [GA_ATTENTION] = {"attention", gives_attention, offsetof(struct ga_request, io.attention)},
    [GA_ATTENTION_MEAN] = {"attention_mean", gives_attention_mean, offsetof(struct ga_request, io.attention_mean)},
    [GA_CACHE_KEYS] = {"cache_keys", gives_cache, offsetof(struct ga_request, cache_keys)},
    [GA_CACHE_VALUES] = {"cache_values", gives_cache, offsetof(struct ga_request, cache_values)},
};

static float **output_field(struct ga_request *request, size_t output)
{
    return output < GA_OUTPUT_MORE ? (float **)(void *)((unsigned char *)request + outputs[output].field)
                                   : &request->io.intermediates[output - GA_OUTPUT_MORE];
}

const char *ga_output_name(enum ga_output output)
{
    return output < GA_OUTPUT_MORE ? outputs[output].name
                                   : ga_intermediate_name((enum ga_intermediate)(output - GA_OUTPUT_MORE));
}

enum ga_output ga_output_called(const char *text, size_t length)
{
    size_t output = 0;
    for (; output < GA_OUTPUTS; output++) {
        const char *name = ga_output_name((enum ga_output)output);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            break;
        }
    }
    return (enum ga_output)output;
}

bool ga_has_output(const struct ga_model *model, enum ga_output output)
{
    return output < GA_OUTPUT_MORE ? outputs[output].given(model) : model->intermediates[output - GA_OUTPUT_MORE];
}

size_t ga_output_names(const struct ga_model *model, const char *names_out[GA_OUTPUTS])
{
    size_t count = 0;
    for (size_t i = 0; i < GA_OUTPUTS; i++) {
        if (ga_has_output(model, (enum ga_output)i)) {
            names_out[count++] = ga_output_name((enum ga_output)i);
        }
    }
    return count;
}

static struct ga_tensor tensor_of(const struct ga_tensor *named, const float *data, const size_t *shape, size_t rank)
{
    struct ga_tensor tensor = *named;
    tensor.data = data;
    tensor.rank = rank;
    memcpy(tensor.shape, shape, rank * sizeof *shape);
    return tensor;
}

struct ga_tensor ga_request_output(const struct ga_context *context, const struct ga_request *request,
                                   enum ga_output output)
{
    const struct ga_model *model = context->model;
    const struct ga_io *io = &request->io;
    struct ga_tensor tensor = {.name = ga_output_name(output), .dtype = GA_F32};
    const size_t keys = request->kv_len + model->extra_keys;
    if (output == GA_CACHE_KEYS || output == GA_CACHE_VALUES) {
        return ga_request_cache_tensor(context, request, output == GA_CACHE_VALUES);
    }
    if (output == GA_ATTENTION) {
        const size_t shape[] = {io->batch, model->n_heads, io->q_len, keys};
        return tensor_of(&tensor, io->attention, shape, 4);
    }
    if (output == GA_ATTENTION_MEAN) {
        const size_t shape[] = {io->batch, io->q_len, keys};
        return tensor_of(&tensor, io->attention_mean, shape, 3);
    }
    if (output >= GA_OUTPUT_MORE) {
        const enum ga_intermediate which = (enum ga_intermediate)(output - GA_OUTPUT_MORE);
        tensor.data = io->intermediates[which];
        tensor.rank = ga_intermediate_shape(model, which, io->batch, io->q_len, request->kv_len, tensor.shape);
        return tensor;
    }
    tensor.data = io->output;
    if (request->batched) {
        tensor.shape[tensor.rank++] = io->batch;
    }
    const bool apart = model->kind == GA_SDPA;
    if (apart && !request->bare) {
        tensor.shape[tensor.rank++] = model->n_heads;
    }
    tensor.shape[tensor.rank++] = io->q_len;
    tensor.shape[tensor.rank++] = apart ? model->d_v : model->d_out;
    return tensor;
}

static enum ga_exit make_output(const struct ga_context *context, const struct ga_request *request,
                                enum ga_output output, float **data_out)
{
    struct ga_tensor tensor = ga_request_output(context, request, output);
    size_t bytes;
    *data_out = ga_tensor_bytes(&tensor, &bytes) ? ga_block_new(bytes) : NULL;
    if (*data_out) {
        return GA_EXIT_OK;
    }
    char shape[GA_PRINTABLE];
    return ga_failed(context, "%s: no memory for %s %s", request->path, tensor.name,
                     ga_shape_text(tensor.rank, tensor.shape, shape, sizeof shape));
}

// Keys and values leave a cache together.
static bool is_made(const bool wanted[GA_OUTPUTS], size_t output)
{
    const bool cached = output == GA_CACHE_KEYS || output == GA_CACHE_VALUES;
    return output == GA_OUTPUT || wanted[output] || (cached && (wanted[GA_CACHE_KEYS] || wanted[GA_CACHE_VALUES]));
}

enum ga_exit ga_request_run(const struct ga_context *context, const struct ga_prepared *prepared,
                            const bool wanted[GA_OUTPUTS], size_t step, struct ga_request *request)
{
    struct ga_io *io = &request->io;
    enum ga_exit code = ga_request_cache_new(context, prepared, request);
    for (size_t i = 0; i < GA_OUTPUTS && code == GA_EXIT_OK; i++) {
        if (is_made(wanted, i)) {
            code = make_output(context, request, (enum ga_output)i, output_field(request, i));
        }
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    io->parallel = prepared->parallel;
    size_t size = ga_model_scratch_size(context->model, prepared->variant, io->batch, io->q_len, request->kv_len,
                                        io->parallel ? io->parallel->threads : 1);
    void *scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
    if (!scratch) {
        return ga_failed(context, "%s: no memory for %zu bytes of scratch", request->path, size);
    }
    struct ga_error error;
    enum ga_status status = step ? ga_request_run_steps(context, prepared, request, step, scratch, size, &error)
                                 : ga_model_run(prepared->loaded, io, scratch, size, &error);
    ga_block_free(scratch);
    return status == GA_OK ? ga_request_cache_out(context, request)
                           : ga_failed(context, "%s: %s", request->path, error.text);
}

void ga_request_close(struct ga_request *request)
{
    for (size_t i = 0; i < GA_OUTPUTS; i++) {
        ga_block_free(*output_field(request, i));
    }
    free(request->mask);
    ga_block_free(request->io.cache);
    for (size_t i = 0; i < GA_COPIES; i++) {
        free(request->copies[i]);
    }
    ga_weights_close(request->file);
    *request = (struct ga_request){0};
}
