// token_walk.c: the calls of a walk, and the memory that it grows in.
#include "token_walk.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "diagnostics.h"

#define CANNOT "cannot go on from tokens: "

const char *ga_token_walk_refusal(const struct ga_model *model)
{
    return !model->stack || model->stack->logits == GA_LOGITS_NONE || !model->vocab_size ? CANNOT
               "it was generated without logits.kind or vocab_size"
           : model->stack->n_logits != model->vocab_size ? CANNOT "its logits are not those of its tokens"
           : model->causal == GA_CAUSAL_NONE             ? CANNOT "its tokens see later ones (mask.causal)"
           : !model->lengths                             ? CANNOT "it was generated without lengths"
                                                         : NULL;
}

static enum ga_exit check_room(const struct ga_token_walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const bool in_one_call = walk->start.recompute && (!model->cache || model->q_len.max < model->cache);
    const size_t most = in_one_call ? model->q_len.max : model->cache;
    return walk->capacity <= most
               ? GA_EXIT_OK
               : ga_failed(walk->context, "%s: %zu tokens and %zu more are %zu; expected at most %zu (%s of the spec)",
                           walk->start.label, walk->start.io->q_len, walk->start.added, walk->capacity, most,
                           in_one_call ? "seq_len" : "cache");
}

static enum ga_exit no_memory(const struct ga_token_walk *walk)
{
    return ga_failed(walk->context, "%s: no memory for %zu sequences of %zu tokens", walk->start.label, walk->batch,
                     walk->capacity);
}

static enum ga_exit make_cache(struct ga_token_walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const size_t size = ga_cache_size(model, walk->instance->variant, walk->batch, walk->capacity);
    void *block = size == SIZE_MAX ? NULL : ga_block_room(size); // pages of other ranks' heads are never touched
    struct ga_error error;
    if (block && ga_cache_init(walk->instance->loaded, walk->batch, walk->capacity, block, size, &walk->cache,
                               &error) == GA_OK) {
        return GA_EXIT_OK;
    }
    ga_block_free(block);
    return no_memory(walk);
}

static bool make_rows(struct ga_token_walk *walk)
{
    const size_t batch = walk->batch, vocab_size = walk->context->model->vocab_size;
    walk->tokens = calloc(batch * walk->capacity, sizeof *walk->tokens);
    walk->call_tokens = calloc(batch * walk->capacity, sizeof *walk->call_tokens);
    walk->lengths = calloc(batch, sizeof *walk->lengths);
    walk->call_rows = calloc(batch, sizeof *walk->call_rows);
    walk->ended = calloc(batch, sizeof *walk->ended);
    walk->logits = ga_block_new(batch * vocab_size * sizeof *walk->logits);
    walk->sampler = ga_sampler_new(&walk->start.sampling, vocab_size);
    return walk->tokens && walk->call_tokens && walk->lengths && walk->call_rows && walk->ended && walk->logits &&
           walk->sampler;
}

// Floats of the memory that every call attends to, 0 where it is none of the walk's.
static size_t memory_floats(const struct ga_token_walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const bool keeps = model->encoder && (walk->start.recompute || walk->start.io->memory);
    return keeps ? walk->batch * walk->start.io->kv_len * model->d_model : 0;
}

static bool make_work(struct ga_token_walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const size_t rows = walk->start.recompute ? walk->capacity : walk->start.io->q_len;
    const size_t kv_len = model->kind == GA_ENCODER ? rows : walk->start.io->kv_len, floats = memory_floats(walk);
    walk->memory = floats ? ga_block_new(floats * sizeof *walk->memory) : NULL;
    walk->scratch_size = ga_model_scratch_size(model, walk->instance->variant, walk->batch, rows, kv_len,
                                               walk->instance->parallel ? walk->instance->parallel->threads : 1);
    walk->scratch = walk->scratch_size == SIZE_MAX ? NULL : ga_block_new(walk->scratch_size);
    return walk->scratch && (walk->memory || !floats);
}

// What the walk goes on from, into its own memory.
static void take_start(struct ga_token_walk *walk)
{
    const struct ga_io *io = walk->start.io;
    for (size_t b = 0; b < walk->batch; b++) {
        walk->lengths[b] = io->q_lengths ? io->q_lengths[b] : (int32_t)io->q_len;
        walk->ended[b] = walk->lengths[b] == 0; // nothing to go on from
        memcpy(walk->tokens + b * walk->capacity, io->tokens + b * io->q_len, io->q_len * sizeof *walk->tokens);
    }
    if (io->memory) {
        memcpy(walk->memory, io->memory, memory_floats(walk) * sizeof *walk->memory);
    }
}

enum ga_exit ga_token_walk_open(const struct ga_context *context, const struct ga_model_instance *instance,
                                const struct ga_token_walk_start *start, struct ga_token_walk *walk)
{
    *walk = (struct ga_token_walk){.context = context,
                                   .instance = instance,
                                   .start = *start,
                                   .batch = start->io->batch,
                                   .capacity = start->io->q_len + start->added};
    const enum ga_exit code = check_room(walk);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if (!make_rows(walk) || !make_work(walk)) {
        return no_memory(walk);
    }
    take_start(walk);
    return context->model->cache ? make_cache(walk) : GA_EXIT_OK;
}

void ga_token_walk_close(struct ga_token_walk *walk)
{
    free(walk->tokens);
    free(walk->lengths);
    free(walk->ended);
    free(walk->call_tokens);
    free(walk->call_rows);
    ga_sampler_free(walk->sampler);
    ga_block_free(walk->logits);
    ga_block_free(walk->memory);
    ga_block_free(walk->cache);
    ga_block_free(walk->scratch);
}

// -- A step ---------------------------------------------------------------------------------------------------------

// The tokens of one call: from token `from` of each sequence that goes on, q_len at most.
static void lay_call(struct ga_token_walk *walk, bool only_last, size_t *q_len_out)
{
    size_t q_len = 1;
    for (size_t b = 0; b < walk->batch; b++) {
        walk->call_rows[b] = walk->ended[b] ? 0 : only_last ? 1 : walk->lengths[b];
        q_len = (size_t)walk->call_rows[b] > q_len ? (size_t)walk->call_rows[b] : q_len;
    }
    for (size_t b = 0; b < walk->batch; b++) {
        const size_t rows = (size_t)walk->call_rows[b], from = (size_t)walk->lengths[b] - rows;
        memcpy(walk->call_tokens + b * q_len, walk->tokens + b * walk->capacity + from,
               rows * sizeof *walk->call_tokens);
    }
    *q_len_out = q_len;
}

// One call that gives the logits after each sequence's last token.
static enum ga_status call_model(struct ga_token_walk *walk, bool is_first, size_t q_len, struct ga_error *error)
{
    struct ga_io io = {
        .batch = walk->batch,
        .q_len = q_len,
        .tokens = walk->call_tokens,
        .q_lengths = walk->call_rows,
        .last_logits = walk->logits,
        .cache = walk->cache,
        .parallel = walk->instance->parallel,
        .ranks = walk->instance->ranks,
    };
    for (size_t b = 0; walk->start.recompute && walk->cache && b < walk->batch; b++) {
        (void)ga_cache_cut(walk->cache, b, 0, NULL); // to nothing, which any sequence can be
    }
    // After the first call, the cache holds the memory that a decoder attends to.
    if (walk->context->model->kind != GA_ENCODER && (is_first || walk->start.recompute)) {
        const bool encodes = is_first || !walk->memory;
        io.kv_len = walk->start.io->kv_len;
        io.kv_lengths = walk->start.io->kv_lengths;
        io.memory = walk->memory;
        io.key_tokens = encodes ? walk->start.io->key_tokens : NULL;
        io.key = encodes ? walk->start.io->key : NULL;
        io.src_mask = walk->start.io->src_mask;
        io.src_additive_mask = walk->start.io->src_additive_mask;
        memcpy(io.src_mask_strides, walk->start.io->src_mask_strides, sizeof io.src_mask_strides);
        io.memory_mask = walk->start.io->memory_mask;
        io.memory_additive_mask = walk->start.io->memory_additive_mask;
        memcpy(io.memory_mask_strides, walk->start.io->memory_mask_strides, sizeof io.memory_mask_strides);
    }
    return ga_model_run(walk->instance->loaded, &io, walk->scratch, walk->scratch_size, error);
}

// Adds a token to each sequence that goes on; false: none does any more.
static bool add_tokens(struct ga_token_walk *walk)
{
    const size_t count = walk->context->model->vocab_size;
    bool any = false;
    for (size_t b = 0; b < walk->batch; b++) {
        if (!walk->ended[b]) {
            const int32_t token = ga_sampler_choose(walk->sampler, walk->logits + b * count, b, walk->steps);
            walk->tokens[b * walk->capacity + (size_t)walk->lengths[b]++] = token;
            walk->ended[b] = token == walk->start.stop;
            any = any || !walk->ended[b];
        }
    }
    return any;
}

enum ga_exit ga_token_walk_step(struct ga_token_walk *walk, bool *any_out)
{
    struct ga_error error = {.text = ""};
    size_t q_len;
    lay_call(walk, walk->steps > 0 && !walk->start.recompute, &q_len);
    if (call_model(walk, walk->steps == 0, q_len, &error) != GA_OK) {
        return ga_failed(walk->context, "%s: %s", walk->start.label, error.text);
    }
    if (walk->steps == 0) {
        ga_model_instance_settle(walk->instance);
    }
    *any_out = add_tokens(walk);
    walk->steps++;
    return GA_EXIT_OK;
}
