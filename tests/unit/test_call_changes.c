// test_call_changes.c: what another thread writes to the lists and structs of a running call is not seen. The kernel of
// this hand-written model plays that thread: it runs after all checks, changes what the caller gave, then looks.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "model.h"
#include "watch.h"

enum { BATCH = 2, Q_LEN = 3, KV_LEN = 4, VOCAB = 10, SCRATCH = 64, WILD = 1 << 30 };

// What the caller gives: lists of numbers that kernels index memory with, by the field of struct ga_io.
static int32_t tokens[BATCH * Q_LEN], types[BATCH * Q_LEN], source[BATCH * KV_LEN];
static int32_t q_lengths[BATCH], kv_lengths[BATCH], position[BATCH], kv_position[BATCH];
static enum ga_arithmetic arithmetic[GA_LINEARS];
static struct ga_parallel parallel;
static struct ga_watch watch;

static const struct list {
    const char *name;
    size_t at; // in struct ga_io
    int32_t *given;
    size_t count;
    int32_t number; // each of them
} lists[] = {
    {"tokens", offsetof(struct ga_io, tokens), tokens, BATCH *Q_LEN, 1},
    {"token_types", offsetof(struct ga_io, token_types), types, BATCH *Q_LEN, 1},
    {"key_tokens", offsetof(struct ga_io, key_tokens), source, BATCH *KV_LEN, 1},
    {"q_lengths", offsetof(struct ga_io, q_lengths), q_lengths, BATCH, Q_LEN},
    {"kv_lengths", offsetof(struct ga_io, kv_lengths), kv_lengths, BATCH, KV_LEN},
    {"position", offsetof(struct ga_io, position), position, BATCH, 1},
    {"kv_position", offsetof(struct ga_io, kv_position), kv_position, BATCH, 1},
};
enum { LISTS = sizeof lists / sizeof *lists };

static int runs;

static void fill(void)
{
    for (size_t l = 0; l < LISTS; l++) {
        for (size_t i = 0; i < lists[l].count; i++) {
            lists[l].given[i] = lists[l].number;
        }
    }
    for (size_t i = 0; i < GA_LINEARS; i++) {
        arithmetic[i] = GA_ARITHMETIC_I16;
    }
}

// As another thread would between a check and a use.
static void change_everything(void)
{
    for (size_t l = 0; l < LISTS; l++) {
        for (size_t i = 0; i < lists[l].count; i++) {
            lists[l].given[i] = WILD;
        }
    }
    memset(arithmetic, 0x7F, sizeof arithmetic);
    memset(&parallel, 0x7F, sizeof parallel);
    memset(&watch, 0x7F, sizeof watch);
}

static void show_nothing(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    (void)self, (void)roles, (void)n_roles, (void)x, (void)stride, (void)rows;
}

static void run_parts(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    (void)self, (void)parts, (void)task, (void)context;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed;
    memset(scratch, 0xEE, SCRATCH); // the kernels' own part, and none of the copies
    change_everything();
    runs++;
    for (size_t l = 0; l < LISTS; l++) {
        const int32_t *seen;
        memcpy(&seen, (const unsigned char *)io + lists[l].at, sizeof seen);
        for (size_t i = 0; seen != NULL && i < lists[l].count; i++) {
            cr_expect_eq(seen[i], lists[l].number, "%s[%zu] is %ld", lists[l].name, i, (long)seen[i]);
        }
    }
    cr_expect_eq(io->arithmetic[GA_LINEARS - 1], GA_ARITHMETIC_I16, "arithmetic");
    cr_expect(io->parallel->threads == 2 && io->parallel->run == run_parts, "parallel");
    cr_expect(io->watch->show == show_nothing, "watch");
}

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return SCRATCH;
}

static const struct ga_variant variant[] = {{.isa = "scalar", .scratch_bytes = fake_scratch, .run = fake_run}};
static const struct ga_stack stack = {.n_layers = 1, .token_types = 2};
static const struct ga_model model = {.abi = GA_ABI,
                                      .name = "changed",
                                      .d_model = 4,
                                      .k_dim = 4,
                                      .v_dim = 4,
                                      .d_out = 4,
                                      .n_heads = 1,
                                      .n_kv_heads = 1,
                                      .d_head = 4,
                                      .variants = variant,
                                      .n_variants = 1,
                                      .q_len = {1, 8},
                                      .kv_len = {1, 8},
                                      .lengths = true,
                                      .rope = {.positions = 16},
                                      .vocab_size = VOCAB,
                                      .src_vocab_size = VOCAB,
                                      .kind = GA_TRANSFORMER,
                                      .stack = &stack,
                                      .encoder = &stack,
                                      .weights_dtype = GA_STORAGE_INT8,
                                      .arithmetic_choices = 1 << GA_ARITHMETIC_I16};

static float output[BATCH * Q_LEN * 4];
static _Alignas(GA_ALIGN) unsigned char scratch[16 * GA_ALIGN], packed[GA_ALIGN];

Test(call_changes, what_was_checked_is_what_is_used)
{
    const struct ga_loaded loaded = {&model, variant, packed};
    struct ga_io io = {.batch = BATCH,
                       .q_len = Q_LEN,
                       .kv_len = KV_LEN,
                       .output = output,
                       .arithmetic = arithmetic,
                       .parallel = &parallel,
                       .watch = &watch};
    struct ga_error error = {.text = ""};
    fill();
    parallel = (struct ga_parallel){2, run_parts, NULL};
    watch = (struct ga_watch){.show = show_nothing};
    for (size_t l = 0; l < LISTS; l++) {
        const int32_t *given = lists[l].given;
        memcpy((unsigned char *)&io + lists[l].at, &given, sizeof given);
    }
    cr_assert_eq(ga_model_run(&loaded, &io, scratch, sizeof scratch, &error), GA_OK, "%s", error.text);
    cr_expect_eq(runs, 1);
    cr_expect_eq(ga_model_run(&loaded, &io, scratch, sizeof scratch, &error), GA_ARGUMENT, "nothing had changed");
}
