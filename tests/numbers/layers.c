// layers.c: the error of whole layers and stacks, and of one projection, against double precision, beside that of the
// generic kernel in float. One call of each model; tests of kernels have the many.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "numbers.h"
#include "support/reference.h"

static const struct ga_model *model_called(const char *name)
{
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (strcmp(ga_test_models[m]->name, name) == 0) {
            return ga_test_models[m];
        }
    }
    fprintf(stderr, "numbers: this build has no model %s\n", name);
    return NULL;
}

static size_t elements(const struct ga_weight_role *role)
{
    return role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
}

// A measurement of one model: a subject and a call, or an empty one where there is no memory.
struct bench {
    struct checks checks;
    struct subject subject;
    struct call call;
    bool ok;
};

static void set_up(struct bench *bench, const char *name, const struct shape *shape, weight_fill *fill)
{
    const struct ga_model *model = model_called(name);
    bench->checks = checks_new("numbers", 1);
    bench->ok = false;
    if (model && subject_make(&bench->subject, &bench->checks, model, fill, false) &&
        call_make(&bench->call, model, shape, GUARD_AT_END)) {
        call_fill(&bench->call);
        bench->ok = true;
    }
}

static void tear_down(struct bench *bench)
{
    if (bench->ok) {
        call_drop(&bench->call);
        subject_drop(&bench->subject);
    }
    if (bench->checks.failed > 0) {
        fprintf(stderr, "numbers:%s\n", bench->checks.messages);
    }
}

static const char *isa_of(const struct bench *bench, size_t v)
{
    return ga_loaded_variant(bench->subject.loaded[v])->isa;
}

// -- Products -------------------------------------------------------------------------------------------------------

// One key, so that its value is the row of heads; an output projection that changes nothing. What comes out is the
// projection of values, rounded as the kernel left it.
static void weights_of_values(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                              float *data)
{
    weights_random(rng, model, role, data);
    if (role->name[0] != 'o') {
        return;
    }
    memset(data, 0, elements(role) * sizeof *data);
    for (size_t row = 0; role->rank == 2 && row < role->shape[0]; row++) {
        data[row * role->shape[1] + row] = 1;
    }
}

enum { PRODUCT_ROWS = 16 };

// The largest error of x times the value weights in eps of the sum of what is added, without signs; got NULL: that of
// a float with one running sum.
static double product_error(const struct bench *bench, const float *got)
{
    const struct ga_model *model = bench->subject.model;
    const struct ga_weight_view *weight = reference_role(model, bench->subject.roles, "v_weight");
    const struct ga_weight_view *bias = reference_role(model, bench->subject.roles, "v_bias");
    const size_t width = model->d_model;
    double most = 0;
    for (size_t at = 0; at < PRODUCT_ROWS * width; at++) {
        const float *x = bench->call.io.query + at / width * width, *w = weight->data + at % width * width;
        double exact = (double)bias->data[at % width], size = fabs(exact);
        float plain = 0;
        for (size_t k = 0; k < width; k++) {
            exact += (double)x[k] * (double)w[k];
            size += fabs((double)x[k] * (double)w[k]);
            plain += x[k] * w[k];
        }
        const float found = got ? got[at] : plain + bias->data[at % width];
        most = numbers_larger(most, fabs((double)found - exact) / ((double)FLT_EPSILON * size));
    }
    return most;
}

bool numbers_products(void)
{
    static struct bench bench;
    const struct shape shape = {.batch = PRODUCT_ROWS, .q_len = 1, .kv_len = 1, .form = FORM_SELF, .seed = 1};
    set_up(&bench, "d_head_15_120_8", &shape, weights_of_values);
    bool ok = bench.ok;
    for (size_t v = 0; ok && v < bench.subject.n_loaded; v++) {
        ok = call_run(&bench.call, &bench.checks, &bench.subject, v);
        numbers_print("product", isa_of(&bench, v), product_error(&bench, bench.call.io.output));
    }
    if (ok) {
        numbers_print("product", "generic", product_error(&bench, NULL));
    }
    tear_down(&bench);
    return ok;
}

// -- Layers ---------------------------------------------------------------------------------------------------------

enum { LAYER_ROWS = 70, SEEDS = 6 };
static const char *const LAYERS[] = {"d_head_15_120_8", "odd_33_3", "rotary_57_6", "bert_48_4", "llama_45_3"};

// Sums over all elements of all calls, in columns: each instruction set, then the generic kernel in float.
struct squares {
    double errors[MAX_VARIANTS + 1], exact;
};

static void add_squares(struct squares *squares, size_t column, const float *got, const double *exact, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        squares->errors[column] += ((double)got[i] - exact[i]) * ((double)got[i] - exact[i]);
        squares->exact += column == MAX_VARIANTS ? exact[i] * exact[i] : 0;
    }
}

static bool measure_call(struct bench *bench, struct squares *squares)
{
    struct expected expected = {0};
    const size_t count = call_out_elements(&bench->call);
    bool ok = expected_make(&expected, &bench->subject, &bench->call);
    for (size_t v = 0; ok && v < bench->subject.n_loaded; v++) {
        ok = call_run(&bench->call, &bench->checks, &bench->subject, v);
        add_squares(squares, v, bench->call.io.output, expected.output, count);
    }
    if (ok) {
        add_squares(squares, MAX_VARIANTS, expected.output_f32, expected.output, count);
        expected_drop(&expected);
    }
    return ok;
}

// The root of the errors' mean square in parts of that of the outputs.
static void print_layer(const char *row, const struct bench *bench, const struct squares *squares)
{
    for (size_t v = 0; v < bench->subject.n_loaded; v++) {
        numbers_print(row, isa_of(bench, v), sqrt(squares->errors[v] / squares->exact));
    }
    numbers_print(row, "generic", sqrt(squares->errors[MAX_VARIANTS] / squares->exact));
}

static bool measure_layer(const char *name)
{
    static struct bench bench;
    const struct ga_model *model = model_called(name);
    const size_t rows = model ? shapes_clamp(&model->q_len, LAYER_ROWS) : 0;
    struct shape shape = {.batch = 1, .q_len = rows, .kv_len = rows, .form = FORM_SELF};
    struct squares squares = {{0}, 0};
    char row[CHECKS_SUBJECT];
    bool ok = model != NULL;
    snprintf(row, sizeof row, "layer_%s", name);
    for (shape.seed = 1; ok && shape.seed <= SEEDS; shape.seed++) {
        set_up(&bench, name, &shape, weights_random);
        ok = bench.ok && measure_call(&bench, &squares);
        if (ok && shape.seed == SEEDS) {
            print_layer(row, &bench, &squares);
        }
        tear_down(&bench);
    }
    return ok;
}

bool numbers_layers(void)
{
    bool ok = true;
    for (size_t i = 0; i < sizeof LAYERS / sizeof *LAYERS; i++) {
        ok = measure_layer(LAYERS[i]) && ok;
    }
    return ok;
}
