// kernels_watch.c: the fact that a whole model shows the rows that its linears multiply, all of them and to nobody's
// cost. Says nothing of what is made of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "watch.h"

static const double SHOWN_BUDGET = 2e7;

bool kernels_for_showing(const struct ga_model *model)
{
    return ga_model_shows(model);
}

// -- Rows -----------------------------------------------------------------------------------------------------------

// What was shown, by role: rows one after the other, as wide as the weight.
struct shown {
    const struct ga_model *model;
    float *x[MAX_ROLES];
    size_t rows[MAX_ROLES];
    bool is_short; // of memory
};

static void keep_shown(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    struct shown *shown = self;
    for (size_t i = 0; i < n_roles && rows > 0; i++) {
        const size_t role = roles[i], width = shown->model->roles[role].shape[1];
        float *to = realloc(shown->x[role], (shown->rows[role] + rows) * width * sizeof *to);
        shown->is_short = shown->is_short || !to;
        for (size_t row = 0; to && row < rows; row++) {
            memcpy(to + (shown->rows[role] + row) * width, x + row * stride, width * sizeof *x);
        }
        shown->x[role] = to ? to : shown->x[role];
        shown->rows[role] += to ? rows : 0;
    }
}

static void drop_shown(struct shown *shown)
{
    for (size_t role = 0; role < MAX_ROLES; role++) {
        free(shown->x[role]);
    }
}

// What is after the layer's number in the name of a role of this layer; NULL for others.
static const char *name_in_layer(const struct ga_weight_role *role, size_t layer)
{
    char before[32];
    (void)snprintf(before, sizeof before, "layers.%zu.", layer);
    return strncmp(role->name, before, strlen(before)) == 0 ? role->name + strlen(before) : NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (name && *names && strcmp(name, *names) != 0) {
        names++;
    }
    return name && *names;
}

// Adds what a linear makes of the row at `at` that it was shown, and the sizes of its products.
static void add_linear(const struct subject *subject, const struct shown *shown, size_t role, size_t at, size_t out,
                       double *sum, double *size)
{
    const size_t width = subject->model->roles[role].shape[1];
    const struct ga_weight_view *weight = &subject->roles[role];
    for (size_t i = 0; i < width; i++) {
        const double product = (double)weight->data[out * weight->row_stride + i * weight->col_stride] *
                               (double)shown->x[role][at * width + i];
        *sum += product;
        *size += fabs(product);
    }
}

// What a layer adds to a number of row `at`: all that joins the residual.
static void expect_joined(struct checks *checks, const struct subject *subject, const struct shown *shown, size_t layer,
                          size_t at, size_t out, const float *before, const float *after)
{
    static const char *const joining[] = {"o_weight", "memory_o_weight", "down_weight", NULL};
    static const char *const biases[] = {"o_bias", "memory_o_bias", "down_bias", NULL};
    double sum = 0, size = fabs((double)before[out]) + fabs((double)after[out]);
    for (size_t role = 0; role < subject->model->n_roles; role++) {
        const char *name = name_in_layer(&subject->model->roles[role], layer);
        if (is_one_of(name, joining)) {
            add_linear(subject, shown, role, at, out, &sum, &size);
        } else if (is_one_of(name, biases)) {
            sum += (double)subject->roles[role].data[out * subject->roles[role].row_stride];
        }
    }
    const double added = (double)after[out] - (double)before[out];
    checks_that(checks, fabs(added - sum) <= 2e-6 * size, "layer %zu, row %zu, number %zu: %.9g is added, not %.9g",
                layer, at, out, added, sum);
}

// Rows of the first layer, which no last norm follows, in the order in which real rows were shown.
static void expect_layer_of_rows(struct checks *checks, const struct subject *subject, const struct call *call,
                                 const struct shown *shown, float *const *hidden)
{
    const size_t q_len = call->shape.q_len, width = subject->model->d_model;
    for (size_t b = 0, at = 0; b < call->shape.batch; b++) {
        const size_t real = call->io.q_lengths ? (size_t)call->io.q_lengths[b] : q_len;
        for (size_t row = 0; row < real; row++, at++) {
            const size_t from = (b * q_len + row) * width;
            for (size_t out = 0; out < width; out += 7) {
                expect_joined(checks, subject, shown, 0, at, out, hidden[0] + from, hidden[1] + from);
            }
        }
    }
}

// Every weight of a layer was shown as many rows as the first of them, but k and v of a memory none.
static void expect_all_shown(struct checks *checks, const struct shown *shown, size_t rows)
{
    static const char *const weights[] = {"q_weight",        "k_weight",        "v_weight",    "o_weight",
                                          "memory_q_weight", "memory_o_weight", "gate_weight", "up_weight",
                                          "gate_up_weight",  "down_weight",     NULL};
    for (size_t layer = 0; layer < shown->model->stack->n_layers; layer++) {
        for (size_t role = 0; role < shown->model->n_roles; role++) {
            const char *name = name_in_layer(&shown->model->roles[role], layer);
            const size_t wanted = is_one_of(name, weights) ? rows : 0;
            checks_that(checks, !name || shown->rows[role] == wanted, "%s was shown %zu rows, not %zu",
                        shown->model->roles[role].name, shown->rows[role], wanted);
        }
    }
}

static size_t real_rows(const struct call *call)
{
    size_t rows = 0;
    for (size_t b = 0; b < call->shape.batch; b++) {
        rows += call->io.q_lengths ? (size_t)call->io.q_lengths[b] : call->shape.q_len;
    }
    return rows;
}

static void watch_variant(struct checks *checks, const struct subject *subject, struct call *call, size_t v,
                          float *plain, float *const *hidden)
{
    const size_t count = call->shape.batch * call_out_elements(call);
    struct shown shown = {.model = subject->model};
    const struct ga_watch watch = {keep_shown, &shown};
    const bool ran = call_run(call, checks, subject, v);
    memcpy(plain, call->buffers[CALL_OUTPUT].data, count * sizeof *plain);
    call->io.watch = &watch;
    call->io.hidden = hidden;
    if (ran && call_run(call, checks, subject, v) && checks_need(checks, !shown.is_short, "no memory for rows")) {
        const size_t at = approx_first_difference(call->buffers[CALL_OUTPUT].data, plain, count);
        checks_that(checks, at == count, "element %zu is another where rows are watched", at);
        expect_all_shown(checks, &shown, real_rows(call));
        expect_layer_of_rows(checks, subject, call, &shown, hidden);
    }
    call->io.watch = NULL;
    call->io.hidden = NULL;
    drop_shown(&shown);
}

static void watch_call(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t count = call->shape.batch * call_out_elements(call);
    float *plain = malloc(3 * count * sizeof *plain), *hidden[1 + GA_LINEARS * 8] = {NULL};
    if (call->shape.past > 0 ||
        !checks_need(checks, plain && subject->model->stack->n_layers <= GA_LINEARS * 8, "no memory for rows")) {
        free(plain);
        return;
    }
    hidden[0] = plain + count;
    hidden[1] = plain + 2 * count;
    for (size_t v = 0; v < subject->n_loaded; v++) {
        watch_variant(checks, subject, call, v, plain, hidden);
    }
    free(plain);
}

void rows_that_are_shown_are_those_multiplied(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, SHOWN_BUDGET, watch_call);
}
