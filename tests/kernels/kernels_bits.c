// kernels_bits.c: facts about runs that must give the same bits: again, by another instruction set, elsewhere in the
// batch, with other padding, from weights laid out otherwise. Needs no generic kernel: a run is held against a run.
#include <string.h>

#include "kernels.h"
#include "support/backwards.h"
#include "support/reference.h"

// Multiply-adds of one round of calls, for one model.
static const double BITS_BUDGET = 1.5e8;

// Runs variant v of both calls and checks that they agree.
static void run_and_expect_same(struct checks *checks, const struct subject *subject, size_t v, struct call *a,
                                struct call *b)
{
    if (call_run(a, checks, subject, v) && call_run(b, checks, subject, v)) {
        expect_same(checks, b, a);
    }
}

// -- Again ----------------------------------------------------------------------------------------------------------

static void repeat(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct call twin;
    if (!checks_need(checks, call_copy(&twin, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded; v++) {
        run_and_expect_same(checks, subject, v, call, &twin);
    }
    call_drop(&twin);
}

void repeated_runs_give_the_same_bits(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, BITS_BUDGET, repeat);
}

// -- Instruction sets -----------------------------------------------------------------------------------------------

// Variants are listed best first: portable code is the last one. Where it is the only one that runs, it is held against
// itself.
static void run_everywhere(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct call twin;
    if (!checks_need(checks, call_copy(&twin, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    const size_t last = subject->n_loaded - 1;
    const bool ok = call_run(&twin, checks, subject, last); // once, as it takes by far the longest
    for (size_t v = 0; ok && v < last + !last; v++) {
        if (call_run(call, checks, subject, v)) {
            expect_same(checks, call, &twin);
        }
    }
    call_drop(&twin);
}

// At more shapes than others: facts about values are checked on one set alone.
void every_instruction_set_gives_the_same_bits(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, 2 * BITS_BUDGET, run_everywhere);
}

// -- Queries among the keys -----------------------------------------------------------------------------------------

bool kernels_for_crossing(const struct ga_model *model)
{
    const bool has_one_width = model->k_dim == model->d_model && model->v_dim == model->d_model;
    const bool has_lengths = model->q_len.min < model->kv_len.max && model->kv_len.min < model->q_len.max;
    return !model->stack && model->kind != GA_SDPA && has_one_width && has_lengths && model->batch <= 1 &&
           model->cache == 0 && model->vocab_size == 0;
}

// Queries in the first rows of the keys, or keys in those of the queries where these are more; and a copy of them.
static void put_together(struct checks *checks, const struct subject *subject, struct call *call)
{
    const bool has_more_keys = call->io.kv_len > call->io.q_len;
    const size_t rows = has_more_keys ? call->io.q_len : call->io.kv_len;
    const float *all = has_more_keys ? call->io.key : call->io.query;
    struct call twin;
    memcpy(call->buffers[has_more_keys ? CALL_QUERY : CALL_KEY].data, all, rows * call->model->d_model * sizeof *all);
    if (!checks_need(checks, call_copy(&twin, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    *(has_more_keys ? &twin.io.query : &twin.io.key) = has_more_keys ? twin.io.key : twin.io.query;
    for (size_t v = 0; v < subject->n_loaded; v++) {
        run_and_expect_same(checks, subject, v, call, &twin);
    }
    call_drop(&twin);
}

void queries_among_the_keys_give_the_bits_of_a_copy(struct checks *checks, const struct ga_model *model)
{
    const struct shape shapes[] = {
        {.batch = 1, .q_len = model->q_len.min, .kv_len = model->kv_len.max, .form = FORM_CROSS, .seed = 1},
        {.batch = 1, .q_len = model->q_len.max, .kv_len = model->kv_len.min, .form = FORM_CROSS, .seed = 2},
    };
    struct subject subject;
    bool ok = subject_make(&subject, checks, model, weights_random, false);
    for (size_t i = 0; ok && i < sizeof shapes / sizeof *shapes; i++) {
        struct call call;
        ok = checks_need(checks, call_make(&call, model, &shapes[i], GUARD_AT_END), "no memory for the call");
        if (ok) {
            call_fill(&call);
            put_together(checks, &subject, &call);
            call_drop(&call);
        }
    }
    subject_drop(&subject);
}

// -- Threads --------------------------------------------------------------------------------------------------------

static void run_in_parts(struct checks *checks, const struct subject *subject, struct call *call)
{
    const size_t counts[] = {2, 3, 7, 16, 40, 4 + call->shape.seed % 60};
    struct call twin;
    if (!checks_need(checks, call_copy(&twin, call, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i += v == 0 ? 1 : 3) { // others than the best: a part
            size_t calls = 0;
            const struct ga_parallel parallel = {.threads = counts[i], .run = run_backwards, .self = &calls};
            twin.io.parallel = &parallel;
            if (call_run(&twin, checks, subject, v)) {
                expect_same(checks, &twin, call);
            }
        }
    }
    call_drop(&twin);
}

void threads_change_no_bit(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, BITS_BUDGET / 3, run_in_parts);
}

// -- Weights --------------------------------------------------------------------------------------------------------

static void run_with_both(struct checks *checks, const struct subject *rows, const struct subject *columns,
                          const struct shape *shape)
{
    struct call a, b;
    if (!checks_need(checks, call_make(&a, rows->model, shape, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    call_fill(&a);
    if (checks_need(checks, call_copy(&b, &a, GUARD_AT_END), "no memory for the call")) {
        for (size_t v = 0; v < rows->n_loaded; v++) {
            if (call_run(&a, checks, rows, v) && call_run(&b, checks, columns, v)) {
                expect_same(checks, &b, &a);
            }
        }
        call_drop(&b);
    }
    call_drop(&a);
}

void strided_weights_pack_the_same(struct checks *checks, const struct ga_model *model)
{
    struct shapes shapes = shapes_of(model, 0);
    struct subject rows, columns;
    bool ok = subject_make(&rows, checks, model, weights_random, false);
    ok = subject_make(&columns, checks, model, weights_random, true) && ok;
    if (ok) {
        run_with_both(checks, &rows, &columns, &shapes.list[0]);
    }
    subject_drop(&rows);
    subject_drop(&columns);
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

// The call with each token's row of the embedding as its query; false: no memory.
static bool call_with_rows(struct call *rows, const struct subject *subject, const struct call *tokens)
{
    struct shape shape = tokens->shape;
    const size_t d_model = subject->model->d_model;
    shape.form = FORM_SELF;
    if (!call_make(rows, subject->model, &shape, GUARD_AT_END)) {
        return false;
    }
    for (size_t t = CALL_PAST; t <= CALL_PAST_LENGTHS && shape.past > 0; t++) {
        memcpy(rows->buffers[t].data, tokens->buffers[t].data, tokens->buffers[t].bytes);
    }
    if (tokens->buffers[CALL_MASK].data) {
        memcpy(rows->buffers[CALL_MASK].data, tokens->buffers[CALL_MASK].data, tokens->buffers[CALL_MASK].bytes);
    }
    float *query = rows->buffers[CALL_QUERY].data;
    for (size_t i = 0; i < shape.batch * shape.q_len; i++) {
        reference_token_row(subject->model, subject->roles, (size_t)tokens->io.tokens[i], query + i * d_model);
    }
    return true;
}

// Rows take places that padding among tokens does not: another token stands in for it.
static void leave_out_padding(struct call *call)
{
    const struct ga_stack *stack = call->model->stack;
    int32_t *tokens = call->buffers[CALL_TOKENS].data;
    for (size_t i = 0; stack && stack->has_padding && i < call->buffers[CALL_TOKENS].bytes / sizeof *tokens; i++) {
        tokens[i] = tokens[i] == stack->padding ? (stack->padding + 1) % (int32_t)call->model->vocab_size : tokens[i];
    }
}

static void run_tokens_and_rows(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct call rows;
    if (call->shape.form != FORM_TOKENS) {
        return;
    }
    leave_out_padding(call);
    if (!checks_need(checks, call_with_rows(&rows, subject, call), "no memory for the call")) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded; v++) {
        run_and_expect_same(checks, subject, v, &rows, call);
    }
    call_drop(&rows);
}

// Rows of zeros and of subnormals among those of tokens.
static void weights_with_small_rows(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                                    float *data)
{
    static const float factors[] = {1, 0x1p-130F, 0};
    weights_random(rng, model, role, data);
    for (size_t row = 0; strcmp(role->name, "embedding") == 0 && row < role->shape[0]; row++) {
        for (size_t c = 0; c < role->shape[1]; c++) {
            data[row * role->shape[1] + c] *= factors[row % 3];
        }
    }
}

void tokens_give_the_bits_of_their_rows(struct checks *checks, const struct ga_model *model)
{
    const bool are_rounded = model->embedding_dtype != GA_F32;
    kernels_each_call(checks, model, weights_random, BITS_BUDGET, run_tokens_and_rows);
    if (are_rounded) {
        kernels_each_call(checks, model, weights_with_small_rows, BITS_BUDGET / 4, run_tokens_and_rows);
    }
}

// -- Elsewhere in the batch -----------------------------------------------------------------------------------------

// Every sequence one place further, the last one first.
static void rotate(struct checks *checks, const struct subject *subject, size_t v, const struct call *call)
{
    const size_t batch = call->shape.batch;
    struct call turned;
    if (!checks_need(checks, call_make(&turned, call->model, &call->shape, GUARD_AT_END), "no memory for the call")) {
        return;
    }
    for (size_t b = 0; b < batch; b++) {
        call_copy_sequence(&turned, (b + 1) % batch, call, b);
    }
    for (size_t b = 0; call_run(&turned, checks, subject, v) && b < batch; b++) {
        expect_same_rows(checks, (struct place){&turned, (b + 1) % batch, 0}, (struct place){call, b, 0},
                         call->shape.q_len, call->shape.kv_len);
    }
    call_drop(&turned);
}

// Sequence b in a call of its own, of this shape.
static void run_alone(struct checks *checks, const struct subject *subject, size_t v, const struct call *call, size_t b,
                      const struct shape *shape)
{
    struct call alone;
    if (!checks_need(checks, call_make(&alone, call->model, shape, GUARD_AT_START), "no memory for the call")) {
        return;
    }
    call_copy_sequence(&alone, 0, call, b);
    if (call_run(&alone, checks, subject, v)) {
        expect_same_rows(checks, (struct place){&alone, 0, 0}, (struct place){call, b, 0}, shape->q_len, shape->kv_len);
    }
    call_drop(&alone);
}

static void move_in_batch(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct shape alone = call->shape;
    alone.batch = 1;
    for (size_t v = 0; v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
        rotate(checks, subject, v, call);
        for (size_t b = 0; call->model->batch == 0 && b < call->shape.batch; b++) {
            run_alone(checks, subject, v, call, b, &alone);
        }
    }
}

void batch_and_place_change_no_bit(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, BITS_BUDGET / 2, move_in_batch);
}

// -- Other padding --------------------------------------------------------------------------------------------------

// The shape of sequence b without its padding; false where that is no call of this model.
static bool unpadded(const struct call *call, size_t b, struct shape *shape_out)
{
    const struct ga_model *model = call->model;
    size_t q_rows = call_q_rows(call, b), kv_rows = call_kv_rows(call, b);
    *shape_out = call->shape;
    shape_out->batch = 1;
    shape_out->q_len = q_rows;
    shape_out->kv_len = kv_rows;
    shape_out->q_ragged = shape_out->kv_ragged = false;
    return q_rows >= model->q_len.min && kv_rows >= model->kv_len.min && (call->io.key || q_rows == kv_rows);
}

static void change_padding(struct checks *checks, const struct subject *subject, struct call *call)
{
    if (!call->shape.q_ragged && !call->shape.kv_ragged) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded && call_run(call, checks, subject, v); v++) {
        for (size_t b = 0; b < call->shape.batch; b++) {
            struct shape shape;
            if (unpadded(call, b, &shape)) {
                run_alone(checks, subject, v, call, b, &shape);
            }
        }
    }
}

void padding_changes_no_bit(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, BITS_BUDGET / 2, change_padding);
}
