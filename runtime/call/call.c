// call.c: every rule a call's arguments must keep, with a sentence for each that is broken. Runs nothing.
#include "call.h"

#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "cache.h"
#include "min_max.h"
#include "tensor.h"

// -- Sizes ----------------------------------------------------------------------------------------------------------

static enum ga_status check_length(const struct ga_model *model, const char *field, size_t length,
                                   const struct ga_range *range, struct ga_error *error)
{
    if (length >= range->min && length <= range->max) {
        return GA_OK;
    }
    char expected[48];
    const char *format = range->min == range->max ? "%zu" : "%zu..%zu";
    (void)snprintf(expected, sizeof expected, format, range->min, range->max);
    return ga_fail(error, GA_ARGUMENT, "%s: %s is %zu; expected %s", model->name, field, length, expected);
}

enum ga_status ga_call_batch(const struct ga_model *model, size_t batch, struct ga_error *error)
{
    if (batch == 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: batch is 0; expected at least 1", model->name);
    }
    if (model->batch != 0 && batch != model->batch) {
        return ga_fail(error, GA_ARGUMENT, "%s: batch is %zu; expected %zu, which the model was generated for",
                       model->name, batch, model->batch);
    }
    return GA_OK;
}

static bool sizes_fit(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len)
{
    const size_t most = PTRDIFF_MAX / (16 * sizeof(float));
    const size_t inputs = ga_max(model->d_model, ga_max(model->k_dim, model->v_dim));
    const size_t width = ga_max(ga_max(inputs, model->d_out), model->n_heads * model->d_head);
    const size_t rows[] = {batch, ga_max(q_len, kv_len), width};
    const size_t keys = model->stack == NULL ? kv_len : ga_max(q_len, kv_len); // a stack's rows see each other
    const size_t scores[] = {batch, model->n_heads, q_len, keys + model->extra_keys};
    size_t row_elements = 0;
    size_t score_elements = 0;
    return ga_shape_elements(3, rows, &row_elements) && row_elements <= most &&
           ga_shape_elements(4, scores, &score_elements) && score_elements <= most;
}

enum ga_status ga_call_sizes(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len,
                             struct ga_error *error)
{
    enum ga_status status = ga_call_batch(model, batch, error);
    if (status == GA_OK) {
        status = check_length(model, "q_len", q_len, &model->q_len, error);
    }
    if (status == GA_OK && (kv_len != 0 || model->cache == 0)) { // a cache may be looked at and nothing join it
        status = check_length(model, "kv_len", kv_len, &model->kv_len, error);
    }
    if (status == GA_OK && !sizes_fit(model, batch, q_len, kv_len)) {
        return ga_fail(error, GA_OVERFLOW, "%s: batch %zu of %zu by %zu does not fit in memory", model->name, batch,
                       q_len, kv_len);
    }
    return status;
}

enum ga_status ga_call_block(const struct ga_model *model, const char *what, const void *block, size_t size,
                             size_t needed, struct ga_error *error)
{
    if (size < needed) {
        return ga_fail(error, GA_SIZE, "%s: %s is %zu bytes large; expected at least %zu", model->name, what, size,
                       needed);
    }
    if (block == NULL && needed > 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL; expected %zu bytes", model->name, what, needed);
    }
    if ((uintptr_t)block % GA_ALIGN != 0) {
        return ga_fail(error, GA_ALIGNMENT, "%s: %s is not aligned to %d bytes", model->name, what, GA_ALIGN);
    }
    return GA_OK;
}

// -- Which fields are given -----------------------------------------------------------------------------------------

// Rows of one width cannot stand for those of another.
static enum ga_status check_widths(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_call_rule rules[] = {
        {io->key == NULL && model->k_dim != model->d_model, GA_ARGUMENT,
         "key is NULL; expected [batch][kv_len][k_dim], as the query's rows have another width (d_model)"},
        {io->value == NULL && model->v_dim != model->k_dim, GA_ARGUMENT,
         "value is NULL; expected [batch][kv_len][v_dim], as the rows of key have another width (k_dim)"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

static enum ga_status check_intermediates(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        if (io->intermediates[i] != NULL && !model->intermediates[i]) {
            return ga_fail(error, GA_UNSUPPORTED,
                           "%s: %s is given, but the model was generated without that output; list it in the spec's "
                           "outputs",
                           model->name, ga_intermediate_name((enum ga_intermediate)i));
        }
    }
    return GA_OK;
}

static enum ga_status check_cache_field(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_call_rule rules[] = {
        {io->cache == NULL && model->cache != 0, GA_ARGUMENT,
         "cache is NULL; expected one that ga_cache_init made with these weights"},
        {io->cache != NULL && model->cache == 0, GA_UNSUPPORTED,
         "cache is given, but the model was generated without one; set cache in the spec"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

// Whether a call says where keys come from.
static bool gives_keys(const struct ga_io *io)
{
    return io->key != NULL || io->key_tokens != NULL || io->memory != NULL;
}

// Whether a call's keys are its own rows.
static bool is_self(const struct ga_model *model, const struct ga_io *io)
{
    return !gives_keys(io) && !ga_call_has_memory(model);
}

enum ga_status ga_call_parallel(const struct ga_model *model, const struct ga_parallel *given, struct ga_parallel *copy,
                                struct ga_error *error)
{
    const bool is_aligned = ga_is_aligned(given, _Alignof(struct ga_parallel));
    const bool is_given = is_aligned && given != NULL;
    if (is_given) {
        *copy = *given;
    }
    const struct ga_call_rule rules[] = {
        {!is_aligned, GA_ALIGNMENT, "parallel is not aligned as a struct ga_parallel must be"},
        {is_given && (copy->threads < 1 || copy->threads > GA_MAX_THREADS), GA_ARGUMENT,
         "parallel->threads is out of range; expected 1..1024"},
        {is_given && copy->run == NULL, GA_ARGUMENT, "parallel->run is NULL; expected a function"},
    };
    _Static_assert(GA_MAX_THREADS == 1024, "as the sentence says");
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

static enum ga_status check_fields(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const bool has_lengths = io->q_lengths != NULL || io->kv_lengths != NULL;
    const bool self = is_self(model, io), by_head = model->kind == GA_SDPA;
    const struct ga_call_rule rules[] = {
        {io->query == NULL && io->tokens == NULL && model->vocab_size == 0, GA_ARGUMENT,
         by_head ? "query is NULL; expected [batch][n_heads][q_len][d_head]"
                 : "query is NULL; expected [batch][q_len][d_model]"},
        {io->query == NULL && io->tokens == NULL, GA_ARGUMENT, "query and tokens are both NULL; expected one of them"},
        {io->tokens != NULL && model->vocab_size == 0, GA_UNSUPPORTED,
         "tokens are given, but the model has no embedding; give query, or set vocab_size in the spec"},
        {io->query != NULL && io->tokens != NULL, GA_ARGUMENT, "query and tokens are both given; expected one of them"},
        {io->tokens != NULL && model->stack == NULL && (io->key != NULL || io->value != NULL), GA_ARGUMENT,
         "tokens are given with key or value; expected only tokens, which replace all three"},
        {io->key == NULL && io->value != NULL, GA_ARGUMENT, "value is given without key; expected key too, or neither"},
        {self && io->kv_len != 0 && io->kv_len != io->q_len, GA_ARGUMENT,
         "kv_len is neither 0 nor q_len, but key is NULL; expected key too"},
        {io->output == NULL && model->stack == NULL, GA_ARGUMENT,
         by_head ? "output is NULL; expected room for [batch][n_heads][q_len][d_v]"
                 : "output is NULL; expected room for [batch][q_len][d_out]"},
        {io->attention != NULL && model->stack != NULL, GA_UNSUPPORTED,
         "attention is given, but the model is a stack of layers; layer_attention has room for each"},
        {io->attention != NULL && !model->attention_output, GA_UNSUPPORTED,
         "attention is given, but the model was generated without that output; list it in the spec's outputs"},
        {io->attention_mean != NULL && !model->attention_mean_output, GA_UNSUPPORTED,
         "attention_mean is given, but the model was generated without that output; list it in the spec's outputs"},
        {has_lengths && !model->lengths, GA_UNSUPPORTED,
         "q_lengths or kv_lengths is given, but the model was generated without mask lengths; set it in the spec"},
        {(io->position != NULL || io->kv_position != NULL) && model->rope.positions == 0, GA_UNSUPPORTED,
         "position or kv_position is given, but the model was generated without rotary positions; set rope in the "
         "spec"},
    };
    enum ga_status status = ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
    status = status == GA_OK ? ga_call_model(model, io, error) : status;
    status = status == GA_OK ? ga_call_mask_fields(model, io, error) : status;
    status = status == GA_OK ? check_cache_field(model, io, error) : status;
    return status == GA_OK ? check_intermediates(model, io, error) : status;
}

enum ga_status ga_call_complete(const struct ga_model *model, const struct ga_io *io, struct ga_io *call_out,
                                struct ga_call_copies *copies, struct ga_error *error)
{
    struct ga_io call = *io;
    enum ga_status status = check_fields(model, &call, error);
    status = status == GA_OK ? ga_call_parallel(model, call.parallel, &copies->parallel, error) : status;
    status = status == GA_OK ? ga_call_ranks(model, &call, &copies->gathering, error) : status;
    status = status == GA_OK ? check_widths(model, &call, error) : status;
    if (status != GA_OK) {
        return status;
    }
    if (!gives_keys(&call) && ga_call_has_memory(model)) { // the cache holds what it attends to
        call.kv_len = 0;
        call.kv_lengths = NULL;
        call.src_mask = NULL;
        call.src_additive_mask = NULL;
    } else if (is_self(model, &call)) {
        call.kv_len = call.q_len;
        call.key = call.query;
        call.kv_lengths = call.kv_lengths == NULL ? call.q_lengths : call.kv_lengths;
        call.kv_position = call.kv_position == NULL ? call.position : call.kv_position;
    }
    call.value = call.value == NULL ? call.key : call.value;
    *call_out = call;
    return ga_call_sizes(model, call.batch, call.q_len, call.kv_len, error);
}

// -- What it holds --------------------------------------------------------------------------------------------------

enum ga_status ga_call_contents(const struct ga_model *model, struct ga_io *call, struct ga_call_copies *copies,
                                const struct ga_call_ids *ids, struct ga_error *error)
{
    call->parallel = call->parallel == NULL ? NULL : &copies->parallel;
    call->ranks = ga_call_divided(&copies->gathering);
    if (call->watch != NULL) {
        copies->watch = *call->watch;
        call->watch = &copies->watch;
    }
    enum ga_status status = ga_call_arithmetic(model, call, copies->arithmetic, error);
    if (status == GA_OK) {
        status = ga_call_watch(model, call, error);
    }
    if (status == GA_OK) {
        status = ga_call_ids(model, call, ids, error);
    }
    return status == GA_OK ? ga_call_mask_contents(model, call, error) : status;
}
