// kernels_intermediates.c: the fact that what a call gives besides its output is what the generic kernel gives, and the
// same bits whatever the threads; the output does not change for it. Which outputs there are is in
// runtime/include/genattn/model.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/backwards.h"
#include "support/reference.h"
#include "support/reference_rounded.h"

static const double INTERMEDIATES_BUDGET = 1e8;

// One intermediate of a call: what a run wrote, what it wrote on one thread, and what the generic kernel makes of it.
struct more {
    struct guard given;
    size_t count;
    float *alone, *generic;
    double *exact;
};

static bool make_more(struct more *more, const struct call *call, enum ga_intermediate which)
{
    size_t shape[4];
    const size_t rank = ga_intermediate_shape(call->model, which, call->shape.batch, call->shape.q_len,
                                              reference_kv_len(&call->io), shape);
    more->count = 1;
    for (size_t axis = 0; axis < rank; axis++) {
        more->count *= shape[axis];
    }
    more->alone = malloc(more->count * sizeof(float));
    more->generic = calloc(more->count, sizeof(float));
    more->exact = calloc(more->count, sizeof(double));
    return more->alone && more->generic && more->exact &&
           guard_make(&more->given, more->count * sizeof(float), sizeof(float), GUARD_AT_END);
}

static void drop_all(struct more all[GA_INTERMEDIATES])
{
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        guard_drop(&all[i].given);
        free(all[i].alone);
        free(all[i].generic);
        free(all[i].exact);
    }
}

static bool make_all(struct more all[GA_INTERMEDIATES], struct call *call)
{
    bool ok = true;
    for (size_t i = 0; ok && i < GA_INTERMEDIATES; i++) {
        if (call->model->intermediates[i]) {
            ok = make_more(&all[i], call, (enum ga_intermediate)i);
            call->io.intermediates[i] = all[i].given.data;
        }
    }
    return ok;
}

static bool ask_generic(struct more all[GA_INTERMEDIATES], const struct subject *subject, const struct call *call)
{
    double *exact[GA_INTERMEDIATES];
    float *generic[GA_INTERMEDIATES];
    const size_t outputs = call->shape.batch * call_out_elements(call);
    double *output = malloc(outputs * sizeof *output);
    float *output_f32 = malloc(outputs * sizeof *output_f32);
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        exact[i] = all[i].exact;
        generic[i] = all[i].generic;
    }
    const bool ok = output && output_f32 &&
                    reference_more_f64(call->model, subject->roles, &call->io, output, NULL, exact) &&
                    reference_more_f32(call->model, subject->roles, &call->io, output_f32, NULL, generic);
    free(output);
    free(output_f32);
    return ok;
}

// -inf stands where -inf is expected, and counts as zero from then on.
static bool drop_infinities(struct checks *checks, struct more *more, const char *name)
{
    for (size_t e = 0; e < more->count; e++) {
        if (isinf(more->exact[e])) {
            if (!checks_that(checks, more->alone[e] == -INFINITY, "%s: element %zu is %.9g, expected -inf", name, e,
                             (double)more->alone[e])) {
                return false;
            }
            more->exact[e] = more->generic[e] = more->alone[e] = 0;
        }
    }
    return true;
}

static void expect_more(struct checks *checks, const struct ga_model *model, struct more *more,
                        enum ga_intermediate which)
{
    const char *name = ga_intermediate_name(which);
    if (more->count == 0 || !drop_infinities(checks, more, name)) {
        return;
    }
    const struct approx found =
        approx_layer(more->alone, more->exact, more->count, approx_error(more->generic, more->exact, more->count),
                     reference_step(model), 0);
    checks_that(checks, found.ok, "%s: element %zu is %.9g, expected %.9g (largest error %.3g, allowed %.3g)", name,
                found.at, found.got, found.expected, found.error, found.limit);
}

// A run on one thread, kept; one on several, which must give the same bits.
static bool run_twice(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                      struct more all[GA_INTERMEDIATES])
{
    static const struct ga_parallel parallel = {.threads = 7, .run = run_backwards};
    bool ok = true;
    for (int threads = 0; ok && threads < 2; threads++) {
        for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
            guard_blank(&all[i].given);
        }
        call->io.parallel = threads ? &parallel : NULL;
        ok = call_run(call, checks, subject, v);
        for (size_t i = 0; ok && i < GA_INTERMEDIATES; i++) {
            ok = checks_need(checks, guard_intact(&all[i].given), "wrote outside %s",
                             ga_intermediate_name((enum ga_intermediate)i));
            if (!threads && all[i].count > 0) {
                memcpy(all[i].alone, all[i].given.data, all[i].count * sizeof(float));
            } else if (all[i].count > 0) {
                const size_t at = approx_first_difference(all[i].alone, all[i].given.data, all[i].count);
                ok = checks_that(checks, at == all[i].count, "%s: element %zu has other bits on several threads",
                                 ga_intermediate_name((enum ga_intermediate)i), at);
            }
        }
    }
    call->io.parallel = NULL;
    return ok;
}

static void compare_intermediates(struct checks *checks, const struct subject *subject, struct call *call)
{
    for (size_t v = 0; v < subject->n_loaded; v++) {
        struct more all[GA_INTERMEDIATES] = {{.count = 0}};
        const bool ok = checks_need(checks, make_all(all, call) && ask_generic(all, subject, call), "no memory");
        for (size_t i = 0; ok && i < GA_INTERMEDIATES && (i > 0 || run_twice(checks, subject, v, call, all)); i++) {
            expect_more(checks, call->model, &all[i], (enum ga_intermediate)i);
        }
        memset(call->io.intermediates, 0, sizeof call->io.intermediates);
        drop_all(all);
    }
}

bool kernels_for_intermediates(const struct ga_model *model)
{
    bool any = false;
    for (size_t i = 0; i < GA_INTERMEDIATES; i++) {
        any = any || model->intermediates[i];
    }
    return any;
}

void intermediates_match_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, INTERMEDIATES_BUDGET, compare_intermediates);
}
