// kernels_last.c: the fact that logits and a classifier whose linears round give the generic kernel's bits of the rows
// that the model itself gives as its output. Says nothing of how these rows came to be.
#include <stdlib.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/reference.h"

static const double LAST_BUDGET = 2e6;

// Nothing but rounded linears stands between the output and these: the C library's exp and tanh differ in precision,
// and so do the sums of a transform's norm.
static bool has_logits(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    return stack && stack->logits == GA_LOGITS_LINEAR && !stack->logits_transform && stack->logits_softcap == 0.0 &&
           model->arithmetic[GA_LINEAR_LOGITS] != GA_ARITHMETIC_F32;
}

static bool has_labels(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    return stack && stack->n_labels > 0 && model->arithmetic[GA_LINEAR_CLASSIFIER] != GA_ARITHMETIC_F32 &&
           stack->classifier_activation == GA_ACTIVATION_RELU && stack->pool == GA_POOL_CLS && !stack->pool_normalize;
}

bool kernels_for_last(const struct ga_model *model)
{
    return has_logits(model) || has_labels(model);
}

// An output of the last linears of a call, and what the generic kernel makes of the same rows.
struct last {
    size_t count;
    float *got, *wanted;
};

static bool last_make(struct last *last, bool is_there, size_t count)
{
    last->count = is_there ? count : 0;
    last->got = is_there ? calloc(count, sizeof(float)) : NULL;
    last->wanted = is_there ? calloc(count, sizeof(float)) : NULL;
    return !is_there || (last->got && last->wanted);
}

static void last_drop(struct last *last)
{
    free(last->got);
    free(last->wanted);
}

static void expect_bits(struct checks *checks, const char *name, const struct last *last)
{
    const size_t at = approx_first_difference(last->got, last->wanted, last->count);
    checks_that(checks, at == last->count, "%s: element %zu is %.9g, and not the generic kernel's %.9g", name, at,
                at < last->count ? (double)last->got[at] : 0, at < last->count ? (double)last->wanted[at] : 0);
}

void compare_last(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_model *model = call->model;
    const size_t batch = call->shape.batch;
    struct last logits = {0}, labels = {0};
    bool ok = last_make(&logits, has_logits(model), batch * call->shape.q_len * model->stack->n_logits) &&
              last_make(&labels, has_labels(model), batch * model->stack->n_labels);
    ok = checks_need(checks, ok, "no memory for outputs");
    call->io.logits = logits.got;
    call->io.class_logits = labels.got;
    for (size_t v = 0; ok && v < subject->n_loaded; v++) {
        ok = call_run(call, checks, subject, v);
        if (ok && logits.got) {
            reference_logits_f32(model, subject->roles, &call->io, call->io.output, logits.wanted);
            expect_bits(checks, "logits", &logits);
        }
        if (ok && labels.got) {
            reference_class_logits_f32(model, subject->roles, &call->io, call->io.output, labels.wanted);
            expect_bits(checks, "class_logits", &labels);
        }
    }
    call->io.logits = call->io.class_logits = NULL;
    last_drop(&logits);
    last_drop(&labels);
}

void rounded_outputs_give_the_bits_of_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, LAST_BUDGET, compare_last);
}
