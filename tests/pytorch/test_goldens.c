// test_goldens.c: models fed with weights under each name map, against what PyTorch made of the same weights. Knows
// nothing of kernels; shapes and masks beyond these few are test_kernels.c's.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../demo/formula.h"
#include "arena.h"
#include "cpu.h"
#include "load.h"
#include "model.h"
#include "weights.h"

extern const struct ga_model golden_maps_model;   // tests/specs/golden_maps.lua
extern const struct ga_model golden_causal_model; // tests/specs/golden_causal.lua

enum { D = 48, H = 3, MAX_BATCH = 3, MAX_LENGTH = 16, MAX_TENSORS = 8 };
enum { LIMIT = 9459, SHARP = 18918, INPUT = 114688 }; // r of the formula, as in tests/pytorch/cases.py
enum { QUERY = 40, KEY = 41, VALUE = 42 };            // tensor numbers of the inputs

// assert_close's own for float32.
static const double relative = 1.3e-6;
static const double absolute = 1e-5;

// -- Weights files, one for each map --------------------------------------------------------------------------------

struct tensor {
    const char *name; // NULL ends a table
    size_t rank, shape[2];
    uint32_t r;
};

struct layout {
    const char *name; // the map's, and the first part of its tensors' names in the goldens
    const struct ga_model *model;
    uint32_t first; // tensor number of tensors[0]
    struct tensor tensors[MAX_TENSORS + 1];
};

#define FOUR_LINEARS(q, k, v, o, weight)                                                                \
    {                                                                                                   \
        {q "." weight, 2, {D, D}, SHARP}, {q ".bias", 1, {D}, LIMIT}, {k "." weight, 2, {D, D}, SHARP}, \
            {k ".bias", 1, {D}, LIMIT}, {v "." weight, 2, {D, D}, LIMIT}, {v ".bias", 1, {D}, LIMIT},   \
            {o "." weight, 2, {D, D}, LIMIT}, {o ".bias", 1, {D}, LIMIT},                               \
    }

static const struct layout w_o = {"w_o", &golden_maps_model, 0, FOUR_LINEARS("w_q", "w_k", "w_v", "w_o", "weight")};
static const struct layout w_concat = {"w_concat", &golden_maps_model, 8,
                                       FOUR_LINEARS("w_q", "w_k", "w_v", "w_concat", "weight")};
static const struct layout proj = {"proj", &golden_maps_model, 16,
                                   FOUR_LINEARS("q_proj", "k_proj", "v_proj", "out_proj", "weight")};
static const struct layout torch_mha = {
    "torch_mha",
    &golden_maps_model,
    24,
    {
        {"in_proj_weight", 2, {3 * D, D}, SHARP},
        {"in_proj_bias", 1, {3 * D}, LIMIT},
        {"out_proj.weight", 2, {D, D}, LIMIT},
        {"out_proj.bias", 1, {D}, LIMIT},
    },
};
static const struct layout custom = {"custom", &golden_causal_model, 28,
                                     FOUR_LINEARS("query", "key", "value", "output", "kernel")};

static size_t elements_of(const struct tensor *tensor)
{
    return tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1);
}

static float *formula_values(size_t count, uint32_t tensor, uint32_t r)
{
    float *values = ga_block_new(count * sizeof *values);
    cr_assert_not_null(values);
    formula_fill(values, count, tensor, r);
    return values;
}

// Writes the layout's tensors as a file, opens it and removes it again.
static struct ga_weights *weights_file(const struct layout *layout)
{
    struct ga_tensor tensors[MAX_TENSORS];
    struct ga_error error;
    float *values[MAX_TENSORS];
    size_t count = 0;
    for (; layout->tensors[count].name; count++) {
        const struct tensor *tensor = &layout->tensors[count];
        values[count] = formula_values(elements_of(tensor), layout->first + (uint32_t)count, tensor->r);
        tensors[count] =
            (struct ga_tensor){tensor->name, GA_F32, tensor->rank, {tensor->shape[0], tensor->shape[1]}, values[count]};
    }
    char folder[] = "/tmp/goldens-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char path[64];
    snprintf(path, sizeof path, "%s/weights.safetensors", folder);
    cr_assert_eq(ga_weights_write(path, tensors, count, &error), GA_OK, "%s", error.text);
    struct ga_weights *weights = NULL;
    cr_assert_eq(ga_weights_open(path, &weights, &error), GA_OK, "%s", error.text);
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(folder), 0);
    for (size_t i = 0; i < count; i++) {
        ga_block_free(values[i]);
    }
    return weights;
}

// -- Calls ----------------------------------------------------------------------------------------------------------

struct call {
    const char *name;            // second part of its tensors' names in the goldens
    size_t batch, q_len, kv_len; // kv_len 0: self-attention
    bool q_ragged, kv_ragged;
    int32_t q_lengths[MAX_BATCH], kv_lengths[MAX_BATCH];
};

static const struct call calls[] = {
    {.name = "full", .batch = 2, .q_len = 7},
    {.name = "longest", .batch = 1, .q_len = 16},
    {.name = "ragged", .batch = 3, .q_len = 7, .q_ragged = true, .q_lengths = {7, 4, 1}},
    {.name = "cross", .batch = 2, .q_len = 5, .kv_len = 11},
    {.name = "cross_ragged",
     .batch = 2,
     .q_len = 5,
     .kv_len = 11,
     .q_ragged = true,
     .kv_ragged = true,
     .q_lengths = {5, 3},
     .kv_lengths = {6, 11}},
};

enum { N_CALLS = sizeof calls / sizeof calls[0] };

// An input by the formula; rows past a length are NaN, which must not be seen.
static float *input(const struct call *call, size_t length, uint32_t tensor, const int32_t *lengths)
{
    float *values = formula_values(call->batch * length * D, tensor, INPUT);
    for (size_t b = 0; lengths && b < call->batch; b++) {
        for (size_t i = (size_t)lengths[b] * D; i < length * D; i++) {
            values[b * length * D + i] = NAN;
        }
    }
    return values;
}

static size_t keys_of(const struct call *call)
{
    return call->kv_len ? call->kv_len : call->q_len;
}

static size_t compare(const float *actual, const float *expected, size_t count, double *largest_out)
{
    size_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)actual[i] - (double)expected[i]);
        beyond += !(difference <= absolute + relative * fabs((double)expected[i])); // NaN is beyond
        *largest_out = fmax(*largest_out, difference);
    }
    return beyond;
}

static void expect_golden(const struct ga_weights *goldens, const char *map, const char *call, const char *isa,
                          const struct ga_tensor *result)
{
    char name[96], found[64];
    snprintf(name, sizeof name, "%s.%s.%s", map, call, result->name);
    const struct ga_tensor *golden = ga_weights_find(goldens, name);
    cr_assert_not_null(golden, "no golden %s", name);
    cr_assert(ga_tensor_has_shape(golden, result->rank, result->shape), "golden %s has shape %s", name,
              ga_shape_text(golden->rank, golden->shape, found, sizeof found));
    size_t count = 0;
    double largest = 0.0;
    cr_assert(ga_shape_elements(result->rank, result->shape, &count));
    size_t beyond = compare(result->data, golden->data, count, &largest);
    cr_expect_eq(beyond, 0, "%s on %s: %zu of %zu elements off, by up to %g", name, isa, beyond, count, largest);
}

struct session {
    const struct layout *layout;
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
    const struct ga_weights *goldens;
};

static void run_call(const struct session *session, const struct call *call)
{
    const struct ga_model *model = session->layout->model;
    const int32_t *q_lengths = call->q_ragged ? call->q_lengths : NULL;
    const int32_t *kv_lengths = call->kv_ragged ? call->kv_lengths : NULL;
    size_t kv_len = keys_of(call), scores = call->batch * H * call->q_len * kv_len;
    size_t scratch_size = ga_model_scratch_size(model, session->variant, call->batch, call->q_len, kv_len, 1);
    void *scratch = ga_block_new(scratch_size);
    float *query = input(call, call->q_len, QUERY, q_lengths);
    float *key = call->kv_len ? input(call, kv_len, KEY, kv_lengths) : NULL;
    float *value = call->kv_len ? input(call, kv_len, VALUE, kv_lengths) : NULL;
    float *output = ga_block_new(call->batch * call->q_len * D * sizeof *output);
    float *attention = ga_block_new(scores * sizeof *attention);
    struct ga_io io = {.batch = call->batch,
                       .q_len = call->q_len,
                       .kv_len = call->kv_len,
                       .query = query,
                       .key = key,
                       .value = value,
                       .q_lengths = q_lengths,
                       .kv_lengths = kv_lengths,
                       .output = output,
                       .attention = attention};
    struct ga_error error;
    cr_assert_eq(ga_model_run(session->loaded, &io, scratch, scratch_size, &error), GA_OK, "%s", error.text);
    expect_golden(session->goldens, session->layout->name, call->name, session->variant->isa,
                  &(struct ga_tensor){"output", GA_F32, 3, {call->batch, call->q_len, D}, output});
    expect_golden(session->goldens, session->layout->name, call->name, session->variant->isa,
                  &(struct ga_tensor){"attention", GA_F32, 4, {call->batch, H, call->q_len, kv_len}, attention});
    void *blocks[] = {scratch, query, key, value, output, attention};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        ga_block_free(blocks[i]);
    }
}

// Loads the layout's file (map named, or found by what fits) and runs every call on one instruction set.
static void run_variant(struct session *session, struct ga_weights *weights, const char *map)
{
    const struct ga_model *model = session->layout->model;
    struct ga_weight_view views[MAX_TENSORS];
    struct ga_error error;
    size_t size = ga_model_packed_size(session->variant);
    void *block = ga_block_new(size);
    cr_assert_not_null(block);
    cr_assert_leq(model->n_roles, MAX_TENSORS);
    cr_assert_eq(ga_load_views(model, weights, map, views, &error), GA_OK, "%s", error.text);
    cr_assert_eq(ga_model_pack(model, session->variant, views, block, size, &session->loaded, &error), GA_OK, "%s",
                 error.text);
    for (size_t c = 0; c < N_CALLS; c++) {
        run_call(session, &calls[c]);
    }
    ga_block_free(block);
}

static void check_layout(const struct layout *layout)
{
    struct ga_weights *weights = weights_file(layout), *goldens = NULL;
    struct ga_error error;
    size_t ran = 0;
    (void)ga_cpu_allow_amx();
    cr_assert_eq(ga_weights_open("tests/pytorch/goldens.safetensors", &goldens, &error), GA_OK, "%s", error.text);
    for (size_t v = 0; v < layout->model->n_variants; v++) {
        struct session session = {.layout = layout, .goldens = goldens};
        const char *isa = layout->model->variants[v].isa;
        if (ga_model_variant(layout->model, isa, &session.variant, &error) == GA_CPU) {
            printf("skipped: %s on %s (this CPU lacks it)\n", layout->name, isa);
            continue;
        }
        run_variant(&session, weights, layout->name);
        run_variant(&session, weights, NULL);
        ran++;
    }
    cr_expect_gt(ran, 0, "this CPU runs none of the instruction sets in the build");
    ga_weights_close(goldens);
    ga_weights_close(weights);
}

Test(goldens, w_o)
{
    check_layout(&w_o);
}

Test(goldens, w_concat)
{
    check_layout(&w_concat);
}

Test(goldens, proj)
{
    check_layout(&proj);
}

Test(goldens, torch_mha)
{
    check_layout(&torch_mha);
}

Test(goldens, custom_transposed_causal)
{
    check_layout(&custom);
}

Test(goldens, another_map_than_the_files_names_its_missing_tensor)
{
    struct ga_weights *weights = weights_file(&w_concat);
    struct ga_weight_view views[MAX_TENSORS];
    struct ga_error error;
    cr_expect_eq(ga_load_views(&golden_maps_model, weights, "w_o", views, &error), GA_MISSING);
    cr_expect_not_null(strstr(error.text, "w_o.weight"), "%s", error.text);
    ga_weights_close(weights);
}

// The same values are read by formula_test.lua and formula.py.
Test(goldens, formula_gives_the_agreed_integers)
{
    unsigned tensor, r;
    size_t i, lines = 0;
    int k;
    FILE *file = fopen("tests/pytorch/formula_values.txt", "r");
    cr_assert_not_null(file);
    while (fscanf(file, "%u %zu %u %d", &tensor, &i, &r, &k) == 4) {
        cr_expect_eq(formula_integer(tensor, i, r), k, "tensor %u, element %zu, r %u", tensor, i, r);
        lines++;
    }
    fclose(file);
    cr_expect_eq(lines, 48);
}
