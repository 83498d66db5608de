// io_tensors.c: the tensors of an input file as a model's struct ga_io, each checked before the model sees it.
// Converts integers to the width the model takes, and floats to F32; never reorders any.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_call.h"

// -- Inputs ---------------------------------------------------------------------------------------------------------

// A tensor under the first of two names that the file has it by, or NULL.
static const struct ga_tensor *find_either(const struct ga_request *request, const char *name, const char *other)
{
    const struct ga_tensor *tensor = ga_weights_find(request->file, name);
    return tensor ? tensor : ga_weights_find(request->file, other);
}

// A transformer's source or target, rows or ids by what the tensor holds; NULL where the file has none of the kind.
static const struct ga_tensor *find_side(const struct ga_request *request, const char *name, bool ids)
{
    const struct ga_tensor *tensor = ga_weights_find(request->file, name);
    return tensor && ga_holds_integers(tensor) == ids ? tensor : NULL;
}

static const struct ga_tensor *find_tokens(const struct ga_request *request)
{
    const struct ga_tensor *tokens = ga_weights_find(request->file, "tokens");
    return tokens ? tokens : find_side(request, "trg", true);
}

// The names in a file of the rows or ids that go through the model.
static const char *query_name(const struct ga_model *model)
{
    return model->kind == GA_TRANSFORMER ? "trg" : model->stack ? "x" : "query";
}

static enum ga_exit read_query(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *given = find_either(request, "x", "query"), *tokens = find_tokens(request);
    const struct ga_tensor *query = given ? given : find_side(request, "trg", false);
    const char *name = query_name(context->model);
    const char *embeds = context->model->vocab_size ? " or \"tokens\"" : "";
    if (!query && !tokens) {
        return ga_failed(context, "%s: no tensor \"%s\"%s", request->path, name, embeds);
    }
    if (query && tokens) {
        return ga_failed(context, "%s: tensors \"%s\" and \"tokens\" cannot both be given", request->path, query->name);
    }
    const struct ga_tensor *tensor = query ? query : tokens;
    struct ga_rows rows = ga_rows_of(context->model, query ? context->model->d_model : 0, context->model->n_heads);
    rows.batch = context->model->batch;
    rows.range = context->model->q_len;
    enum ga_exit code = ga_rows_read(context, request, tensor, &rows, &request->io.batch, &request->io.q_len);
    if (code == GA_EXIT_OK && query) {
        code = ga_floats_read(context, request, query, &request->io.query);
    }
    request->batched = tensor->rank == (query ? 3U : 2U) + (rows.heads ? 1U : 0U);
    request->bare = rows.heads && tensor->rank == 2;
    request->kv_len = request->io.q_len;
    return code;
}

// What a sublayer made of the query's rows, as many.
static enum ga_exit read_sublayer(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *sublayer = ga_weights_find(request->file, "sublayer");
    if (!context->model->stack || !context->model->stack->sublayer) {
        return GA_EXIT_OK;
    }
    if (!sublayer) {
        return ga_failed(context, "%s: no tensor \"sublayer\", what is added to the rows of \"x\"", request->path);
    }
    struct ga_rows rows = ga_rows_of(context->model, context->model->d_model, 0);
    size_t batch, len;
    rows.batch = request->io.batch;
    rows.range = (struct ga_range){request->io.q_len, request->io.q_len};
    request->io.sublayer = sublayer->data;
    return ga_rows_read(context, request, sublayer, &rows, &batch, &len);
}

// The other sequence's rows or ids, whose sizes become those of the call's keys.
static enum ga_exit read_other(const struct ga_context *context, struct ga_request *request,
                               const struct ga_tensor *tensor, bool ids)
{
    struct ga_rows rows = ga_rows_of(context->model, ids ? 0 : context->model->k_dim, context->model->n_kv_heads);
    size_t batch;
    rows.batch = request->io.batch;
    rows.range = context->model->kv_len;
    enum ga_exit code = ga_rows_read(context, request, tensor, &rows, &batch, &request->io.kv_len);
    if (code == GA_EXIT_OK && !ids) {
        code = ga_floats_read(context, request, tensor, &request->io.key);
    }
    request->kv_len = request->io.kv_len;
    return code;
}

// A transformer's memory in place of its source: what its encoder gave before. Nothing is written to it then.
static enum ga_exit read_memory(const struct ga_context *context, struct ga_request *request,
                                const struct ga_tensor *memory)
{
    enum ga_exit code = read_other(context, request, memory, false);
    request->io.memory = (float *)(uintptr_t)request->io.key;
    request->io.key = NULL;
    return code;
}

// A transformer's source.
static enum ga_exit read_source(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *source = ga_weights_find(request->file, "src");
    const struct ga_tensor *memory = ga_weights_find(request->file, "memory");
    if (memory) {
        return read_memory(context, request, memory);
    }
    if (!source) {
        return ga_failed(context,
                         "%s: no tensor \"src\", the source's rows or token ids, or \"memory\", what the encoder made "
                         "of them",
                         request->path);
    }
    if (ga_holds_integers(source) && !context->model->src_vocab_size) {
        return ga_failed(context, "%s: tensor \"src\" holds token ids, but the model has no embedding (vocab_size)",
                         request->path);
    }
    return read_other(context, request, source, ga_holds_integers(source));
}

static enum ga_exit read_key(const struct ga_context *context, struct ga_request *request)
{
    if (context->model->kind == GA_TRANSFORMER) {
        return read_source(context, request);
    }
    const struct ga_tensor *key = find_either(request, "memory", "key");
    const bool is_decoder = context->model->kind == GA_DECODER;
    struct ga_range range = context->model->kv_len;
    if (!key && is_decoder) {
        return ga_failed(context, "%s: no tensor \"memory\", the output of an encoder that a decoder attends to",
                         request->path);
    }
    if (key && request->io.query == NULL && !is_decoder) {
        return ga_failed(context, "%s: tensor \"key\" beside \"tokens\"; token ids stand for all three inputs",
                         request->path);
    }
    if (key) {
        return read_other(context, request, key, false);
    }
    if (context->model->k_dim != context->model->d_model) {
        return ga_failed(context, "%s: no tensor \"key\", and the query's rows of %zu cannot stand for rows of %zu",
                         request->path, context->model->d_model, context->model->k_dim);
    }
    if (request->kv_len < range.min || request->kv_len > range.max) {
        return ga_failed(context,
                         "%s: no tensor \"key\", and the query's own %zu rows are out of range for it, %zu..%zu",
                         request->path, request->kv_len, range.min, range.max);
    }
    return GA_EXIT_OK;
}

static enum ga_exit read_value(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *value = ga_weights_find(request->file, "value");
    if (!value && context->model->v_dim != context->model->k_dim) {
        return ga_failed(context, "%s: no tensor \"value\", and the key's rows of %zu cannot stand for rows of %zu",
                         request->path, context->model->k_dim, context->model->v_dim);
    }
    if (!value) {
        return GA_EXIT_OK;
    }
    if (!request->io.key) {
        return ga_failed(context, "%s: tensor \"value\" without \"key\"; give both, or neither for self-attention",
                         request->path);
    }
    struct ga_rows rows = ga_rows_of(context->model, context->model->v_dim, context->model->n_kv_heads);
    size_t batch, len;
    rows.batch = request->io.batch;
    rows.range = (struct ga_range){request->kv_len, request->kv_len};
    enum ga_exit code = ga_rows_read(context, request, value, &rows, &batch, &len);
    return code == GA_EXIT_OK ? ga_floats_read(context, request, value, &request->io.value) : code;
}

// -- Integers -------------------------------------------------------------------------------------------------------

// Copies one number a sequence, each 0..most, from a tensor that may be NULL. what: "length".
static enum ga_exit copy_each(const struct ga_context *context, struct ga_request *request,
                              const struct ga_tensor *tensor, const char *what, size_t most, int32_t **copy_out)
{
    size_t batch = request->io.batch;
    if (!tensor) {
        return GA_EXIT_OK;
    }
    bool shaped = ga_tensor_has_shape(tensor, 1, &batch) || (tensor->rank == 0 && !request->batched);
    if (!ga_holds_integers(tensor) || !shaped) {
        char expected[GA_PRINTABLE];
        snprintf(expected, sizeof expected, "I32 or I64 [%zu], one %s a sequence", batch, what);
        return ga_refuse_shape(context, request->path, tensor, expected);
    }
    int32_t *copy = *copy_out = calloc(batch, sizeof *copy);
    if (!copy) {
        return ga_failed(context, "%s: no memory for tensor \"%s\"", request->path, tensor->name);
    }
    for (size_t b = 0; b < batch; b++) {
        int64_t length = ga_integer_at(tensor, b);
        if (length < 0 || (uint64_t)length > most) {
            return ga_failed(context, "%s: tensor \"%s\": element [%zu] is %" PRId64 "; expected 0..%zu", request->path,
                             tensor->name, b, length, most);
        }
        copy[b] = (int32_t)length;
    }
    return GA_EXIT_OK;
}

static enum ga_exit read_each(const struct ga_context *context, struct ga_request *request, const char *name,
                              const char *what, size_t most, int32_t **copy_out)
{
    return copy_each(context, request, ga_weights_find(request->file, name), what, most, copy_out);
}

// Copies one number a row, each below `count`. Those of padding are not the model's concern, unless it gives padding a
// weight, and often hold what no vocabulary has, so they are copied as 0.
static enum ga_exit copy_ids_of(const struct ga_context *context, const struct ga_request *request,
                                const struct ga_tensor *tensor, size_t count, size_t q_len, const int32_t *q_lengths,
                                int32_t **copy_out)
{
    const size_t rows = request->io.batch * q_len;
    int32_t *copy = *copy_out = calloc(rows, sizeof *copy);
    if (!copy) {
        return ga_failed(context, "%s: no memory for tensor \"%s\"", request->path, tensor->name);
    }
    for (size_t i = 0; i < rows; i++) {
        size_t b = i / q_len, row = i % q_len;
        int64_t id = ga_integer_at(tensor, i);
        if (!context->model->fills_padding && q_lengths && row >= (size_t)q_lengths[b]) {
            continue;
        }
        if (id < 0 || (uint64_t)id >= count || id > INT32_MAX) {
            return ga_failed(context, "%s: tensor \"%s\": element [%zu, %zu] is %" PRId64 "; expected 0..%zu",
                             request->path, tensor->name, b, row, id, count - 1);
        }
        copy[i] = (int32_t)id;
    }
    return GA_EXIT_OK;
}

static enum ga_exit copy_ids(const struct ga_context *context, struct ga_request *request,
                             const struct ga_tensor *tensor, size_t count, int32_t **copy_out)
{
    return copy_ids_of(context, request, tensor, count, request->io.q_len, request->copies[GA_COPY_Q_LENGTHS],
                       copy_out);
}

static enum ga_exit read_source_tokens(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *source = find_side(request, "src", true);
    return source ? copy_ids_of(context, request, source, context->model->src_vocab_size, request->io.kv_len,
                                request->copies[GA_COPY_KV_LENGTHS], &request->copies[GA_COPY_KEY_TOKENS])
                  : GA_EXIT_OK;
}

static enum ga_exit read_tokens(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *tensor = find_tokens(request);
    return tensor ? copy_ids(context, request, tensor, context->model->vocab_size, &request->copies[GA_COPY_TOKENS])
                  : GA_EXIT_OK;
}

static enum ga_exit read_token_types(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *tensor = ga_weights_find(request->file, "token_types");
    const struct ga_io *io = &request->io;
    if (!tensor) {
        return GA_EXIT_OK;
    }
    struct ga_rows rows = {.batch = io->batch, .range = {io->q_len, io->q_len}};
    size_t batch, len;
    enum ga_exit code = ga_rows_read(context, request, tensor, &rows, &batch, &len);
    return code == GA_EXIT_OK ? copy_ids(context, request, tensor, context->model->stack->token_types,
                                         &request->copies[GA_COPY_TOKEN_TYPES])
                              : code;
}

// -- All of it ------------------------------------------------------------------------------------------------------

static enum ga_exit read_query_lengths(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *lengths = find_either(request, "lengths", "q_lengths");
    return copy_each(context, request, lengths ? lengths : ga_weights_find(request->file, "trg_lengths"), "length",
                     request->io.q_len, &request->copies[GA_COPY_Q_LENGTHS]);
}

static enum ga_exit read_key_lengths(const struct ga_context *context, struct ga_request *request)
{
    const struct ga_tensor *lengths = find_either(request, "memory_lengths", "kv_lengths");
    return copy_each(context, request, lengths ? lengths : ga_weights_find(request->file, "src_lengths"), "length",
                     request->kv_len, &request->copies[GA_COPY_KV_LENGTHS]);
}

static enum ga_exit read_position(const struct ga_context *context, struct ga_request *request)
{
    return read_each(context, request, "position", "place", context->model->rope.positions - request->io.q_len,
                     &request->copies[GA_COPY_POSITION]);
}

static enum ga_exit read_key_position(const struct ga_context *context, struct ga_request *request)
{
    return read_each(context, request, "kv_position", "place", context->model->rope.positions - request->kv_len,
                     &request->copies[GA_COPY_KV_POSITION]);
}

static enum ga_exit read_cache_lengths(const struct ga_context *context, struct ga_request *request)
{
    return read_each(context, request, "cache_lengths", "length", request->cached,
                     &request->copies[GA_COPY_CACHE_LENGTHS]);
}

enum ga_exit ga_request_open(const struct ga_context *context, const char *path, struct ga_request *request_out)
{
    static enum ga_exit (*const readers[])(const struct ga_context *, struct ga_request *) = {
        read_query,      read_key,          read_value,         read_query_lengths, read_key_lengths,
        read_position,   read_key_position, read_tokens,        read_source_tokens, read_token_types,
        ga_request_mask, ga_request_cached, read_cache_lengths, read_sublayer,
    };
    *request_out = (struct ga_request){.path = path};
    struct ga_error error;
    if (ga_weights_open(path, &request_out->file, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    enum ga_exit code = ga_request_names(context, request_out);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && code == GA_EXIT_OK; i++) {
        code = readers[i](context, request_out);
    }
    request_out->io.tokens = request_out->copies[GA_COPY_TOKENS];
    request_out->io.key_tokens = request_out->copies[GA_COPY_KEY_TOKENS];
    request_out->io.token_types = request_out->copies[GA_COPY_TOKEN_TYPES];
    request_out->io.q_lengths = request_out->copies[GA_COPY_Q_LENGTHS];
    request_out->io.kv_lengths = request_out->copies[GA_COPY_KV_LENGTHS];
    request_out->io.position = request_out->copies[GA_COPY_POSITION];
    request_out->io.kv_position = request_out->copies[GA_COPY_KV_POSITION];
    return code;
}
