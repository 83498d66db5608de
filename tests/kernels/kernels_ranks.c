// kernels_ranks.c: the fact that ranks change no bit of a whole model, whatever their number, and gather at all. Its
// ranks are threads with calls of their own.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/backwards.h"
#include "support/team.h"

static const double RANKS_BUDGET = 2e7;

enum { MOST_RANKS = 8, OTHERS = 3 };

// A call with the outputs that it has besides struct call's.
struct divided {
    struct call call;
    float *others[OTHERS]; // NULL: the model does not give it
    struct checks checks;  // a rank's own
};

struct work {
    const struct subject *subject;
    size_t v;
    struct divided ranks[MOST_RANKS];
};

// Floats of a call's outputs: logits, embedding, class_logits.
static size_t elements_of(const struct call *call, size_t which)
{
    const struct ga_stack *stack = call->model->stack;
    const size_t widths[OTHERS] = {call->shape.q_len * stack->n_logits, stack->d_embedding, stack->n_labels};
    return call->shape.batch * widths[which];
}

static bool make(struct divided *divided, const struct call *from)
{
    if (!call_copy(&divided->call, from, GUARD_AT_END)) {
        return false;
    }
    bool ok = true;
    float **const fields[OTHERS] = {&divided->call.io.logits, &divided->call.io.embedding,
                                    &divided->call.io.class_logits};
    for (size_t i = 0; i < OTHERS; i++) {
        const size_t elements = elements_of(from, i);
        divided->others[i] = elements > 0 ? calloc(elements, sizeof(float)) : NULL;
        *fields[i] = divided->others[i];
        ok = ok && (divided->others[i] || elements == 0);
    }
    return ok;
}

static void drop(struct divided *divided)
{
    call_drop(&divided->call);
    for (size_t i = 0; i < OTHERS; i++) {
        free(divided->others[i]);
    }
}

// In every other call, each rank shares its work by threads.
static bool run_rank(void *context, const struct ga_ranks *ranks)
{
    static const struct ga_parallel parallel = {.threads = 3, .run = run_backwards};
    struct work *work = context;
    struct divided *own = &work->ranks[ranks->rank];
    own->call.io.ranks = ranks;
    own->call.io.parallel = own->call.shape.seed % 2 == 1 ? &parallel : NULL;
    return call_run(&own->call, &own->checks, work->subject, work->v);
}

static void expect_same_others(struct checks *checks, const struct divided *got, const struct divided *wanted)
{
    for (size_t i = 0; i < OTHERS; i++) {
        const size_t bytes = elements_of(&wanted->call, i) * sizeof(float);
        checks_that(checks, bytes == 0 || memcmp(got->others[i], wanted->others[i], bytes) == 0,
                    "a rank's logits, embedding or class_logits (%zu) have other bits", i);
    }
}

// Whether a call runs a linear or an attention: one of no layers may only move rows.
static bool divides(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    return stack->n_layers > 0 || stack->logits || stack->n_labels > 0 || stack->n_dense > 0;
}

static bool has_rows(const struct call *call)
{
    bool has = false;
    for (size_t b = 0; b < call->shape.batch; b++) {
        has = has || call_q_rows(call, b) > 0;
    }
    return has;
}

static void run_ranks(struct checks *checks, struct work *work, size_t size, const struct divided *alone)
{
    size_t made = 0;
    for (bool ok = true; ok && made < size; made += ok) {
        work->ranks[made].checks = checks_new(checks->fact, checks->effort);
        ok = make(&work->ranks[made], &alone->call);
    }
    if (checks_need(checks, made == size, "no memory for %zu ranks", size)) {
        const size_t gathers = team_run(size, run_rank, work);
        checks_need(checks, gathers != SIZE_MAX, "%zu ranks could not be started", size);
        checks_that(checks, gathers > 0 || !divides(work->subject->model) || !has_rows(&alone->call),
                    "%zu ranks gathered nothing", size);
    }
    for (size_t r = 0; r < made; r++) {
        const struct divided *rank = &work->ranks[r];
        if (checks_need(checks, rank->checks.failed == 0, "rank %zu of %zu:%s", r, size, rank->checks.messages)) {
            expect_same(checks, &rank->call, &alone->call);
            expect_same_others(checks, rank, alone);
        }
        drop(&work->ranks[r]);
    }
}

static void divide(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t sizes[] = {2, 4, 8, 3};
    struct work *work = calloc(1, sizeof *work);
    struct divided alone;
    if (!checks_need(checks, work && make(&alone, call), "no memory for the call")) {
        free(work);
        return;
    }
    work->subject = subject;
    for (work->v = 0; work->v < subject->n_loaded; work->v++) {
        if (call_run(&alone.call, checks, subject, work->v)) {
            run_ranks(checks, work, sizes[(call->shape.seed + work->v) % (sizeof sizes / sizeof *sizes)], &alone);
        }
    }
    drop(&alone);
    free(work);
}

void ranks_change_no_bit(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, RANKS_BUDGET, divide);
}
