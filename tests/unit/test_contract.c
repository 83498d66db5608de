// test_contract.c: every public call of models, caches, tensors and threads with pointers that are NULL, misaligned,
// out of range, overlapping or another object's. A row a mistake. The pointers of struct ga_io are
// test_call_memory.c's, files test_contract_files.c's.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "contract.h"
#include "fake_parts.h"
#include "pack_file.h"
#include "threads.h"
#include "weights.h"

// -- Models ---------------------------------------------------------------------------------------------------------

enum { D_HEAD = 2, KV_HEADS = 2, CAPACITY = 4, ROWS = 3, ELEMENTS = KV_HEADS * ROWS * D_HEAD };

FAKE_PARTS(parts, 2);

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    return batch * q_len * kv_len * threads * GA_ALIGN;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)scratch;
    io->output[0] = 1;
}

#define VARIANT                                                                                          \
    {                                                                                                    \
        .isa = "scalar", .packed_bytes = 8, .parts = parts, .n_parts = 1, .scratch_bytes = fake_scratch, \
        .run = fake_run, .cache = {                                                                      \
            .key_panel = 4,                                                                              \
            .value_stride = 2                                                                            \
        }                                                                                                \
    }
static const struct ga_variant own[] = {VARIANT}, foreign[] = {VARIANT};
static const struct ga_weight_role roles[] = {{"w", 2, {2, 1}}};

#define MODEL(abi_, variants_)                                                                                       \
    {                                                                                                                \
        .abi = abi_, .name = "tiny", .spec = "return {}", .d_model = 4, .k_dim = 4, .v_dim = 4, .d_out = 4,          \
        .n_heads = KV_HEADS, .n_kv_heads = KV_HEADS, .d_head = D_HEAD, .roles = roles, .n_roles = 1,                 \
        .variants = variants_, .n_variants = 1, .q_len = {1, 8}, .kv_len = {1, 8}, .cache = 8, .cache_dtype = GA_F32 \
    }
static const struct ga_model model = MODEL(GA_ABI, own), old = MODEL(GA_ABI - 1, own);

static _Alignas(GA_ALIGN) unsigned char block[4 * GA_ALIGN], scratch[8 * GA_ALIGN], cache_block[4096];
static float weights[2] = {1, 2}, query[4], output[4];
static const struct ga_weight_view views[] = {{.data = weights, .row_stride = 1, .col_stride = 1}};
static const size_t packed_size = GA_ALIGN + 8;

static const struct ga_loaded *load(void)
{
    const struct ga_loaded *loaded = NULL;
    cr_assert_eq(ga_model_pack(&model, own, views, block, packed_size, &loaded, NULL), GA_OK);
    return loaded;
}

// -- Sizes, names, handles ------------------------------------------------------------------------------------------

Test(contract, answers_for_nothing)
{
    size_t shape[4];
    cr_expect_str_eq(ga_intermediate_name((enum ga_intermediate)99), "?");
    cr_expect_str_eq(ga_intermediate_name((enum ga_intermediate) - 1), "?");
    GIVES(0, ga_intermediate_shape(&model, (enum ga_intermediate)99, 1, 1, 1, shape));
    GIVES(0, ga_intermediate_shape(NULL, GA_SCORES, 1, 1, 1, shape));
    GIVES(0, ga_intermediate_shape(&model, GA_SCORES, 1, 1, 1, NULL));
    GIVES(SIZE_MAX, ga_model_packed_size(NULL));
    GIVES(SIZE_MAX, ga_model_scratch_size(NULL, own, 1, 1, 1, 1));
    GIVES(SIZE_MAX, ga_model_scratch_size(&model, NULL, 1, 1, 1, 1));
    GIVES(SIZE_MAX, ga_model_scratch_size(&model, foreign, 1, 1, 1, 1));
    GIVES(SIZE_MAX, ga_model_scratch_size(&old, own, 1, 1, 1, 1));
    GIVES(SIZE_MAX, ga_cache_size(NULL, own, 1, CAPACITY));
    GIVES(SIZE_MAX, ga_cache_size(&model, NULL, 1, CAPACITY));
    GIVES(SIZE_MAX, ga_cache_size(&model, foreign, 1, CAPACITY));
    GIVES(NULL, ga_loaded_model(NULL));
    GIVES(NULL, ga_loaded_variant(NULL));
    GIVES(NULL, ga_loaded_model(OFF(load(), 4)));
    GIVES(NULL, ga_loaded_variant(OFF(load(), 4)));
    GIVES(0, ga_cache_capacity(NULL));
    GIVES(NULL, ga_cache_lengths(NULL));
    GIVES(NULL, ga_threads_parallel(NULL));
    GIVES(NULL, ga_arena_take(NULL, 1, 1));
    ga_threads_free(NULL);
    ga_block_free(NULL);
    ga_weights_close(NULL);
    ga_pack_close(NULL);
    ga_pack_unmap(NULL);
    cr_expect_str_eq(ga_status_text((enum ga_status)99), ga_status_text((enum ga_status) - 1));
    cr_expect_str_eq(ga_fault_text((enum ga_fault)99), ga_fault_text((enum ga_fault) - 1));
}

Test(contract, tensors_of_nothing)
{
    const size_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const struct ga_tensor deep = {.rank = 9, .dtype = GA_F32}, scalar = {.dtype = GA_F32};
    enum ga_dtype dtype = GA_U8;
    size_t size = 7;
    char text[8];
    GIVES(false, ga_dtype_parse(NULL, &dtype));
    GIVES(false, ga_dtype_parse("F32", NULL));
    GIVES(false, ga_shape_elements(1, NULL, &size));
    GIVES(false, ga_shape_elements(1, shape, NULL));
    GIVES(false, ga_tensor_bytes(NULL, &size));
    GIVES(false, ga_tensor_bytes(&scalar, NULL));
    GIVES(false, ga_tensor_bytes(&deep, &size));
    GIVES(false, ga_tensor_has_shape(NULL, 0, shape));
    GIVES(false, ga_tensor_has_shape(&deep, 1, NULL));
    GIVES(false, ga_tensor_has_shape(&deep, 9, shape));
    GIVES(NULL, ga_shape_text(1, shape, NULL, 8));
    GIVES(NULL, ga_name_text("a", NULL, 8));
    cr_expect_str_eq(ga_shape_text(1, NULL, text, sizeof text), "[]");
    cr_expect_str_eq(ga_name_text(NULL, text, sizeof text), "?");
    cr_expect_eq(dtype, GA_U8);
    cr_expect_eq(size, 7);
}

// -- Packing and running --------------------------------------------------------------------------------------------

Test(contract, packing)
{
    const struct ga_variant *variant = NULL;
    const struct ga_loaded *loaded = NULL;
    const struct ga_weight_view inside[] = {
        {.data = (const float *)(void *)(block + packed_size - 4), .row_stride = 1, .col_stride = 1}};
    const struct ga_weight_view before[] = {
        {.data = (const float *)(void *)(block + GA_ALIGN - 4), .row_stride = 1, .col_stride = 1}};
    const struct ga_weight_view far[] = {{.data = weights, .row_stride = SIZE_MAX / 2, .col_stride = 1}},
                                crooked[] = {{.data = OFF(weights, 1), .row_stride = 1, .col_stride = 1}},
                                none[1] = {{0}};
    const struct ga_weight_view whole_numbers[] = {{.stored = weights, .dtype = GA_I32}};
    const struct ga_weight_view stored[] = {{.stored = block + packed_size - 1, .row_stride = 1, .dtype = GA_BF16}};
    struct ga_weight_view *const within = (struct ga_weight_view *)(void *)block;
    REFUSED(ARGUMENT, "model is NULL", ga_model_variant(NULL, NULL, &variant, &error));
    REFUSED(ARGUMENT, "variant_out is NULL", ga_model_variant(&model, NULL, NULL, &error));
    REFUSED(ARGUMENT, "model is NULL", ga_model_pack(NULL, own, views, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "variant is NULL", ga_model_pack(&model, NULL, views, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "roles is NULL", ga_model_pack(&model, own, NULL, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "block is NULL", ga_model_pack(&model, own, views, NULL, 256, &loaded, &error));
    REFUSED(ARGUMENT, "loaded_out is NULL", ga_model_pack(&model, own, views, block, 256, NULL, &error));
    REFUSED(ARGUMENT, "another model's", ga_model_pack(&model, foreign, views, block, 256, &loaded, &error));
    REFUSED(UNSUPPORTED, "build both anew", ga_model_pack(&old, own, views, block, 256, &loaded, &error));
    REFUSED(ALIGNMENT, "64 bytes", ga_model_pack(&model, own, views, block + 4, 192, &loaded, &error));
    REFUSED(SIZE, "at least 72", ga_model_pack(&model, own, views, block, packed_size - 1, &loaded, &error));
    REFUSED(ARGUMENT, "weight w has no data", ga_model_pack(&model, own, none, block, 256, &loaded, &error));
    REFUSED(DTYPE, "weight w is of type I32; expected F64, F32, F16, BF16 or blocks",
            ga_model_pack(&model, own, whole_numbers, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "overlaps weight w", ga_model_pack(&model, own, stored, block, 256, &loaded, &error));
    REFUSED(ALIGNMENT, "weight w is not", ga_model_pack(&model, own, crooked, block, 256, &loaded, &error));
    REFUSED(OVERFLOW, "strides of weight w", ga_model_pack(&model, own, far, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "overlaps weight w", ga_model_pack(&model, own, inside, block, 256, &loaded, &error));
    REFUSED(ARGUMENT, "overlaps weight w", ga_model_pack(&model, own, before, block, 256, &loaded, &error));
    within[0] = views[0];
    REFUSED(ARGUMENT, "overlaps roles", ga_model_pack(&model, own, within, block, 256, &loaded, &error));
    REFUSED(ALIGNMENT, "roles is not", ga_model_pack(&model, own, OFF(views, 4), block, 256, &loaded, &error));
    cr_expect_null(loaded);
    const struct ga_weight_view after[] = {
        {.data = (const float *)(void *)(block + packed_size), .row_stride = 1, .col_stride = 1}};
    cr_expect_eq(ga_model_pack(&model, own, after, block, 256, &loaded, NULL), GA_OK);
}

Test(contract, running)
{
    struct ga_cache *cache = NULL;
    const struct ga_loaded *loaded = load();
    const struct ga_loaded empty = {0}, unpacked = {&model, own, NULL}, mixed = {&model, foreign, block + GA_ALIGN},
                           aged = {&old, own, block + GA_ALIGN};
    cr_assert_eq(ga_cache_init(loaded, 1, CAPACITY, cache_block, sizeof cache_block, &cache, NULL), GA_OK);
    const struct ga_parallel *const crooked = OFF(&(struct ga_parallel){.threads = 1}, 4);
    struct ga_io io = {.batch = 1, .q_len = 1, .query = query, .output = output, .cache = cache};
    REFUSED(ARGUMENT, "loaded is NULL", ga_model_run(NULL, &io, scratch, sizeof scratch, &error));
    REFUSED(ALIGNMENT, "loaded is not", ga_model_run(OFF(loaded, 4), &io, scratch, sizeof scratch, &error));
    REFUSED(ARGUMENT, "holds no weights", ga_model_run(&empty, &io, scratch, sizeof scratch, &error));
    REFUSED(ARGUMENT, "holds no weights", ga_model_run(&unpacked, &io, scratch, sizeof scratch, &error));
    REFUSED(ARGUMENT, "another model's", ga_model_run(&mixed, &io, scratch, sizeof scratch, &error));
    REFUSED(UNSUPPORTED, "build both anew", ga_model_run(&aged, &io, scratch, sizeof scratch, &error));
    REFUSED(ARGUMENT, "io is NULL", ga_model_run(loaded, NULL, scratch, sizeof scratch, &error));
    REFUSED(ALIGNMENT, "io is not", ga_model_run(loaded, OFF(&io, 4), scratch, sizeof scratch, &error));
    REFUSED(ARGUMENT, "scratch is NULL", ga_model_run(loaded, &io, NULL, sizeof scratch, &error));
    REFUSED(ALIGNMENT, "scratch is not", ga_model_run(loaded, &io, scratch + 8, sizeof scratch - 8, &error));
    REFUSED(SIZE, "scratch is 63 bytes", ga_model_run(loaded, &io, scratch, GA_ALIGN - 1, &error));
    io.parallel = crooked;
    REFUSED(ALIGNMENT, "parallel is not", ga_model_run(loaded, &io, scratch, sizeof scratch, &error));
    io.parallel = &(struct ga_parallel){.threads = GA_MAX_THREADS + 1};
    REFUSED(ARGUMENT, "parallel->threads is out", ga_model_run(loaded, &io, scratch, sizeof scratch, &error));
    io.parallel = &(struct ga_parallel){.threads = 1};
    REFUSED(ARGUMENT, "parallel->run is NULL", ga_model_run(loaded, &io, scratch, sizeof scratch, &error));
    cr_expect_eq(output[0], 0, "a refused call ran");
    io.parallel = NULL;
    cr_expect_eq(ga_model_run(loaded, &io, scratch, sizeof scratch, NULL), GA_OK);
}

// -- A cache --------------------------------------------------------------------------------------------------------

Test(contract, making_a_cache)
{
    struct ga_cache *cache = NULL;
    const struct ga_loaded *loaded = load();
    const struct ga_loaded empty = {0}, inside = {&model, own, cache_block + GA_ALIGN};
    const size_t size = ga_cache_size(&model, own, 1, CAPACITY);
    struct ga_loaded *const copied = (struct ga_loaded *)(void *)(cache_block + GA_ALIGN);
    *copied = *loaded;
    REFUSED(ARGUMENT, "loaded is NULL", ga_cache_init(NULL, 1, CAPACITY, cache_block, size, &cache, &error));
    REFUSED(ARGUMENT, "holds no weights", ga_cache_init(&empty, 1, CAPACITY, cache_block, size, &cache, &error));
    REFUSED(ARGUMENT, "cache_out is NULL", ga_cache_init(loaded, 1, CAPACITY, cache_block, size, NULL, &error));
    REFUSED(ARGUMENT, "is NULL", ga_cache_init(loaded, 1, CAPACITY, NULL, size, &cache, &error));
    REFUSED(ALIGNMENT, "64 bytes", ga_cache_init(loaded, 1, CAPACITY, cache_block + 4, size, &cache, &error));
    REFUSED(SIZE, "at least", ga_cache_init(loaded, 1, CAPACITY, cache_block, size - 1, &cache, &error));
    REFUSED(ARGUMENT, "batch is 0", ga_cache_init(loaded, 0, CAPACITY, cache_block, size, &cache, &error));
    REFUSED(ARGUMENT, "expected 1..8", ga_cache_init(loaded, 1, 9, cache_block, size, &cache, &error));
    REFUSED(OVERFLOW, "fit in memory", ga_cache_init(loaded, SIZE_MAX / 8, 8, cache_block, size, &cache, &error));
    REFUSED(ARGUMENT, "overlaps the packed", ga_cache_init(&inside, 1, CAPACITY, cache_block, size, &cache, &error));
    REFUSED(ARGUMENT, "overlaps the handle", ga_cache_init(copied, 1, CAPACITY, cache_block, size, &cache, &error));
    cr_expect_null(cache);
}

#define PUT(...) ga_cache_put(__VA_ARGS__, &error)
#define GET(...) ga_cache_get(__VA_ARGS__, &error)

Test(contract, rows_of_a_cache)
{
    static float keys[2 * ELEMENTS], values[ELEMENTS + 1];
    static _Alignas(GA_ALIGN) unsigned char zeros[GA_ALIGN * 4];
    struct ga_cache *cache = NULL, *const nothing = (struct ga_cache *)(void *)zeros;
    float *const in_cache = (float *)(void *)(cache_block + ga_cache_size(&model, own, 1, CAPACITY) - sizeof(float));
    const size_t huge = SIZE_MAX / (KV_HEADS * D_HEAD * sizeof(float)) + 2; // wraps to a few bytes
    cr_assert_eq(ga_cache_init(load(), 1, CAPACITY, cache_block, sizeof cache_block, &cache, NULL), GA_OK);
    REFUSED(ARGUMENT, "cache is NULL", ga_cache_cut(NULL, 0, 0, &error));
    REFUSED(ALIGNMENT, "cache is not", ga_cache_cut(OFF(cache, 4), 0, 0, &error));
    REFUSED(ARGUMENT, "cache is none", ga_cache_cut(nothing, 0, 0, &error));
    REFUSED(ARGUMENT, "sequence is 1", ga_cache_cut(cache, 1, 0, &error));
    REFUSED(ARGUMENT, "length is 1", ga_cache_cut(cache, 0, 1, &error));
    REFUSED(ARGUMENT, "cache is NULL", PUT(NULL, 0, keys, values, ROWS, 1));
    REFUSED(ALIGNMENT, "cache is not", PUT(OFF(cache, 4), 0, keys, values, ROWS, 1));
    REFUSED(ARGUMENT, "cache is none", PUT(nothing, 0, keys, values, ROWS, 1));
    REFUSED(ARGUMENT, "sequence is 1", PUT(cache, 1, keys, values, ROWS, 1));
    REFUSED(ARGUMENT, "keys is NULL", PUT(cache, 0, NULL, values, ROWS, 1));
    REFUSED(ARGUMENT, "values is NULL", PUT(cache, 0, keys, NULL, ROWS, 1));
    REFUSED(ALIGNMENT, "keys is not", PUT(cache, 0, OFF(keys, 2), values, ROWS, 1));
    REFUSED(ALIGNMENT, "values is not", PUT(cache, 0, keys, OFF(values, 1), ROWS, 1));
    REFUSED(OVERFLOW, "do not fit", PUT(cache, 0, keys, values, huge, 1));
    REFUSED(ARGUMENT, "overlaps keys", PUT(cache, 0, in_cache, values, ROWS, 1));
    REFUSED(ARGUMENT, "overlaps values", PUT(cache, 0, keys, in_cache, ROWS, 1));
    REFUSED(ARGUMENT, "too few", PUT(cache, 0, keys, values, ROWS, ROWS + 1));
    REFUSED(ARGUMENT, "cache is NULL", GET(NULL, 0, keys, values, ROWS));
    REFUSED(ARGUMENT, "cache is none", GET(nothing, 0, keys, values, ROWS));
    REFUSED(ARGUMENT, "sequence is 1", GET(cache, 1, keys, values, ROWS));
    REFUSED(ARGUMENT, "keys is NULL", GET(cache, 0, NULL, values, ROWS));
    REFUSED(ALIGNMENT, "values is not", GET(cache, 0, keys, OFF(values, 2), ROWS));
    REFUSED(OVERFLOW, "do not fit", GET(cache, 0, keys, values, huge));
    REFUSED(ARGUMENT, "overlaps keys", GET(cache, 0, in_cache, values, ROWS));
    REFUSED(ARGUMENT, "keys overlaps values", GET(cache, 0, keys, keys + ELEMENTS - 1, ROWS));
    cr_expect_eq(ga_cache_put(cache, 0, keys, keys, ROWS, 2, NULL), GA_OK);
    cr_expect_eq(ga_cache_put(cache, 0, NULL, NULL, 0, 0, NULL), GA_OK);
    REFUSED(ARGUMENT, "too few", GET(cache, 0, keys, values, 1));
    REFUSED(SIZE, "with room for 4", PUT(cache, 0, keys, values, ROWS, ROWS));
    *(int32_t *)(uintptr_t)ga_cache_lengths(cache) = -1;
    REFUSED(ARGUMENT, "it is damaged", PUT(cache, 0, keys, values, ROWS, 1));
    REFUSED(ARGUMENT, "it is damaged", GET(cache, 0, keys, values, ROWS));
}

// -- Threads --------------------------------------------------------------------------------------------------------

Test(contract, pools)
{
    struct ga_threads *pool = NULL;
    REFUSED(ARGUMENT, "threads_out is NULL", ga_threads_new(2, NULL, &error));
    REFUSED(ARGUMENT, "expected 1..1024", ga_threads_new(0, &pool, &error));
    REFUSED(ARGUMENT, "expected 1..1024", ga_threads_new(GA_MAX_THREADS + 1, &pool, &error));
    cr_expect_null(pool);
}
