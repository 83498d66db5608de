// kernels_layers.c: the fact that the attention that a whole model gives of its layers is what the generic kernel
// gives, zeros where there is padding, and the same bits in any batch, on any threads, and asked for alone; that the
// output does not change for it. What else a whole model gives is kernels_stack.c's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/reference.h"

static const double LAYERS_BUDGET = 3e7;

// The attention of each layer in a call.
struct maps {
    size_t layers, count; // floats of one: [batch][n_heads][q_len][q_len]
    struct guard *given;  // [layers]
    float **list;         // io.layer_attention
};

static void drop_maps(struct maps *maps)
{
    for (size_t l = 0; maps->given && l < maps->layers; l++) {
        guard_drop(&maps->given[l]);
    }
    free(maps->given);
    free(maps->list);
}

// Makes room for the attention of every layer, or where `only` is one of them of that, and points the call at it.
static bool make_maps(struct maps *maps, struct call *call, size_t only)
{
    const struct shape *shape = &call->shape;
    const size_t layers = call->model->stack->n_layers;
    *maps = (struct maps){.layers = layers, .count = shape->batch * call->model->n_heads * shape->q_len * shape->q_len};
    maps->given = calloc(layers, sizeof *maps->given);
    maps->list = calloc(layers, sizeof *maps->list);
    bool ok = maps->given && maps->list;
    for (size_t l = 0; ok && l < layers; l++) {
        if (only >= layers || l == only) {
            ok = guard_make(&maps->given[l], maps->count * sizeof(float), sizeof(float), GUARD_AT_END);
            maps->list[l] = maps->given[l].data;
        }
    }
    call->io.layer_attention = maps->list;
    return ok;
}

static bool run_maps(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                     const struct maps *maps)
{
    bool ok = call_run(call, checks, subject, v);
    for (size_t l = 0; ok && l < maps->layers; l++) {
        ok = !maps->given[l].data ||
             checks_need(checks, guard_intact(&maps->given[l]), "wrote outside layer_attention[%zu]", l);
    }
    return ok;
}

static void expect_bits(struct checks *checks, const char *what, size_t layer, const float *got, const float *wanted,
                        size_t count)
{
    const size_t at = approx_first_difference(got, wanted, count);
    checks_that(checks, at == count, "%s, layer %zu: element %zu is %.9g, expected the bits of %.9g", what, layer, at,
                at < count ? (double)got[at] : 0, at < count ? (double)wanted[at] : 0);
}

// -- Against the generic kernel -------------------------------------------------------------------------------------

struct generic {
    double *exact, *rows;
    float *plain, *plain_rows;
};

static bool make_generic(struct generic *generic, const struct maps *maps, size_t outputs)
{
    *generic = (struct generic){
        .exact = calloc(maps->count, sizeof(double)),
        .rows = calloc(outputs, sizeof(double)),
        .plain = calloc(maps->count, sizeof(float)),
        .plain_rows = calloc(outputs, sizeof(float)),
    };
    return generic->exact && generic->rows && generic->plain && generic->plain_rows;
}

static void drop_generic(struct generic *generic)
{
    free(generic->exact);
    free(generic->rows);
    free(generic->plain);
    free(generic->plain_rows);
}

// The attention of a layer is that of the last one of a stack that ends there.
static bool ask_generic(struct generic *generic, const struct subject *subject, const struct call *call, size_t layer)
{
    struct ga_stack stack = *call->model->stack;
    struct ga_model model = *call->model;
    model.stack = &stack;
    stack.n_layers = layer + 1;
    return reference_f64(&model, subject->roles, &call->io, generic->rows, generic->exact) &&
           reference_f32(&model, subject->roles, &call->io, generic->plain_rows, generic->plain);
}

static void expect_generic(struct checks *checks, const struct subject *subject, const struct call *call,
                           const struct maps *maps, size_t layer)
{
    struct generic generic;
    if (checks_need(checks,
                    make_generic(&generic, maps, call->shape.batch * call_out_elements(call)) &&
                        ask_generic(&generic, subject, call, layer),
                    "no memory")) {
        const struct approx found = approx_layer(maps->list[layer], generic.plain, generic.exact, maps->count, 0);
        checks_that(checks, found.ok,
                    "attention of layer %zu: element %zu is %.9g, expected %.9g (largest error %.3g, allowed %.3g)",
                    layer, found.at, found.got, found.expected, found.error, found.limit);
    }
    drop_generic(&generic);
}

// -- Padding --------------------------------------------------------------------------------------------------------

// Rows of padding are zeros, and so are what real rows give to keys of padding.
static void expect_padded(struct checks *checks, const struct call *call, const struct maps *maps, size_t layer)
{
    const size_t q_len = call->shape.q_len, heads = call->model->n_heads;
    const float *row = maps->list[layer];
    for (size_t at = 0; at < maps->count / q_len; at++, row += q_len) {
        const size_t real = call_q_rows(call, at / (heads * q_len)), seen = at % q_len < real ? real : 0;
        size_t key = seen;
        while (key < q_len && row[key] == 0) {
            key++;
        }
        checks_that(checks, key == q_len, "attention of layer %zu: row %zu gives padding, key %zu, %.9g", layer, at,
                    key, key < q_len ? (double)row[key] : 0);
    }
}

// -- Among themselves -----------------------------------------------------------------------------------------------

static void run_backwards(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    (void)self;
    while (parts > 0) {
        task(context, --parts);
    }
}

// On seven threads, and without output.
static void compare_threads(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                            const struct maps *wanted)
{
    static const struct ga_parallel parallel = {.threads = 7, .run = run_backwards};
    struct call other = *call;
    struct maps maps;
    if (checks_need(checks, make_maps(&maps, &other, SIZE_MAX), "no memory")) {
        other.io.parallel = &parallel;
        other.io.output = NULL;
        const bool ok = run_maps(checks, subject, v, &other, &maps);
        for (size_t l = 0; ok && l < maps.layers; l++) {
            expect_bits(checks, "attention on seven threads", l, maps.list[l], wanted->list[l], wanted->count);
        }
    }
    drop_maps(&maps);
}

// Sequence b in a call of its own.
static void compare_alone(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                          const struct maps *wanted, size_t b)
{
    struct shape shape = call->shape;
    struct call alone;
    struct maps maps = {0};
    shape.batch = 1;
    if (!checks_need(checks, call_make(&alone, call->model, &shape, GUARD_AT_START), "no memory for the call")) {
        return;
    }
    call_copy_sequence(&alone, 0, call, b);
    if (checks_need(checks, make_maps(&maps, &alone, SIZE_MAX), "no memory") &&
        run_maps(checks, subject, v, &alone, &maps)) {
        for (size_t l = 0; l < maps.layers; l++) {
            expect_bits(checks, "attention of a sequence alone", l, maps.list[l], wanted->list[l] + b * maps.count,
                        maps.count);
        }
    }
    drop_maps(&maps);
    call_drop(&alone);
}

// One layer asked for alone: the same bits, and those of the output without any.
static void compare_one(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                        const struct maps *wanted, const float *output, size_t layer)
{
    struct call other = *call;
    struct maps maps;
    if (checks_need(checks, make_maps(&maps, &other, layer), "no memory") &&
        run_maps(checks, subject, v, &other, &maps)) {
        expect_bits(checks, "attention of one layer", layer, maps.list[layer], wanted->list[layer], maps.count);
        expect_bits(checks, "output beside attention", layer, other.io.output, output,
                    call->shape.batch * call_out_elements(call));
    }
    drop_maps(&maps);
}

static void compare_each(struct checks *checks, const struct subject *subject, size_t v, struct call *plain,
                         const struct maps *wanted)
{
    const size_t count = plain->shape.batch * call_out_elements(plain);
    float *output = malloc(count * sizeof *output);
    if (checks_need(checks, output != NULL, "no memory") && call_run(plain, checks, subject, v)) {
        memcpy(output, plain->io.output, count * sizeof *output);
        for (size_t l = 0; l < wanted->layers; l++) {
            compare_one(checks, subject, v, plain, wanted, output, l);
        }
    }
    free(output);
}

// -- The fact -------------------------------------------------------------------------------------------------------

static void compare_maps(struct checks *checks, const struct subject *subject, struct call *call)
{
    for (size_t v = 0; v < subject->n_loaded; v++) {
        struct call asked = *call;
        struct maps maps;
        if (checks_need(checks, make_maps(&maps, &asked, SIZE_MAX), "no memory") &&
            run_maps(checks, subject, v, &asked, &maps)) {
            for (size_t l = 0; l < maps.layers; l++) {
                expect_generic(checks, subject, call, &maps, l);
                expect_padded(checks, call, &maps, l);
            }
            compare_threads(checks, subject, v, call, &maps);
            for (size_t b = 0; call->model->batch == 0 && b < call->shape.batch; b++) {
                compare_alone(checks, subject, v, call, &maps, b);
            }
            compare_each(checks, subject, v, call, &maps);
        }
        drop_maps(&maps);
    }
}

bool kernels_for_layers(const struct ga_model *model)
{
    return model->stack != NULL && model->stack->attention;
}

void a_stack_gives_the_attention_of_its_layers(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, LAYERS_BUDGET, compare_maps);
}
