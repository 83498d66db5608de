// kernels_nan.c: facts about where a NaN may come out: in the rows that see it and nowhere else.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "min_max.h"
#include "support/reference.h"

// Multiply-adds of one round of calls, for one model.
static const double NAN_BUDGET = 7.5e7;

// Fills rows first .. last - 1 of sequence b, where the call has the tensor.
static void poison(struct call *call, enum call_buffer buffer, size_t b, size_t first, size_t last, float poisoned)
{
    float *data = call->buffers[buffer].data;
    for (size_t h = 0; data && h < call_heads(call, buffer); h++) {
        for (size_t i = call_row_at(call, buffer, b, h, first); i < call_row_at(call, buffer, b, h, last); i++) {
            data[i] = poisoned;
        }
    }
}

// -- Padding --------------------------------------------------------------------------------------------------------

// Fills every row past its sequence's length with what must not come out, and ids there with none there can be.
static void poison_padding(struct call *call, float poisoned)
{
    const size_t q_len = call->shape.q_len, kv_len = call->shape.kv_len;
    int32_t *tokens = call->buffers[CALL_TOKENS].data;
    for (size_t b = 0; b < call->shape.batch; b++) {
        size_t kv_rows = call_kv_rows(call, b);
        size_t q_rows = call->io.key ? call_q_rows(call, b) : ga_max(call_q_rows(call, b), kv_rows);
        poison(call, CALL_QUERY, b, q_rows, q_len, poisoned);
        poison(call, CALL_SUBLAYER, b, q_rows, q_len, poisoned);
        poison(call, CALL_KEY, b, kv_rows, kv_len, poisoned);
        poison(call, CALL_VALUE, b, kv_rows, kv_len, poisoned);
        for (size_t i = q_rows; tokens && i < q_len; i++) {
            tokens[b * q_len + i] = INT32_MIN + (int32_t)i;
        }
    }
}

static void compare_poisoned_padding(struct checks *checks, const struct subject *subject, struct call *call)
{
    static const float poisons[] = {NAN, INFINITY, 3e38F};
    struct call poisoned;
    if ((!call->shape.q_ragged && !call->shape.kv_ragged) ||
        !checks_need(checks, call_copy(&poisoned, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    for (size_t p = 0; p < sizeof poisons / sizeof poisons[0]; p++) {
        poison_padding(&poisoned, poisons[p]);
        for (size_t v = 0; v < subject->n_loaded; v++) {
            if (call_run(call, checks, subject, v) && call_run(&poisoned, checks, subject, v)) {
                expect_same(checks, &poisoned, call);
            }
        }
    }
    call_drop(&poisoned);
}

void nan_in_padding_does_not_leak(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, NAN_BUDGET, compare_poisoned_padding);
}

// -- Causal ---------------------------------------------------------------------------------------------------------

// Poisons the keys that row `last` of sequence b, and so any row before it, does not see; in self-attention not `last`
// itself or rows before, which are queries too.
static void poison_later_keys(struct call *call, size_t b, size_t last, float poisoned)
{
    size_t kv_len = 0, first = 0;
    const enum call_buffer keys = call_key_buffer(call, &kv_len);
    for (size_t seen = 0; seen < (last + 1) * kv_len; seen++) {
        const size_t j = seen % kv_len;
        first = j >= first && call_sees(call, b, seen / kv_len, j) ? j + 1 : first;
    }
    first = call->io.key ? first : ga_max(first, last + 1);
    poison(call, keys, b, first, kv_len, poisoned);
    poison(call, CALL_VALUE, b, first, kv_len, poisoned);
}

static void compare_up_to(struct checks *checks, const struct subject *subject, struct call *call, size_t b,
                          size_t last)
{
    struct call poisoned;
    if (!checks_need(checks, call_copy(&poisoned, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    poison_later_keys(&poisoned, b, last, NAN);
    for (size_t v = 0; v < subject->n_loaded; v++) {
        if (call_run(call, checks, subject, v) && call_run(&poisoned, checks, subject, v)) {
            expect_same_rows(checks, (struct place){&poisoned, b, 0}, (struct place){call, b, 0}, last + 1,
                             call->shape.kv_len);
        }
    }
    call_drop(&poisoned);
}

// The first row, the last but one, and one in the middle of some tile.
static void compare_poisoned_future(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t b = call->shape.batch - 1, rows = call_q_rows(call, b);
    const size_t lasts[] = {0, rows / 2, rows - 2};
    for (size_t l = 0; call->shape.form != FORM_TOKENS && l < sizeof lasts / sizeof lasts[0]; l++) {
        if (lasts[l] < rows) {
            compare_up_to(checks, subject, call, b, lasts[l]);
        }
    }
}

void nan_in_a_later_key_does_not_leak(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, NAN_BUDGET, compare_poisoned_future);
}

// -- Windows --------------------------------------------------------------------------------------------------------

// Poisons the keys that row `from` of sequence b and all rows after it no longer see; in self-attention none of
// their own rows.
static void poison_earlier_keys(struct call *call, size_t b, size_t from)
{
    const size_t rows = call_q_rows(call, b);
    size_t kv_len = 0;
    const enum call_buffer keys = call_key_buffer(call, &kv_len);
    size_t end = call->io.key ? kv_len : from;
    for (size_t i = from; i < rows; i++) {
        size_t j = 0;
        while (j < end && !call_sees(call, b, i, j)) {
            j++;
        }
        end = j;
    }
    poison(call, keys, b, 0, end, NAN);
    poison(call, CALL_VALUE, b, 0, end, NAN);
}

static void compare_from(struct checks *checks, const struct subject *subject, struct call *call, size_t b, size_t from)
{
    struct call poisoned;
    if (!checks_need(checks, call_copy(&poisoned, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    poison_earlier_keys(&poisoned, b, from);
    for (size_t v = 0; v < subject->n_loaded; v++) {
        if (call_run(call, checks, subject, v) && call_run(&poisoned, checks, subject, v)) {
            expect_same_rows(checks, (struct place){&poisoned, b, from}, (struct place){call, b, from},
                             call_q_rows(call, b) - from, call->shape.kv_len);
        }
    }
    call_drop(&poisoned);
}

// The last row, and one in the middle of some tile.
static void compare_poisoned_past(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t b = call->shape.batch - 1, rows = call_q_rows(call, b);
    if (call->shape.form != FORM_TOKENS && rows > 1) {
        compare_from(checks, subject, call, b, rows / 2);
        compare_from(checks, subject, call, b, rows - 1);
    }
}

void nan_before_a_window_does_not_leak(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, NAN_BUDGET, compare_poisoned_past);
}

// -- Rows that see it -----------------------------------------------------------------------------------------------

// An element of the output is NaN, or has the bits of the clean run, as the generic kernel says.
static bool expect_element(struct checks *checks, const struct call *poisoned, const struct call *clean,
                           const float *generic, size_t at)
{
    const float *got = poisoned->io.output + at, *before = clean->io.output + at;
    char name[CALL_ELEMENT];
    if (isnan(generic[at]) ? isnan(*got) : memcmp(got, before, sizeof *got) == 0) {
        return true;
    }
    return checks_that(checks, false, "%s is %.9g, but %s", call_element(clean, CALL_OUTPUT, at, name), (double)*got,
                       isnan(generic[at]) ? "sees a NaN" : "sees none, and was another number before");
}

static bool expect_row(struct checks *checks, const struct call *poisoned, const struct call *clean,
                       const float *generic, size_t b, size_t i)
{
    bool ok = true, any_nan = false;
    for (size_t h = 0; h < call_heads(clean, CALL_OUTPUT); h++) {
        const size_t at = call_row_at(clean, CALL_OUTPUT, b, h, i);
        for (size_t d = 0; ok && d < call_width(clean, CALL_OUTPUT); d++) {
            any_nan = any_nan || isnan(generic[at + d]);
            ok = expect_element(checks, poisoned, clean, generic, at + d);
        }
    }
    if (ok && !any_nan) {
        const size_t failed = checks->failed;
        expect_same_rows(checks, (struct place){poisoned, b, i}, (struct place){clean, b, i}, 1, clean->shape.kv_len);
        return checks->failed == failed;
    }
    return ok && checks_that(checks, true, "NaN is seen");
}

// Rows of the batch that are multiplied together with one of them, `own`: the others may be NaN or not.
struct partners {
    size_t first, count, own;
};

static void expect_rows(struct checks *checks, const struct call *poisoned, const struct call *clean,
                        const float *generic, struct partners partners)
{
    const size_t q_len = clean->shape.q_len;
    bool ok = true;
    for (size_t row = 0; ok && row < clean->shape.batch * q_len; row++) {
        const bool is_among = row >= partners.first && row < partners.first + partners.count;
        ok =
            (is_among && row != partners.own) || expect_row(checks, poisoned, clean, generic, row / q_len, row % q_len);
    }
}

// The rows of the batch that may be multiplied together with row i of sequence b: four, or a pair among the last ones.
static struct partners partners_of(const struct call *call, size_t b, size_t i)
{
    for (size_t together = call->model->rows_together; together > 1; together /= 2) {
        if (i / together * together + together <= call_q_rows(call, b)) {
            return (struct partners){b * call->shape.q_len + i / together * together, together,
                                     b * call->shape.q_len + i};
        }
    }
    return (struct partners){0};
}

static void compare_with_nan_in(struct checks *checks, const struct subject *subject, struct call *call,
                                enum call_buffer buffer, size_t at, struct partners partners)
{
    struct call poisoned;
    float *generic = malloc(call->buffers[CALL_OUTPUT].bytes);
    if (checks_need(checks, generic && call_copy(&poisoned, call, GUARD_AT_END), "no memory for the call")) {
        ((float *)poisoned.buffers[buffer].data)[at] = NAN;
        bool ok = expected_f32(subject, &poisoned, generic);
        checks_need(checks, ok, "no memory for the generic kernel");
        for (size_t v = 0; ok && v < subject->n_loaded; v++) {
            if (call_run(call, checks, subject, v) && call_run(&poisoned, checks, subject, v)) {
                expect_rows(checks, &poisoned, call, generic, partners);
            }
        }
        call_drop(&poisoned);
    }
    free(generic);
}

// One NaN in a real row of the middle sequence of each tensor, so that it has neighbours on both sides.
static void compare_with_one_nan(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t b = call->shape.batch / 2;
    const struct {
        enum call_buffer buffer;
        size_t rows;
    } tensors[] = {
        {CALL_QUERY, call_q_rows(call, b)},
        {CALL_KEY, call_kv_rows(call, b)},
        {CALL_VALUE, call_kv_rows(call, b)},
        {CALL_SUBLAYER, call_q_rows(call, b)},
    };
    for (size_t t = 0; t < sizeof tensors / sizeof tensors[0]; t++) {
        if (call->buffers[tensors[t].buffer].data && tensors[t].rows > 0) {
            const enum call_buffer buffer = tensors[t].buffer;
            const size_t last_head = call_heads(call, buffer) - 1;
            const size_t row = call_row_at(call, buffer, b, last_head, tensors[t].rows / 2);
            const struct partners partners =
                buffer == CALL_QUERY ? partners_of(call, b, tensors[t].rows / 2) : (struct partners){0};
            compare_with_nan_in(checks, subject, call, buffer, row + call_width(call, buffer) / 3, partners);
        }
    }
}

void nan_stays_in_its_rows(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, NAN_BUDGET, compare_with_one_nan);
}
