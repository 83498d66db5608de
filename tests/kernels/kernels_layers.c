// kernels_layers.c: the fact that the attention that a whole model gives of its layers, over their own rows, over what
// a decoder attends to besides, and of a transformer's encoder, is what the generic kernel gives, zeros where there is
// padding, and the same bits in any batch, on any threads, and asked for alone; that the output does not change for it.
// What else a whole model gives is kernels_stack.c's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/backwards.h"
#include "support/reference.h"
#include "support/reference_rounded.h"

static const double LAYERS_BUDGET = 3e7;

static const char *const lists[N_REFERENCE_WEIGHTS] = {
    [REFERENCE_OWN] = "layer_attention",
    [REFERENCE_CROSS] = "layer_cross_attention",
    [REFERENCE_SOURCE] = "src_layer_attention",
};

// Layers whose weights of that kind the model gives.
static size_t layers_of(const struct ga_model *model, enum reference_weights which)
{
    const struct ga_stack *stack = which == REFERENCE_SOURCE ? model->encoder : model->stack;
    const bool given = stack && (which == REFERENCE_CROSS ? stack->cross_attention : stack->attention);
    return given ? stack->n_layers : 0;
}

// The attention of each layer in a call.
struct maps {
    enum reference_weights which;
    size_t layers, rows, keys, count; // floats of one: [batch][n_heads][rows][keys]
    struct guard *given;              // [layers]
    float **list;                     // of struct ga_io
};

static void drop_maps(struct maps *maps)
{
    for (size_t l = 0; maps->given && l < maps->layers; l++) {
        guard_drop(&maps->given[l]);
    }
    free(maps->given);
    free(maps->list);
}

// Points the call at a list; NULL: at none.
static void point(struct call *call, enum reference_weights which, float *const *list)
{
    float *const **field[] = {&call->io.layer_attention, &call->io.layer_cross_attention,
                              &call->io.src_layer_attention};
    *field[which] = list;
}

// Makes room for the attention of every layer, or where `only` is one of them of that, and points the call at it.
static bool make_maps(struct maps *maps, struct call *call, enum reference_weights which, size_t only)
{
    const struct shape *shape = &call->shape;
    const size_t layers = layers_of(call->model, which);
    *maps = (struct maps){.which = which,
                          .layers = layers,
                          .rows = which == REFERENCE_SOURCE ? shape->kv_len : shape->q_len,
                          .keys = which == REFERENCE_OWN ? shape->q_len : shape->kv_len};
    maps->count = shape->batch * call->model->n_heads * maps->rows * maps->keys;
    maps->given = calloc(layers, sizeof *maps->given);
    maps->list = calloc(layers, sizeof *maps->list);
    bool ok = maps->given && maps->list;
    for (size_t l = 0; ok && l < layers; l++) {
        if (only >= layers || l == only) {
            ok = guard_make(&maps->given[l], maps->count * sizeof(float), sizeof(float), GUARD_AT_END);
            maps->list[l] = maps->given[l].data;
        }
    }
    point(call, which, maps->list);
    return ok;
}

static bool run_maps(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                     const struct maps *maps)
{
    bool ok = call_run(call, checks, subject, v);
    for (size_t l = 0; ok && l < maps->layers; l++) {
        ok = !maps->given[l].data ||
             checks_need(checks, guard_intact(&maps->given[l]), "wrote outside %s[%zu]", lists[maps->which], l);
    }
    return ok;
}

static void expect_bits(struct checks *checks, const char *what, const char *list, size_t layer, const float *got,
                        const float *wanted, size_t count)
{
    const size_t at = approx_first_difference(got, wanted, count);
    checks_that(checks, at == count, "%s, %s[%zu]: element %zu is %.9g, expected the bits of %.9g", what, list, layer,
                at, at < count ? (double)got[at] : 0, at < count ? (double)wanted[at] : 0);
}

// -- Against the generic kernel -------------------------------------------------------------------------------------

static void expect_generic(struct checks *checks, const struct subject *subject, const struct call *call,
                           const struct maps *maps, size_t layer)
{
    double *exact = malloc(maps->count * sizeof *exact);
    float *plain = malloc(maps->count * sizeof *plain);
    if (checks_need(checks,
                    exact && plain &&
                        reference_layer_f64(call->model, subject->roles, &call->io, maps->which, layer, exact) &&
                        reference_layer_f32(call->model, subject->roles, &call->io, maps->which, layer, plain),
                    "no memory")) {
        const struct approx found =
            approx_layer(maps->list[layer], exact, maps->count, approx_error(plain, exact, maps->count),
                         reference_step(call->model), 0);
        checks_that(checks, found.ok, "%s[%zu]: element %zu is %.9g, expected %.9g (largest error %.3g, allowed %.3g)",
                    lists[maps->which], layer, found.at, found.got, found.expected, found.error, found.limit);
    }
    free(exact);
    free(plain);
}

// -- Padding --------------------------------------------------------------------------------------------------------

// Rows of padding are zeros, and so are what real rows give to keys of padding.
static void expect_padded(struct checks *checks, const struct call *call, const struct maps *maps, size_t layer)
{
    const size_t rows = maps->rows, keys = maps->keys, heads = call->model->n_heads;
    const float *row = maps->list[layer];
    for (size_t at = 0; at < maps->count / keys; at++, row += keys) {
        const size_t b = at / (heads * rows), q_rows = call_q_rows(call, b), kv_rows = call_kv_rows(call, b);
        const size_t real = maps->which == REFERENCE_SOURCE ? kv_rows : q_rows;
        size_t key = at % rows >= real ? 0 : maps->which == REFERENCE_OWN ? q_rows : kv_rows;
        while (key < keys && row[key] == 0) {
            key++;
        }
        checks_that(checks, key == keys, "%s[%zu]: row %zu gives padding, key %zu, %.9g", lists[maps->which], layer, at,
                    key, key < keys ? (double)row[key] : 0);
    }
}

// -- Among themselves -----------------------------------------------------------------------------------------------

// Makes room for all that the model gives of its layers; all_out are to be dropped in any case.
static bool make_all(struct maps all_out[N_REFERENCE_WEIGHTS], struct call *call)
{
    bool ok = true;
    for (size_t w = 0; w < N_REFERENCE_WEIGHTS; w++) {
        all_out[w] = (struct maps){0};
        ok = ok && (layers_of(call->model, (enum reference_weights)w) == 0 ||
                    make_maps(&all_out[w], call, (enum reference_weights)w, SIZE_MAX));
    }
    return ok;
}

// On seven threads, all that the model gives of its layers together, and without output.
static void compare_threads(struct checks *checks, const struct subject *subject, size_t v, const struct call *call,
                            const struct maps *wanted)
{
    static const struct ga_parallel parallel = {.threads = 7, .run = run_backwards};
    struct call other = *call;
    struct maps all[N_REFERENCE_WEIGHTS];
    const struct maps *maps = &all[wanted->which];
    if (checks_need(checks, make_all(all, &other), "no memory")) {
        other.io.parallel = &parallel;
        other.io.output = NULL;
        const bool ok = run_maps(checks, subject, v, &other, maps);
        for (size_t l = 0; ok && l < maps->layers; l++) {
            expect_bits(checks, "on seven threads", lists[maps->which], l, maps->list[l], wanted->list[l],
                        wanted->count);
        }
    }
    for (size_t w = 0; w < N_REFERENCE_WEIGHTS; w++) {
        drop_maps(&all[w]);
    }
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
    if (checks_need(checks, make_maps(&maps, &alone, wanted->which, SIZE_MAX), "no memory") &&
        run_maps(checks, subject, v, &alone, &maps)) {
        for (size_t l = 0; l < maps.layers; l++) {
            expect_bits(checks, "of a sequence alone", lists[maps.which], l, maps.list[l],
                        wanted->list[l] + b * maps.count, maps.count);
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
    if (checks_need(checks, make_maps(&maps, &other, wanted->which, layer), "no memory") &&
        run_maps(checks, subject, v, &other, &maps)) {
        const char *list = lists[maps.which];
        expect_bits(checks, "of one layer", list, layer, maps.list[layer], wanted->list[layer], maps.count);
        expect_bits(checks, "output beside", list, layer, other.io.output, output,
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

static void compare_kind(struct checks *checks, const struct subject *subject, size_t v, struct call *call,
                         enum reference_weights which)
{
    struct call asked = *call;
    struct maps maps;
    if (checks_need(checks, make_maps(&maps, &asked, which, SIZE_MAX), "no memory") &&
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

static void compare_maps(struct checks *checks, const struct subject *subject, struct call *call)
{
    for (size_t v = 0; v < subject->n_loaded; v++) {
        for (size_t w = 0; w < N_REFERENCE_WEIGHTS; w++) {
            if (layers_of(call->model, (enum reference_weights)w) > 0) {
                compare_kind(checks, subject, v, call, (enum reference_weights)w);
            }
        }
    }
}

bool kernels_for_layers(const struct ga_model *model)
{
    return model->stack != NULL && (model->stack->attention || model->stack->cross_attention);
}

void a_stack_gives_the_attention_of_its_layers(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, LAYERS_BUDGET, compare_maps);
}
