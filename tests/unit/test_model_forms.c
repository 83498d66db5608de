// test_model_forms.c: what a call to a model of another form than a layer of one width must pass: rows of several
// widths, attention alone, masks of a layer and of a transformer, a decoder's tokens, intermediates. The kernel does
// nothing; test_model_run.c has what all calls share.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "model.h"
#include "watch.h"

enum { BATCH = 2, LEN = 3, WIDE = 6 };

static int runs; // how often the kernel was called

static size_t fake_scratch(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch, (void)q_len, (void)kv_len, (void)threads;
    return GA_ALIGN;
}

static void fake_run(const void *packed, const struct ga_io *io, void *scratch)
{
    (void)packed, (void)io, (void)scratch;
    runs++;
}

static const struct ga_variant variant[] = {{.isa = "scalar", .scratch_bytes = fake_scratch, .run = fake_run}};

#define COMMON .abi = GA_ABI, .variants = variant, .n_variants = 1, .q_len = {1, 8}, .kv_len = {1, 8}, .n_heads = 2
static const struct ga_model sides = {
    COMMON,     .name = "sides", .d_model = 4, .n_kv_heads = 2, .d_head = 2,
    .k_dim = 6, .v_dim = 5,      .d_out = 3,   .d_v = 2,        .intermediates = {[GA_SCORES] = true}};
static const struct ga_model alone = {COMMON,      .name = "alone", .kind = GA_SDPA, .d_model = 4, .n_kv_heads = 1,
                                      .d_head = 2, .k_dim = 2,      .v_dim = 3,      .d_out = 6,   .d_v = 3};
static const struct ga_stack stack = {.n_layers = 1};
static const struct ga_model both = {COMMON,
                                     .name = "both",
                                     .kind = GA_TRANSFORMER,
                                     .d_model = 4,
                                     .n_kv_heads = 2,
                                     .d_head = 2,
                                     .k_dim = 4,
                                     .v_dim = 4,
                                     .d_out = 4,
                                     .d_v = 2,
                                     .mask = GA_MASK_ADDITIVE,
                                     .stack = &stack,
                                     .encoder = &stack};
static const struct ga_model reader = {
    COMMON,     .name = "reader", .kind = GA_DECODER, .d_model = 4,    .n_kv_heads = 2, .d_head = 2,    .k_dim = 4,
    .v_dim = 4, .d_out = 4,       .d_v = 2,           .vocab_size = 5, .lengths = true, .stack = &stack};

static const struct ga_stack giving = {.n_layers = 1, .attention = true, .cross_attention = true};
static const struct ga_model giver = {COMMON,       .name = "giver",  .kind = GA_TRANSFORMER,
                                      .d_model = 4, .n_kv_heads = 2,  .d_head = 2,
                                      .k_dim = 4,   .v_dim = 4,       .d_out = 4,
                                      .d_v = 2,     .stack = &giving, .encoder = &giving};

static const struct ga_stack recalling = {.n_layers = 1, .memory_mask = GA_MASK_BOOL};
static const struct ga_stack adding = {.n_layers = 1, .memory_mask = GA_MASK_ADDITIVE};
#define RECALL \
    COMMON, .kind = GA_DECODER, .d_model = 4, .n_kv_heads = 2, .d_head = 2, .k_dim = 4, .v_dim = 4, .d_out = 4, .d_v = 2
static const struct ga_model recaller = {RECALL, .name = "recaller", .stack = &recalling};
static const struct ga_model adder = {RECALL, .name = "adder", .stack = &adding};

static const struct ga_stack joining = {.sublayer = true};
static const struct ga_model joined = {COMMON,     .name = "joined", .kind = GA_ENCODER, .d_model = 4,     .k_dim = 4,
                                       .v_dim = 4, .d_out = 4,       .lengths = true,    .stack = &joining};

#define LAYER COMMON, .d_model = 4, .n_kv_heads = 2, .d_head = 2, .k_dim = 4, .v_dim = 4, .d_out = 4, .d_v = 2
static const struct ga_model bare = {LAYER, .name = "bare"};
static const struct ga_model masked = {LAYER, .name = "masked", .mask = GA_MASK_BOOL};
static const struct ga_model added = {LAYER, .name = "added", .mask = GA_MASK_ADDITIVE};
static const struct ga_model chosen = {LAYER, .name = "chosen",
                                       .arithmetic_choices = 1U << GA_ARITHMETIC_F32 | 1U << GA_ARITHMETIC_INT8};
static const struct ga_model shown = {LAYER, .name = "shown", .weights_dtype = GA_STORAGE_INT4};
static void show_nothing(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    (void)self, (void)roles, (void)n_roles, (void)x, (void)stride, (void)rows;
}
static const struct ga_watch watch = {show_nothing, NULL}, blind = {NULL, NULL};
static const enum ga_arithmetic bytes_of_v[GA_LINEARS] = {[GA_LINEAR_V] = GA_ARITHMETIC_INT8};
static const enum ga_arithmetic pairs_of_o[GA_LINEARS] = {[GA_LINEAR_O] = GA_ARITHMETIC_I16};
static const enum ga_arithmetic none_of_k[GA_LINEARS] = {[GA_LINEAR_K] = GA_ARITHMETICS};

static float query[BATCH * LEN * WIDE], key[BATCH * LEN * WIDE], value[BATCH * LEN * WIDE], output[BATCH * LEN * WIDE];
static float scores[BATCH * 2 * LEN * LEN];
static const float unfit[] = {0, 0, 0, 0, -INFINITY, INFINITY, 0, 0, 0}; // [LEN][LEN]
static const float with_nan[] = {0, 0, 0, 0, 0, 0, 0, NAN, 0};           // [LEN][LEN]
static const uint8_t bytes[BATCH * 2 * LEN * LEN];
static float memory[BATCH * 8 * 4];
static const int32_t ids[BATCH * LEN] = {4, 0, -1, 1, 7, 9}; // of which rows 2 and 1 are real
static const int32_t id_lengths[BATCH] = {2, 1}, memory_lengths[BATCH] = {8, 7};
static _Alignas(GA_ALIGN) unsigned char scratch[16 * GA_ALIGN], block[GA_ALIGN];

#define SELF .batch = BATCH, .q_len = LEN, .query = query, .output = output
#define CALL .batch = BATCH, .q_len = LEN, .kv_len = LEN, .query = query, .output = output
static float weights[BATCH * 2 * LEN * LEN];
static float *const list[] = {weights};
#define BOTH CALL, .key = key
#define READ .batch = BATCH, .q_len = LEN, .kv_len = 8, .tokens = ids, .key = memory, .output = output
static const struct {
    const struct ga_model *model;
    struct ga_io io;
    enum ga_status status;
    const char *text; // NULL: it passes
} calls[] = {
    {&sides, {CALL, .key = key, .value = value, .intermediates = {[GA_SCORES] = scores}}, GA_OK, NULL},
    {&sides,
     {.batch = BATCH, .q_len = LEN, .query = query, .output = output},
     GA_ARGUMENT,
     "sides: key is NULL; expected [batch][kv_len][k_dim], as the query's rows have another width (d_model)"},
    {&sides,
     {CALL, .key = key},
     GA_ARGUMENT,
     "sides: value is NULL; expected [batch][kv_len][v_dim], as the rows of key have another width (k_dim)"},
    {&sides,
     {CALL, .key = key, .value = value, .intermediates = {[GA_Q_PROJ] = scores}},
     GA_UNSUPPORTED,
     "sides: q_proj is given, but the model was generated without that output; list it in the spec's outputs"},
    {&sides,
     {CALL, .key = key, .value = value, .intermediates = {[GA_SCORES] = output + 1}},
     GA_ARGUMENT,
     "sides: output overlaps scores; expected memory of its own"},
    {&sides,
     {CALL, .key = key, .value = value, .intermediates = {[GA_SCORES] = value}},
     GA_ARGUMENT,
     "sides: scores overlaps value; expected memory of its own"},
    {&giver, {BOTH, .layer_cross_attention = list}, GA_OK, NULL},
    {&giver, {BOTH, .src_layer_attention = list}, GA_OK, NULL},
    {&giver,
     {.batch = BATCH, .q_len = LEN, .kv_len = LEN, .query = query, .key = key, .src_layer_attention = list},
     GA_OK,
     NULL},
    {&giver,
     {CALL, .memory = memory, .src_layer_attention = list},
     GA_ARGUMENT,
     "giver: src_layer_attention is given, but key and key_tokens are both NULL; expected the source, without which "
     "the encoder does not run"},
    {&both,
     {BOTH, .class_logits = scores},
     GA_UNSUPPORTED,
     "both: class_logits is given, but the model was generated without classifier.labels; set it in the spec"},
    {&sides,
     {CALL, .key = key, .value = value, .class_logits = scores},
     GA_UNSUPPORTED,
     "sides: class_logits is given, but the model is one attention layer"},
    {&both,
     {BOTH, .layer_cross_attention = list},
     GA_UNSUPPORTED,
     "both: layer_cross_attention is given, but the model was generated without; list cross_attention in the spec's "
     "outputs"},
    {&both,
     {BOTH, .src_layer_attention = list},
     GA_UNSUPPORTED,
     "both: src_layer_attention is given, but the model was generated without; list attention in the spec's outputs"},
    {&reader,
     {READ, .src_layer_attention = list},
     GA_UNSUPPORTED,
     "reader: src_layer_attention is given, but the model is not a transformer, which has a source"},
    {&joined,
     {SELF, .sublayer = key, .layer_cross_attention = list},
     GA_UNSUPPORTED,
     "joined: layer_cross_attention is given, but an encoder's layers attend to their own rows alone"},
    {&bare,
     {SELF, .layer_cross_attention = list},
     GA_UNSUPPORTED,
     "bare: layer_cross_attention or src_layer_attention is given, but the model is one attention layer, which has "
     "attention"},
    {&alone, {CALL, .key = key, .value = value}, GA_OK, NULL},
    {&alone,
     {.batch = BATCH, .q_len = LEN, .key = key, .value = value, .output = output, .kv_len = LEN},
     GA_ARGUMENT,
     "alone: query is NULL; expected [batch][n_heads][q_len][d_head]"},
    {&alone,
     {.batch = BATCH, .q_len = LEN, .kv_len = LEN, .query = query, .key = key, .value = value},
     GA_ARGUMENT,
     "alone: output is NULL; expected room for [batch][n_heads][q_len][d_v]"},
    {&both, {CALL, .key = key, .additive_mask = scores, .src_additive_mask = scores}, GA_OK, NULL},
    {&both,
     {CALL, .key = key, .src_additive_mask = unfit, .src_mask_strides = {0, 0, LEN, 1}},
     GA_ARGUMENT,
     "both: src_additive_mask[0][0][1][2] is inf; expected finite numbers or -inf"},
    {&both,
     {CALL, .key = key, .src_mask = bytes},
     GA_UNSUPPORTED,
     "both: src_mask is given, but the model was generated without mask.tensor \"bool\"; set it in the spec"},
    {&both,
     {CALL, .key = key, .src_additive_mask = scores, .src_mask_strides = {0, 0, 0, 2}},
     GA_ARGUMENT,
     "both: src_mask_strides[3] is more than 1; expected contiguous keys, or 0 for one element that is used for all "
     "keys"},
    {&both,
     {CALL, .key = key, .src_additive_mask = output},
     GA_ARGUMENT,
     "both: output overlaps src_additive_mask; expected memory of its own"},
    {&recaller, {BOTH, .memory_mask = bytes, .memory_mask_strides = {0, 0, LEN, 1}}, GA_OK, NULL},
    {&adder, {BOTH, .memory_additive_mask = scores, .memory_mask_strides = {LEN, 0, 0, 1}}, GA_OK, NULL},
    {&adder,
     {BOTH, .memory_additive_mask = unfit, .memory_mask_strides = {0, 0, LEN, 1}},
     GA_ARGUMENT,
     "adder: memory_additive_mask[0][0][1][2] is inf; expected finite numbers or -inf"},
    {&adder,
     {BOTH, .memory_mask = bytes},
     GA_UNSUPPORTED,
     "adder: memory_mask is given, but the model was generated without mask.memory \"bool\"; set it in the spec"},
    {&recaller,
     {BOTH, .memory_additive_mask = scores},
     GA_UNSUPPORTED,
     "recaller: memory_additive_mask is given, but the model was generated without mask.memory \"additive\"; set it in "
     "the spec"},
    {&recaller,
     {BOTH, .memory_mask = bytes, .memory_mask_strides = {0, 0, 0, 2}},
     GA_ARGUMENT,
     "recaller: memory_mask_strides[3] is more than 1; expected contiguous keys, or 0 for one element that is used "
     "for all keys"},
    {&recaller,
     {BOTH, .memory_mask = bytes, .memory_mask_strides = {SIZE_MAX / 2, 0, 0, 1}},
     GA_OVERFLOW,
     "recaller: memory_mask_strides reach beyond memory"},
    {&adder,
     {BOTH, .memory_additive_mask = output},
     GA_ARGUMENT,
     "adder: output overlaps memory_additive_mask; expected memory of its own"},
    {&joined,
     {SELF, .sublayer = key, .memory_mask = bytes},
     GA_UNSUPPORTED,
     "joined: memory_mask is given, but the model attends to nothing besides its rows"},
    {&bare,
     {SELF, .memory_additive_mask = scores},
     GA_UNSUPPORTED,
     "bare: memory_additive_mask is given, but the model attends to nothing besides its rows"},
    {&reader, {READ, .q_lengths = id_lengths, .kv_lengths = memory_lengths}, GA_OK, NULL},
    {&reader, {READ, .q_lengths = id_lengths}, GA_OK, NULL},
    {&reader, {READ, .kv_lengths = id_lengths}, GA_ARGUMENT, "reader: tokens[0][2] is -1; expected 0..4"},
    {&joined, {SELF, .sublayer = value, .q_lengths = id_lengths}, GA_OK, NULL},
    {&joined, {SELF, .sublayer = query}, GA_OK, NULL},
    {&joined,
     {SELF},
     GA_ARGUMENT,
     "joined: sublayer is NULL; expected [batch][q_len][d_model], what is added to the rows of query"},
    {&joined, {SELF, .sublayer = output}, GA_ARGUMENT, "joined: output overlaps sublayer; expected memory of its own"},
    {&reader,
     {READ, .sublayer = value},
     GA_UNSUPPORTED,
     "reader: sublayer is given, but the model was generated without; set sublayer in the spec"},
    {&bare, {SELF, .sublayer = value}, GA_UNSUPPORTED, "bare: sublayer is given, but the model is one attention layer"},
    {&sides,
     {CALL, .key = key, .value = value, .src_mask = bytes},
     GA_UNSUPPORTED,
     "sides: src_mask is given, but the model is not a transformer"},
    {&masked, {SELF, .mask = bytes, .mask_strides = {2 * LEN * LEN, LEN *LEN, LEN, 1}}, GA_OK, NULL},
    {&added, {SELF, .additive_mask = scores, .mask_strides = {0, 0, LEN, 1}}, GA_OK, NULL},
    {&bare,
     {SELF, .mask = bytes},
     GA_UNSUPPORTED,
     "bare: mask is given, but the model was generated without mask.tensor \"bool\"; set it in the spec"},
    {&masked,
     {SELF, .mask = bytes, .mask_strides = {0, 0, 0, 2}},
     GA_ARGUMENT,
     "masked: mask_strides[3] is more than 1; expected contiguous keys, or 0 for one element that is used for all "
     "keys"},
    {&masked,
     {SELF, .mask = bytes, .mask_strides = {SIZE_MAX / 2, 0, 0, 1}},
     GA_OVERFLOW,
     "masked: mask_strides reach beyond memory"},
    {&added,
     {SELF, .additive_mask = output + BATCH * LEN * 4 - 1, .mask_strides = {0, 0, 0, 1}},
     GA_ARGUMENT,
     "added: output overlaps additive_mask; expected memory of its own"},
    {&masked,
     {SELF, .mask = (const uint8_t *)output + 5},
     GA_ARGUMENT,
     "masked: output overlaps mask; expected memory of its own"},
    {&added,
     {SELF, .additive_mask = with_nan, .mask_strides = {0, 0, LEN, 1}},
     GA_ARGUMENT,
     "added: additive_mask[0][0][2][1] is nan; expected finite numbers or -inf"},
    {&added,
     {SELF, .additive_mask = unfit + LEN, .mask_strides = {0, 0, 0, 1}},
     GA_ARGUMENT,
     "added: additive_mask[0][0][0][2] is inf; expected finite numbers or -inf"},
    {&shown, {SELF, .watch = &watch}, GA_OK, NULL},
    {&shown, {SELF, .watch = &blind}, GA_ARGUMENT, "shown: watch->show is NULL; expected a function"},
    {&bare,
     {SELF, .watch = &watch},
     GA_UNSUPPORTED,
     "bare: watch is given, but rows are shown by models alone whose weights_dtype is \"int8\" or \"int4\""},
    {&chosen, {SELF, .arithmetic = bytes_of_v}, GA_OK, NULL},
    {&chosen,
     {SELF, .arithmetic = pairs_of_o},
     GA_ARGUMENT,
     "chosen: arithmetic[3] is 2; expected one whose bit arithmetic_choices has (0x9)"},
    {&chosen,
     {SELF, .arithmetic = none_of_k},
     GA_ARGUMENT,
     "chosen: arithmetic[1] is 4; expected one whose bit arithmetic_choices has (0x9)"},
    {&bare,
     {SELF, .arithmetic = bytes_of_v},
     GA_UNSUPPORTED,
     "bare: arithmetic is given, but the model's linears have theirs; set dtype to \"any\" in the spec"},
};

Test(model_forms, calls_pass_or_say_which_tensor_is_wrong)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct ga_error error = {.text = ""};
        const struct ga_loaded *loaded = NULL;
        runs = 0;
        cr_assert_eq(ga_model_pack(calls[i].model, variant, NULL, block, sizeof block, &loaded, &error), GA_OK, "%s",
                     error.text);
        const enum ga_status status = ga_model_run(loaded, &calls[i].io, scratch, sizeof scratch, &error);
        cr_expect_eq(status, calls[i].status, "call %zu: status %d: %s", i, (int)status, error.text);
        cr_expect_eq(runs, calls[i].status == GA_OK ? 1 : 0, "call %zu: the kernel ran %d times", i, runs);
        if (calls[i].text) {
            cr_expect_str_eq(error.text, calls[i].text, "call %zu says: %s", i, error.text);
        }
    }
}

Test(model_forms, an_intermediate_has_a_name_and_a_shape)
{
    size_t shape[4];
    cr_expect_str_eq(ga_intermediate_name(GA_X_CONCAT), "x_concat");
    cr_expect_eq(ga_intermediate_shape(&sides, GA_X_CONCAT, 5, 3, 7, shape), 3);
    cr_expect(shape[0] == 5 && shape[1] == 3 && shape[2] == 4);
    cr_expect_eq(ga_intermediate_shape(&sides, GA_K_HEADS, 5, 3, 7, shape), 4);
    cr_expect(shape[0] == 5 && shape[1] == 2 && shape[2] == 7 && shape[3] == 2);
    cr_expect_eq(ga_intermediate_shape(&sides, GA_SCORES, 5, 3, 7, shape), 4);
    cr_expect(shape[1] == 2 && shape[2] == 3 && shape[3] == 7);
}
