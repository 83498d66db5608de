// test_cache.c: what a cache of keys and values refuses and keeps, on a hand-written model whose kernel does nothing.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cache.h"
#include "fake_parts.h"
#include "model.h"

enum { D_MODEL = 6, HEADS = 4, KV_HEADS = 2, D_HEAD = 3, BATCH = 2, CAPACITY = 7, SCRATCH = 64 };

FAKE_PARTS(parts, 1);

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return SCRATCH;
}

static struct ga_io ran; // what the last run was given

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)scratch;
    ran = *io;
}

#define VARIANT(name)                                                                                                 \
    {                                                                                                                 \
        .isa = name, .packed_bytes = 4, .parts = parts, .n_parts = 1, .scratch_bytes = fake_scratch, .run = fake_run, \
        .cache = {.key_panel = 4, .value_stride = 5}, .memory_cache = {                                               \
            .key_panel = 8,                                                                                           \
            .value_stride = 6                                                                                         \
        }                                                                                                             \
    }
static const struct ga_variant variants[] = {VARIANT("scalar"), VARIANT("other")};
static const struct ga_weight_role roles[] = {{"q_bias", 1, {1}}};

#define SHAPE                                                                                                  \
    .abi = GA_ABI, .name = "tiny", .d_model = D_MODEL, .k_dim = D_MODEL, .v_dim = D_MODEL, .d_out = D_MODEL,   \
    .n_heads = HEADS, .n_kv_heads = KV_HEADS, .d_head = D_HEAD, .roles = roles, .n_roles = 1, .n_variants = 2, \
    .q_len = {1, 8}, .kv_len = {1, 8}, .lengths = true, .cache_dtype = GA_F32

static const struct ga_model model = {SHAPE, .cache = 16, .variants = variants};
// As the linker copies a model into a program.
static const struct ga_model copied = {SHAPE, .cache = 16, .variants = variants};
static const struct ga_variant twins[] = {VARIANT("scalar"), VARIANT("other")};
static const struct ga_model twin = {SHAPE, .cache = 16, .variants = twins};
static const struct ga_model without = {SHAPE, .variants = variants};
static const struct ga_variant short_variants[] = {VARIANT("scalar"), VARIANT("other")};
static struct ga_model in_halves = {SHAPE, .cache = 16, .variants = short_variants};

static _Alignas(GA_ALIGN) unsigned char packed[GA_ALIGN + 4], scratch[SCRATCH + 8 * GA_ALIGN];
static float query[BATCH * 8 * D_MODEL], output[BATCH * 8 * D_MODEL];

static const struct ga_loaded *load(const struct ga_model *of, size_t variant)
{
    static const float bias[] = {0.5F};
    static const struct ga_weight_view views[] = {{.data = bias, .row_stride = 1}};
    const struct ga_loaded *loaded = NULL;
    cr_assert_eq(ga_model_pack(of, &of->variants[variant], views, packed, sizeof packed, &loaded, NULL), GA_OK);
    return loaded;
}

// An empty cache of a model with so many sequences, which the caller frees.
static struct ga_cache *make_of(const struct ga_model *of, size_t batch, size_t capacity)
{
    struct ga_cache *cache = NULL;
    const size_t size = ga_cache_size(of, &of->variants[0], batch, capacity);
    cr_assert_neq(size, SIZE_MAX);
    void *block = ga_block_new(size);
    cr_assert_eq(ga_cache_init(load(of, 0), batch, capacity, block, size, &cache, NULL), GA_OK);
    return cache;
}

static struct ga_cache *make(size_t batch, size_t capacity)
{
    return make_of(&model, batch, capacity);
}

static enum ga_status run_with(const struct ga_model *of, size_t variant, struct ga_cache *cache, size_t rows,
                               struct ga_error *error)
{
    const struct ga_io io = {.batch = BATCH, .q_len = rows, .query = query, .output = output, .cache = cache};
    *error = (struct ga_error){.status = GA_OK};
    return ga_model_run(load(of, variant), &io, scratch, sizeof scratch, error);
}

static void expect(enum ga_status found, enum ga_status wanted, const struct ga_error *error, const char *text)
{
    cr_expect_eq(found, wanted, "%s: %s", ga_status_text(found), error->text);
    cr_expect(wanted == GA_OK || strstr(error->text, text), "\"%s\" does not say \"%s\"", error->text, text);
}

// -- Making ---------------------------------------------------------------------------------------------------------

Test(cache, its_size_grows_by_panels_and_rows)
{
    const size_t one = ga_cache_size(&model, &variants[0], 1, 1), panel = ga_cache_size(&model, &variants[0], 1, 4);
    cr_assert_leq(one, panel);
    cr_assert_geq(ga_cache_size(&model, &variants[0], 2, 4) - panel, (4 * 3 + 4 * 5) * KV_HEADS * sizeof(float));
    cr_assert_eq(ga_cache_size(&model, &variants[0], 1, 0), SIZE_MAX);
    cr_assert_eq(ga_cache_size(&model, &variants[0], 1, 17), SIZE_MAX);
    cr_assert_eq(ga_cache_size(&model, &variants[0], 0, 4), SIZE_MAX);
    cr_assert_eq(ga_cache_size(&model, &variants[0], SIZE_MAX / 8, 4), SIZE_MAX);
    cr_assert_eq(ga_cache_size(&without, &variants[0], 1, 4), SIZE_MAX);
}

Test(cache, a_block_too_small_misaligned_or_missing_is_refused)
{
    const size_t size = ga_cache_size(&model, &variants[0], BATCH, CAPACITY);
    unsigned char *block = ga_block_new(size + GA_ALIGN);
    struct ga_cache *cache = (struct ga_cache *)block;
    struct ga_error error;
    const struct ga_loaded *loaded = load(&model, 0);
    expect(ga_cache_init(loaded, BATCH, CAPACITY, block, size - 1, &cache, &error), GA_SIZE, &error, "a cache is");
    cr_expect_null(cache);
    expect(ga_cache_init(loaded, BATCH, CAPACITY, block + 4, size, &cache, &error), GA_ALIGNMENT, &error, "64 bytes");
    expect(ga_cache_init(loaded, BATCH, CAPACITY, NULL, size, &cache, &error), GA_ARGUMENT, &error, "NULL");
    expect(ga_cache_init(loaded, BATCH, 17, block, size, &cache, &error), GA_ARGUMENT, &error, "17; expected 1..16");
    expect(ga_cache_init(load(&without, 0), BATCH, 4, block, size, &cache, &error), GA_UNSUPPORTED, &error, "spec");
    expect(ga_cache_init(NULL, BATCH, 4, block, size, &cache, &error), GA_ARGUMENT, &error, "loaded is NULL");
    ga_block_free(block);
}

// -- Calls ----------------------------------------------------------------------------------------------------------

Test(cache, calls_count_what_they_append)
{
    struct ga_cache *cache = make(BATCH, CAPACITY);
    const int32_t lengths[BATCH] = {3, 0};
    struct ga_error error;
    expect(run_with(&model, 0, cache, 2, &error), GA_OK, &error, "");
    const struct ga_io ragged = {
        .batch = BATCH, .q_len = 3, .query = query, .output = output, .cache = cache, .q_lengths = lengths};
    expect(ga_model_run(load(&model, 0), &ragged, scratch, sizeof scratch, &error), GA_OK, &error, "");
    const struct ga_io nothing = {
        .batch = BATCH, .q_len = 3, .query = query, .key = query, .output = output, .cache = cache};
    expect(ga_model_run(load(&model, 0), &nothing, scratch, sizeof scratch, &error), GA_OK, &error, "");
    cr_expect_eq(ga_cache_lengths(cache)[0], 5);
    cr_expect_eq(ga_cache_lengths(cache)[1], 2);
    cr_expect_eq(ga_cache_capacity(cache), CAPACITY);
    expect(ga_cache_cut(cache, 0, 4, &error), GA_OK, &error, "");
    expect(ga_cache_cut(cache, 0, 5, &error), GA_ARGUMENT, &error, "holds 4");
    expect(ga_cache_cut(cache, 2, 0, &error), GA_ARGUMENT, &error, "expected 0..1");
    cr_expect_eq(ga_cache_lengths(cache)[0], 4);
    ga_block_free(cache);
}

Test(cache, a_full_one_is_refused_and_stays_as_it_was)
{
    struct ga_cache *cache = make(BATCH, CAPACITY);
    struct ga_error error;
    expect(run_with(&model, 0, cache, 6, &error), GA_OK, &error, "");
    expect(run_with(&model, 0, cache, 2, &error), GA_SIZE, &error, "room for 7");
    cr_expect_eq(ga_cache_lengths(cache)[0], 6);
    expect(run_with(&model, 0, cache, 1, &error), GA_OK, &error, "");
    expect(run_with(&model, 0, cache, 1, &error), GA_SIZE, &error, "1 keys join the 7 of sequence 0");
    ga_block_free(cache);
}

Test(cache, a_missing_or_foreign_one_is_refused)
{
    struct ga_cache *cache = make(BATCH, CAPACITY), *single = make(1, CAPACITY);
    struct ga_error error;
    expect(run_with(&model, 0, NULL, 1, &error), GA_ARGUMENT, &error, "cache is NULL");
    expect(run_with(&without, 0, cache, 1, &error), GA_UNSUPPORTED, &error, "without one");
    expect(run_with(&twin, 0, cache, 1, &error), GA_ARGUMENT, &error, "another model's");
    expect(run_with(&copied, 0, cache, 1, &error), GA_OK, &error, "");
    expect(run_with(&model, 1, cache, 1, &error), GA_ARGUMENT, &error, "isa other");
    expect(run_with(&model, 0, single, 1, &error), GA_ARGUMENT, &error, "1 sequences");
    struct ga_cache *odd = (struct ga_cache *)((unsigned char *)cache + 4);
    expect(run_with(&model, 0, odd, 1, &error), GA_ALIGNMENT, &error, "64 bytes");
    ga_block_free(cache);
    ga_block_free(single);
}

Test(cache, its_memory_is_its_own)
{
    struct ga_cache *cache = make(BATCH, CAPACITY);
    struct ga_error error;
    float *inside = (float *)cache + 40;
    const struct ga_io io = {.batch = BATCH, .q_len = 1, .query = query, .output = inside, .cache = cache};
    expect(ga_model_run(load(&model, 0), &io, scratch, sizeof scratch, &error), GA_ARGUMENT, &error, "overlaps");
    ga_block_free(cache);
}

// -- Out and in -----------------------------------------------------------------------------------------------------

enum { ROWS = 6, ELEMENTS = KV_HEADS * ROWS * D_HEAD };

Test(cache, what_was_put_in_comes_out)
{
    struct ga_cache *cache = make(BATCH, CAPACITY);
    float keys[ELEMENTS], values[ELEMENTS], keys_out[ELEMENTS], values_out[ELEMENTS];
    struct ga_error error;
    for (size_t i = 0; i < ELEMENTS; i++) {
        keys[i] = (float)i + 1;
        values[i] = -keys[i];
    }
    expect(ga_cache_put(cache, 1, keys, values, ROWS, 2, &error), GA_OK, &error, "");
    expect(ga_cache_put(cache, 1, keys, values, ROWS, 3, &error), GA_OK, &error, "");
    expect(ga_cache_get(cache, 1, keys_out, values_out, ROWS, &error), GA_OK, &error, "");
    for (size_t i = 0; i < ELEMENTS; i++) {
        const size_t head = i / (ROWS * D_HEAD), row = i / D_HEAD % ROWS, d = i % D_HEAD;
        const size_t from = (head * ROWS + (row < 2 ? row : row - 2)) * D_HEAD + d;
        cr_expect_eq(keys_out[i], row < 5 ? keys[from] : 0, "key %zu", i);
        cr_expect_eq(values_out[i], row < 5 ? values[from] : 0, "value %zu", i);
    }
    expect(ga_cache_get(cache, 1, keys_out, values_out, 4, &error), GA_ARGUMENT, &error, "4 rows are too few");
    expect(ga_cache_put(cache, 1, keys, values, ROWS, 3, &error), GA_SIZE, &error, "room for 7");
    expect(ga_cache_put(cache, 1, NULL, values, ROWS, 1, &error), GA_ARGUMENT, &error, "keys is NULL");
    expect(ga_cache_put(cache, 0, keys, values, 2, 3, &error), GA_ARGUMENT, &error, "too few");
    cr_expect_eq(ga_cache_lengths(cache)[0], 0);
    ga_block_free(cache);
}

// A float, and the nearest number of 8 bits, of two the even one.
static const struct {
    float from, to;
} rounded[] = {
    {1, 1},
    {0x1.01p0F, 0x1p0F},
    {0x1.03p0F, 0x1.04p0F},
    {-0x1.010002p0F, -0x1.02p0F},
    {0x1.00fffep0F, 1},
    {0x1.fffffep127F, INFINITY},
    {0x1.fep127F, 0x1.fep127F},
    {-INFINITY, -INFINITY},
    {0x1p-133F, 0x1p-133F},
    {0x1p-134F, 0},
    {0x1.8p-133F, 0x1p-132F},
    {-0x1p-149F, -0.0F},
};

Test(cache, one_in_halves_takes_half_and_rounds_what_is_put_in)
{
    enum { COUNT = sizeof rounded / sizeof *rounded };
    in_halves.cache_dtype = GA_BF16;
    const size_t whole = ga_cache_size(&model, &variants[0], 1, 16),
                 half = ga_cache_size(&in_halves, &short_variants[0], 1, 16);
    // Of each head 4 panels and 16 rows: 192 and 320 bytes, in halves 96 and 160, to whole lines.
    cr_assert_eq(whole - half, KV_HEADS * (192 + 320 - 128 - 192));
    struct ga_cache *cache = make_of(&in_halves, 1, 16);
    float keys[KV_HEADS * COUNT * D_HEAD], values[KV_HEADS * COUNT * D_HEAD];
    for (size_t i = 0; i < KV_HEADS * COUNT * D_HEAD; i++) {
        keys[i] = rounded[i % COUNT].from;
        values[i] = i == 5 ? NAN : rounded[(i + 1) % COUNT].from;
    }
    cr_assert_eq(ga_cache_put(cache, 0, keys, values, COUNT, COUNT, NULL), GA_OK);
    for (size_t turn = 0; turn < 2; turn++) { // what comes out goes in again as it is
        cr_assert_eq(ga_cache_get(cache, 0, keys, values, COUNT, NULL), GA_OK);
        for (size_t i = 0; i < KV_HEADS * COUNT * D_HEAD; i++) {
            const float to = rounded[(i + 1) % COUNT].to;
            cr_expect(memcmp(&keys[i], &rounded[i % COUNT].to, sizeof(float)) == 0, "key %zu is %a", i,
                      (double)keys[i]);
            cr_expect(i == 5 ? isnan(values[i]) : memcmp(&values[i], &to, sizeof to) == 0, "value %zu is %a", i,
                      (double)values[i]);
        }
        cr_assert_eq(ga_cache_cut(cache, 0, 0, NULL), GA_OK);
        cr_assert_eq(ga_cache_put(cache, 0, keys, values, COUNT, COUNT, NULL), GA_OK);
    }
    ga_block_free(cache);
}

// -- What a decoder attends to --------------------------------------------------------------------------------------

enum { LAYERS = 3, MEMORY_LEN = 5 };

static const struct ga_stack layers = {.n_layers = LAYERS};
static const struct ga_model decoder = {SHAPE, .variants = variants, .cache = 16, .kind = GA_DECODER, .stack = &layers};
static float rows_to_attend_to[BATCH * MEMORY_LEN * D_MODEL];

static struct ga_cache *make_decoders(void)
{
    struct ga_cache *cache = NULL;
    const size_t size = ga_cache_size(&decoder, &variants[0], BATCH, CAPACITY);
    void *block = ga_block_new(size);
    memset(block, 0xFF, size);
    cr_assert_eq(ga_cache_init(load(&decoder, 0), BATCH, CAPACITY, block, size, &cache, NULL), GA_OK);
    return cache;
}

// A call with so many rows of each sequence, and memories of so many; memory NULL: without any.
static enum ga_status attend(struct ga_cache *cache, const int32_t rows[BATCH], const int32_t *memory,
                             struct ga_error *error)
{
    const struct ga_io io = {
        .batch = BATCH,
        .q_len = 2,
        .kv_len = memory ? MEMORY_LEN : 0,
        .query = query,
        .key = memory ? rows_to_attend_to : NULL,
        .q_lengths = rows,
        .kv_lengths = memory,
        .output = output,
        .cache = cache,
    };
    *error = (struct ga_error){.status = GA_OK};
    return ga_model_run(load(&decoder, 0), &io, scratch, sizeof scratch, error);
}

// What joined in the last run, and what each layer's memory counts after it.
static void expect_memory(struct ga_cache *cache, const int32_t joined[BATCH], const int32_t held[BATCH])
{
    for (size_t b = 0; b < BATCH; b++) {
        cr_expect_eq(ga_cache_joining(cache)[b], joined[b], "sequence %zu", b);
        for (size_t layer = 0; layer < LAYERS; layer++) {
            const struct ga_cache *memory = ga_cache_memory(cache, layer);
            cr_expect_eq(ga_cache_lengths(memory)[b], held[b], "sequence %zu of layer %zu", b, layer);
            cr_expect_eq(ga_cache_capacity(memory), 8);
        }
    }
}

#define COUNTS(a, b) ((const int32_t[BATCH]){a, b})

Test(memory, its_part_stands_behind_each_layer)
{
    const size_t size = ga_cache_size(&decoder, &variants[0], BATCH, CAPACITY);
    const size_t alone = ga_cache_size(&model, &variants[0], BATCH, CAPACITY);
    const size_t least = (8 * D_HEAD + 8 * 6) * KV_HEADS * BATCH * sizeof(float);
    struct ga_cache *cache = make_decoders();
    cr_assert_geq(size, LAYERS * (alone + least));
    cr_expect_eq((unsigned char *)ga_cache_layer(cache, 1) - (unsigned char *)cache, (ptrdiff_t)(size / LAYERS));
    for (size_t layer = 0; layer < LAYERS; layer++) {
        struct ga_cache *memory = ga_cache_memory(cache, layer);
        const unsigned char *start = (unsigned char *)memory,
                            *end = (unsigned char *)cache + (layer + 1) * size / LAYERS;
        const float *last = ga_cache_values(memory, BATCH - 1, KV_HEADS - 1) + 8 * 6;
        cr_expect_geq(start, (unsigned char *)(ga_cache_values(ga_cache_layer(cache, layer), BATCH - 1, KV_HEADS - 1) +
                                               CAPACITY * 5));
        cr_expect_leq((const unsigned char *)last, end);
    }
    ga_block_free(cache);
}

Test(memory, a_sequence_takes_it_with_its_first_rows_and_keeps_it)
{
    struct ga_cache *cache = make_decoders();
    struct ga_error error;
    expect(attend(cache, COUNTS(2, 0), COUNTS(4, 5), &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(4, 0), COUNTS(4, 0)); // the second has not begun
    expect(attend(cache, COUNTS(1, 1), COUNTS(2, 0), &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(0, 0), COUNTS(4, 0)); // now it has, with none
    expect(attend(cache, COUNTS(1, 1), COUNTS(3, 3), &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(0, 0), COUNTS(4, 0));
    expect(attend(cache, COUNTS(1, 1), NULL, &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(0, 0), COUNTS(4, 0));
    cr_expect_eq(ran.kv_len, 0);
    cr_expect_null(ran.key);
    ga_block_free(cache);
}

Test(memory, a_sequence_cut_to_nothing_takes_it_anew)
{
    struct ga_cache *cache = make_decoders();
    struct ga_error error;
    expect(attend(cache, COUNTS(2, 2), COUNTS(4, 5), &error), GA_OK, &error, "");
    cr_assert_eq(ga_cache_cut(cache, 0, 1, NULL), GA_OK);
    cr_assert_eq(ga_cache_cut(cache, 1, 0, NULL), GA_OK);
    expect_memory(cache, COUNTS(4, 5), COUNTS(4, 0));
    expect(attend(cache, COUNTS(1, 0), NULL, &error), GA_OK, &error, "");
    expect(attend(cache, COUNTS(1, 1), NULL, &error), GA_ARGUMENT, &error,
           "tiny: the call gives nothing to attend to (key is NULL), and the cache holds nothing of sequence 1");
    cr_expect_eq(ga_cache_lengths(cache)[0], 2);
    expect(attend(cache, COUNTS(1, 1), COUNTS(1, 3), &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(0, 3), COUNTS(4, 3));
    ga_block_free(cache);
}

Test(memory, a_sequence_whose_keys_were_put_in_takes_it_with_the_next_rows)
{
    struct ga_cache *cache = make_decoders();
    const float rows[LAYERS * KV_HEADS * D_HEAD] = {0};
    struct ga_error error;
    cr_assert_eq(ga_cache_put(cache, 0, rows, rows, 1, 1, NULL), GA_OK);
    expect(attend(cache, COUNTS(1, 0), NULL, &error), GA_ARGUMENT, &error, "sequence 0");
    expect(attend(cache, COUNTS(1, 0), COUNTS(5, 0), &error), GA_OK, &error, "");
    expect_memory(cache, COUNTS(5, 0), COUNTS(5, 0));
    ga_block_free(cache);
}

Test(memory, lengths_that_do_not_fit_are_refused_whether_used_or_not)
{
    struct ga_cache *cache = make_decoders();
    struct ga_error error;
    expect(attend(cache, COUNTS(2, 2), COUNTS(4, 6), &error), GA_ARGUMENT, &error, "kv_lengths[1] is 6");
    expect(attend(cache, COUNTS(2, 2), COUNTS(4, 5), &error), GA_OK, &error, "");
    expect(attend(cache, COUNTS(1, 1), COUNTS(-1, 5), &error), GA_ARGUMENT, &error, "kv_lengths[0] is -1");
    const struct ga_io io = {
        .batch = BATCH, .q_len = 2, .query = query, .key = rows_to_attend_to, .output = output, .cache = cache};
    expect(ga_model_run(load(&decoder, 0), &io, scratch, sizeof scratch, &error), GA_ARGUMENT, &error, "kv_len is 0");
    ga_block_free(cache);
}
