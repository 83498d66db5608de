// kernels_pairs.c: the fact that errors of products of pairs of rows stay within the bound that `info` prints, on
// inputs and weights whose halves differ most in size, where they are larger than those of exact products can be.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

static const double PAIRS_BUDGET = 1e8;

// Of docs/numbers.md#fast-products: how sums of a result grow in Strassen's scheme, the products of a running sum, and
// the roundings besides.
static const double RUNNING_SUM = 128, SUMS_APART = 64;

// By how often a linear is split: parts of its inputs and its columns; rows of a sequence from which on they are
// multiplied together.
static const struct {
    size_t parts, rows;
    double growth, roundings;
} LEVELS[] = {{1, SIZE_MAX, 1, 0}, {2, 32, 12, 6}, {4, 64, 144, 11}};
static const float LARGE = 0x1p12F;

// A feed-forward alone, with nothing around its linears but a relu between them.
static bool is_feed_forward(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    return stack && stack->without_attention && stack->without_residual && stack->n_layers == 1 && !stack->ffn_gated &&
           stack->norm.kind == GA_NORM_NONE && stack->ffn_activation == GA_ACTIVATION_RELU;
}

bool kernels_for_pairing(const struct ga_model *model)
{
    const bool shows_v = model->intermediates[GA_V_PROJ] && model->activation[GA_V] == GA_ACTIVATION_NONE;
    return model->rows_together > 0 && model->vocab_size == 0 && (shows_v || is_feed_forward(model));
}

// Large are the weights of the second half of a head by the second half of the inputs, and the first half of each row:
// two products of the scheme then have terms that are LARGE times as large as those of their sum.
static void weights_of_halves(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                              float *data)
{
    const bool is_up = strcmp(role->name, "layers.0.up_weight") == 0, is_v = strcmp(role->name, "v_weight") == 0;
    const size_t columns = is_up ? role->shape[0] : model->d_head;
    weights_random(rng, model, role, data);
    for (size_t i = 0; (is_up || is_v) && i < role->shape[0] * role->shape[1]; i++) {
        const bool is_second = i / role->shape[1] % columns >= columns / 2;
        data[i] *= is_second && i % role->shape[1] >= role->shape[1] / 2 ? LARGE : 1.0F;
    }
}

static void scale_halves(float *rows, size_t count, size_t width)
{
    for (size_t i = 0; i < count * width; i++) {
        rows[i] *= i % width < width / 2 ? LARGE : 1.0F;
    }
}

// A result in double precision, and the sum of the magnitudes that it adds up.
struct exact {
    double value, size;
};

// A linear of rows of `width` inputs, how often it is split, and the largest magnitude of its weights.
struct seen {
    struct ga_weight_view weight, bias;
    size_t width, columns, levels;
    double largest;
};

static struct ga_weight_view view_of(const struct subject *subject, const char *name)
{
    for (size_t r = 0; r < subject->model->n_roles; r++) {
        if (strcmp(subject->model->roles[r].name, name) == 0) {
            return subject->roles[r];
        }
    }
    return (struct ga_weight_view){0};
}

static double weight_at(const struct seen *linear, size_t column, size_t input)
{
    const struct ga_weight_view *weight = &linear->weight;
    return (double)weight->data[column * weight->row_stride + input * weight->col_stride];
}

static struct seen linear_of(const struct subject *subject, const char *weight, const char *bias, size_t width,
                             size_t columns)
{
    const size_t together = subject->model->stack ? columns : subject->model->d_head;
    size_t levels = subject->model->rows_together / 2;
    while (levels > 0 && (width % (16 * LEVELS[levels].parts) != 0 || together % (16 * LEVELS[levels].parts) != 0)) {
        levels--;
    }
    struct seen linear = {view_of(subject, weight), view_of(subject, bias), width, columns, levels, 0};
    for (size_t i = 0; i < width * columns; i++) {
        linear.largest = fmax(linear.largest, fabs(weight_at(&linear, i / width, i % width)));
    }
    return linear;
}

static struct exact exact_of(const struct seen *linear, const double *x, size_t column)
{
    const struct ga_weight_view *bias = &linear->bias;
    struct exact exact = {bias->data ? (double)bias->data[column * bias->row_stride] : 0, 0};
    exact.size = fabs(exact.value);
    for (size_t i = 0; i < linear->width; i++) {
        const double product = x[i] * weight_at(linear, column, i);
        exact.value += product;
        exact.size += fabs(product);
    }
    return exact;
}

static const double UNIT = (double)FLT_EPSILON / 2;

// What an error is at most, if no input is larger than this.
static double limit_of(const struct seen *linear, double largest_input)
{
    const double depth = (double)(linear->width / LEVELS[linear->levels].parts);
    const double roundings = RUNNING_SUM + ceil(depth / SUMS_APART) + LEVELS[linear->levels].roundings;
    return LEVELS[linear->levels].growth * depth * roundings * UNIT * largest_input * linear->largest;
}

// And that of any sum of the products in float.
static double limit_of_exact(const struct seen *linear, struct exact exact)
{
    return (double)(linear->width + 1) * UNIT * exact.size;
}

// Rows of a sequence in double precision, and the largest magnitude.
struct rows {
    double *data;
    size_t count;
    double largest;
};

static struct rows doubles_of(const float *x, size_t count, size_t width)
{
    struct rows rows = {malloc((count * width + 1) * sizeof *rows.data), count, 0};
    for (size_t i = 0; rows.data && i < count * width; i++) {
        rows.data[i] = (double)x[i];
        rows.largest = fmax(rows.largest, fabs(rows.data[i]));
    }
    return rows;
}

// Errors of the results y of a sequence; true if one is larger than that of any sum of the products in float.
static bool expect_linear(struct checks *checks, const struct seen *linear, struct rows x, const float *y)
{
    const double limit = limit_of(linear, x.largest);
    bool is_larger = false;
    for (size_t i = 0; i < x.count * linear->columns; i++) {
        const size_t row = i / linear->columns, column = i % linear->columns;
        const struct exact exact = exact_of(linear, x.data + row * linear->width, column);
        const double error = fabs((double)y[i] - exact.value);
        is_larger = is_larger || error > limit_of_exact(linear, exact);
        if (!checks_that(checks, error <= limit, "row %zu, column %zu is %.3g off, allowed %.3g", row, column, error,
                         limit)) {
            return true;
        }
    }
    return is_larger;
}

// The same of two linears with a relu between them, which makes no error larger.
static bool expect_two(struct checks *checks, const struct seen *up, const struct seen *down, struct rows x,
                       const float *y)
{
    const double limit_up = limit_of(up, x.largest);
    struct rows mid = {malloc(2 * up->columns * x.count * sizeof *mid.data), x.count, 0};
    double *errors = mid.data + up->columns * x.count; // of exact products
    bool is_larger = false;
    for (size_t i = 0; mid.data && i < x.count * up->columns; i++) {
        const struct exact exact = exact_of(up, x.data + i / up->columns * up->width, i % up->columns);
        mid.data[i] = fmax(exact.value, 0);
        mid.largest = fmax(mid.largest, mid.data[i]);
        errors[i] = limit_of_exact(up, exact);
    }
    for (size_t i = 0; mid.data && i < x.count * down->columns; i++) {
        const size_t row = i / down->columns, column = i % down->columns;
        const struct exact exact = exact_of(down, mid.data + row * down->width, column);
        double limit = limit_of(down, mid.largest + limit_up), of_exact = limit_of_exact(down, exact);
        for (size_t j = 0; j < down->width; j++) {
            limit += fabs(weight_at(down, column, j)) * limit_up;
            of_exact += fabs(weight_at(down, column, j)) * errors[row * down->width + j];
        }
        const double error = fabs((double)y[i] - exact.value);
        is_larger = is_larger || error > of_exact;
        checks_that(checks, error <= limit, "row %zu, column %zu is %.3g off, allowed %.3g", row, column, error, limit);
    }
    free(mid.data);
    return is_larger;
}

// The rows of a call that its linears see multiplied, of each sequence `length`, and what they become.
struct compared {
    const float *x, *y;
    size_t length;
};

static bool expect_sequence(struct checks *checks, const struct subject *subject, struct rows x, const float *y)
{
    const struct ga_model *model = subject->model;
    if (model->stack) {
        const size_t width = model->d_model, between = model->stack->d_ff;
        const struct seen up = linear_of(subject, "layers.0.up_weight", "layers.0.up_bias", width, between);
        const struct seen down = linear_of(subject, "layers.0.down_weight", "layers.0.down_bias", between, width);
        return expect_two(checks, &up, &down, x, y);
    }
    const struct seen v = linear_of(subject, "v_weight", "v_bias", model->v_dim, model->n_kv_heads * model->d_head);
    return expect_linear(checks, &v, x, y);
}

static void expect_call(struct checks *checks, const struct subject *subject, const struct call *call,
                        struct compared of)
{
    const struct ga_model *model = call->model;
    const size_t width = model->stack ? model->d_model : model->v_dim;
    const size_t columns = model->stack ? model->d_model : model->n_kv_heads * model->d_head;
    for (size_t b = 0; b < call->shape.batch; b++) {
        const size_t rows = call_kv_rows(call, b), at = b * of.length;
        const struct rows x = doubles_of(of.x + at * width, rows, width);
        if (checks_need(checks, x.data != NULL, "no memory for rows")) {
            const bool is_larger = expect_sequence(checks, subject, x, of.y + at * columns);
            checks_that(checks, is_larger || rows < LEVELS[model->rows_together / 2].rows,
                        "no error is larger than those of exact products");
        }
        free(x.data);
    }
}

static void compare_with_bound(struct checks *checks, const struct subject *subject, struct call *call)
{
    const struct ga_model *model = call->model;
    const enum call_buffer buffer = call->io.value ? CALL_VALUE : call->io.key ? CALL_KEY : CALL_QUERY;
    const size_t length = buffer == CALL_QUERY ? call->shape.q_len : call->shape.kv_len, width = model->v_dim;
    float *x = call->buffers[buffer].data;
    float *v = malloc((call->shape.batch * length * model->n_kv_heads * model->d_head + 1) * sizeof *v);
    if (!checks_need(checks, v != NULL, "no memory for v")) {
        return;
    }
    scale_halves(x, call->shape.batch * length, width);
    call->io.intermediates[GA_V_PROJ] = model->stack ? NULL : v;
    for (size_t l = 0; l < subject->n_loaded && call_run(call, checks, subject, l); l++) {
        expect_call(checks, subject, call, (struct compared){x, model->stack ? call->io.output : v, length});
    }
    free(v);
}

void pairs_stay_within_their_bound(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_of_halves, PAIRS_BUDGET, compare_with_bound);
}
