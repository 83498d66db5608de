// kernels_stack.c: the fact that what a whole model gives besides its output - embedding, logits, those of classes, the
// rows each layer leaves - is what the generic kernel gives, and the same bits in any batch, on any threads, with and
// without output, and asked for alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_neighbours.h"
#include "support/backwards.h"
#include "support/reference.h"

static const double STACK_BUDGET = 3e7;

// -- The outputs of a call ------------------------------------------------------------------------------------------

// HIDDEN + l is the rows that l layers leave.
enum { EMBEDDING, LOGITS, LAST_LOGITS, CLASS_LOGITS, HIDDEN };

struct others {
    size_t count;        // HIDDEN and those of the layers
    struct guard *given; // [count]
    float **hidden;
    int32_t *token_types;
};

enum { NAME = 32 };

static const char *name_of(size_t which, char text[NAME])
{
    static const char *const names[HIDDEN] = {"embedding", "logits", "last_logits", "class_logits"};
    if (which < HIDDEN) {
        return names[which];
    }
    snprintf(text, NAME, "hidden_%zu", which - HIDDEN);
    return text;
}

// Floats of a row of an output; 0: the model does not give it.
static size_t width_of(const struct ga_model *model, size_t which)
{
    const struct ga_stack *stack = model->stack;
    return which == EMBEDDING      ? stack->d_embedding
           : which == CLASS_LOGITS ? stack->n_labels
           : which < HIDDEN        ? stack->n_logits
                                   : model->d_model;
}

// Rows of an output that one sequence has.
static size_t rows_of(const struct call *call, size_t which)
{
    return which == EMBEDDING || which == LAST_LOGITS || which == CLASS_LOGITS ? 1 : call->shape.q_len;
}

static size_t elements_of(const struct call *call, size_t which)
{
    return call->shape.batch * rows_of(call, which) * width_of(call->model, which);
}

static float *sequence_of(const struct others *others, const struct call *call, size_t which, size_t b)
{
    return (float *)others->given[which].data + b * rows_of(call, which) * width_of(call->model, which);
}

static void drop_others(struct others *others)
{
    for (size_t i = 0; others->given && i < others->count; i++) {
        guard_drop(&others->given[i]);
    }
    free(others->given);
    free(others->hidden);
    free(others->token_types);
}

// Types of the rows of sequences from the first-th on, and what is no type after them.
static void fill_types(struct others *others, const struct call *call, size_t first)
{
    const size_t types = call->model->stack->token_types, q_len = call->shape.q_len;
    for (size_t i = 0; i < call->shape.batch * q_len; i++) {
        const size_t b = i / q_len, row = i % q_len;
        const bool real = types > 0 && row < call_q_rows(call, b);
        others->token_types[i] = real ? (int32_t)(((first + b) * 5 + row * 3) / 4 % types) : -9;
    }
}

// Makes room for all outputs of a call but output, and points the call at it.
static bool make_others(struct others *others, struct call *call, size_t first)
{
    const struct ga_model *model = call->model;
    *others = (struct others){.count = HIDDEN + model->stack->n_layers + 1};
    others->given = calloc(others->count, sizeof *others->given);
    others->hidden = calloc(others->count, sizeof *others->hidden);
    others->token_types = calloc(call->shape.batch * call->shape.q_len, sizeof *others->token_types);
    bool ok = others->given && others->hidden && others->token_types;
    for (size_t i = 0; ok && i < others->count; i++) {
        const size_t bytes = elements_of(call, i) * sizeof(float);
        ok = bytes == 0 || guard_make(&others->given[i], bytes, sizeof(float), GUARD_AT_END);
    }
    for (size_t i = HIDDEN; ok && i < others->count; i++) {
        others->hidden[i - HIDDEN] = others->given[i].data;
    }
    if (ok) {
        fill_types(others, call, first);
        call->io.embedding = others->given[EMBEDDING].data;
        call->io.logits = others->given[LOGITS].data;
        call->io.last_logits = others->given[LAST_LOGITS].data;
        call->io.class_logits = others->given[CLASS_LOGITS].data;
        call->io.hidden = others->hidden;
        call->io.token_types = model->stack->token_types > 0 ? others->token_types : NULL;
    }
    return ok;
}

static bool run_others(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                       struct others *others)
{
    char name[NAME];
    for (size_t i = 0; i < others->count; i++) {
        if (others->given[i].data) {
            guard_blank(&others->given[i]);
        }
    }
    bool ok = call_run(call, checks, subject, v);
    for (size_t i = 0; ok && i < others->count; i++) {
        ok = !others->given[i].data ||
             checks_need(checks, guard_intact(&others->given[i]), "wrote outside %s", name_of(i, name));
    }
    return ok;
}

// -- Against the generic kernel -------------------------------------------------------------------------------------

// What the generic kernel makes of one output, in both precisions; after `layers` layers its rows are those of a
// shallower stack without the last norm.
struct generic {
    double *exact, *rows;
    float *plain, *plain_rows;
};

static void drop_generic(struct generic *generic)
{
    free(generic->exact);
    free(generic->rows);
    free(generic->plain);
    free(generic->plain_rows);
}

static bool make_generic(struct generic *generic, const struct call *call, size_t which)
{
    const size_t rows = elements_of(call, HIDDEN), count = elements_of(call, which);
    *generic = (struct generic){.exact = calloc(count, sizeof(double)), .plain = calloc(count, sizeof(float))};
    generic->rows = calloc(rows, sizeof(double));
    generic->plain_rows = calloc(rows, sizeof(float));
    return generic->exact && generic->rows && generic->plain && generic->plain_rows;
}

static void finish_rows(struct generic *generic, const struct subject *subject, const struct call *call, size_t which)
{
    const size_t rows = elements_of(call, HIDDEN);
    if (which == EMBEDDING) {
        reference_embedding_f64(call->model, subject->roles, &call->io, generic->rows, generic->exact);
        reference_embedding_f32(call->model, subject->roles, &call->io, generic->plain_rows, generic->plain);
    } else if (which == LOGITS) {
        reference_logits_f64(call->model, subject->roles, &call->io, generic->rows, generic->exact);
        reference_logits_f32(call->model, subject->roles, &call->io, generic->plain_rows, generic->plain);
    } else if (which == CLASS_LOGITS) {
        reference_class_logits_f64(call->model, subject->roles, &call->io, generic->rows, generic->exact);
        reference_class_logits_f32(call->model, subject->roles, &call->io, generic->plain_rows, generic->plain);
    } else {
        memcpy(generic->exact, generic->rows, rows * sizeof *generic->exact);
        memcpy(generic->plain, generic->plain_rows, rows * sizeof *generic->plain);
    }
}

// False: no memory. drop_generic is due in any case.
static bool ask_generic(struct generic *generic, const struct subject *subject, const struct call *call, size_t which)
{
    const size_t whole = call->model->stack->n_layers, layers = which < HIDDEN ? whole : which - HIDDEN;
    struct ga_stack stack = *call->model->stack;
    struct ga_model model = *call->model;
    model.stack = &stack;
    stack.n_layers = layers;
    stack.final_norm = stack.final_norm && layers == whole;
    const bool ok = make_generic(generic, call, which) &&
                    reference_f64(&model, subject->roles, &call->io, generic->rows, NULL) &&
                    reference_f32(&model, subject->roles, &call->io, generic->plain_rows, NULL);
    if (ok) {
        finish_rows(generic, subject, call, which);
    }
    return ok;
}

// A class logit is one sum, often the only one, and no mean over many: its rounding is that of its terms, which cancel
// where the logit is near 0. As the layer's rule it is 1e-6 of what is largest, here of the terms.
static double slack_of(const struct subject *subject, const struct call *call, const struct generic *generic,
                       size_t which)
{
    return which == CLASS_LOGITS
               ? 1e-6 * reference_class_terms_f64(call->model, subject->roles, &call->io, generic->rows)
               : 0;
}

static bool error_of_other(const struct subject *near, const struct call *call, void *which,
                           struct approx_error *error_out)
{
    struct generic generic;
    const bool ok = ask_generic(&generic, near, call, *(const size_t *)which);
    if (ok) {
        *error_out = approx_error(generic.plain, generic.exact, elements_of(call, *(const size_t *)which));
    }
    drop_generic(&generic);
    return ok;
}

static void expect_generic(struct checks *checks, const struct subject *subject, const struct call *call,
                           const struct others *others, size_t which)
{
    struct generic generic;
    char name[NAME];
    if (checks_need(checks, ask_generic(&generic, subject, call, which), "no memory")) {
        const size_t count = elements_of(call, which);
        const struct compared compared = {
            .got = others->given[which].data,
            .exact = generic.exact,
            .count = count,
            .error = approx_error(generic.plain, generic.exact, count),
            .slack = slack_of(subject, call, &generic, which),
            .error_of = error_of_other,
            .context = &which,
        };
        const struct approx found = approx_among_neighbours(subject, call, &compared);
        checks_that(checks, found.ok, "%s: element %zu is %.9g, expected %.9g (largest error %.3g, allowed %.3g)",
                    name_of(which, name), found.at, found.got, found.expected, found.error, found.limit);
    }
    drop_generic(&generic);
}

// -- Among themselves -----------------------------------------------------------------------------------------------

static bool expect_bits(struct checks *checks, const char *what, const float *got, const float *wanted, size_t count)
{
    const size_t at = approx_first_difference(got, wanted, count);
    return checks_that(checks, at == count, "%s: element %zu is %.9g, expected the bits of %.9g", what, at,
                       at < count ? (double)got[at] : 0, at < count ? (double)wanted[at] : 0);
}

static bool expect_zeros(struct checks *checks, const char *what, const float *got, size_t count)
{
    size_t at = 0;
    while (at < count && got[at] == 0) {
        at++;
    }
    return checks_that(checks, at == count, "%s: element %zu of padding is not 0", what, at);
}

// The last hidden rows are the output, the last logits those of the last real row, all else of a sequence is zeros.
static void expect_consistent(struct checks *checks, const struct call *call, const struct others *others, size_t b)
{
    const struct ga_model *model = call->model;
    const size_t real = call_q_rows(call, b), n_logits = model->stack->n_logits, left = call->shape.q_len - real;
    const size_t last = HIDDEN + model->stack->n_layers, output = call_out_elements(call);
    expect_bits(checks, "the last hidden rows", sequence_of(others, call, last, b), call->io.output + b * output,
                output);
    for (size_t i = HIDDEN; i <= last; i++) {
        expect_zeros(checks, "hidden", sequence_of(others, call, i, b) + real * model->d_model, left * model->d_model);
    }
    if (n_logits > 0) {
        const float *logits = sequence_of(others, call, LOGITS, b), *alone = sequence_of(others, call, LAST_LOGITS, b);
        expect_zeros(checks, "logits", logits + real * n_logits, left * n_logits);
        if (real > 0) {
            expect_bits(checks, "last_logits", alone, logits + (real - 1) * n_logits, n_logits);
        } else {
            expect_zeros(checks, "last_logits", alone, n_logits);
        }
    }
    if (real == 0 && width_of(model, EMBEDDING) > 0) {
        expect_zeros(checks, "embedding", sequence_of(others, call, EMBEDDING, b), width_of(model, EMBEDDING));
    }
    if (real == 0 && model->stack->n_labels > 0) {
        expect_zeros(checks, "class_logits", sequence_of(others, call, CLASS_LOGITS, b), model->stack->n_labels);
    }
}

// Sequence b of `call` in `others` has the bits of sequence at of another call.
static void expect_same_sequence(struct checks *checks, const struct call *call, const struct others *others, size_t b,
                                 const struct call *wanted_call, const struct others *wanted, size_t at)
{
    char name[NAME];
    for (size_t i = 0; i < others->count; i++) {
        if (width_of(call->model, i) > 0) {
            expect_bits(checks, name_of(i, name), sequence_of(others, call, i, b),
                        sequence_of(wanted, wanted_call, i, at), rows_of(call, i) * width_of(call->model, i));
        }
    }
}

// The call as it is but on seven threads, without output.
static void compare_threads(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                            const struct others *wanted)
{
    static const struct ga_parallel parallel = {.threads = 7, .run = run_backwards};
    struct call other = *call;
    struct others others;
    if (checks_need(checks, make_others(&others, &other, 0), "no memory")) {
        other.io.parallel = &parallel;
        other.io.output = NULL;
        const bool ok = run_others(checks, subject, v, &other, &others);
        for (size_t b = 0; ok && b < call->shape.batch; b++) {
            expect_same_sequence(checks, &other, &others, b, call, wanted, b);
        }
    }
    drop_others(&others);
}

// One output alone, of which one row of a sequence is enough: the last layer then goes on with no other.
static void compare_one(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                        const struct others *wanted, size_t which)
{
    struct call other = *call;
    struct others others;
    char name[NAME];
    if (checks_need(checks, make_others(&others, &other, 0), "no memory")) {
        float **const fields[HIDDEN] = {&other.io.embedding, &other.io.logits, &other.io.last_logits,
                                        &other.io.class_logits};
        for (size_t i = 0; i < HIDDEN; i++) {
            *fields[i] = i == which ? *fields[i] : NULL;
        }
        other.io.output = NULL;
        other.io.hidden = NULL;
        const bool ok = run_others(checks, subject, v, &other, &others);
        for (size_t b = 0; ok && b < call->shape.batch; b++) {
            expect_bits(checks, name_of(which, name), sequence_of(&others, &other, which, b),
                        sequence_of(wanted, call, which, b), width_of(call->model, which));
        }
    }
    drop_others(&others);
}

// Sequence b in a call of its own, without output.
static void compare_alone(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                          const struct others *wanted, size_t b)
{
    struct shape shape = call->shape;
    struct call alone;
    struct others others = {0};
    shape.batch = 1;
    if (!checks_need(checks, call_make(&alone, call->model, &shape, GUARD_AT_START), "no memory for the call")) {
        return;
    }
    call_copy_sequence(&alone, 0, call, b);
    if (checks_need(checks, make_others(&others, &alone, b), "no memory")) {
        alone.io.output = NULL;
        if (run_others(checks, subject, v, &alone, &others)) {
            expect_same_sequence(checks, &alone, &others, 0, call, wanted, b);
        }
    }
    drop_others(&others);
    call_drop(&alone);
}

// -- The fact -------------------------------------------------------------------------------------------------------

static void compare_outputs(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_io plain = call->io;
    for (size_t v = 0; v < subject->n_loaded; v++) {
        struct others others;
        if (checks_need(checks, make_others(&others, call, 0), "no memory") &&
            run_others(checks, subject, v, call, &others)) {
            for (size_t i = 0; call->shape.past == 0 && i < others.count; i++) {
                if (width_of(call->model, i) > 0 && i != LAST_LOGITS) {
                    expect_generic(checks, subject, call, &others, i);
                }
            }
            for (size_t b = 0; b < call->shape.batch; b++) {
                expect_consistent(checks, call, &others, b);
            }
            compare_threads(checks, subject, v, call, &others);
            for (size_t i = 0; i < HIDDEN; i++) {
                if (width_of(call->model, i) > 0 && rows_of(call, i) == 1) {
                    compare_one(checks, subject, v, call, &others, i);
                }
            }
            for (size_t b = 0; call->model->batch == 0 && b < call->shape.batch; b++) {
                compare_alone(checks, subject, v, call, &others, b);
            }
        }
        drop_others(&others);
        call->io = plain;
    }
}

bool kernels_for_stacks(const struct ga_model *model)
{
    return model->stack != NULL;
}

void a_stack_gives_its_other_outputs(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, STACK_BUDGET, compare_outputs);
}
