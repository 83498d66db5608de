// test_call_ranks.c: what a call must say of the ranks that divide it, which columns are whose, and what becomes of a
// gather that fails, on a hand-written model whose kernel gathers. That real models give the same bits by ranks is a
// fact of the kernels.
#include <criterion/criterion.h>
#include <string.h>

#include "arena.h"
#include "call_ranks.h"

enum { D_MODEL = 10, ROWS = 3, SCRATCH = 64, GATHERS = 3, BLOCK = 4 };

static size_t runs, gathers, fails_at; // fails_at: the gather that fails, counted from 1; 0: none
static size_t seen_rows, seen_stride, seen_ends[GA_MAX_TEAM];
static bool was_divided;
static struct ga_ranks ranks;

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return SCRATCH;
}

// As another thread might, the kernel changes what the caller gave before it looks.
static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)scratch;
    memset(&ranks, 0x7F, sizeof ranks);
    runs++;
    was_divided = io->ranks != NULL;
    for (size_t i = 0; i < GATHERS; i++) {
        ga_ranks_gather(io->ranks, io->output, ROWS, D_MODEL, D_MODEL, BLOCK);
    }
    ga_ranks_gather(io->ranks, io->output, 0, D_MODEL, D_MODEL, BLOCK); // of no rows, which is none
}

static const struct ga_variant variant[] = {{.isa = "scalar", .scratch_bytes = fake_scratch, .run = fake_run}};
static const struct ga_stack stack = {.n_layers = 1, .attention = true};
#define SHAPE                                                                                                      \
    .abi = GA_ABI, .name = "divided", .d_model = D_MODEL, .k_dim = D_MODEL, .v_dim = D_MODEL, .d_out = D_MODEL,    \
    .n_heads = 1, .n_kv_heads = 1, .d_head = D_MODEL, .variants = variant, .n_variants = 1, .q_len = {ROWS, ROWS}, \
    .kv_len = {ROWS, ROWS}
static const struct ga_model whole = {SHAPE, .kind = GA_ENCODER, .stack = &stack}, layer = {SHAPE};

static float query[ROWS * D_MODEL];
static _Alignas(GA_ALIGN) unsigned char output[ROWS * D_MODEL * sizeof(float)], scratch[SCRATCH], packed[GA_ALIGN];

static bool gather(void *self, void *data, size_t rows, size_t stride, const size_t *ends)
{
    const struct ga_ranks *own = self;
    cr_expect_eq(data, output);
    seen_rows = rows;
    seen_stride = stride;
    memcpy(seen_ends, ends, own->size * sizeof *ends);
    return ++gathers != fails_at;
}

static enum ga_status run(const struct ga_model *model, const struct ga_ranks *given, struct ga_error *error)
{
    const struct ga_loaded loaded = {model, variant, packed};
    const struct ga_io io = {
        .batch = 1, .q_len = ROWS, .query = query, .output = (float *)(void *)output, .ranks = given};
    runs = gathers = 0;
    *error = (struct ga_error){.text = ""};
    return ga_model_run(&loaded, &io, scratch, sizeof scratch, error);
}

Test(call_ranks, what_breaks_a_rule_is_refused)
{
    float *weights[1] = {NULL};
    const struct {
        const struct ga_model *model;
        struct ga_ranks given;
        bool asks; // for softmax weights
        enum ga_status status;
        const char *says;
    } rows[] = {
        {&whole, {2, 2, gather, NULL}, false, GA_ARGUMENT, "ranks->rank or ranks->size is out of range"},
        {&whole, {0, 0, gather, NULL}, false, GA_ARGUMENT, "ranks->rank or ranks->size is out of range"},
        {&whole, {0, GA_MAX_TEAM + 1, gather, NULL}, false, GA_ARGUMENT, "expected a size of 1..64"},
        {&whole, {0, 2, NULL, NULL}, false, GA_ARGUMENT, "ranks->gather is NULL"},
        {&layer, {0, 2, gather, NULL}, false, GA_UNSUPPORTED, "one attention layer"},
        {&whole, {0, 2, gather, NULL}, true, GA_UNSUPPORTED, "ranks are given with layer_attention"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ga_loaded loaded = {rows[i].model, variant, packed};
        struct ga_error error = {.text = ""};
        const struct ga_io io = {.batch = 1,
                                 .q_len = ROWS,
                                 .query = query,
                                 .output = (float *)(void *)output,
                                 .layer_attention = rows[i].asks ? weights : NULL,
                                 .ranks = &rows[i].given};
        runs = 0;
        cr_expect_eq(ga_model_run(&loaded, &io, scratch, sizeof scratch, &error), rows[i].status, "row %zu", i);
        cr_expect(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
        cr_expect_eq(runs, 0, "row %zu ran", i);
    }
}

Test(call_ranks, the_struct_is_aligned_and_apart_from_outputs)
{
    struct ga_error error;
    cr_expect_eq(run(&whole, (const struct ga_ranks *)(const void *)(packed + 4), &error), GA_ALIGNMENT);
    cr_expect(strstr(error.text, "ranks is not aligned"), "%s", error.text);
    struct ga_ranks *inside = (struct ga_ranks *)(void *)output;
    *inside = (struct ga_ranks){0, 2, gather, NULL};
    cr_expect_eq(run(&whole, inside, &error), GA_ARGUMENT);
    cr_expect(strstr(error.text, "output") && strstr(error.text, "overlaps ranks"), "%s", error.text);
}

Test(call_ranks, one_rank_is_none)
{
    struct ga_error error;
    ranks = (struct ga_ranks){0, 1, gather, NULL};
    cr_expect_eq(run(&whole, &ranks, &error), GA_OK, "%s", error.text);
    cr_expect(!was_divided);
    cr_expect_eq(gathers, 0);
}

Test(call_ranks, a_gather_says_whose_bytes_are_whose)
{
    struct ga_ranks self = {1, 4, NULL, NULL};
    struct ga_error error;
    ranks = (struct ga_ranks){1, 4, gather, &self};
    cr_expect_eq(run(&whole, &ranks, &error), GA_OK, "%s", error.text);
    cr_expect(was_divided);
    cr_expect_eq(gathers, GATHERS);
    cr_expect_eq(seen_rows, ROWS);
    cr_expect_eq(seen_stride, D_MODEL * sizeof(float));
    // Three blocks, the last of them of two columns, for four ranks.
    const size_t columns[] = {0, BLOCK, 2 * BLOCK, D_MODEL};
    for (size_t r = 0; r < 4; r++) {
        cr_expect_eq(seen_ends[r], columns[r] * sizeof(float), "rank %zu", r);
    }
}

Test(call_ranks, a_gather_that_fails_ends_the_call_and_is_the_last)
{
    struct ga_ranks self = {0, 2, NULL, NULL};
    struct ga_error error;
    for (fails_at = 1; fails_at <= GATHERS; fails_at++) {
        ranks = (struct ga_ranks){0, 2, gather, &self};
        cr_expect_eq(run(&whole, &ranks, &error), GA_RANK);
        cr_expect(strstr(error.text, "gather of rank 0 of 2 failed"), "%s", error.text);
        cr_expect_eq(gathers, fails_at);
    }
    fails_at = 0;
}

// Every column is one rank's, in order, and begins at a whole block.
Test(call_ranks, columns_are_divided_in_order)
{
    const size_t widths[] = {1, 7, 64, 100, 1000}, blocks[] = {1, 3, 16, 96};
    for (size_t i = 0; i < 5 * 4 * GA_MAX_TEAM; i++) {
        const size_t width = widths[i % 5], block = blocks[i / 5 % 4], size = i / 20 + 1;
        size_t column = 0;
        for (size_t rank = 0; rank < size; rank++) {
            const struct ga_ranks one = {rank, size, gather, NULL};
            const size_t first = ga_ranks_first(&one, width, block), end = ga_ranks_end(&one, width, block);
            cr_assert(first == column && first <= end, "rank %zu of %zu", rank, size);
            cr_assert(first % block == 0 || first == width);
            column = end;
        }
        cr_assert_eq(column, width);
    }
    cr_expect_eq(ga_ranks_first(NULL, 7, 3), 0);
    cr_expect_eq(ga_ranks_end(NULL, 7, 3), 7);
}
