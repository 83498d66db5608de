// test_cache_scales.c: what a cache that keeps quantized rows makes of rows that come from elsewhere, on
// a hand-written model without kernels. Other caches are test_cache.c's.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "cache.h"
#include "model.h"

// A panel whose keys, with their scales, are an odd number of bytes.
enum { KV_HEADS = 2, D_HEAD = 3, KEY_PANEL = 3, VALUE_STRIDE = 4, ROWS = 8, COUNT = KV_HEADS * ROWS * D_HEAD };

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return GA_ALIGN;
}

static const struct ga_variant variant[] = {{.isa = "scalar",
                                             .packed_bytes = GA_ALIGN,
                                             .scratch_bytes = fake_scratch,
                                             .cache = {.key_panel = KEY_PANEL, .value_stride = VALUE_STRIDE}}};

// The same kept as products of bytes read it: four elements of a key, and four values of a column, side by side.
static const struct ga_variant in_lanes[] = {
    {.isa = "scalar",
     .packed_bytes = GA_ALIGN,
     .scratch_bytes = fake_scratch,
     .cache = {.key_panel = 4, .value_stride = VALUE_STRIDE, .depth = 4, .unit = 4, .sum = 4}}};

#define SHAPE                                                                                      \
    .abi = GA_ABI, .name = "tiny", .d_model = 6, .k_dim = 6, .v_dim = 6, .d_out = 6, .n_heads = 2, \
    .n_kv_heads = KV_HEADS, .d_head = D_HEAD, .n_variants = 1, .q_len = {1, 8}, .cache = ROWS, .kv_len = {1, 8}

static const struct ga_model of_scales = {SHAPE, .variants = variant, .cache_dtype = GA_I8};
static const struct ga_model of_lanes = {SHAPE, .variants = in_lanes, .cache_dtype = GA_I8};

static struct ga_cache *make(const struct ga_model *model)
{
    static _Alignas(GA_ALIGN) unsigned char packed[GA_ALIGN], block[4096];
    const struct ga_loaded loaded = {model, model->variants, packed};
    struct ga_cache *cache = NULL;
    memset(block, 0xFF, sizeof block);
    cr_assert_eq(ga_cache_init(&loaded, 1, ROWS, block, sizeof block, &cache, NULL), GA_OK);
    return cache;
}

// Puts rows in and gets them back, twice: what comes out goes in again as it is.
static void expect_kept_by(const struct ga_model *model, const float rows[COUNT], float kept[COUNT])
{
    struct ga_cache *cache = make(model);
    float keys[COUNT], values[COUNT];
    cr_assert_eq(ga_cache_put(cache, 0, rows, rows, ROWS, ROWS, NULL), GA_OK);
    cr_assert_eq(ga_cache_get(cache, 0, kept, values, ROWS, NULL), GA_OK);
    cr_expect(memcmp(kept, values, sizeof values) == 0, "values are kept as keys are");
    cr_assert_eq(ga_cache_cut(cache, 0, 0, NULL), GA_OK);
    cr_assert_eq(ga_cache_put(cache, 0, kept, values, ROWS, ROWS, NULL), GA_OK);
    cr_assert_eq(ga_cache_get(cache, 0, keys, values, ROWS, NULL), GA_OK);
    cr_expect(memcmp(kept, keys, sizeof keys) == 0, "keys that came out stay");
    cr_expect(memcmp(kept, values, sizeof values) == 0, "values that came out stay");
}

// The same in either order of elements.
static void expect_kept(const float rows[COUNT], float kept[COUNT])
{
    float beside[COUNT];
    expect_kept_by(&of_scales, rows, kept);
    expect_kept_by(&of_lanes, rows, beside);
    cr_expect(memcmp(kept, beside, sizeof beside) == 0, "the order of elements changes no row");
}

Test(cache_scales, a_row_takes_a_byte_each_and_two)
{
    const struct ga_model floats = {SHAPE, .variants = variant, .cache_dtype = GA_F32};
    // Of each head 3 panels of 15 bytes, with one more to whole scales, and 8 values of 4 and 2: to whole lines.
    cr_expect_eq(ga_cache_panel_bytes(&of_scales, &variant->cache), 16);
    cr_expect_eq(ga_cache_panel_bytes(&floats, &variant->cache), 36);
    cr_expect_eq(ga_cache_size(&floats, variant, 1, ROWS) - ga_cache_size(&of_scales, variant, 1, ROWS),
                 KV_HEADS * (128 + 128 - 64 - 64 - 64));
}

// Keys 0 and 4 of the first head are the first columns of panels: scales and sums of four keys, then these.
Test(cache_scales, a_key_in_lanes_has_its_sum_and_zeros_after_its_numbers)
{
    const float rows[COUNT] = {[0] = 127, -2, 5, [4 * D_HEAD] = -127, -3, 0};
    struct ga_cache *cache = make(&of_lanes);
    cr_assert_eq(ga_cache_put(cache, 0, rows, rows, ROWS, ROWS, NULL), GA_OK);
    const unsigned char *panel = (const unsigned char *)ga_cache_keys(cache, 0, 0);
    const size_t bytes = ga_cache_panel_bytes(&of_lanes, &in_lanes->cache), header = 4 * (2 + 4);
    cr_assert_eq(bytes, header + 4 * 4);
    static const int32_t sums[] = {130, -130};
    static const int8_t numbers[][4] = {{127, -2, 5, 0}, {-127, -3, 0, 0}};
    for (size_t i = 0; i < 2; i++) {
        cr_expect(memcmp(panel + i * bytes + 4 * 2, &sums[i], sizeof sums[i]) == 0, "sum of key %zu", 4 * i);
        cr_expect(memcmp(panel + i * bytes + header, numbers[i], sizeof numbers[i]) == 0, "key %zu", 4 * i);
    }
}

static const struct {
    float row[D_HEAD], kept[D_HEAD];
} known[] = {
    {{127, -3, 1}, {127, -3, 1}},
    {{0x1.8p-1F, -127, 0.5F}, {1, -127, 0}}, // of two whole numbers the even one
    {{-254, 3, 1.5F}, {-254, 4, 2}},
    {{0, 0, -0.0F}, {0, 0, 0}},
    {{0x1p-126F, 0x1.8p-126F, -0x1p-128F}, {0x1p-126F, 0x1p-125F, 0}}, // no scale is smaller
    {{0x1.004p0F * 127, 127, 0}, {127, 127, 0}},                       // a scale of 8 bits: 1
    {{0x1.006p6F * 127, 127, 0}, {0x1p6F * 127, 128, 0}},
    {{FLT_MAX, -FLT_MAX, 0}, {0x1.02p121F * 127, -0x1.02p121F * 127, 0}},
};

Test(cache_scales, rows_are_the_nearest_multiples_of_a_scale)
{
    float rows[COUNT], kept[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = known[i / D_HEAD % ROWS].row[i % D_HEAD];
    }
    expect_kept(rows, kept);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect_eq(kept[i], known[i / D_HEAD % ROWS].kept[i % D_HEAD], "row %zu has %a", i / D_HEAD % ROWS,
                     (double)kept[i]);
    }
}

Test(cache_scales, any_number_is_off_by_half_a_scale_at_most)
{
    float rows[COUNT], kept[COUNT];
    uint32_t state = 3;
    for (size_t turn = 0; turn < 200; turn++) {
        for (size_t i = 0; i < COUNT; i++) {
            state = state * 1664525U + 1013904223U;
            rows[i] = ldexpf((float)(state >> 8) - 0x1p23F, (int)(turn % 200) - 120);
        }
        expect_kept(rows, kept);
        for (size_t i = 0; i < COUNT; i++) {
            const float *row = rows + i / D_HEAD * D_HEAD;
            const float most = fmaxf(fabsf(row[0]), fmaxf(fabsf(row[1]), fabsf(row[2])));
            const double scale = fmax((double)most / 127 * (1 + 0x1p-8), 0x1p-126);
            cr_expect_leq(fabs((double)kept[i] - (double)rows[i]), scale / 2 * (1 + 0x1p-20), "%a became %a",
                          (double)rows[i], (double)kept[i]);
        }
    }
}

Test(cache_scales, a_row_that_is_not_finite_is_no_number)
{
    static const float specials[] = {NAN, INFINITY, -INFINITY, -NAN};
    float rows[COUNT], kept[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = i % (2 * D_HEAD) == 1 ? specials[i / 2 / D_HEAD % 4] : 127;
    }
    expect_kept(rows, kept);
    for (size_t i = 0; i < COUNT; i++) {
        cr_expect(i / D_HEAD % 2 == 0 ? isnan(kept[i]) : kept[i] == 127, "%zu is %a", i, (double)kept[i]);
    }
}
