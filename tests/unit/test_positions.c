// test_positions.c: what a call may say of where its sequences start, and what the kernels see of it. Runs no kernel.
#include <criterion/criterion.h>
#include <string.h>

#include "arena.h"
#include "fake_parts.h"
#include "model.h"

enum { BATCH = 2, Q_LEN = 3, KV_LEN = 5, D_MODEL = 4, POSITIONS = 10, SCRATCH = 64 };

static struct ga_io seen;

FAKE_PARTS(parts, 1);

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    return batch + q_len + kv_len + threads > 0 ? SCRATCH : 0;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed;
    seen = *io;
    memset(scratch, 0, SCRATCH);
}

static const struct ga_variant variant[] = {
    {.isa = "scalar", .packed_bytes = 4, .parts = parts, .n_parts = 1, .scratch_bytes = fake_scratch, .run = fake_run}};
static const struct ga_weight_role roles[] = {{"q_bias", 1, {1}}};

#define SHAPE                                                                                                       \
    .abi = GA_ABI, .name = "tiny", .d_model = D_MODEL, .k_dim = D_MODEL, .v_dim = D_MODEL, .d_out = D_MODEL,        \
    .n_heads = 2, .n_kv_heads = 2, .d_head = 2, .roles = roles, .n_roles = 1, .variants = variant, .n_variants = 1, \
    .q_len = {1, 8}, .kv_len = {1, 8}

static const struct ga_model rotary = {
    SHAPE, .rope = {.layout = GA_ROPE_HALF_SPLIT, .theta = 10000, .rotary_dim = 2, .positions = POSITIONS}};
static const struct ga_model plain = {SHAPE};

static float query[BATCH * Q_LEN * D_MODEL], key[BATCH * KV_LEN * D_MODEL], output[BATCH * Q_LEN * D_MODEL];
static const int32_t latest[BATCH] = {0, POSITIONS - Q_LEN}, late[BATCH] = {0, POSITIONS - Q_LEN + 1};
static const int32_t early[BATCH] = {-1, 0}, late_keys[BATCH] = {POSITIONS - KV_LEN + 1, 0};

#define SELF .batch = BATCH, .q_len = Q_LEN, .query = query, .output = output
#define CROSS SELF, .kv_len = KV_LEN, .key = key

static enum ga_status run(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    static _Alignas(GA_ALIGN) unsigned char scratch[SCRATCH + 2 * GA_ALIGN], block[GA_ALIGN + 4];
    static const float bias[] = {0.5f};
    static const struct ga_weight_view views[] = {{.data = bias, .row_stride = 1}};
    const struct ga_loaded *loaded = NULL;
    cr_assert_eq(ga_model_pack(model, variant, views, block, sizeof block, &loaded, NULL), GA_OK);
    *error = (struct ga_error){.status = GA_OK};
    return ga_model_run(loaded, io, scratch, sizeof scratch, error);
}

Test(positions, keys_start_where_their_queries_do_in_self_attention)
{
    struct ga_error error;
    cr_assert_eq(run(&rotary, &(struct ga_io){SELF, .position = latest}, &error), GA_OK, "%s", error.text);
    cr_assert(memcmp(seen.position, latest, sizeof latest) == 0 &&
              memcmp(seen.kv_position, latest, sizeof latest) == 0);
    cr_assert_eq(run(&rotary, &(struct ga_io){CROSS, .position = latest}, &error), GA_OK, "%s", error.text);
    cr_assert(memcmp(seen.position, latest, sizeof latest) == 0 && seen.kv_position == NULL);
}

Test(positions, a_place_that_is_none_is_refused_by_name)
{
    static const struct {
        const struct ga_model *model;
        struct ga_io io;
        enum ga_status status;
        const char *text;
    } refused[] = {
        {&plain,
         {SELF, .position = latest},
         GA_UNSUPPORTED,
         "generated without rotary positions; set rope in the spec"},
        {&plain, {SELF, .kv_position = latest}, GA_UNSUPPORTED, "generated without rotary positions"},
        {&rotary, {SELF, .position = early}, GA_ARGUMENT, "position[0] is -1; expected 0..7"},
        {&rotary, {SELF, .position = late}, GA_ARGUMENT, "position[1] is 8; expected 0..7"},
        {&rotary, {CROSS, .kv_position = late_keys}, GA_ARGUMENT, "kv_position[0] is 6; expected 0..5"},
        {&rotary, {SELF, .position = (const int32_t *)(const void *)output}, GA_ARGUMENT, "output overlaps position"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ga_error error;
        cr_expect_eq(run(refused[i].model, &refused[i].io, &error), refused[i].status, "%s", refused[i].text);
        cr_expect_not_null(strstr(error.text, refused[i].text), "%s: %s", refused[i].text, error.text);
    }
}
