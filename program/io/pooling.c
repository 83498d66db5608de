// pooling.c: sorts sequences by length, runs them in batches and puts each row where it belongs.
#include "pooling.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance)
{
    return (struct ga_pooling){.context = context,
                               .instance = instance,
                               .rows = GA_POOLING_ROWS,
                               .field = offsetof(struct ga_io, embedding),
                               .width = context->model->d_model};
}

struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance)
{
    struct ga_pooling pooling = ga_pooling_of(context, instance);
    pooling.field = offsetof(struct ga_io, output);
    pooling.of_rows = true;
    return pooling;
}

enum ga_exit ga_pooling_check(const struct ga_context *context)
{
    const struct ga_model *model = context->model;
    if (!model->stack || model->kind != GA_ENCODER) {
        return ga_failed(context, "%s is no encoder, so there is no embedding of a sequence", model->name);
    }
    if (model->stack->pool == GA_POOL_NONE) {
        return ga_failed(context, "%s does not pool; its spec would say pool = { kind = \"mean\" }", model->name);
    }
    if (model->vocab_size == 0) {
        return ga_failed(context, "%s takes no token ids; its spec would say vocab_size = 30522", model->name);
    }
    return model->cache
               ? ga_failed(context, "%s has a cache, which calls that %s do without", model->name, context->command)
               : GA_EXIT_OK;
}

// -- Order ----------------------------------------------------------------------------------------------------------

struct place {
    size_t length, at;
};

static int longest_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length)
                                  : (a->at > b->at) - (a->at < b->at);
}

static enum ga_exit sort_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences)
{
    const size_t count = sequences->count;
    struct place *places = malloc(count * sizeof *places);
    free(pooling->order);
    pooling->order = malloc(count * sizeof *pooling->order);
    if (!places || !pooling->order) {
        free(places);
        return ga_failed(pooling->context, "no memory for %zu sequences", count);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct place){ga_sequence_length(sequences, i), i};
    }
    qsort(places, count, sizeof *places, longest_first);
    for (size_t i = 0; i < count; i++) {
        pooling->order[i] = places[i].at;
    }
    free(places);
    return GA_EXIT_OK;
}

// -- Batches --------------------------------------------------------------------------------------------------------

// One call: sequences, and where their rows go.
struct work {
    struct ga_pooling *pooling;
    const struct ga_model *model;
    const struct ga_sequences *sequences;
    float *rows;
};

static size_t length_at(const struct work *work, size_t i)
{
    return ga_sequence_length(work->sequences, work->pooling->order[i]);
}

// Rows a sequence of the batch from the first-th on has in the call.
static size_t call_length(const struct work *work, size_t first)
{
    const size_t length = length_at(work, first), least = work->model->q_len.min;
    return length > least ? length : least;
}

// How many sequences from the first-th on go together: those whose rows fit; without lengths, of one length.
static size_t batch_size(const struct work *work, size_t first)
{
    const struct ga_model *model = work->model;
    const size_t left = work->sequences->count - first, fit = work->pooling->rows / call_length(work, first);
    size_t count = fit < 1 ? 1 : fit < left ? fit : left;
    if (model->batch) {
        count = model->batch < left ? model->batch : left;
    }
    for (size_t i = 1; !model->lengths && i < count; i++) {
        count = length_at(work, first + i) == length_at(work, first) ? count : i;
    }
    return count;
}

// Room for a batch of so many rows and sequences, all zeros.
static enum ga_exit make_room(struct ga_pooling *pooling, size_t batch, size_t rows)
{
    const struct ga_stack *stack = pooling->context->model->stack;
    const size_t labels = pooling->watch || pooling->class_logits ? stack->n_labels : 0;
    const size_t logits = pooling->last_logits ? stack->n_logits : 0;
    if (rows > pooling->room) {
        free(pooling->tokens);
        free(pooling->types);
        free(pooling->lengths);
        ga_block_free(pooling->pooled);
        ga_block_free(pooling->next);
        ga_block_free(pooling->labels);
        pooling->room = rows;
        pooling->tokens = malloc(rows * sizeof *pooling->tokens);
        pooling->types = malloc(rows * sizeof *pooling->types);
        pooling->lengths = malloc(rows * sizeof *pooling->lengths);
        pooling->pooled = ga_block_new(rows * pooling->width * sizeof *pooling->pooled);
        pooling->next = ga_block_new((rows * logits + 1) * sizeof *pooling->next);
        pooling->labels = ga_block_new((rows * labels + 1) * sizeof *pooling->labels);
    }
    if (!pooling->tokens || !pooling->types || !pooling->lengths || !pooling->pooled || !pooling->next ||
        !pooling->labels) {
        return ga_failed(pooling->context, "no memory for a batch of %zu rows", rows);
    }
    memset(pooling->tokens, 0, rows * sizeof *pooling->tokens);
    memset(pooling->types, 0, rows * sizeof *pooling->types);
    memset(pooling->lengths, 0, batch * sizeof *pooling->lengths);
    return GA_EXIT_OK;
}

static enum ga_exit make_scratch(struct ga_pooling *pooling, const struct ga_io *io)
{
    const size_t size = ga_model_scratch_size(pooling->context->model, pooling->instance->variant, io->batch, io->q_len,
                                              0, io->parallel ? io->parallel->threads : 1);
    if (size > pooling->scratch_size) {
        ga_block_free(pooling->scratch);
        pooling->scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
        pooling->scratch_size = size;
    }
    return pooling->scratch ? GA_EXIT_OK : ga_failed(pooling->context, "no memory for %zu bytes of scratch", size);
}

// A cache for a batch, of nothing; none where the model has none.
static enum ga_exit make_cache(struct ga_pooling *pooling, size_t batch, size_t q_len)
{
    const struct ga_model *model = pooling->context->model;
    struct ga_error error = {.text = ""};
    ga_block_free(pooling->cache);
    pooling->cache = NULL;
    if (!model->cache) {
        return GA_EXIT_OK;
    }
    const size_t size = ga_cache_size(model, pooling->instance->variant, batch, q_len);
    void *block = size == SIZE_MAX ? NULL : ga_block_new(size);
    if (block &&
        ga_cache_init(pooling->instance->loaded, batch, q_len, block, size, &pooling->cache, &error) == GA_OK) {
        return GA_EXIT_OK;
    }
    ga_block_free(block);
    return ga_failed(pooling->context, "no cache for %zu rows: %s", batch * q_len, block ? error.text : "no memory");
}

static void fill_batch(const struct work *work, size_t first, size_t count, size_t q_len)
{
    const struct ga_sequences *sequences = work->sequences;
    struct ga_pooling *pooling = work->pooling;
    for (size_t b = 0; b < count; b++) {
        const size_t start = sequences->starts[pooling->order[first + b]], length = length_at(work, first + b);
        pooling->lengths[b] = (int32_t)length;
        if (length > 0) {
            memcpy(pooling->tokens + b * q_len, sequences->ids + start, length * sizeof *pooling->tokens);
        }
        if (length > 0 && sequences->types) {
            memcpy(pooling->types + b * q_len, sequences->types + start, length * sizeof *pooling->types);
        }
    }
}

static enum ga_exit call_model(const struct work *work, size_t batch, size_t q_len)
{
    struct ga_pooling *pooling = work->pooling;
    struct ga_io io = {
        .batch = batch,
        .q_len = q_len,
        .tokens = pooling->tokens,
        .token_types = work->sequences->types ? pooling->types : NULL,
        .q_lengths = work->model->lengths ? pooling->lengths : NULL,
        .parallel = pooling->instance->parallel,
        .arithmetic = pooling->arithmetic,
        .watch = pooling->watch,
        .last_logits = pooling->last_logits ? pooling->next : NULL,
        .class_logits =
            pooling->class_logits || (pooling->watch && work->model->stack->n_labels > 0) ? pooling->labels : NULL,
        .cache = pooling->cache,
    };
    memcpy((unsigned char *)&io + pooling->field, &pooling->pooled, sizeof pooling->pooled);
    struct ga_error error;
    const enum ga_exit code = make_scratch(pooling, &io);
    if (code == GA_EXIT_OK &&
        ga_model_run(pooling->instance->loaded, &io, pooling->scratch, pooling->scratch_size, &error) != GA_OK) {
        return ga_failed(pooling->context, "%s", error.text);
    }
    return code;
}

// Puts what sequence b of a batch has besides its row where it belongs.
static void keep_more(const struct work *work, size_t b, size_t at)
{
    const struct ga_pooling *pooling = work->pooling;
    const struct ga_stack *stack = work->model->stack;
    if (pooling->last_logits) {
        memcpy(pooling->last_logits + at * stack->n_logits, pooling->next + b * stack->n_logits,
               stack->n_logits * sizeof *pooling->next);
    }
    if (pooling->class_logits) {
        memcpy(pooling->class_logits + at * stack->n_labels, pooling->labels + b * stack->n_labels,
               stack->n_labels * sizeof *pooling->labels);
    }
}

// Runs sequences from the first-th on as one batch, and puts their rows where they belong.
static enum ga_exit run_batch(const struct work *work, size_t first, size_t count)
{
    const struct ga_model *model = work->model;
    struct ga_pooling *pooling = work->pooling;
    const size_t batch = model->batch ? model->batch : count, q_len = call_length(work, first);
    enum ga_exit code = make_room(pooling, batch, batch * q_len);
    if (code != GA_EXIT_OK) {
        return code;
    }
    fill_batch(work, first, count, q_len);
    code = make_cache(pooling, batch, q_len);
    code = code == GA_EXIT_OK ? call_model(work, batch, q_len) : code;
    for (size_t b = 0; b < count && code == GA_EXIT_OK; b++) {
        const size_t length = length_at(work, first + b),
                     row = pooling->of_rows ? b * q_len + length - (length > 0) : b;
        memcpy(work->rows + pooling->order[first + b] * pooling->width, pooling->pooled + row * pooling->width,
               pooling->width * sizeof *pooling->pooled);
        keep_more(work, b, pooling->order[first + b]);
    }
    return code;
}

// Sequences take time by their ids, not by their number.
static void show_progress(const struct work *work, size_t done, size_t ids)
{
    const struct ga_pooling *pooling = work->pooling;
    const struct ga_sequences *sequences = work->sequences;
    const size_t all = sequences->starts[sequences->count] - sequences->starts[0];
    const double part = all > 0 ? (double)ids / (double)all : 0;
    if (pooling->progress) {
        ga_progress_show(pooling->progress, pooling->done + done,
                         pooling->begin + (pooling->end - pooling->begin) * part);
    }
}

static enum ga_exit check_stop(const struct ga_pooling *pooling)
{
    return pooling->is_stopped && pooling->is_stopped() ? ga_failed(pooling->context, "stopped by a signal")
                                                        : GA_EXIT_OK;
}

static enum ga_exit run_batches(const struct work *work)
{
    const size_t count = work->sequences->count;
    enum ga_exit code = GA_EXIT_OK;
    size_t ids = 0;
    for (size_t first = 0, size = 0; first < count && code == GA_EXIT_OK; first += size) {
        show_progress(work, first, ids);
        size = batch_size(work, first);
        code = check_stop(work->pooling);
        code = code == GA_EXIT_OK ? run_batch(work, first, size) : code;
        for (size_t b = 0; b < size; b++) {
            ids += length_at(work, first + b);
        }
    }
    return code;
}

// Sequences that the model has no call for: too short ones where it takes no lengths.
static enum ga_exit check_lengths(const struct work *work)
{
    const size_t least = work->model->q_len.min;
    for (size_t i = 0; !work->model->lengths && i < work->sequences->count; i++) {
        if (ga_sequence_length(work->sequences, i) < least) {
            return ga_failed(work->pooling->context,
                             "sequence %zu has %zu ids; expected at least %zu, as the model takes no lengths",
                             work->pooling->done + i, ga_sequence_length(work->sequences, i), least);
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out)
{
    const struct work work = {pooling, pooling->context->model, sequences, rows_out};
    if (sequences->count == 0) {
        return GA_EXIT_OK;
    }
    enum ga_exit code = check_lengths(&work);
    code = code == GA_EXIT_OK ? sort_sequences(pooling, sequences) : code;
    code = code == GA_EXIT_OK ? run_batches(&work) : code;
    pooling->done += code == GA_EXIT_OK ? sequences->count : 0;
    return code;
}

void ga_pooling_free(struct ga_pooling *pooling)
{
    free(pooling->order);
    free(pooling->tokens);
    free(pooling->types);
    free(pooling->lengths);
    ga_block_free(pooling->pooled);
    ga_block_free(pooling->next);
    ga_block_free(pooling->labels);
    ga_block_free(pooling->cache);
    ga_block_free(pooling->scratch);
}
