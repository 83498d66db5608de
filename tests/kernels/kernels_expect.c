// kernels_expect.c: what a call is held against: the generic kernel, or the bits of another call. Runs no kernel.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_neighbours.h"
#include "support/reference.h"

// -- A call and its past as one ---------------------------------------------------------------------------------------

// The call without a cache that means the same: its keys are the rows of the past, then the new ones.
struct whole {
    struct ga_io io;
    float *key, *value;
    int32_t *lengths;
};

static void whole_drop(struct whole *whole)
{
    free(whole->key);
    free(whole->value);
    free(whole->lengths);
}

// Joins the past rows of each sequence and those of `from`, kv_len rows a sequence, in `to`.
static void join_rows(const struct call *call, const float *from, size_t kv_len, float *to)
{
    const size_t width = call->model->k_dim, past = call->shape.past;
    const float *before = call->buffers[CALL_PAST].data;
    for (size_t b = 0; b < call->shape.batch; b++, to += (past + kv_len) * width) {
        size_t rows = call_past_rows(call, b), real = call_kv_rows(call, b);
        memcpy(to, before + b * past * width, rows * width * sizeof *to);
        memcpy(to + rows * width, from + b * kv_len * width, real * width * sizeof *to);
    }
}

// The rows of the embedding for a call's tokens, or its query.
static const float *own_rows(const struct subject *subject, const struct call *call, float *room)
{
    const size_t d_model = call->model->d_model;
    for (size_t b = 0; call->io.tokens && b < call->shape.batch; b++) {
        for (size_t i = 0; i < call_kv_rows(call, b); i++) {
            size_t row = b * call->shape.q_len + i;
            reference_token_row(call->model, subject->roles, (size_t)call->io.tokens[row], room + row * d_model);
        }
    }
    return call->io.tokens ? room : call->io.query;
}

static bool whole_make(struct whole *whole, const struct subject *subject, const struct call *call)
{
    const size_t batch = call->shape.batch, past = call->shape.past, d_model = call->model->d_model;
    const size_t kv_len = reference_kv_len(&call->io), rows = batch * (past + kv_len) * call->model->k_dim;
    *whole = (struct whole){.io = call->io};
    if (past == 0) {
        return true;
    }
    float *room = malloc(batch * call->shape.q_len * d_model * sizeof *room);
    whole->key = malloc(rows * sizeof *whole->key);
    whole->value = malloc(rows * sizeof *whole->value);
    whole->lengths = malloc(batch * sizeof *whole->lengths);
    bool ok = room && whole->key && whole->value && whole->lengths;
    if (ok) {
        const float *key = call->io.key ? call->io.key : own_rows(subject, call, room);
        join_rows(call, key, kv_len, whole->key);
        join_rows(call, call->io.value ? call->io.value : key, kv_len, whole->value);
        for (size_t b = 0; b < batch; b++) {
            whole->lengths[b] = (int32_t)(call_past_rows(call, b) + call_kv_rows(call, b));
        }
        whole->io.position =
            call->model->rope.positions > 0 && !call->io.key ? call->buffers[CALL_PAST_LENGTHS].data : NULL;
        whole->io.key = whole->key;
        whole->io.value = whole->value;
        whole->io.kv_len = past + kv_len;
        whole->io.kv_lengths = whole->lengths;
    }
    free(room);
    return ok;
}

// -- The generic kernel ---------------------------------------------------------------------------------------------

static size_t output_elements(const struct call *call)
{
    return call->shape.batch * call_out_elements(call);
}

static size_t attention_elements(const struct call *call)
{
    return call->shape.batch * call->model->n_heads * call->shape.q_len * call_columns(call);
}

static bool allocate(struct expected *expected, const struct call *call)
{
    size_t outputs = output_elements(call), weights = attention_elements(call);
    expected->output = malloc(outputs * sizeof(double));
    expected->output_f32 = malloc(outputs * sizeof(float));
    const bool mean = call->io.attention_mean != NULL, attention = call->io.attention != NULL || mean;
    if (attention) {
        expected->attention = malloc(weights * sizeof(double));
        expected->attention_f32 = malloc(weights * sizeof(float));
    }
    if (mean) {
        expected->mean = malloc(weights / call->model->n_heads * sizeof(double));
        expected->mean_f32 = malloc(weights / call->model->n_heads * sizeof(float));
    }
    return expected->output && expected->output_f32 &&
           (!attention || (expected->attention && expected->attention_f32)) &&
           (!mean || (expected->mean && expected->mean_f32));
}

// The mean over heads of both precisions' attention.
static void average_heads(struct expected *expected, const struct call *call)
{
    const size_t heads = call->model->n_heads, map = call->shape.q_len * call_columns(call);
    for (size_t at = 0; expected->mean && at < call->shape.batch * map; at++) {
        double sum = 0;
        float sum_f32 = 0;
        for (size_t h = 0; h < heads; h++) {
            sum += expected->attention[(at / map * heads + h) * map + at % map];
            sum_f32 += expected->attention_f32[(at / map * heads + h) * map + at % map];
        }
        expected->mean[at] = sum / (double)heads;
        expected->mean_f32[at] = sum_f32 / (float)heads;
    }
}

bool expected_make(struct expected *expected, const struct subject *subject, const struct call *call)
{
    struct whole whole;
    *expected = (struct expected){0};
    bool ok = whole_make(&whole, subject, call) && allocate(expected, call) &&
              reference_f64(call->model, subject->roles, &whole.io, expected->output, expected->attention) &&
              reference_f32(call->model, subject->roles, &whole.io, expected->output_f32, expected->attention_f32);
    whole_drop(&whole);
    if (ok) {
        average_heads(expected, call);
    } else {
        expected_drop(expected);
    }
    return ok;
}

bool expected_f32(const struct subject *subject, const struct call *call, float *output)
{
    struct whole whole;
    bool ok = whole_make(&whole, subject, call) && reference_f32(call->model, subject->roles, &whole.io, output, NULL);
    whole_drop(&whole);
    return ok;
}

void expected_drop(struct expected *expected)
{
    free(expected->output);
    free(expected->attention);
    free(expected->mean);
    free(expected->mean_f32);
    free(expected->output_f32);
    free(expected->attention_f32);
}

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static bool output_error(const struct subject *near, const struct call *call, void *context,
                         struct approx_error *error_out)
{
    (void)context;
    struct expected expected;
    const bool ok = expected_make(&expected, near, call);
    if (ok) {
        *error_out = approx_error(expected.output_f32, expected.output, output_elements(call));
        expected_drop(&expected);
    }
    return ok;
}

static void expect_tensor(struct checks *checks, const struct subject *subject, const struct call *call,
                          enum call_buffer buffer, const double *exact, const float *generic, size_t count,
                          double magnitude_slack)
{
    char name[CALL_ELEMENT];
    const bool is_amplified = call->model->stack && buffer == CALL_OUTPUT;
    const struct compared compared = {
        .got = call->buffers[buffer].data,
        .exact = exact,
        .count = count,
        .error = approx_error(generic, exact, count),
        .slack = magnitude_slack * largest(exact, count),
        .error_of = is_amplified ? output_error : NULL,
    };
    const struct approx found = approx_among_neighbours(subject, call, &compared);
    checks->worst = found.error > 0 ? fmax(checks->worst, found.error / found.limit) : checks->worst;
    checks_that(checks, found.ok, "%s is %.9g, expected %.9g (largest error %.3g, allowed %.3g; nmse %.3g)",
                call_element(call, buffer, found.at, name), found.got, found.expected, found.error, found.limit,
                found.nmse);
}

static bool has_role(const struct ga_model *model, const char *name)
{
    for (size_t r = 0; r < model->n_roles; r++) {
        if (strcmp(model->roles[r].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Each row of a query that sees a key sums to one, but where a sink takes a share.
static void expect_sums(struct checks *checks, const struct call *call)
{
    const size_t q_len = call->shape.q_len, kv_len = call_columns(call), n_heads = call->model->n_heads;
    char name[CALL_ELEMENT];
    if (has_role(call->model, "sinks")) {
        return;
    }
    for (size_t row = 0; row < call->shape.batch * n_heads * q_len; row++) {
        size_t b = row / q_len / n_heads, h = row / q_len % n_heads, i = row % q_len;
        double sum = 0;
        bool any = call_keys_seen(call, b, h, i) > 0 || call_has_full_range(call, b, i);
        if (any && !approx_sums_to_one(call->io.attention + row * kv_len, kv_len, &sum)) {
            checks_that(checks, false, "row %s sums to %.9g", call_element(call, CALL_ATTENTION, row * kv_len, name),
                        sum);
            return;
        }
    }
    checks_that(checks, true, "rows sum to one");
}

void expect_layer(struct checks *checks, const struct subject *subject, const struct call *call,
                  const struct expected *expected, double magnitude_slack)
{
    expect_tensor(checks, subject, call, CALL_OUTPUT, expected->output, expected->output_f32, output_elements(call),
                  magnitude_slack);
    if (call->io.attention) {
        expect_tensor(checks, subject, call, CALL_ATTENTION, expected->attention, expected->attention_f32,
                      attention_elements(call), magnitude_slack);
        expect_sums(checks, call);
    }
    if (call->io.attention_mean) {
        expect_tensor(checks, subject, call, CALL_ATTENTION_MEAN, expected->mean, expected->mean_f32,
                      attention_elements(call) / call->model->n_heads, magnitude_slack);
    }
}

// -- The bits of another call ---------------------------------------------------------------------------------------

static bool same_bits(struct checks *checks, enum call_buffer buffer, const struct call *a, size_t a_at,
                      const struct call *b, size_t b_at, size_t count)
{
    const float *got = (const float *)a->buffers[buffer].data + a_at;
    const float *wanted = (const float *)b->buffers[buffer].data + b_at;
    size_t at = approx_first_difference(got, wanted, count);
    char name[CALL_ELEMENT];
    return at == count || checks_that(checks, false, "%s is %.9g where the other run has %.9g",
                                      call_element(a, buffer, a_at + at, name), (double)got[at], (double)wanted[at]);
}

static size_t output_at(struct place place, size_t head)
{
    return call_row_at(place.call, CALL_OUTPUT, place.sequence, head, place.row);
}

static size_t mean_at(struct place place)
{
    return (place.sequence * place.call->shape.q_len + place.row) * call_columns(place.call);
}

static size_t attention_at(struct place place, size_t head)
{
    const struct shape *shape = &place.call->shape;
    return ((place.sequence * place.call->model->n_heads + head) * shape->q_len + place.row) * call_columns(place.call);
}

void expect_same_rows(struct checks *checks, struct place got, struct place wanted, size_t rows, size_t kv_rows)
{
    const struct ga_model *model = got.call->model;
    bool ok = true;
    for (size_t i = 0; ok && i < rows; i++, got.row++, wanted.row++) {
        for (size_t h = 0; ok && h < call_heads(got.call, CALL_OUTPUT); h++) {
            ok = same_bits(checks, CALL_OUTPUT, got.call, output_at(got, h), wanted.call, output_at(wanted, h),
                           call_width(got.call, CALL_OUTPUT));
        }
        if (ok && got.call->io.attention_mean) {
            ok = same_bits(checks, CALL_ATTENTION_MEAN, got.call, mean_at(got), wanted.call, mean_at(wanted), kv_rows);
        }
        for (size_t h = 0; ok && got.call->io.attention && h < model->n_heads; h++) {
            const size_t a = attention_at(got, h), b = attention_at(wanted, h), extra = model->extra_keys;
            ok = same_bits(checks, CALL_ATTENTION, got.call, a, wanted.call, b, kv_rows) &&
                 same_bits(checks, CALL_ATTENTION, got.call, a + got.call->shape.kv_len, wanted.call,
                           b + wanted.call->shape.kv_len, extra);
        }
    }
    if (ok && rows > 0) {
        checks_that(checks, true, "same bits");
    }
}

void expect_same(struct checks *checks, const struct call *a, const struct call *b)
{
    for (size_t s = 0; s < a->shape.batch; s++) {
        expect_same_rows(checks, (struct place){a, s, 0}, (struct place){b, s, 0}, a->shape.q_len, a->shape.kv_len);
    }
}
