// pooling_batch.c: gathers the ids of a batch, calls the model, and puts each row where it belongs.
#include "pooling_batch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "pooling.h"

// -- What goes together ---------------------------------------------------------------------------------------------

size_t ga_pooling_length(const struct ga_pooling_set *set, size_t i)
{
    return ga_sequence_length(set->sequences, set->pooling->order[i]);
}

// Rows a sequence of the batch from the first-th on has in the call.
static size_t call_length(const struct ga_pooling_set *set, size_t first)
{
    const size_t length = ga_pooling_length(set, first), least = set->model->q_len.min;
    return length > least ? length : least;
}

size_t ga_pooling_batch_size(const struct ga_pooling_set *set, size_t first, size_t rows)
{
    const struct ga_model *model = set->model;
    const size_t left = set->sequences->count - first, fit = rows / call_length(set, first);
    size_t count = fit < 1 ? 1 : fit < left ? fit : left;
    if (model->batch) {
        count = model->batch < left ? model->batch : left;
    }
    for (size_t i = 1; !model->lengths && i < count; i++) {
        count = ga_pooling_length(set, first + i) == ga_pooling_length(set, first) ? count : i;
    }
    return count;
}

// -- Room -----------------------------------------------------------------------------------------------------------

static void free_rows(struct ga_pooling_room *room)
{
    free(room->tokens);
    free(room->types);
    free(room->lengths);
    ga_block_free(room->pooled);
    ga_block_free(room->next);
    ga_block_free(room->labels);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void make_rows(const struct ga_pooling *pooling, struct ga_pooling_room *room, size_t batch, size_t rows)
{
    const struct ga_stack *stack = pooling->context->model->stack;
    const size_t labels = pooling->watch || pooling->class_logits ? stack->n_labels : 0;
    const size_t logits = pooling->last_logits ? stack->n_logits : 0;
    free_rows(room);
    room->batch = batch;
    room->rows = rows;
    room->tokens = malloc(rows * sizeof *room->tokens);
    room->types = malloc(rows * sizeof *room->types);
    room->lengths = malloc(batch * sizeof *room->lengths);
    room->pooled = ga_block_new((pooling->of_rows ? rows : batch) * pooling->width * sizeof *room->pooled);
    room->next = ga_block_new((batch * logits + 1) * sizeof *room->next);
    room->labels = ga_block_new((batch * labels + 1) * sizeof *room->labels);
}

// Room for a batch of so many sequences and rows, all zeros.
static enum ga_status make_room(const struct ga_pooling *pooling, struct ga_pooling_room *room, size_t batch,
                                size_t rows)
{
    if (batch > room->batch || rows > room->rows) {
        make_rows(pooling, room, larger(batch, room->batch), larger(rows, room->rows));
    }
    if (!room->tokens || !room->types || !room->lengths || !room->pooled || !room->next || !room->labels) {
        return ga_fail(&room->error, GA_MEMORY, "no memory for a batch of %zu rows", rows);
    }
    memset(room->tokens, 0, rows * sizeof *room->tokens);
    memset(room->types, 0, rows * sizeof *room->types);
    memset(room->lengths, 0, batch * sizeof *room->lengths);
    return GA_OK;
}

static enum ga_status make_scratch(const struct ga_pooling *pooling, struct ga_pooling_room *room,
                                   const struct ga_io *io)
{
    const size_t size = ga_model_scratch_size(pooling->context->model, pooling->instance->variant, io->batch, io->q_len,
                                              0, io->parallel ? io->parallel->threads : 1);
    if (size > room->scratch_size) {
        ga_block_free(room->scratch);
        room->scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
        room->scratch_size = size;
    }
    return room->scratch ? GA_OK : ga_fail(&room->error, GA_MEMORY, "no memory for %zu bytes of scratch", size);
}

// A cache for a batch, of nothing; none where the model has none.
static enum ga_status make_cache(const struct ga_pooling *pooling, struct ga_pooling_room *room, size_t batch,
                                 size_t q_len)
{
    const struct ga_model *model = pooling->context->model;
    struct ga_error error = {.text = ""};
    ga_block_free(room->cache);
    room->cache = NULL;
    if (!model->cache) {
        return GA_OK;
    }
    const size_t size = ga_cache_size(model, pooling->instance->variant, batch, q_len);
    void *block = size == SIZE_MAX ? NULL : ga_block_new(size);
    if (block && ga_cache_init(pooling->instance->loaded, batch, q_len, block, size, &room->cache, &error) == GA_OK) {
        return GA_OK;
    }
    ga_block_free(block);
    return ga_fail(&room->error, GA_MEMORY, "no cache for %zu rows: %s", batch * q_len,
                   block ? error.text : "no memory");
}

void ga_pooling_room_free(struct ga_pooling_room *room)
{
    free_rows(room);
    ga_block_free(room->cache);
    ga_block_free(room->scratch);
    *room = (struct ga_pooling_room){0};
}

// -- The call -------------------------------------------------------------------------------------------------------

static void fill_batch(const struct ga_pooling_set *set, struct ga_pooling_room *room, size_t first, size_t count,
                       size_t q_len)
{
    const struct ga_sequences *sequences = set->sequences;
    for (size_t b = 0; b < count; b++) {
        const size_t start = sequences->starts[set->pooling->order[first + b]],
                     length = ga_pooling_length(set, first + b);
        room->lengths[b] = (int32_t)length;
        if (length > 0) {
            memcpy(room->tokens + b * q_len, sequences->ids + start, length * sizeof *room->tokens);
        }
        if (length > 0 && sequences->types) {
            memcpy(room->types + b * q_len, sequences->types + start, length * sizeof *room->types);
        }
    }
}

static enum ga_status call_model(const struct ga_pooling_set *set, struct ga_pooling_room *room, size_t batch,
                                 size_t q_len)
{
    const struct ga_pooling *pooling = set->pooling;
    const bool has_labels = pooling->class_logits || (pooling->watch && set->model->stack->n_labels > 0);
    struct ga_io io = {
        .batch = batch,
        .q_len = q_len,
        .tokens = room->tokens,
        .token_types = set->sequences->types ? room->types : NULL,
        .q_lengths = set->model->lengths ? room->lengths : NULL,
        .parallel = room->parallel,
        .arithmetic = pooling->arithmetic,
        .watch = pooling->watch,
        .last_logits = pooling->last_logits ? room->next : NULL,
        .class_logits = has_labels ? room->labels : NULL,
        .cache = room->cache,
    };
    memcpy((unsigned char *)&io + pooling->field, &room->pooled, sizeof room->pooled);
    const enum ga_status status = make_scratch(pooling, room, &io);
    return status == GA_OK
               ? ga_model_run(pooling->instance->loaded, &io, room->scratch, room->scratch_size, &room->error)
               : status;
}

// Puts what sequence b of a batch has besides its row where it belongs.
static void keep_more(const struct ga_pooling_set *set, const struct ga_pooling_room *room, size_t b, size_t at)
{
    const struct ga_pooling *pooling = set->pooling;
    const struct ga_stack *stack = set->model->stack;
    if (pooling->last_logits) {
        memcpy(pooling->last_logits + at * stack->n_logits, room->next + b * stack->n_logits,
               stack->n_logits * sizeof *room->next);
    }
    if (pooling->class_logits) {
        memcpy(pooling->class_logits + at * stack->n_labels, room->labels + b * stack->n_labels,
               stack->n_labels * sizeof *room->labels);
    }
}

enum ga_status ga_pooling_batch_run(const struct ga_pooling_set *set, struct ga_pooling_room *room, size_t first,
                                    size_t count)
{
    const struct ga_pooling *pooling = set->pooling;
    const size_t batch = set->model->batch ? set->model->batch : count, q_len = call_length(set, first);
    enum ga_status status = make_room(pooling, room, batch, batch * q_len);
    if (status != GA_OK) {
        return status;
    }
    fill_batch(set, room, first, count, q_len);
    status = make_cache(pooling, room, batch, q_len);
    status = status == GA_OK ? call_model(set, room, batch, q_len) : status;
    for (size_t b = 0; b < count && status == GA_OK; b++) {
        const size_t length = ga_pooling_length(set, first + b), at = pooling->order[first + b],
                     row = pooling->of_rows ? b * q_len + length - (length > 0) : b;
        memcpy(set->rows + at * pooling->width, room->pooled + row * pooling->width,
               pooling->width * sizeof *room->pooled);
        keep_more(set, room, b, at);
    }
    return status;
}
