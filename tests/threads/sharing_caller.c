// sharing_caller.c: one caller of sharing.h: buffers of its own, and outputs in one block that is compared as a whole.
// Starts no thread.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "sharing.h"

// -- Shapes ---------------------------------------------------------------------------------------------------------

struct sharing sharing_at(const struct sharing *sharing, size_t batch, size_t rows)
{
    const struct ga_model *model = sharing->subject->model;
    const size_t most = model->cache > 0 && model->cache < SHARING_STEPS * rows ? model->cache / SHARING_STEPS : rows;
    const size_t q_len = shapes_clamp(&model->q_len, most);
    const bool crosses = shapes_has_memory(model) || q_len < model->kv_len.min || q_len > model->kv_len.max ||
                         model->k_dim != model->d_model || model->v_dim != model->k_dim;
    struct sharing at = *sharing;
    at.shape = (struct shape){
        .batch = model->batch ? model->batch : batch,
        .q_len = q_len,
        .kv_len = crosses ? shapes_clamp(&model->kv_len, rows) : q_len,
        .form = crosses                 ? shapes_cross_form(model)
                : model->vocab_size > 0 ? FORM_TOKENS
                                        : FORM_SELF,
        .q_ragged = model->lengths,
    };
    return at;
}

// -- Outputs --------------------------------------------------------------------------------------------------------

enum { OUTPUTS = 7 };

// Floats of each output that the model gives, in the order of point_outputs.
static size_t count_outputs(const struct call *call, size_t counts[OUTPUTS])
{
    const struct ga_stack *stack = call->model->stack;
    const size_t batch = call->shape.batch, logits = stack ? batch * stack->n_logits : 0;
    counts[0] = call->buffers[CALL_OUTPUT].bytes / sizeof(float);
    counts[1] = call->buffers[CALL_ATTENTION].bytes / sizeof(float);
    counts[2] = call->buffers[CALL_ATTENTION_MEAN].bytes / sizeof(float);
    counts[3] = stack ? batch * stack->d_embedding : 0;
    counts[4] = logits * call->shape.q_len;
    counts[5] = logits;
    counts[6] = stack ? batch * stack->n_labels : 0;
    size_t total = 0;
    for (size_t i = 0; i < OUTPUTS; i++) {
        total += counts[i];
    }
    return total;
}

static void point_outputs(struct ga_io *io, float *block, const size_t counts[OUTPUTS])
{
    float **const fields[OUTPUTS] = {&io->output, &io->attention,   &io->attention_mean, &io->embedding,
                                     &io->logits, &io->last_logits, &io->class_logits};
    for (size_t i = 0; i < OUTPUTS; i++) {
        *fields[i] = counts[i] > 0 ? block : NULL;
        block += counts[i];
    }
}

// -- Making ---------------------------------------------------------------------------------------------------------

static bool make_cache(struct caller *caller, const struct sharing *sharing)
{
    const struct shape *shape = &sharing->shape;
    const struct ga_model *model = sharing->subject->model;
    caller->steps = model->cache > 0 ? SHARING_STEPS : 1;
    if (model->cache == 0) {
        return true;
    }
    const size_t capacity = SHARING_STEPS * shape->q_len;
    if (!call_new_cache(&caller->cache, sharing->checks, sharing->subject, sharing->v, shape->batch, capacity)) {
        return false;
    }
    caller->call.io.cache = caller->cache.data;
    return true;
}

static bool make_blocks(struct caller *caller, const struct sharing *sharing, size_t threads)
{
    const struct shape *shape = &sharing->shape;
    const struct ga_model *model = sharing->subject->model;
    size_t counts[OUTPUTS];
    const size_t floats = count_outputs(&caller->call, counts);
    const size_t scratch = ga_model_scratch_size(model, ga_loaded_variant(caller->loaded), shape->batch, shape->q_len,
                                                 shape->kv_len, threads);
    if (scratch == SIZE_MAX || !guard_make(&caller->outputs, floats * sizeof(float), sizeof(float), GUARD_AT_END) ||
        !guard_make(&caller->scratch, scratch, GA_ALIGN, GUARD_AT_END)) {
        return false;
    }
    point_outputs(&caller->call.io, caller->outputs.data, counts);
    return true;
}

bool caller_make(struct caller *caller, const struct sharing *sharing, size_t threads)
{
    *caller = (struct caller){.loaded = sharing->subject->loaded[sharing->v]};
    if (!checks_need(sharing->checks, call_make(&caller->call, sharing->subject->model, &sharing->shape, GUARD_AT_END),
                     "no memory for the call")) {
        return false;
    }
    call_fill(&caller->call);
    return checks_need(sharing->checks, make_blocks(caller, sharing, threads), "no memory for outputs and scratch") &&
           make_cache(caller, sharing);
}

void caller_drop(struct caller *caller)
{
    guard_drop(&caller->cache);
    guard_drop(&caller->scratch);
    guard_drop(&caller->outputs);
    call_drop(&caller->call);
}

// -- Calling --------------------------------------------------------------------------------------------------------

static void forget(struct caller *caller)
{
    for (size_t b = 0; caller->call.io.cache && b < caller->call.shape.batch; b++) {
        ga_cache_cut(caller->call.io.cache, b, 0, NULL);
    }
}

static enum ga_status call_once(struct caller *caller, const struct ga_parallel *parallel, struct ga_error *error)
{
    guard_blank(&caller->outputs);
    caller->call.io.parallel = parallel;
    return ga_model_run(caller->loaded, &caller->call.io, caller->scratch.data, caller->scratch.bytes, error);
}

static bool is_intact(const struct caller *caller)
{
    return guard_intact(&caller->outputs) && guard_intact(&caller->scratch) &&
           (!caller->cache.data || guard_intact(&caller->cache));
}

bool caller_gives(struct caller *caller, const struct ga_parallel *parallel, const struct bits *wanted)
{
    bool same = true;
    forget(caller);
    for (size_t step = 0; same && step < caller->steps; step++) {
        same = call_once(caller, parallel, NULL) == GA_OK &&
               memcmp(caller->outputs.data, wanted->after[step], caller->outputs.bytes) == 0;
    }
    return same && is_intact(caller);
}

struct bits bits_alone(const struct sharing *sharing)
{
    struct bits bits = {{NULL}};
    struct caller caller;
    struct ga_error error = {.text = ""};
    bool ok = caller_make(&caller, sharing, 1);
    for (size_t step = 0; ok && step < caller.steps; step++) {
        ok = checks_need(sharing->checks, call_once(&caller, NULL, &error) == GA_OK, "step %zu: %s", step, error.text);
        bits.after[step] = ok ? malloc(caller.outputs.bytes) : NULL;
        ok = ok && checks_need(sharing->checks, bits.after[step] != NULL, "no memory for outputs");
        if (ok) {
            memcpy(bits.after[step], caller.outputs.data, caller.outputs.bytes);
        }
    }
    caller_drop(&caller);
    if (!ok) {
        bits_drop(&bits);
    }
    return bits;
}

void bits_drop(struct bits *bits)
{
    for (size_t step = 0; step < SHARING_STEPS; step++) {
        free(bits->after[step]);
        bits->after[step] = NULL;
    }
}
