// test_batches.c: many sequences by ga_batches_run, of hand-written models whose results say which ids they saw: order,
// limits of batches, threads, errors of one sequence, stops. That a real model gives the bits of single calls is a fact
// of tests/kernels.
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "batches.h"
#include "threads.h"

enum { D = 4, VOCAB = 100, MOST_IDS = 50, COUNT = 200, N_LABELS = 2, N_LOGITS = 3, SCRATCH = 64 };

static atomic_size_t calls, largest_batch, largest_rows, threads_of_calls;

static void raise_to(atomic_size_t *most, size_t value)
{
    size_t seen = atomic_load(most);
    while (value > seen && !atomic_compare_exchange_weak(most, &seen, value)) {
    }
}

static float sum_of(const struct ga_io *io, size_t b, size_t length)
{
    float sum = 0;
    for (size_t i = 0; i < length; i++) {
        sum += (float)(io->tokens[b * io->q_len + i] * (int)(i + 1)) +
               (io->token_types != NULL ? 0.25f * (float)io->token_types[b * io->q_len + i] : 0.0f);
    }
    return sum;
}

static void set(float *to, size_t count, float value)
{
    for (size_t i = 0; to != NULL && i < count; i++) {
        to[i] = value + (float)i;
    }
}

// Each result of a sequence is a sum over its ids, or of a row those up to it.
static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed;
    memset(scratch, 0xEE, SCRATCH);
    atomic_fetch_add(&calls, 1);
    raise_to(&largest_batch, io->batch);
    raise_to(&largest_rows, io->batch * io->q_len);
    raise_to(&threads_of_calls, io->parallel != NULL ? io->parallel->threads : 1);
    for (size_t b = 0; b < io->batch; b++) {
        const size_t length = io->q_lengths != NULL ? (size_t)io->q_lengths[b] : io->q_len;
        const float sum = sum_of(io, b, length);
        set(io->embedding != NULL ? io->embedding + b * D : NULL, D, sum);
        set(io->class_logits != NULL ? io->class_logits + b * N_LABELS : NULL, N_LABELS, sum + 1000);
        set(io->last_logits != NULL ? io->last_logits + b * N_LOGITS : NULL, N_LOGITS, sum + 2000);
        for (size_t i = 0; io->output != NULL && i < io->q_len; i++) {
            set(io->output + (b * io->q_len + i) * D, D, i < length ? sum_of(io, b, i + 1) : 0);
        }
    }
}

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return SCRATCH;
}

static const struct ga_variant variant[] = {{.isa = "scalar", .scratch_bytes = fake_scratch, .run = fake_run}};
static const struct ga_stack stack = {.n_layers = 1,
                                      .pool = GA_POOL_MEAN,
                                      .d_embedding = D,
                                      .token_types = 2,
                                      .n_labels = N_LABELS,
                                      .logits = GA_LOGITS_LINEAR,
                                      .n_logits = N_LOGITS};

static struct ga_model model_of(size_t batch, bool has_lengths)
{
    return (struct ga_model){.abi = GA_ABI,
                             .name = "summing",
                             .d_model = D,
                             .k_dim = D,
                             .v_dim = D,
                             .d_out = D,
                             .n_heads = 1,
                             .n_kv_heads = 1,
                             .d_head = D,
                             .variants = variant,
                             .n_variants = 1,
                             .batch = batch,
                             .q_len = {has_lengths ? 1 : 3, MOST_IDS},
                             .kv_len = {has_lengths ? 1 : 3, MOST_IDS},
                             .lengths = has_lengths,
                             .vocab_size = VOCAB,
                             .kind = GA_ENCODER,
                             .stack = &stack};
}

// Sequences of seeded lengths, and room for all results.
static size_t starts[COUNT + 1], order[COUNT];
static int32_t ids[COUNT * MOST_IDS], types[COUNT * MOST_IDS];
static float embedding[COUNT][D], output[COUNT * MOST_IDS][D], last_output[COUNT][D];
static float last_logits[COUNT][N_LOGITS], class_logits[COUNT][N_LABELS];
static _Alignas(GA_ALIGN) unsigned char packed[GA_ALIGN];

static struct ga_batches make(size_t least)
{
    unsigned state = 7;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        const size_t length = least + (state >> 16) % (MOST_IDS + 1 - least);
        starts[i + 1] = starts[i] + length;
        for (size_t k = starts[i]; k < starts[i + 1]; k++) {
            ids[k] = (int32_t)((k * 7 + i) % VOCAB);
            types[k] = (int32_t)((k + i) % 2);
        }
    }
    atomic_store(&calls, 0);
    atomic_store(&largest_batch, 0);
    atomic_store(&largest_rows, 0);
    atomic_store(&threads_of_calls, 0);
    return (struct ga_batches){.count = COUNT,
                               .starts = starts,
                               .ids = ids,
                               .types = types,
                               .embedding = embedding[0],
                               .output = output[0],
                               .last_output = last_output[0],
                               .last_logits = last_logits[0],
                               .class_logits = class_logits[0]};
}

static enum ga_status run(const struct ga_model *model, struct ga_batches *batches, size_t threads,
                          struct ga_batch_plan *plan_out, struct ga_error *error)
{
    const struct ga_loaded loaded = {model, variant, packed};
    struct ga_threads *pool = NULL;
    cr_assert_eq(ga_threads_new(threads, &pool, error), GA_OK, "%s", error->text);
    batches->parallel = threads > 1 ? ga_threads_parallel(pool) : NULL;
    enum ga_status status = ga_batches_plan(&loaded, batches, order, plan_out, error);
    void *scratch = status == GA_OK ? ga_block_new(plan_out->scratch_size) : NULL;
    status =
        status == GA_OK ? ga_batches_run(&loaded, batches, plan_out, scratch, plan_out->scratch_size, error) : status;
    ga_block_free(scratch);
    ga_threads_free(pool);
    return status;
}

static float expected(size_t from, size_t to)
{
    float sum = 0;
    for (size_t i = from; i < to; i++) {
        sum += (float)(ids[i] * (int)(i - from + 1)) + 0.25f * (float)types[i];
    }
    return sum;
}

static void check_results(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        const float sum = expected(starts[i], starts[i + 1]);
        cr_expect_eq(embedding[i][D - 1], sum + (float)(D - 1), "embedding %zu", i);
        cr_expect_eq(class_logits[i][0], sum + 1000, "class_logits %zu", i);
        cr_expect_eq(last_logits[i][0], sum + 2000, "last_logits %zu", i);
        cr_expect_eq(last_output[i][0], sum, "last_output %zu", i);
        for (size_t k = starts[i]; k < starts[i + 1]; k++) {
            cr_expect_eq(output[k][0], expected(starts[i], k + 1), "output %zu of %zu", k - starts[i], i);
        }
    }
}

// What the batches of each limit, and threads, are.
static const struct limits {
    const char *what;
    size_t fixed_batch, rows, most, threads;
    bool has_lengths;
    size_t batch_at_most, rows_at_most;
} limits[] = {
    {"all at once", 0, SIZE_MAX, 0, 1, true, COUNT, SIZE_MAX},
    {"few rows", 0, 60, 0, 1, true, 60, 60},
    {"few sequences", 0, 0, 3, 1, true, 3, 3 * MOST_IDS},
    {"fewer rows than a sequence has", 0, 10, 0, 3, true, 10, MOST_IDS},
    {"three threads", 0, 0, 0, 3, true, COUNT, 1024},
    {"a batch that is fixed", 8, 60, 2, 2, true, 8, 8 * MOST_IDS},
    {"a model without lengths", 0, 200, 0, 4, false, 66, 200},
};

Test(batches, results_come_in_order_whatever_the_limits)
{
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        const struct limits *of = &limits[l];
        const struct ga_model model = model_of(of->fixed_batch, of->has_lengths);
        struct ga_batches batches = make(of->has_lengths ? 0 : 3);
        struct ga_batch_plan plan;
        struct ga_error error;
        memset(output, 0x7F, sizeof output);
        batches.rows = of->rows;
        batches.most = of->most;
        cr_assert_eq(run(&model, &batches, of->threads, &plan, &error), GA_OK, "%s: %s", of->what, error.text);
        check_results();
        cr_expect_eq(plan.threads, of->threads, "%s: %zu threads", of->what, plan.threads);
        cr_expect_eq(atomic_load(&threads_of_calls), 1, "%s", of->what);
        cr_expect_leq(atomic_load(&largest_batch), of->batch_at_most, "%s", of->what);
        cr_expect_leq(atomic_load(&largest_rows), of->rows_at_most, "%s", of->what);
    }
}

Test(batches, fewer_batches_than_threads_are_run_by_all)
{
    const struct ga_model model = model_of(0, true);
    struct ga_batches batches = make(0);
    struct ga_batch_plan plan;
    struct ga_error error;
    batches.count = 2;
    cr_assert_eq(run(&model, &batches, 3, &plan, &error), GA_OK, "%s", error.text);
    cr_expect_eq(plan.threads, 1);
    cr_expect_eq(atomic_load(&threads_of_calls), 3);
    cr_expect_eq(atomic_load(&calls), 1);
    batches.count = 0;
    cr_expect_eq(run(&model, &batches, 3, &plan, &error), GA_OK, "%s", error.text);
    cr_expect_eq(atomic_load(&calls), 1, "nothing is nothing to do");
}

// Of the two wrong sequences the longer one is met first, whatever the threads.
Test(batches, the_first_error_is_told_and_names_the_sequence)
{
    const struct ga_model model = model_of(0, true);
    for (size_t threads = 1; threads <= 4; threads++) {
        struct ga_batches batches = make(1);
        struct ga_batch_plan plan;
        struct ga_error error;
        size_t longest = 0, wrong = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const size_t length = starts[i + 1] - starts[i];
            longest = length == 30 ? i : longest;
            wrong = length == 10 ? i : wrong;
        }
        ids[starts[longest] + 4] = VOCAB;
        types[starts[wrong]] = -1;
        batches.most = 1;
        batches.first = 100;
        cr_expect_eq(run(&model, &batches, threads, &plan, &error), GA_ARGUMENT);
        char text[80];
        (void)snprintf(text, sizeof text, "summing: sequence %zu: id 4 is 100; expected 0..99", longest + 100);
        cr_expect_str_eq(error.text, text);
        ids[starts[longest] + 4] = 1;
        cr_expect_eq(run(&model, &batches, threads, &plan, &error), GA_ARGUMENT);
        (void)snprintf(text, sizeof text, "summing: sequence %zu: type 0 is -1; expected 0..1", wrong + 100);
        cr_expect_str_eq(error.text, text);
    }
}

static bool stops_at_20(void *self, size_t sequences, size_t before)
{
    cr_expect(before <= starts[COUNT]);
    atomic_fetch_add((atomic_size_t *)self, 1);
    return sequences < 20;
}

Test(batches, goes_on_ends_it)
{
    const struct ga_model model = model_of(0, true);
    for (size_t threads = 1; threads <= 4; threads++) {
        struct ga_batches batches = make(1);
        struct ga_batch_plan plan;
        struct ga_error error;
        atomic_size_t asked = 0;
        batches.most = 1;
        batches.goes_on = stops_at_20;
        batches.self = &asked;
        cr_expect_eq(run(&model, &batches, threads, &plan, &error), GA_STOPPED);
        cr_expect(atomic_load(&asked) >= 20 && atomic_load(&asked) <= 20 + threads);
        cr_expect_leq(atomic_load(&calls), 20 + threads);
    }
}

// -- What is refused ------------------------------------------------------------------------------------------------

static void refuses(const struct ga_model *model, const struct ga_batches *batches, enum ga_status status,
                    const char *said)
{
    const struct ga_loaded loaded = {model, variant, packed};
    struct ga_batch_plan plan;
    struct ga_error error;
    cr_expect_eq(ga_batches_plan(&loaded, batches, order, &plan, &error), status, "%s", said);
    cr_expect(strstr(error.text, said) != NULL, "%s, expected %s", error.text, said);
}

Test(batches, what_a_model_does_not_take_is_refused_by_name)
{
    const struct ga_model model = model_of(0, true), bare = model_of(0, false);
    struct ga_model layer = model, memory = model, rows = model;
    struct ga_batches batches = make(1);
    const struct ga_parallel none = {.threads = 2}, many = {.threads = GA_MAX_THREADS + 1};
    layer.stack = NULL;
    memory.kind = GA_DECODER;
    rows.vocab_size = 0;
    refuses(&layer, &batches, GA_UNSUPPORTED, "summing is no stack");
    refuses(&memory, &batches, GA_UNSUPPORTED, "summing is no stack");
    refuses(&rows, &batches, GA_UNSUPPORTED, "summing takes no token ids");
    refuses(&model, NULL, GA_ARGUMENT, "ga_batches_plan: batches");
    batches.parallel = &none;
    refuses(&model, &batches, GA_ARGUMENT, "parallel->run is NULL");
    batches.parallel = &many;
    refuses(&model, &batches, GA_ARGUMENT, "parallel->threads is out of range");
    batches.parallel = NULL;
    batches.ids = NULL;
    refuses(&model, &batches, GA_ARGUMENT, "ids");
    batches.ids = ids;
    const size_t few[] = {0, 5, 7}, backward[] = {0, 5, 3}, long_one[] = {0, MOST_IDS + 1, MOST_IDS + 2};
    batches.count = 2;
    batches.first = 10;
    batches.starts = few;
    refuses(&bare, &batches, GA_ARGUMENT, "sequence 11 has 2 ids; expected at least 3, as the model takes no lengths");
    batches.starts = backward;
    refuses(&model, &batches, GA_ARGUMENT, "sequence 11 ends before it starts");
    batches.starts = long_one;
    refuses(&model, &batches, GA_ARGUMENT, "sequence 10 has 51 ids; expected at most 50");
}

Test(batches, memory_is_checked)
{
    const struct ga_model model = model_of(0, true);
    const struct ga_loaded loaded = {&model, variant, packed};
    struct ga_batches batches = make(1);
    struct ga_batch_plan plan;
    struct ga_error error;
    cr_assert_eq(ga_batches_plan(&loaded, &batches, order, &plan, &error), GA_OK, "%s", error.text);
    unsigned char *scratch = ga_block_new(plan.scratch_size + GA_ALIGN);
    cr_expect_eq(ga_batches_run(&loaded, &batches, &plan, scratch, plan.scratch_size - 1, &error), GA_SIZE);
    cr_expect_eq(ga_batches_run(&loaded, &batches, &plan, scratch + 1, plan.scratch_size, &error), GA_ALIGNMENT);
    cr_expect_eq(ga_batches_run(&loaded, &batches, &plan, NULL, plan.scratch_size, &error), GA_ARGUMENT);
    cr_expect_eq(ga_batches_run(&loaded, &batches, NULL, scratch, plan.scratch_size, &error), GA_ARGUMENT);
    cr_expect_eq(ga_batches_run(NULL, &batches, &plan, scratch, plan.scratch_size, &error), GA_ARGUMENT);
    batches.embedding = (float *)(void *)scratch;
    cr_expect_eq(ga_batches_run(&loaded, &batches, &plan, scratch, plan.scratch_size, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "summing: scratch overlaps embedding; expected memory of its own");
    ga_block_free(scratch);
}
