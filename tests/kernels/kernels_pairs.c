// kernels_pairs.c: the fact that errors of products of pairs of rows stay within the bound that `info` prints, on
// inputs and weights whose halves differ most in size, where they are larger than those of exact products can be.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static const double PAIRS_BUDGET = 1e8;

// Of docs/numbers.md#fast-products: how sums of a result grow in Strassen's scheme, the products of a running sum, and
// the roundings besides; rows of a sequence from which on it has pairs.
static const double GROWTH = 12, RUNNING_SUM = 128, SUMS_APART = 64, ROUNDINGS = 6;
enum { PAIRED_ROWS = 32 };
static const float LARGE = 0x1p12F;

bool kernels_for_pairing(const struct ga_model *model)
{
    return model->pairs_rows && model->intermediates[GA_V_PROJ] && model->activation[GA_V] == GA_ACTIVATION_NONE &&
           model->vocab_size == 0;
}

// Large are the weights of the second half of a head by the second half of the inputs, and the first half of each row:
// two products of the scheme then have terms that are LARGE times as large as those of their sum.
static void weights_of_halves(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                              float *data)
{
    weights_random(rng, model, role, data);
    for (size_t i = 0; strcmp(role->name, "v_weight") == 0 && i < role->shape[0] * role->shape[1]; i++) {
        const bool is_second = i / role->shape[1] % model->d_head >= model->d_head / 2;
        data[i] *= is_second && i % role->shape[1] >= role->shape[1] / 2 ? LARGE : 1.0F;
    }
}

static void scale_halves(float *rows, size_t count, size_t width)
{
    for (size_t i = 0; i < count * width; i++) {
        rows[i] *= i % width < width / 2 ? LARGE : 1.0F;
    }
}

static double largest_of(const float *numbers, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs((double)numbers[i]));
    }
    return largest;
}

// A result in double precision, and the sum of the magnitudes that it adds up.
struct exact {
    double value, size;
};

static struct exact exact_of(const struct ga_weight_view *weight, const struct ga_weight_view *bias, const float *x,
                             size_t width, size_t column)
{
    struct exact exact = {bias->data ? (double)bias->data[column * bias->row_stride] : 0, 0};
    exact.size = fabs(exact.value);
    for (size_t i = 0; i < width; i++) {
        const double product =
            (double)x[i] * (double)weight->data[column * weight->row_stride + i * weight->col_stride];
        exact.value += product;
        exact.size += fabs(product);
    }
    return exact;
}

static struct ga_weight_view view_of(const struct subject *subject, const char *name)
{
    for (size_t r = 0; r < subject->model->n_roles; r++) {
        if (strcmp(subject->model->roles[r].name, name) == 0) {
            return subject->roles[r];
        }
    }
    return (struct ga_weight_view){0};
}

// Errors of the rows of v of a sequence; true if one is larger than that of any sum of the products in float.
static bool expect_rows(struct checks *checks, const struct subject *subject, const float *x, const float *v,
                        size_t rows)
{
    const struct ga_model *model = subject->model;
    const struct ga_weight_view weight = view_of(subject, "v_weight"), bias = view_of(subject, "v_bias");
    const size_t width = model->v_dim, columns = model->n_kv_heads * model->d_head;
    const double half = (double)width / 2, u = (double)FLT_EPSILON / 2;
    const double limit = GROWTH * half * (RUNNING_SUM + ceil(half / SUMS_APART) + ROUNDINGS) * u *
                         largest_of(x, rows * width) * largest_of(weight.data, width * columns);
    bool is_larger = false;
    for (size_t i = 0; i < rows * columns; i++) {
        const struct exact exact = exact_of(&weight, &bias, x + i / columns * width, width, i % columns);
        const double error = fabs((double)v[i] - exact.value);
        is_larger = is_larger || error > (double)(width + 1) * u * exact.size;
        if (!checks_that(checks, error <= limit, "v of row %zu, column %zu is %.3g off, allowed %.3g", i / columns,
                         i % columns, error, limit)) {
            return true;
        }
    }
    return is_larger;
}

static void compare_with_bound(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_model *model = call->model;
    const enum call_buffer buffer = call->io.value ? CALL_VALUE : call->io.key ? CALL_KEY : CALL_QUERY;
    const size_t kv_len = buffer == CALL_QUERY ? call->shape.q_len : call->shape.kv_len, width = model->v_dim;
    const size_t columns = model->n_kv_heads * model->d_head;
    float *x = call->buffers[buffer].data, *v = malloc(call->shape.batch * kv_len * columns * sizeof *v);
    if (!checks_need(checks, v != NULL, "no memory for v")) {
        return;
    }
    scale_halves(x, call->shape.batch * kv_len, width);
    call->io.intermediates[GA_V_PROJ] = v;
    for (size_t l = 0; l < subject->n_loaded && call_run(call, checks, subject, l); l++) {
        for (size_t b = 0; b < call->shape.batch; b++) {
            const size_t rows = call_kv_rows(call, b);
            const bool is_larger = expect_rows(checks, subject, x + b * kv_len * width, v + b * kv_len * columns, rows);
            checks_that(checks, is_larger || rows < PAIRED_ROWS, "no error is larger than those of exact products");
        }
    }
    free(v);
}

void pairs_stay_within_their_bound(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_of_halves, PAIRS_BUDGET, compare_with_bound);
}
