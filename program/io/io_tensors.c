// io_tensors.c: the tensors of an input file as a model's struct ga_io, each checked before the model sees it.
// Converts integers to the width the model takes, and floats to F32; never reorders any.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_call.h"

// -- Inputs ---------------------------------------------------------------------------------------------------------

// A tensor under the first of two names that the file has it by, or NULL.
static const struct ga_tensor *find_either(const struct ga_model_call *call, const char *name, const char *other)
{
    const struct ga_tensor *tensor = ga_weights_find(call->file, name);
    return tensor ? tensor : ga_weights_find(call->file, other);
}

// A transformer's source or target, rows or ids by what the tensor holds; NULL where the file has none of the kind.
static const struct ga_tensor *find_side(const struct ga_model_call *call, const char *name, bool ids)
{
    const struct ga_tensor *tensor = ga_weights_find(call->file, name);
    return tensor && ga_holds_integers(tensor) == ids ? tensor : NULL;
}

static const struct ga_tensor *find_tokens(const struct ga_model_call *call)
{
    const struct ga_tensor *tokens = ga_weights_find(call->file, "tokens");
    return tokens ? tokens : find_side(call, "trg", true);
}

// The names in a file of the rows or ids that go through the model.
static const char *query_name(const struct ga_model *model)
{
    return model->kind == GA_TRANSFORMER ? "trg" : model->stack ? "x" : "query";
}

static enum ga_exit read_query(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *given = find_either(call, "x", "query"), *tokens = find_tokens(call);
    const struct ga_tensor *query = given ? given : find_side(call, "trg", false);
    const char *name = query_name(context->model);
    const char *embeds = context->model->vocab_size ? " or \"tokens\"" : "";
    if (!query && !tokens) {
        return ga_failed(context, "%s: no tensor \"%s\"%s", call->path, name, embeds);
    }
    if (query && tokens) {
        return ga_failed(context, "%s: tensors \"%s\" and \"tokens\" cannot both be given", call->path, query->name);
    }
    const struct ga_tensor *tensor = query ? query : tokens;
    struct ga_rows rows = ga_rows_of(context->model, query ? context->model->d_model : 0, context->model->n_heads);
    rows.batch = context->model->batch;
    rows.range = context->model->q_len;
    enum ga_exit code = ga_rows_read(context, call, tensor, &rows, &call->io.batch, &call->io.q_len);
    if (code == GA_EXIT_OK && query) {
        code = ga_floats_read(context, call, query, &call->io.query);
    }
    call->batched = tensor->rank == (query ? 3U : 2U) + (rows.heads ? 1U : 0U);
    call->bare = rows.heads && tensor->rank == 2;
    call->kv_len = call->io.q_len;
    return code;
}

// A sublayer's results for the query's rows, as many.
static enum ga_exit read_sublayer(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *sublayer = ga_weights_find(call->file, "sublayer");
    if (!context->model->stack || !context->model->stack->sublayer) {
        return GA_EXIT_OK;
    }
    if (!sublayer) {
        return ga_failed(context, "%s: no tensor \"sublayer\", what is added to the rows of \"x\"", call->path);
    }
    struct ga_rows rows = ga_rows_of(context->model, context->model->d_model, 0);
    size_t batch, len;
    rows.batch = call->io.batch;
    rows.range = (struct ga_range){call->io.q_len, call->io.q_len};
    call->io.sublayer = sublayer->data;
    return ga_rows_read(context, call, sublayer, &rows, &batch, &len);
}

// The other sequence's rows or ids, whose sizes become those of the call's keys.
static enum ga_exit read_other(const struct ga_context *context, struct ga_model_call *call,
                               const struct ga_tensor *tensor, bool ids)
{
    struct ga_rows rows = ga_rows_of(context->model, ids ? 0 : context->model->k_dim, context->model->n_kv_heads);
    size_t batch;
    rows.batch = call->io.batch;
    rows.range = context->model->kv_len;
    enum ga_exit code = ga_rows_read(context, call, tensor, &rows, &batch, &call->io.kv_len);
    if (code == GA_EXIT_OK && !ids) {
        code = ga_floats_read(context, call, tensor, &call->io.key);
    }
    call->kv_len = call->io.kv_len;
    return code;
}

// A transformer's memory in place of its source: what its encoder gave before. Nothing is written to it then.
static enum ga_exit read_memory(const struct ga_context *context, struct ga_model_call *call,
                                const struct ga_tensor *memory)
{
    enum ga_exit code = read_other(context, call, memory, false);
    call->io.memory = (float *)(uintptr_t)call->io.key;
    call->io.key = NULL;
    return code;
}

// A transformer's source.
static enum ga_exit read_source(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *source = ga_weights_find(call->file, "src");
    const struct ga_tensor *memory = ga_weights_find(call->file, "memory");
    if (memory) {
        return read_memory(context, call, memory);
    }
    if (!source) {
        return ga_failed(context,
                         "%s: no tensor \"src\", the source's rows or token ids, or \"memory\", what the encoder made "
                         "of them",
                         call->path);
    }
    if (ga_holds_integers(source) && !context->model->src_vocab_size) {
        return ga_failed(context, "%s: tensor \"src\" holds token ids, but the model has no embedding (vocab_size)",
                         call->path);
    }
    return read_other(context, call, source, ga_holds_integers(source));
}

static enum ga_exit read_key(const struct ga_context *context, struct ga_model_call *call)
{
    if (context->model->kind == GA_TRANSFORMER) {
        return read_source(context, call);
    }
    const struct ga_tensor *key = find_either(call, "memory", "key");
    const bool is_decoder = context->model->kind == GA_DECODER;
    struct ga_range range = context->model->kv_len;
    if (!key && is_decoder) {
        return ga_failed(context, "%s: no tensor \"memory\", the output of an encoder that a decoder attends to",
                         call->path);
    }
    if (key && call->io.query == NULL && !is_decoder) {
        return ga_failed(context, "%s: tensor \"key\" is given with \"tokens\"; token ids replace all three inputs",
                         call->path);
    }
    if (key) {
        return read_other(context, call, key, false);
    }
    if (context->model->k_dim != context->model->d_model) {
        return ga_failed(context, "%s: no tensor \"key\", and the query's rows of %zu cannot be used as rows of %zu",
                         call->path, context->model->d_model, context->model->k_dim);
    }
    if (call->kv_len < range.min || call->kv_len > range.max) {
        return ga_failed(context,
                         "%s: no tensor \"key\", and the query's own %zu rows are out of range for it, %zu..%zu",
                         call->path, call->kv_len, range.min, range.max);
    }
    return GA_EXIT_OK;
}

static enum ga_exit read_value(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *value = ga_weights_find(call->file, "value");
    if (!value && context->model->v_dim != context->model->k_dim) {
        return ga_failed(context, "%s: no tensor \"value\", and the key's rows of %zu cannot be used as rows of %zu",
                         call->path, context->model->k_dim, context->model->v_dim);
    }
    if (!value) {
        return GA_EXIT_OK;
    }
    if (!call->io.key) {
        return ga_failed(context, "%s: tensor \"value\" without \"key\"; give both, or neither for self-attention",
                         call->path);
    }
    struct ga_rows rows = ga_rows_of(context->model, context->model->v_dim, context->model->n_kv_heads);
    size_t batch, len;
    rows.batch = call->io.batch;
    rows.range = (struct ga_range){call->kv_len, call->kv_len};
    enum ga_exit code = ga_rows_read(context, call, value, &rows, &batch, &len);
    return code == GA_EXIT_OK ? ga_floats_read(context, call, value, &call->io.value) : code;
}

// -- Integers -------------------------------------------------------------------------------------------------------

// Copies one number a sequence, each 0..most, from a tensor that may be NULL. what: "length".
static enum ga_exit copy_each(const struct ga_context *context, struct ga_model_call *call,
                              const struct ga_tensor *tensor, const char *what, size_t most, int32_t **copy_out)
{
    size_t batch = call->io.batch;
    if (!tensor) {
        return GA_EXIT_OK;
    }
    bool shaped = ga_tensor_has_shape(tensor, 1, &batch) || (tensor->rank == 0 && !call->batched);
    if (!ga_holds_integers(tensor) || !shaped) {
        char expected[GA_PRINTABLE];
        snprintf(expected, sizeof expected, "I32 or I64 [%zu], one %s a sequence", batch, what);
        return ga_refuse_shape(context, call->path, tensor, expected);
    }
    int32_t *copy = *copy_out = calloc(batch, sizeof *copy);
    if (!copy) {
        return ga_failed(context, "%s: no memory for tensor \"%s\"", call->path, tensor->name);
    }
    for (size_t b = 0; b < batch; b++) {
        int64_t length = ga_integer_at(tensor, b);
        if (length < 0 || (uint64_t)length > most) {
            return ga_failed(context, "%s: tensor \"%s\": element [%zu] is %" PRId64 "; expected 0..%zu", call->path,
                             tensor->name, b, length, most);
        }
        copy[b] = (int32_t)length;
    }
    return GA_EXIT_OK;
}

// Copies one number a row, each below `count`. Those of padding are not the model's concern, unless it gives padding a
// weight, and often hold what no vocabulary has, so they are copied as 0.
static enum ga_exit copy_ids_of(const struct ga_context *context, const struct ga_model_call *call,
                                const struct ga_tensor *tensor, size_t count, size_t q_len, const int32_t *q_lengths,
                                int32_t **copy_out)
{
    const size_t rows = call->io.batch * q_len;
    int32_t *copy = *copy_out = calloc(rows, sizeof *copy);
    if (!copy) {
        return ga_failed(context, "%s: no memory for tensor \"%s\"", call->path, tensor->name);
    }
    for (size_t i = 0; i < rows; i++) {
        size_t b = i / q_len, row = i % q_len;
        int64_t id = ga_integer_at(tensor, i);
        if (!context->model->fills_padding && q_lengths && row >= (size_t)q_lengths[b]) {
            continue;
        }
        if (id < 0 || (uint64_t)id >= count || id > INT32_MAX) {
            return ga_failed(context, "%s: tensor \"%s\": element [%zu, %zu] is %" PRId64 "; expected 0..%zu",
                             call->path, tensor->name, b, row, id, count - 1);
        }
        copy[i] = (int32_t)id;
    }
    return GA_EXIT_OK;
}

static enum ga_exit copy_ids(const struct ga_context *context, struct ga_model_call *call,
                             const struct ga_tensor *tensor, size_t count, int32_t **copy_out)
{
    return copy_ids_of(context, call, tensor, count, call->io.q_len, call->copies[GA_COPY_Q_LENGTHS], copy_out);
}

static enum ga_exit read_source_tokens(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *source = find_side(call, "src", true);
    return source ? copy_ids_of(context, call, source, context->model->src_vocab_size, call->io.kv_len,
                                call->copies[GA_COPY_KV_LENGTHS], &call->copies[GA_COPY_KEY_TOKENS])
                  : GA_EXIT_OK;
}

static enum ga_exit read_tokens(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *tensor = find_tokens(call);
    return tensor ? copy_ids(context, call, tensor, context->model->vocab_size, &call->copies[GA_COPY_TOKENS])
                  : GA_EXIT_OK;
}

static enum ga_exit read_token_types(const struct ga_context *context, struct ga_model_call *call)
{
    const struct ga_tensor *tensor = ga_weights_find(call->file, "token_types");
    const struct ga_io *io = &call->io;
    if (!tensor) {
        return GA_EXIT_OK;
    }
    struct ga_rows rows = {.batch = io->batch, .range = {io->q_len, io->q_len}};
    size_t batch, len;
    enum ga_exit code = ga_rows_read(context, call, tensor, &rows, &batch, &len);
    return code == GA_EXIT_OK
               ? copy_ids(context, call, tensor, context->model->stack->token_types, &call->copies[GA_COPY_TOKEN_TYPES])
               : code;
}

// -- All of it ------------------------------------------------------------------------------------------------------

// Lengths, and places of first rows: one number a sequence.
static enum ga_exit read_numbers(const struct ga_context *context, struct ga_model_call *call)
{
    const size_t positions = context->model->rope.positions;
    const struct numbers {
        const char *names[3]; // in a file
        const char *what;
        size_t most;
        enum ga_model_call_copy copy;
    } rows[] = {
        {{"lengths", "q_lengths", "trg_lengths"}, "length", call->io.q_len, GA_COPY_Q_LENGTHS},
        {{"memory_lengths", "kv_lengths", "src_lengths"}, "length", call->kv_len, GA_COPY_KV_LENGTHS},
        {{"position"}, "place", positions - call->io.q_len, GA_COPY_POSITION},
        {{"kv_position"}, "place", positions - call->kv_len, GA_COPY_KV_POSITION},
    };
    enum ga_exit code = GA_EXIT_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && code == GA_EXIT_OK; i++) {
        const struct ga_tensor *tensor = NULL;
        for (size_t n = 0; n < 3 && rows[i].names[n] && !tensor; n++) {
            tensor = ga_weights_find(call->file, rows[i].names[n]);
        }
        code = copy_each(context, call, tensor, rows[i].what, rows[i].most, &call->copies[rows[i].copy]);
    }
    return code;
}

static enum ga_exit read_cache_lengths(const struct ga_context *context, struct ga_model_call *call)
{
    return copy_each(context, call, ga_weights_find(call->file, "cache_lengths"), "length", call->cached,
                     &call->copies[GA_COPY_CACHE_LENGTHS]);
}

enum ga_exit ga_model_call_open(const struct ga_context *context, const char *path, struct ga_model_call *call_out)
{
    static enum ga_exit (*const readers[])(const struct ga_context *, struct ga_model_call *) = {
        read_query,           read_key,           read_value,       read_numbers,
        read_tokens,          read_source_tokens, read_token_types, ga_model_call_mask,
        ga_model_call_cached, read_cache_lengths, read_sublayer,
    };
    *call_out = (struct ga_model_call){.path = path};
    struct ga_error error;
    if (ga_weights_open(path, &call_out->file, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    enum ga_exit code = ga_model_call_names(context, call_out);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0] && code == GA_EXIT_OK; i++) {
        code = readers[i](context, call_out);
    }
    call_out->io.tokens = call_out->copies[GA_COPY_TOKENS];
    call_out->io.key_tokens = call_out->copies[GA_COPY_KEY_TOKENS];
    call_out->io.token_types = call_out->copies[GA_COPY_TOKEN_TYPES];
    call_out->io.q_lengths = call_out->copies[GA_COPY_Q_LENGTHS];
    call_out->io.kv_lengths = call_out->copies[GA_COPY_KV_LENGTHS];
    call_out->io.position = call_out->copies[GA_COPY_POSITION];
    call_out->io.kv_position = call_out->copies[GA_COPY_KV_POSITION];
    return code;
}
