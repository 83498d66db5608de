// kernels_memory.c: what a decoder with a cache attends to besides its own rows is taken once a sequence: by the call
// that begins it, and anew by one that begins it anew. Needs no generic kernel: a run is held against a run.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

void memory_copy(struct call *call, const struct call *from)
{
    const enum call_buffer buffers[] = {CALL_KEY, CALL_KV_LENGTHS};
    for (size_t t = 0; t < sizeof buffers / sizeof *buffers; t++) {
        const struct guard *given = &from->buffers[buffers[t]];
        if (given->data && call->buffers[buffers[t]].data) {
            memcpy(call->buffers[buffers[t]].data, given->data, given->bytes);
        }
    }
}

// NaN for sequence b, and another length: nobody is to look at it.
static void spoil(struct call *call, size_t b)
{
    const size_t floats = call->shape.kv_len * call_width(call, CALL_KEY);
    int32_t *lengths = call->buffers[CALL_KV_LENGTHS].data;
    memset((float *)call->buffers[CALL_KEY].data + b * floats, 0xFF, floats * sizeof(float));
    if (lengths) {
        lengths[b] = (int32_t)call->shape.kv_len - lengths[b];
    }
}

static void leave_out(struct call *call)
{
    call->io.key = NULL;
    call->io.kv_len = 0;
    call->io.kv_lengths = NULL;
}

void memory_give(struct call *step, const struct call *whole, const size_t *done, enum memory_later later)
{
    bool begins = false;
    memory_copy(step, whole);
    for (size_t b = 0; b < step->shape.batch; b++) {
        const bool takes = done[b] == 0 && call_q_rows(step, b) > 0;
        begins = begins || takes;
        if (!takes && later != MEMORY_AGAIN) {
            spoil(step, b);
        }
    }
    if (!begins && later == MEMORY_NOTHING) {
        leave_out(step);
    }
}

bool kernels_for_remembering(const struct ga_model *model)
{
    return shapes_has_memory(model) && kernels_for_steps(model);
}

bool kernels_for_encoding(const struct ga_model *model)
{
    return model->kind == GA_TRANSFORMER && kernels_for_remembering(model);
}

// -- Begun anew ------------------------------------------------------------------------------------------------------

// The odd sequences of a call begin anew with other things to attend to; the even ones repeat their last row, and what
// they are given to attend to is none of theirs.
struct change {
    struct call other; // all sequences with other memories, from the first row on
    struct call mixed; // what is tried
};

static bool begins(const struct call *call, size_t b)
{
    return b % 2 == 1 || call_q_rows(call, b) < 2; // the last row of one is its first
}

static void change_drop(struct change *change)
{
    call_drop(&change->other);
    call_drop(&change->mixed);
}

static void last_row_first(struct call *mixed, const struct call *call, size_t b)
{
    const size_t width = call_width(call, CALL_QUERY), rows = call_q_rows(call, b);
    float *query = (float *)mixed->buffers[CALL_QUERY].data + b * call_q_elements(mixed);
    memmove(query, query + (rows - 1) * width, width * sizeof *query);
    ((int32_t *)mixed->buffers[CALL_Q_LENGTHS].data)[b] = 1;
}

static bool change_make(struct change *change, const struct call *call)
{
    struct shape shape = call->shape;
    shape.q_ragged = true;
    *change = (struct change){.other = {.model = call->model}, .mixed = {.model = call->model}};
    if (!call_copy(&change->other, call, GUARD_AT_END) ||
        !call_make(&change->mixed, call->model, &shape, GUARD_AT_END)) {
        return false;
    }
    const struct guard *key = &change->other.buffers[CALL_KEY];
    struct rng rng = rng_seeded(call->shape.seed + 5000);
    rng_fill_normal(&rng, key->data, key->bytes / sizeof(float), 1.0F);
    for (size_t b = 0; b < shape.batch; b++) {
        call_copy_sequence(&change->mixed, b, &change->other, b);
        ((int32_t *)change->mixed.buffers[CALL_Q_LENGTHS].data)[b] = (int32_t)call_q_rows(call, b);
        if (!begins(call, b)) {
            last_row_first(&change->mixed, call, b);
            spoil(&change->mixed, b);
        }
    }
    return true;
}

static bool cut_back(struct checks *checks, const struct call *call, struct ga_cache *cache)
{
    bool ok = true;
    for (size_t b = 0; ok && b < call->shape.batch; b++) {
        ok = ga_cache_cut(cache, b, begins(call, b) ? 0 : call_q_rows(call, b) - 1, NULL) == GA_OK;
    }
    return checks_need(checks, ok, "a sequence cannot be cut");
}

static void expect_change(struct checks *checks, const struct change *change, const struct call *call)
{
    for (size_t b = 0; b < call->shape.batch; b++) {
        const size_t rows = call_q_rows(call, b);
        if (begins(call, b)) {
            expect_same_rows(checks, (struct place){&change->mixed, b, 0}, (struct place){&change->other, b, 0}, rows,
                             0);
        } else {
            expect_same_rows(checks, (struct place){&change->mixed, b, 0}, (struct place){call, b, rows - 1}, 1, 0);
        }
    }
}

static void begin_anew(struct checks *checks, const struct subject *subject, struct call *call)
{
    for (size_t v = 0; call->shape.form == FORM_CROSS && v < subject->n_loaded; v++) {
        struct change change;
        struct guard block;
        if (!call_new_cache(&block, checks, subject, v, call->shape.batch, call->shape.q_len)) {
            return;
        }
        if (checks_need(checks, change_make(&change, call), "no memory for the call") &&
            call_run(&change.other, checks, subject, v) && call_run_with(call, checks, subject, v, block.data) &&
            cut_back(checks, call, block.data) && call_run_with(&change.mixed, checks, subject, v, block.data)) {
            expect_change(checks, &change, call);
        }
        checks_need(checks, guard_intact(&block), "wrote outside the cache");
        change_drop(&change);
        guard_drop(&block);
    }
}

static const double MEMORY_BUDGET = 3e7;

void memory_is_taken_by_the_call_that_begins(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, MEMORY_BUDGET, begin_anew);
}

// -- Kept by the caller ----------------------------------------------------------------------------------------------

// A call of all rows of every other sequence, from the first or from the second on, and of none of the others.
static bool halve(struct call *half, const struct call *call, size_t first)
{
    struct shape shape = call->shape;
    shape.q_ragged = true;
    if (!call_make(half, call->model, &shape, GUARD_AT_END)) {
        return false;
    }
    for (size_t b = 0; b < shape.batch; b++) {
        call_copy_sequence(half, b, call, b);
        ((int32_t *)half->buffers[CALL_Q_LENGTHS].data)[b] = b % 2 == first ? (int32_t)call_q_rows(call, b) : 0;
    }
    return true;
}

// The sources of all sequences go into the first half's call, and what they became into the second's.
static void run_halves(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                       float *kept)
{
    struct guard block;
    if (!call_new_cache(&block, checks, subject, v, call->shape.batch, call->shape.q_len)) {
        return;
    }
    bool ok = true;
    for (size_t first = 0; ok && first < 2; first++) {
        struct call half;
        ok = checks_need(checks, halve(&half, call, first), "no memory for the call");
        half.io.memory = kept;
        half.io.key = first == 0 ? half.io.key : NULL;
        ok = ok && call_run_with(&half, checks, subject, v, block.data);
        for (size_t b = first; ok && b < call->shape.batch; b += 2) {
            expect_same_rows(checks, (struct place){&half, b, 0}, (struct place){call, b, 0}, call_q_rows(call, b), 0);
        }
        call_drop(&half);
    }
    guard_drop(&block);
}

static void keep_memory(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t floats = call->shape.batch * call->shape.kv_len * call->model->d_model;
    float *kept = malloc((floats + 1) * sizeof *kept);
    checks_need(checks, kept != NULL, "no memory");
    for (size_t v = 0; kept && v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
        run_halves(checks, subject, v, call, kept);
    }
    free(kept);
}

void memory_that_is_kept_is_that_of_all_sequences(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, MEMORY_BUDGET, keep_memory);
}
