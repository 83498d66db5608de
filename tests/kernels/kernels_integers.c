// kernels_integers.c: the fact that products of integers give the generic kernel's bits: all of their order that a
// result depends on is written down (docs/numbers.md), and sums of integers have no other. A row that sees one key
// gives it the weight 1, whatever the score, so that its output is two linears and nothing else.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"

enum { MOST_ROWS = 40 };

// Whether something takes a share of a row's weights beside its keys.
static bool shares_weights(const struct ga_model *model)
{
    bool shares = model->extra_keys > 0;
    for (size_t r = 0; r < model->n_roles; r++) {
        shares = shares || strcmp(model->roles[r].name, "sinks") == 0;
    }
    return shares;
}

bool kernels_for_integers(const struct ga_model *model)
{
    const bool has_one_width = model->k_dim == model->d_model && model->v_dim == model->d_model;
    bool is_linear = model->activation[GA_V] == GA_ACTIVATION_NONE && model->activation[GA_O] == GA_ACTIVATION_NONE;
    is_linear = is_linear && !shares_weights(model);
    return model->arithmetic != GA_ARITHMETIC_F32 && !model->stack && model->q_len.min == 1 && model->kv_len.min == 1 &&
           has_one_width && is_linear;
}

// A batch of sequences of one row.
static bool call_of_rows(struct call *call, const struct ga_model *model, size_t rows)
{
    const struct shape shape = {
        .batch = model->batch ? model->batch : rows, .q_len = 1, .kv_len = 1, .form = FORM_SELF, .seed = rows};
    return call_make(call, model, &shape, GUARD_AT_END);
}

static void compare_bits(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t count = call->shape.batch * call_out_elements(call);
    float *generic = malloc(count * sizeof *generic);
    if (checks_need(checks, generic && expected_f32(subject, call, generic), "no memory for the generic kernel")) {
        for (size_t v = 0; v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
            const float *got = call->buffers[CALL_OUTPUT].data;
            const size_t at = approx_first_difference(got, generic, count);
            checks_that(checks, at == count, "element %zu is %.9g, and not the generic kernel's %.9g", at,
                        at < count ? (double)got[at] : 0, at < count ? (double)generic[at] : 0);
        }
    }
    free(generic);
}

void integers_give_the_bits_of_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    struct subject subject;
    bool ok = subject_make(&subject, checks, model, weights_random, false);
    for (size_t rows = 1; ok && rows <= MOST_ROWS; rows++) {
        struct call call;
        ok = checks_need(checks, call_of_rows(&call, model, rows), "no memory for a call");
        if (ok) {
            call_fill(&call);
            compare_bits(checks, &subject, &call);
            call_drop(&call);
        }
    }
    subject_drop(&subject);
}
