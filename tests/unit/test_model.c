// test_model.c: variants, packing and scratch sizes, on a hand-written model. Calls
// themselves are test_model_run.c's.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cpu.h"
#include "fake_parts.h"
#include "model.h"

// -- A model with no arithmetic -------------------------------------------------------------------------------------

enum { PACKED = 24 }; // bytes

FAKE_PARTS(parts, PACKED / 4);

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    return threads * 1000 + batch * 100 + q_len * 10 + kv_len;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed;
    (void)io;
    (void)scratch;
}

#define VARIANT(name, bits)                                                                                            \
    {                                                                                                                  \
        .isa = name, .cpu = bits, .packed_bytes = PACKED, .parts = parts, .n_parts = 1, .scratch_bytes = fake_scratch, \
        .run = fake_run                                                                                                \
    }

static const struct ga_variant variants[] = {VARIANT("future", UINT32_C(1) << 31), VARIANT("scalar", 0)};
static const struct ga_weight_role roles[] = {{"q_weight", 1, {PACKED / 4}}};

#define SHAPE                                                                                                  \
    .name = "tiny", .d_model = 4, .k_dim = 4, .v_dim = 4, .d_out = 4, .d_v = 2, .n_heads = 2, .n_kv_heads = 2, \
    .d_head = 2, .roles = roles, .n_roles = 1, .variants = variants, .n_variants = 2

static const struct ga_model full = {SHAPE, .abi = GA_ABI, .q_len = {1, 8}, .kv_len = {1, 8}};
static const struct ga_model fixed = {SHAPE, .abi = GA_ABI, .q_len = {1, 8}, .kv_len = {1, 8}, .batch = 3};
static const struct ga_model exact = {SHAPE, .abi = GA_ABI, .q_len = {3, 3}, .kv_len = {5, 5}};
static const struct ga_model counted = {SHAPE,           .abi = GA_ABI,   .q_len = {1, 8},         .kv_len = {1, 8},
                                        .lengths = true, .vocab_size = 9, .rope = {.positions = 9}};
static const struct ga_model other_abi = {SHAPE, .abi = GA_ABI + 1};

Test(model, a_copy_of_a_model_is_the_same_model)
{
    static const struct ga_variant others[] = {VARIANT("future", UINT32_C(1) << 31), VARIANT("scalar", 0)};
    const struct ga_model copy = full; // as the linker makes it for a program
    struct ga_model other = full;      // of another library, made from the same spec
    other.variants = others;
    cr_expect(ga_model_same(&full, &full));
    cr_expect(ga_model_same(&full, &copy));
    cr_expect(!ga_model_same(&full, &other));
    cr_expect(!ga_model_same(&full, NULL));
    cr_expect(!ga_model_same(NULL, NULL));
}

// -- Variants -------------------------------------------------------------------------------------------------------

Test(model, the_best_variant_the_cpu_runs_is_taken)
{
    struct ga_error error;
    const struct ga_variant *variant = NULL;
    cr_expect_eq(ga_model_variant(&full, NULL, &variant, &error), GA_OK);
    cr_expect_eq(variant, &variants[1], "the CPU cannot run the first");
    cr_expect_eq(ga_model_variant(&full, "scalar", &variant, &error), GA_OK);
    cr_expect_eq(variant, &variants[1]);
}

Test(model, a_variant_that_is_slow_on_the_cpu_is_taken_by_name_or_where_no_other_runs)
{
    static const struct ga_variant list[] = {{.isa = "slow", .prefers = UINT32_C(1) << 31}, VARIANT("scalar", 0)};
    static const struct ga_model both = {.abi = GA_ABI, .name = "tiny", .variants = list, .n_variants = 2};
    static const struct ga_model alone = {.abi = GA_ABI, .name = "tiny", .variants = list, .n_variants = 1};
    struct ga_error error;
    const struct ga_variant *variant = NULL;
    cr_expect_eq(ga_model_variant(&both, NULL, &variant, &error), GA_OK);
    cr_expect_eq(variant, &list[1]);
    cr_expect_eq(ga_model_variant(&both, "slow", &variant, &error), GA_OK);
    cr_expect_eq(variant, &list[0]);
    cr_expect_eq(ga_model_variant(&alone, NULL, &variant, &error), GA_OK);
    cr_expect_eq(variant, &list[0]);
}

Test(model, variants_that_cannot_run_are_refused)
{
    static const struct ga_model nothing_runs = {.abi = GA_ABI, .name = "tiny", .variants = variants, .n_variants = 1};
    const struct {
        const char *name;
        const struct ga_model *model;
        const char *isa;
        enum ga_status status;
        const char *expected;
    } rows[] = {
        {"not built", &full, "mips", GA_UNSUPPORTED, "isa 'mips' is not in this build; it has future, scalar"},
        {"case counts", &full, "Scalar", GA_UNSUPPORTED, "isa 'Scalar' is not in this build"},
        {"beyond the CPU", &full, "future", GA_CPU, "isa 'future' needs"},
        {"nothing runs", &nothing_runs, NULL, GA_CPU, "runs none of the build's isas (future)"},
        {"another interface", &other_abi, NULL, GA_UNSUPPORTED, "build both anew"},
        {"no model", NULL, NULL, GA_ARGUMENT, "model is NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        const struct ga_variant *variant = NULL;
        cr_expect_eq(ga_model_variant(rows[i].model, rows[i].isa, &variant, &error), rows[i].status, "%s",
                     rows[i].name);
        cr_expect_null(variant, "%s", rows[i].name);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "%s: '%s'", rows[i].name, error.text);
    }
    cr_expect_eq(ga_model_variant(&full, NULL, NULL, NULL), GA_ARGUMENT);
}

Test(model, a_missing_feature_is_named)
{
    // Asks for every known feature and one nobody has, so that the refusal does not depend on this CPU.
    static const struct ga_variant greedy[] = {VARIANT("greedy", UINT32_MAX)};
    static const struct ga_model model = {.abi = GA_ABI, .name = "tiny", .variants = greedy, .n_variants = 1};
    struct ga_error error = {.text = ""};
    const struct ga_variant *variant;
    cr_expect_eq(ga_model_variant(&model, "greedy", &variant, &error), GA_CPU);
    const struct {
        const char *name;
        bool here;
    } features[] = {{"avx2", ga_cpu_has(GA_CPU_AVX2)}, {"avx512f", ga_cpu_has(GA_CPU_AVX512F)}};
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(strstr(error.text, features[i].name) == NULL, features[i].here, "%s: '%s'", features[i].name,
                     error.text);
    }
}

// -- Packing --------------------------------------------------------------------------------------------------------

static _Alignas(GA_ALIGN) unsigned char block[GA_ALIGN + PACKED + 8];
static const float weights[PACKED / 4] = {1, 2, 3, 4, 5, 6};
static const struct ga_weight_view views[] = {{.data = weights, .row_stride = 1}};

Test(model, packed_weights_follow_a_line_of_their_own)
{
    const struct ga_loaded *loaded = NULL;
    const size_t size = ga_model_packed_size(&variants[1]);
    cr_assert_eq(size, GA_ALIGN + PACKED);
    memset(block, 0xEE, sizeof block);
    cr_assert_eq(ga_model_pack(&full, &variants[1], views, block, size, &loaded, NULL), GA_OK);
    cr_expect_eq(ga_loaded_model(loaded), &full);
    cr_expect_eq(ga_loaded_variant(loaded), &variants[1]);
    cr_expect_eq((const void *)loaded, (const void *)block);
    cr_expect_eq(memcmp(block + GA_ALIGN, weights, PACKED), 0);
    cr_expect_eq(block[size], 0xEE, "wrote past its size");
    const struct ga_variant huge = {.packed_bytes = SIZE_MAX - 1};
    cr_expect_eq(ga_model_packed_size(&huge), SIZE_MAX);
}

Test(model, packing_what_cannot_be_is_refused)
{
    static const struct ga_variant stranger = VARIANT("scalar", 0);
    static const struct ga_weight_view absent[] = {{.data = NULL}};
    const struct ga_weight_view crooked[] = {{.data = (const float *)(const void *)(block + 1)}};
    const struct ga_variant *scalar = &variants[1];
    const size_t size = ga_model_packed_size(scalar);
    const struct {
        const char *name;
        const struct ga_model *model;
        const struct ga_variant *variant;
        const struct ga_weight_view *views;
        void *block;
        size_t size;
        enum ga_status status;
        const char *expected;
    } rows[] = {
        {"no model", NULL, scalar, views, block, size, GA_ARGUMENT, "model is NULL"},
        {"no variant", &full, NULL, views, block, size, GA_ARGUMENT, "variant is NULL"},
        {"no roles", &full, scalar, NULL, block, size, GA_ARGUMENT, "roles is NULL"},
        {"no block", &full, scalar, views, NULL, size, GA_ARGUMENT, "block is NULL"},
        {"another interface", &other_abi, scalar, views, block, size, GA_UNSUPPORTED, "build both anew"},
        {"another model's variant", &full, &stranger, views, block, size, GA_ARGUMENT, "another model's"},
        {"beyond the CPU", &full, &variants[0], views, block, size, GA_CPU, "isa 'future' needs"},
        {"too small", &full, scalar, views, block, size - 1, GA_SIZE, "is 87 bytes large; expected at least 88"},
        {"misaligned", &full, scalar, views, block + 8, size, GA_ALIGNMENT, "not aligned to 64 bytes"},
        {"no data", &full, scalar, absent, block, size, GA_ARGUMENT, "weight q_weight has no data"},
        {"data misaligned", &full, scalar, crooked, block, size, GA_ALIGNMENT, "weight q_weight is not aligned to 4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        const struct ga_loaded *loaded = NULL;
        const enum ga_status status =
            ga_model_pack(rows[i].model, rows[i].variant, rows[i].views, rows[i].block, rows[i].size, &loaded, &error);
        cr_expect_eq(status, rows[i].status, "%s: %s", rows[i].name, error.text);
        cr_expect_null(loaded, "%s", rows[i].name);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "%s: '%s'", rows[i].name, error.text);
    }
    cr_expect_eq(ga_model_pack(&full, scalar, views, block, size, NULL, NULL), GA_ARGUMENT);
}

// -- Scratch --------------------------------------------------------------------------------------------------------

// The variant's own, then room for each list of numbers that a call is given.
Test(model, scratch_is_the_variants_own_and_room_for_what_indexes)
{
    const size_t huge = SIZE_MAX / 64;
    const struct {
        const char *name;
        const struct ga_model *model;
        size_t batch, q_len, kv_len, threads, bytes;
    } rows[] = {
        {"in range", &full, 2, 3, 5, 1, 1235},
        {"kv_len 0 is q_len", &full, 2, 3, 0, 1, 1233},
        {"batch 0", &full, 0, 3, 5, 1, SIZE_MAX},
        {"q_len 0", &full, 2, 0, 5, 1, SIZE_MAX},
        {"q_len too long", &full, 2, 9, 5, 1, SIZE_MAX},
        {"kv_len too long", &full, 2, 3, 9, 1, SIZE_MAX},
        {"batch overflows", &full, huge, 8, 8, 1, SIZE_MAX},
        {"fixed batch", &fixed, 3, 3, 3, 1, 1333},
        {"another batch", &fixed, 2, 3, 3, 1, SIZE_MAX},
        {"exact", &exact, 1, 3, 5, 1, 1135},
        {"shorter than exact", &exact, 1, 2, 5, 1, SIZE_MAX},
        {"two threads", &full, 2, 3, 5, 2, 2235},
        {"lengths, tokens and places", &counted, 2, 3, 5, 1, 1280 + 5 * GA_ALIGN},
        {"lists beyond a line of memory", &counted, 10, 8, 8, 1, 2112 + 4 * GA_ALIGN + 320},
        {"no thread", &full, 2, 3, 5, 0, SIZE_MAX},
        {"too many threads", &full, 2, 3, 5, GA_MAX_THREADS + 1, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t bytes = ga_model_scratch_size(rows[i].model, &variants[1], rows[i].batch, rows[i].q_len,
                                                   rows[i].kv_len, rows[i].threads);
        cr_expect_eq(bytes, ga_align_up(rows[i].bytes), "%s: %zu", rows[i].name, bytes);
    }
}
