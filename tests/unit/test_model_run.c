// test_model_run.c: what one call to a model must pass, and how the kernels see it, on a hand-written model whose
// kernel only remembers what it was given. Masks that are refused are test_model_forms.c's.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "fake_parts.h"
#include "model.h"

// -- A model with no arithmetic, and memory for a call to it --------------------------------------------------------

enum { D_MODEL = 4, HEADS = 2, BATCH = 2, Q_LEN = 3, KV_LEN = 5, VOCAB = 10, SCRATCH = 128 };

static int runs;                // how often a kernel was called
static struct ga_io seen;       // with what
static const void *seen_packed; // and where its weights were

FAKE_PARTS(parts, 1);

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)threads;
    return batch * q_len * kv_len < SCRATCH ? SCRATCH : SIZE_MAX;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    runs++;
    seen = *io;
    seen_packed = packed;
    memset(scratch, 0, SCRATCH);
}

static const struct ga_variant variant[] = {
    {.isa = "scalar", .packed_bytes = 4, .parts = parts, .n_parts = 1, .scratch_bytes = fake_scratch, .run = fake_run}};
static const struct ga_weight_role roles[] = {{"q_bias", 1, {1}}};

#define SHAPE                                                                                                    \
    .abi = GA_ABI, .name = "tiny", .d_model = 4, .k_dim = 4, .v_dim = 4, .d_out = 4, .d_v = 2, .n_heads = HEADS, \
    .n_kv_heads = HEADS, .d_head = 2, .roles = roles, .n_roles = 1, .variants = variant, .n_variants = 1
#define RANGE .q_len = {1, 8}, .kv_len = {1, 8}

static const struct ga_model full = {SHAPE, RANGE, .lengths = true, .attention_output = true};
static const struct ga_model ids = {SHAPE, RANGE, .lengths = true, .vocab_size = VOCAB};
static const struct ga_model bare = {SHAPE, RANGE};
static const struct ga_model fixed = {SHAPE, RANGE, .batch = 3};
static const struct ga_model exact = {SHAPE, .q_len = {3, 3}, .kv_len = {5, 5}};
static const struct ga_model masked = {SHAPE, RANGE, .mask = GA_MASK_BOOL};
static const struct ga_model added = {SHAPE, RANGE, .mask = GA_MASK_ADDITIVE};

static float query[BATCH * Q_LEN * D_MODEL + 1];
static float key[BATCH * KV_LEN * D_MODEL];
static float value[BATCH * KV_LEN * D_MODEL];
static float output[BATCH * Q_LEN * D_MODEL + 1];
static float attention[BATCH * HEADS * Q_LEN * KV_LEN];
static uint8_t bytes[BATCH * HEADS * Q_LEN * KV_LEN];
static float numbers[BATCH * HEADS * Q_LEN * KV_LEN] = {[16] = -INFINITY};
static int32_t tokens[BATCH * Q_LEN] = {0, 9, 1, 2, 3, 4};
enum { ROOM = SCRATCH + 8 * GA_ALIGN }; // and for the numbers of a call

static _Alignas(GA_ALIGN) unsigned char scratch[ROOM + SCRATCH];
static _Alignas(GA_ALIGN) unsigned char block[GA_ALIGN + 4];

static const struct ga_loaded *load(const struct ga_model *model)
{
    static const float bias[] = {0.5f};
    static const struct ga_weight_view views[] = {{.data = bias, .row_stride = 1}};
    const struct ga_loaded *loaded = NULL;
    cr_assert_eq(ga_model_pack(model, variant, views, block, sizeof block, &loaded, NULL), GA_OK);
    return loaded;
}

static enum ga_status run(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    *error = (struct ga_error){.status = GA_OK};
    return ga_model_run(load(model), io, scratch, ROOM, error);
}

#define SIZES .batch = BATCH, .q_len = Q_LEN
#define SELF SIZES, .query = query
#define CROSS SIZES, .kv_len = KV_LEN, .query = query, .key = key
#define IDS SIZES, .tokens = tokens

#define WHOLE_MASK .mask_strides = {HEADS * Q_LEN * KV_LEN, Q_LEN * KV_LEN, KV_LEN, 1}

// -- What the kernels see -------------------------------------------------------------------------------------------

static const int32_t two_lengths[BATCH] = {3, 0};
static const int32_t key_lengths[BATCH] = {0, 5};
static const int32_t short_lengths[BATCH] = {1, 2};

static const struct {
    const char *name;
    const struct ga_model *model;
    struct ga_io io, call;
} completed[] = {
    {"self-attention",
     &full,
     {SELF, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .output = output}},
    {"self-attention with kv_len",
     &full,
     {SELF, .kv_len = Q_LEN, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .output = output}},
    {"q_lengths stand for both",
     &full,
     {SELF, .q_lengths = two_lengths, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .q_lengths = two_lengths, .kv_lengths = two_lengths,
      .output = output}},
    {"both lengths",
     &full,
     {SELF, .q_lengths = two_lengths, .kv_lengths = short_lengths, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .q_lengths = two_lengths, .kv_lengths = short_lengths,
      .output = output}},
    {"kv_lengths alone",
     &full,
     {SELF, .kv_lengths = two_lengths, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .kv_lengths = two_lengths, .output = output}},
    {"cross-attention, value is key", &full, {CROSS, .output = output}, {CROSS, .value = key, .output = output}},
    {"cross-attention, q_lengths alone",
     &full,
     {CROSS, .q_lengths = two_lengths, .output = output},
     {CROSS, .value = key, .q_lengths = two_lengths, .output = output}},
    {"everything",
     &full,
     {CROSS, .value = value, .q_lengths = two_lengths, .kv_lengths = key_lengths, .output = output,
      .attention = attention},
     {CROSS, .value = value, .q_lengths = two_lengths, .kv_lengths = key_lengths, .output = output,
      .attention = attention}},
    {"tokens", &ids, {IDS, .output = output}, {IDS, .kv_len = Q_LEN, .output = output}},
    {"tokens and lengths",
     &ids,
     {IDS, .q_lengths = two_lengths, .output = output},
     {IDS, .kv_len = Q_LEN, .q_lengths = two_lengths, .kv_lengths = two_lengths, .output = output}},
    {"query for a model with an embedding",
     &ids,
     {SELF, .output = output},
     {SELF, .kv_len = Q_LEN, .key = query, .value = query, .output = output}},
    {"a mask of bytes",
     &masked,
     {CROSS, .output = output, .mask = bytes, WHOLE_MASK},
     {CROSS, .value = key, .output = output, .mask = bytes, WHOLE_MASK}},
    {"a mask of numbers",
     &added,
     {CROSS, .output = output, .additive_mask = numbers, WHOLE_MASK},
     {CROSS, .value = key, .output = output, .additive_mask = numbers, WHOLE_MASK}},
    {"exact lengths", &exact, {CROSS, .output = output}, {CROSS, .value = key, .output = output}},
};

// A list of numbers is seen as a copy of what the caller gave, in whose place it is put for what compares calls.
static void expect_copy(const char *name, const int32_t **list, const int32_t *given, size_t count)
{
    const bool is_there = *list != NULL && given != NULL;
    cr_expect(is_there || *list == given, "%s: a list appeared or was lost", name);
    cr_expect(!is_there || *list != given, "%s: the caller's own list was seen", name);
    cr_expect(!is_there || memcmp(*list, given, count * sizeof *given) == 0, "%s: other numbers were seen", name);
    *list = given;
}

Test(model_run, calls_are_completed)
{
    for (size_t i = 0; i < sizeof completed / sizeof *completed; i++) {
        struct ga_error error;
        memset(&seen, 0xEE, sizeof seen);
        cr_expect_eq(run(completed[i].model, &completed[i].io, &error), GA_OK, "%s: %s", completed[i].name, error.text);
        cr_expect_eq(runs, (int)i + 1, "%s: the kernel did not run", completed[i].name);
        expect_copy(completed[i].name, &seen.tokens, completed[i].call.tokens, BATCH * Q_LEN);
        expect_copy(completed[i].name, &seen.q_lengths, completed[i].call.q_lengths, BATCH);
        expect_copy(completed[i].name, &seen.kv_lengths, completed[i].call.kv_lengths, BATCH);
        cr_expect_eq(memcmp(&seen, &completed[i].call, sizeof seen), 0, "%s: the kernel saw something else",
                     completed[i].name);
        cr_expect_eq(seen_packed, (const void *)(block + GA_ALIGN), "%s", completed[i].name);
    }
}

Test(model_run, tokens_of_rows_past_a_length_are_not_looked_at)
{
    static const int32_t wild[BATCH * Q_LEN] = {9, -1, 1000000, 0, 1, INT32_MIN};
    static const int32_t lengths[BATCH] = {1, 2};
    const struct ga_io io = {SIZES, .tokens = wild, .q_lengths = lengths, .output = output};
    struct ga_error error;
    cr_expect_eq(run(&ids, &io, &error), GA_OK, "%s", error.text);
}

// -- What is refused ------------------------------------------------------------------------------------------------

static const int32_t negative[BATCH] = {3, -1};
static const int32_t too_long[BATCH] = {3, 4};
static const int32_t past_keys[BATCH] = {5, 6};
static const int32_t one_each[BATCH] = {1, 1};
static const int32_t all_rows[BATCH] = {3, 3};
static const int32_t negative_id[BATCH * Q_LEN] = {0, 1, 2, -1, 4, 5};
static const int32_t past_vocab[BATCH * Q_LEN] = {0, 1, 2, 3, 4, VOCAB};

static const struct ga_parallel no_threads = {.threads = 0}, no_run = {.threads = 2};

static const struct {
    const char *name;
    const struct ga_model *model;
    struct ga_io io;
    enum ga_status status;
    const char *expected;
} broken[] = {
    {"no query", &full, {SIZES, .output = output}, GA_ARGUMENT, "query is NULL"},
    {"no output", &full, {SELF}, GA_ARGUMENT, "output is NULL"},
    {"no threads", &full, {SELF, .output = output, .parallel = &no_threads}, GA_ARGUMENT, "parallel->threads is out"},
    {"no way to run", &full, {SELF, .output = output, .parallel = &no_run}, GA_ARGUMENT, "parallel->run is NULL"},
    {"no query, no tokens", &ids, {SIZES, .output = output}, GA_ARGUMENT, "query and tokens are both NULL"},
    {"query and tokens", &ids, {IDS, .query = query, .output = output}, GA_ARGUMENT, "are both given"},
    {"tokens without embedding", &full, {IDS, .output = output}, GA_UNSUPPORTED, "the model has no embedding"},
    {"tokens and key", &ids, {IDS, .key = key, .kv_len = 3, .output = output}, GA_ARGUMENT, "with key or value"},
    {"tokens and value", &ids, {IDS, .value = value, .output = output}, GA_ARGUMENT, "with key or value"},
    {"value without key", &full, {SELF, .value = value, .output = output}, GA_ARGUMENT, "value is given without key"},
    {"kv_len without key", &full, {SELF, .kv_len = 5, .output = output}, GA_ARGUMENT, "but key is NULL"},
    {"attention unasked for",
     &bare,
     {SELF, .output = output, .attention = attention},
     GA_UNSUPPORTED,
     "generated without that output"},
    {"q_lengths unasked for",
     &bare,
     {SELF, .q_lengths = two_lengths, .output = output},
     GA_UNSUPPORTED,
     "without mask lengths"},
    {"kv_lengths unasked for",
     &bare,
     {SELF, .kv_lengths = two_lengths, .output = output},
     GA_UNSUPPORTED,
     "without mask lengths"},

    {"batch 0", &full, {.q_len = 3, .query = query, .output = output}, GA_ARGUMENT, "batch is 0; expected at least 1"},
    {"another batch", &fixed, {SELF, .output = output}, GA_ARGUMENT, "batch is 2; expected 3"},
    {"q_len 0", &full, {.batch = 2, .query = query, .output = output}, GA_ARGUMENT, "q_len is 0; expected 1..8"},
    {"q_len too long",
     &full,
     {.batch = 2, .q_len = 9, .query = query, .output = output},
     GA_ARGUMENT,
     "q_len is 9; expected 1..8"},
    {"kv_len 0 with key", &full, {SELF, .key = key, .output = output}, GA_ARGUMENT, "kv_len is 0; expected 1..8"},
    {"kv_len too long", &full, {SELF, .kv_len = 9, .key = key, .output = output}, GA_ARGUMENT, "kv_len is 9"},
    {"q_len not exact",
     &exact,
     {.batch = 2, .q_len = 2, .query = query, .output = output},
     GA_ARGUMENT,
     "q_len is 2; expected 3"},
    {"self-attention where kv_len is another",
     &exact,
     {SELF, .output = output},
     GA_ARGUMENT,
     "kv_len is 3; expected 5"},
    {"sizes overflow",
     &full,
     {.batch = SIZE_MAX / 16, .q_len = 8, .query = query, .output = output},
     GA_OVERFLOW,
     "does not fit in memory"},

    {"misaligned query",
     &full,
     {SIZES, .query = (const float *)(const void *)((const char *)query + 2), .output = output},
     GA_ALIGNMENT,
     "query is not aligned"},
    {"in place", &full, {SELF, .output = query}, GA_ARGUMENT, "output overlaps query"},
    {"output over the query's end",
     &full,
     {SELF, .output = query + BATCH * Q_LEN * D_MODEL - 1},
     GA_ARGUMENT,
     "output overlaps query"},
    {"output over value",
     &full,
     {CROSS, .value = output + BATCH * Q_LEN * D_MODEL - 1, .output = output},
     GA_ARGUMENT,
     "output overlaps value"},
    {"attention over output",
     &full,
     {SELF, .output = output, .attention = output},
     GA_ARGUMENT,
     "output overlaps attention"},
    {"output in scratch",
     &full,
     {SELF, .output = (float *)(void *)(scratch + SCRATCH - 4)},
     GA_ARGUMENT,
     "output overlaps scratch"},
    {"lengths in scratch",
     &full,
     {SELF, .q_lengths = (const int32_t *)(const void *)scratch, .output = output},
     GA_ARGUMENT,
     "scratch overlaps q_lengths"},

    {"negative q length",
     &full,
     {SELF, .q_lengths = negative, .output = output},
     GA_ARGUMENT,
     "q_lengths[1] is -1; expected 0..3"},
    {"q length too long",
     &full,
     {SELF, .q_lengths = too_long, .output = output},
     GA_ARGUMENT,
     "q_lengths[1] is 4; expected 0..3"},
    {"kv length too long",
     &full,
     {CROSS, .kv_lengths = past_keys, .output = output},
     GA_ARGUMENT,
     "kv_lengths[1] is 6; expected 0..5"},
    {"negative id",
     &ids,
     {SIZES, .tokens = negative_id, .output = output},
     GA_ARGUMENT,
     "tokens[1][0] is -1; expected 0..9"},
    {"bad id of a row that is a key only",
     &ids,
     {SIZES, .tokens = past_vocab, .q_lengths = one_each, .kv_lengths = all_rows, .output = output},
     GA_ARGUMENT,
     "tokens[1][2] is 10; expected 0..9"},
    {"id past the vocabulary",
     &ids,
     {SIZES, .tokens = past_vocab, .output = output},
     GA_ARGUMENT,
     "tokens[1][2] is 10; expected 0..9"},
};

Test(model_run, calls_that_break_a_rule_are_refused)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct ga_error error;
        cr_expect_eq(run(broken[i].model, &broken[i].io, &error), broken[i].status, "%s: status %d: %s", broken[i].name,
                     (int)error.status, error.text);
        cr_expect_not_null(strstr(error.text, broken[i].expected), "%s: '%s'", broken[i].name, error.text);
        cr_expect_eq(runs, 0, "%s: the kernel ran", broken[i].name);
    }
}

Test(model_run, buffers_may_touch)
{
    static float both[2 * BATCH * Q_LEN * D_MODEL];
    const struct ga_io after = {SIZES, .query = both, .output = both + BATCH * Q_LEN * D_MODEL};
    const struct ga_io before = {SIZES, .query = both + BATCH * Q_LEN * D_MODEL, .output = both};
    struct ga_error error;
    cr_expect_eq(run(&full, &after, &error), GA_OK, "%s", error.text);
    cr_expect_eq(run(&full, &before, &error), GA_OK, "%s", error.text);
}

Test(model_run, scratch_that_will_not_do_is_refused)
{
    const struct {
        const char *name;
        void *scratch;
        size_t size;
        enum ga_status status;
        const char *expected;
    } rows[] = {
        {"none", NULL, ROOM, GA_ARGUMENT, "scratch is NULL; expected 256 bytes"},
        {"too small", scratch, 255, GA_SIZE, "scratch is 255 bytes large; expected at least 256"},
        {"misaligned", scratch + 32, ROOM, GA_ALIGNMENT, "scratch is not aligned to 64 bytes"},
    };
    const struct ga_io io = {SELF, .output = output};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        cr_expect_eq(ga_model_run(load(&full), &io, rows[i].scratch, rows[i].size, &error), rows[i].status, "%s",
                     rows[i].name);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "%s: '%s'", rows[i].name, error.text);
    }
    cr_expect_eq(runs, 0);
}

Test(model_run, missing_arguments_are_refused)
{
    const struct ga_io io = {SELF, .output = output};
    struct ga_error error;
    cr_expect_eq(ga_model_run(NULL, &io, scratch, SCRATCH, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "ga_model_run: loaded is NULL");
    cr_expect_eq(ga_model_run(load(&full), NULL, scratch, SCRATCH, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "ga_model_run: io is NULL");
    cr_expect_eq(ga_model_run(load(&full), &(struct ga_io){SELF}, scratch, SCRATCH, NULL), GA_ARGUMENT);
}
