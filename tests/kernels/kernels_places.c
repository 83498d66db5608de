// kernels_places.c: facts about tensors anywhere in memory: every tensor that a call or a packing is given, at each
// place for a float in a cache line, next to a page before it and one after it that cannot be touched, gives the same
// bits.
// Needs no generic kernel: a run is held against a run.
#include <string.h>

#include "call.h" // defines: GA_LOADED_BYTES
#include "kernels.h"

// Multiply-adds of the calls of one model at one place; larger ones try few places.
static const double PLACES_BUDGET = 8e6;
enum { FEW_PLACES = 4, MANY_FLOATS = 1 << 16, MAX_HIDDEN = 17 };

// How many places are tried of what is so large: all in a usual run, a few where a tool or a seed asks for less.
static int places_for(const struct checks *checks, size_t floats)
{
    return floats > MANY_FLOATS || checks->effort < 1 || checks->seed ? FEW_PLACES : N_GUARD_PLACES;
}

// -- What else a call may be given ----------------------------------------------------------------------------------

// Everything the model takes and gives besides what a call has already; guards that are all zero: it does not.
struct others {
    struct guard outputs[GA_INTERMEDIATES + 4 + MAX_HIDDEN];
    struct guard hidden, token_types; // the pointers to hidden rows
    size_t n_outputs;
};

static void drop_others(struct others *others)
{
    for (size_t i = 0; i < others->n_outputs; i++) {
        guard_drop(&others->outputs[i]);
    }
    guard_drop(&others->hidden);
    guard_drop(&others->token_types);
}

// Room for one more output of so many floats; NULL: there is no memory.
static float *add_output(struct others *others, size_t floats, enum guard_place place)
{
    struct guard *guard = &others->outputs[others->n_outputs];
    if (!guard_make(guard, floats * sizeof(float), sizeof(float), place)) {
        return NULL;
    }
    others->n_outputs++;
    return guard->data;
}

static bool add_intermediates(struct others *others, struct call *call, enum guard_place place)
{
    const struct ga_io *io = &call->io;
    bool ok = true;
    for (size_t i = 0; ok && i < GA_INTERMEDIATES; i++) {
        if (call->model->intermediates[i]) {
            size_t shape[4], floats = 1;
            const size_t rank = ga_intermediate_shape(call->model, (enum ga_intermediate)i, io->batch, io->q_len,
                                                      call->shape.kv_len, shape);
            for (size_t axis = 0; axis < rank; axis++) {
                floats *= shape[axis];
            }
            call->io.intermediates[i] = add_output(others, floats, place);
            ok = call->io.intermediates[i] != NULL;
        }
    }
    return ok;
}

static bool add_hidden(struct others *others, struct call *call, enum guard_place place)
{
    const size_t count = call->model->stack->n_layers + 1;
    const size_t floats = call->shape.batch * call_q_elements(call);
    bool ok = guard_make(&others->hidden, count * sizeof(float *), sizeof(float *), place);
    float **rows = others->hidden.data;
    for (size_t i = 0; ok && i < count; i++) {
        rows[i] = i < MAX_HIDDEN ? add_output(others, floats, place) : NULL;
        ok = rows[i] != NULL || i >= MAX_HIDDEN;
    }
    call->io.hidden = rows;
    return ok;
}

static bool add_token_types(struct others *others, struct call *call, enum guard_place place)
{
    const size_t types = call->model->stack->token_types, count = call->shape.batch * call->shape.q_len;
    if (types == 0) {
        return true;
    }
    if (!guard_make(&others->token_types, count * sizeof(int32_t), sizeof(int32_t), place)) {
        return false;
    }
    int32_t *values = others->token_types.data;
    for (size_t i = 0; i < count; i++) {
        values[i] = (int32_t)(i * 5 / 3 % types);
    }
    guard_seal(&others->token_types);
    call->io.token_types = values;
    return true;
}

static bool add_stack(struct others *others, struct call *call, enum guard_place place)
{
    const struct ga_stack *stack = call->model->stack;
    const size_t batch = call->shape.batch, d_model = call->model->d_model;
    bool ok = add_hidden(others, call, place) && add_token_types(others, call, place);
    if (ok && stack->pool != GA_POOL_NONE) {
        ok = (call->io.embedding = add_output(others, batch * stack->d_embedding, place)) != NULL;
    }
    if (ok && stack->n_logits > 0) {
        ok = (call->io.logits = add_output(others, batch * call->shape.q_len * stack->n_logits, place)) != NULL &&
             (call->io.last_logits = add_output(others, batch * stack->n_logits, place)) != NULL;
    }
    if (ok && stack->n_labels > 0) {
        ok = (call->io.class_logits = add_output(others, batch * stack->n_labels, place)) != NULL;
    }
    if (ok && call->model->kind == GA_TRANSFORMER) {
        ok = (call->io.memory = add_output(others, batch * call->shape.kv_len * d_model, place)) != NULL;
    }
    return ok;
}

// Points the call at room for everything the model gives, and runs it.
static bool run_asking_for_all(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                               struct others *others)
{
    *others = (struct others){.n_outputs = 0};
    const bool made =
        add_intermediates(others, call, call->place) && (!call->model->stack || add_stack(others, call, call->place));
    if (!checks_need(checks, made, "no memory for outputs") || !call_run(call, checks, subject, v)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < others->n_outputs; i++) {
        ok = checks_need(checks, guard_intact(&others->outputs[i]), "wrote outside output %zu beside the first", i);
    }
    return ok;
}

// -- Calls ----------------------------------------------------------------------------------------------------------

static void expect_same_others(struct checks *checks, const struct others *got, const struct others *wanted)
{
    for (size_t i = 0; i < wanted->n_outputs; i++) {
        checks_that(checks, memcmp(got->outputs[i].data, wanted->outputs[i].data, wanted->outputs[i].bytes) == 0,
                    "output %zu beside the first has other bits elsewhere in memory", i);
    }
}

static void run_at(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                   const struct others *wanted, enum guard_place place)
{
    struct call twin;
    struct others others;
    if (!checks_need(checks, call_copy(&twin, call, place), "no memory for the call")) {
        return;
    }
    if (run_asking_for_all(checks, subject, v, &twin, &others)) {
        expect_same(checks, &twin, call);
        expect_same_others(checks, &others, wanted);
    }
    drop_others(&others);
    call_drop(&twin);
}

static void run_everywhere(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t floats = call->shape.batch * (call->shape.q_len + call->shape.kv_len) * call->model->d_model;
    const int places = places_for(checks, floats);
    const struct ga_io plain = call->io;
    for (size_t v = 0; v < subject->n_loaded; v++) {
        struct others others;
        const bool ok = run_asking_for_all(checks, subject, v, call, &others);
        for (int place = 0; ok && place < places; place++) {
            run_at(checks, subject, v, call, &others, (enum guard_place)place);
        }
        drop_others(&others);
        call->io = plain;
    }
}

void every_place_gives_the_same_bits(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, PLACES_BUDGET, run_everywhere);
}

// -- Weights --------------------------------------------------------------------------------------------------------

// Whether two blocks hold the same packed weights, after what says where they are.
static bool same_weights(const struct guard *a, const struct guard *b)
{
    return memcmp((const char *)a->data + GA_LOADED_BYTES, (const char *)b->data + GA_LOADED_BYTES,
                  a->bytes - GA_LOADED_BYTES) == 0;
}

static void expect_same_packed(struct checks *checks, const struct subject *wanted, bool transposed,
                               enum guard_place place)
{
    struct subject subject;
    if (subject_make_at(&subject, checks, wanted->model, transposed, place)) {
        for (size_t v = 0; v < wanted->n_loaded; v++) {
            checks_subject(checks, wanted->model->name, ga_loaded_variant(wanted->loaded[v])->isa);
            checks_that(checks, same_weights(&subject.packed[v], &wanted->packed[v]),
                        "weights at place %d%s pack to other bytes", (int)place, transposed ? ", [in][out]," : "");
        }
    }
    subject_drop(&subject);
}

void weights_pack_the_same_from_every_place(struct checks *checks, const struct ga_model *model)
{
    struct subject subject;
    if (subject_make(&subject, checks, model, weights_random, false)) {
        const int places = places_for(checks, ga_model_packed_size(&model->variants[0]) / sizeof(float));
        for (int place = 0; place < places; place++) {
            expect_same_packed(checks, &subject, false, (enum guard_place)place);
            expect_same_packed(checks, &subject, true, (enum guard_place)place);
        }
    }
    subject_drop(&subject);
}
