// request.c: runs a model on inputs that were read, into outputs it makes.
// Checks sizes for overflow; what the inputs hold was checked where they were read.
#include "request.h"

#include <stdlib.h>

#include "arena.h"

const char *ga_output_name(enum ga_output output)
{
    static const char *const names[GA_OUTPUTS] = {"output", "attention"};
    return names[output];
}

struct ga_tensor ga_request_output(const struct ga_context *context, const struct ga_request *request,
                                   enum ga_output output)
{
    const struct ga_model *model = context->model;
    const struct ga_io *io = &request->io;
    struct ga_tensor tensor = {.name = ga_output_name(output), .dtype = GA_F32};
    if (output == GA_ATTENTION) {
        tensor.data = io->attention;
        tensor.rank = 4;
        tensor.shape[0] = io->batch;
        tensor.shape[1] = model->n_heads;
        tensor.shape[2] = io->q_len;
        tensor.shape[3] = request->kv_len + model->extra_keys;
        return tensor;
    }
    tensor.data = io->output;
    if (request->batched) {
        tensor.shape[tensor.rank++] = io->batch;
    }
    tensor.shape[tensor.rank++] = io->q_len;
    tensor.shape[tensor.rank++] = model->d_out;
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

enum ga_exit ga_request_run(const struct ga_context *context, const struct ga_prepared *prepared, bool attention,
                            struct ga_request *request)
{
    struct ga_io *io = &request->io;
    enum ga_exit code = make_output(context, request, GA_OUTPUT, &io->output);
    if (code == GA_EXIT_OK && attention) {
        code = make_output(context, request, GA_ATTENTION, &io->attention);
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
    if (ga_model_run(prepared->loaded, io, scratch, size, &error) != GA_OK) {
        code = ga_failed(context, "%s: %s", request->path, error.text);
    }
    ga_block_free(scratch);
    return code;
}

void ga_request_close(struct ga_request *request)
{
    ga_block_free(request->io.output);
    ga_block_free(request->io.attention);
    free(request->mask);
    for (size_t i = 0; i < GA_COPIES; i++) {
        free(request->copies[i]);
    }
    ga_weights_close(request->file);
    *request = (struct ga_request){0};
}
