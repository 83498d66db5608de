// kernels_rounded.c: the fact that products of integers and of bf16 give the generic kernel's bits: all of their order
// that a result depends on is written down (docs/numbers.md), and every instruction set has it. A row that sees one
// key gives it the weight 1, whatever the score, so that its output is two linears and nothing else.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"

enum { MOST_ROWS = 40 };

bool kernels_share_weights(const struct ga_model *model)
{
    bool shares = model->extra_keys > 0;
    for (size_t r = 0; r < model->n_roles; r++) {
        shares = shares || strcmp(model->roles[r].name, "sinks") == 0;
    }
    return shares;
}

bool kernels_for_rounded(const struct ga_model *model)
{
    const bool has_one_width = model->k_dim == model->d_model && model->v_dim == model->d_model;
    bool is_linear = model->activation[GA_V] == GA_ACTIVATION_NONE && model->activation[GA_O] == GA_ACTIVATION_NONE;
    is_linear = is_linear && !kernels_share_weights(model);
    is_linear = is_linear && model->arithmetic[GA_LINEAR_V] != GA_ARITHMETIC_F32 &&
                model->arithmetic[GA_LINEAR_O] != GA_ARITHMETIC_F32;
    return !model->stack && model->q_len.min == 1 && model->kv_len.min == 1 && has_one_width && is_linear;
}

// A batch of sequences of one row.
static bool call_of_rows(struct call *call, const struct ga_model *model, size_t rows)
{
    const struct shape shape = {
        .batch = model->batch ? model->batch : rows, .q_len = 1, .kv_len = 1, .form = FORM_SELF, .seed = rows};
    return call_make(call, model, &shape, GUARD_AT_END);
}

// Rows of zeros, of subnormals, of numbers of 2^55, whose scores are finite, and of numbers on either side of the least
// that bf16 does not round to 0.
static void spread_rows(struct call *call)
{
    static const float sizes[] = {1, 0, 0x1p-140F, 0x1p55F, 0x1p-55F, 0x1p-63F};
    const size_t d_model = call->model->d_model, n_sizes = sizeof sizes / sizeof *sizes;
    float *query = call->buffers[CALL_QUERY].data;
    for (size_t i = 0; i < call->shape.batch * d_model; i++) {
        query[i] *= sizes[i / d_model % n_sizes];
    }
}

static void weights_with_nan(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                             float *data)
{
    weights_random(rng, model, role, data);
    if (strcmp(role->name, "o_weight") == 0) {
        data[role->shape[1] / 2] = NAN;
    }
}

// Rows as small as their sizes give outputs like them: products of linear o on either side of 2^-126, which nothing
// larger is added to. Some instructions for bf16 take smaller ones for 0.
static void weights_tiny(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    static const float sizes[] = {0x1p-54F, 0x1p-56F, 0x1p-63F};
    weights_random(rng, model, role, data);
    const size_t count = role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
    for (size_t i = 0; i < count; i++) {
        data[i] *= role->rank == 1 ? 0 : strcmp(role->name, "o_weight") == 0 ? sizes[i % 3] : 1;
    }
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

static void compare_rows(struct checks *checks, const struct ga_model *model, weight_fill *fill, size_t most_rows)
{
    struct subject subject;
    bool ok = subject_make(&subject, checks, model, fill, false);
    for (size_t rows = 1; ok && rows <= most_rows; rows++) {
        struct call call;
        ok = checks_need(checks, call_of_rows(&call, model, rows), "no memory for a call");
        if (ok) {
            call_fill(&call);
            spread_rows(&call);
            compare_bits(checks, &subject, &call);
            call_drop(&call);
        }
    }
    subject_drop(&subject);
}

void rounded_linears_give_the_bits_of_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    const size_t few_rows = 3;
    compare_rows(checks, model, weights_random, MOST_ROWS);
    compare_rows(checks, model, weights_with_nan, few_rows);
    compare_rows(checks, model, weights_tiny, 2 * few_rows);
}
