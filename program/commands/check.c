// check.c: the command `check`: what the model gives held against a file of expected tensors, by name.
// Every tensor of the file is compared; one the model does not give is an error, never passed over.
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "compare.h"
#include "model_call.h"
#include "weights_options.h"

enum { INPUT = GA_OPTIONS_LOADING, EXPECTED, RTOL, ATOL, EQUAL_NAN, ISA, THREADS };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file of the inputs, as run takes them"},
    [EXPECTED] = {"expected", "FILE", NULL, true, "safetensors file of the expected outputs"},
    [RTOL] = {"rtol", "R", "1.3e-6", false, "allowed difference, relative to the expected value"},
    [ATOL] = {"atol", "A", "1e-5", false, "allowed absolute difference, added to it"},
    [EQUAL_NAN] = {"equal-nan", NULL, NULL, false, "two NaNs in one place are equal"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "A value agrees where |found - expected| <= A + R * |expected|, as in torch.testing.assert_close;",
    "a NaN agrees with nothing unless --equal-nan is given. Expected tensors are F32, F64, F16 or BF16.",
    "Only tensors of the expected file are compared, and all of them.",
    NULL,
};

static const char *const examples[] = {
    "check --weights w.safetensors --input in.safetensors --expected e.safetensors",
    "check --weights w.safetensors --input in.safetensors --expected e.safetensors --rtol 1e-4 --atol 0",
    NULL,
};

// -- The expected file ----------------------------------------------------------------------------------------------

static enum ga_exit check_name(const struct ga_context *context, const struct ga_weights *file,
                               const struct ga_tensor *tensor)
{
    const enum ga_output output = ga_output_called(tensor->name, strlen(tensor->name));
    if (output != GA_OUTPUTS && ga_has_output(context->model, output)) {
        return GA_EXIT_OK;
    }
    if (output != GA_OUTPUTS) {
        char why[GA_OUTPUT_MISSING];
        return ga_failed(context, "%s: tensor \"%s\": %s", ga_weights_label(file), tensor->name,
                         ga_output_missing(context->model, output, why));
    }
    char shown[GA_PRINTABLE], hint[GA_PRINTABLE], list[GA_OUTPUT_LIST];
    return ga_failed(context, "%s: tensor \"%s\" is not an output of this model%s (it gives %s)",
                     ga_weights_label(file), ga_printable(tensor->name, shown),
                     ga_output_hint(context->model, tensor->name, hint), ga_output_list(context->model, list));
}

static enum ga_exit check_names(const struct ga_context *context, const struct ga_weights *file)
{
    if (ga_weights_count(file) == 0) {
        return ga_failed(context, "%s: holds no tensors, so there is nothing to compare", ga_weights_label(file));
    }
    enum ga_exit code = GA_EXIT_OK;
    for (size_t i = 0; i < ga_weights_count(file); i++) {
        if (check_name(context, file, ga_weights_at(file, i)) != GA_EXIT_OK) {
            code = GA_EXIT_FAILED;
        }
    }
    return code;
}

// True where the shapes agree but for axes of 1 in front, so [q_len, d_model] answers [1, q_len, d_model].
static bool same_shape(const struct ga_tensor *a, const struct ga_tensor *b)
{
    size_t i = 0, j = 0;
    while (a->rank - i > b->rank && a->shape[i] == 1) {
        i++;
    }
    while (b->rank - j > a->rank && b->shape[j] == 1) {
        j++;
    }
    return a->rank - i == b->rank - j && memcmp(a->shape + i, b->shape + j, (a->rank - i) * sizeof a->shape[0]) == 0;
}

static enum ga_exit check_shape(const struct ga_context *context, const struct ga_weights *file,
                                const struct ga_tensor *expected, const struct ga_tensor *found)
{
    char has[GA_PRINTABLE], wants[GA_PRINTABLE];
    if (ga_weights_are_floats(expected) && same_shape(expected, found)) {
        return GA_EXIT_OK;
    }
    return ga_failed(context, "%s: tensor \"%s\" is %s %s; expected " GA_FLOATS " %s, as the model gives",
                     ga_weights_label(file), expected->name, ga_dtype_name(expected->dtype),
                     ga_shape_text(expected->rank, expected->shape, has, sizeof has),
                     ga_shape_text(found->rank, found->shape, wants, sizeof wants));
}

// -- The comparison -------------------------------------------------------------------------------------------------

// The place of element i, as a shape reads: "[3, 4, 17]".
static const char *place_text(const struct ga_tensor *tensor, size_t i, char text[GA_PRINTABLE])
{
    size_t place[GA_MAX_RANK] = {0};
    for (size_t axis = tensor->rank; axis-- > 0;) {
        place[axis] = i % tensor->shape[axis];
        i /= tensor->shape[axis];
    }
    return ga_shape_text(tensor->rank, place, text, GA_PRINTABLE);
}

static void print_comparison(const struct ga_tensor *expected, const struct ga_comparison *result,
                             const struct ga_tolerance *tolerance)
{
    char shape[GA_PRINTABLE], place[GA_PRINTABLE];
    printf("%s %s: %s, %zu of %zu elements beyond rtol %g, atol %g\n", expected->name,
           ga_shape_text(expected->rank, expected->shape, shape, sizeof shape), result->beyond ? "MISMATCH" : "ok",
           result->beyond, result->count, tolerance->rtol, tolerance->atol);
    printf("  max abs diff %.3g, max rel diff %.3g, worst at %s: found %.9g, expected %.9g\n", result->max_abs,
           result->max_rel, place_text(expected, result->worst, place), result->found, result->expected);
}

// The tensor as one of F64, which loses nothing, or of F32.
static enum ga_exit widen(const struct ga_context *context, struct ga_weights *file, const struct ga_tensor *tensor,
                          struct ga_tensor *wide_out)
{
    const float *floats;
    struct ga_error error;
    *wide_out = *tensor;
    if (tensor->dtype == GA_F64) {
        return GA_EXIT_OK;
    }
    if (ga_weights_floats(file, tensor, &floats, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    wide_out->dtype = GA_F32;
    wide_out->data = floats;
    return GA_EXIT_OK;
}

static enum ga_exit compare_all(const struct ga_context *context, struct ga_weights *file,
                                const struct ga_model_call *call, const struct ga_tolerance *tolerance)
{
    size_t differing = 0, count = ga_weights_count(file);
    for (size_t i = 0; i < count; i++) {
        const struct ga_tensor *expected = ga_weights_at(file, i);
        struct ga_tensor found =
            ga_model_call_output(context, call, ga_output_called(expected->name, strlen(expected->name)));
        struct ga_tensor wide;
        if (check_shape(context, file, expected, &found) != GA_EXIT_OK ||
            widen(context, file, expected, &wide) != GA_EXIT_OK) {
            return GA_EXIT_FAILED;
        }
        struct ga_comparison result = ga_compare(found.data, &wide, tolerance);
        print_comparison(expected, &result, tolerance);
        differing += result.beyond != 0;
    }
    printf("%s: %zu of %zu tensors agree\n", differing ? "MISMATCH" : "ok", count - differing, count);
    return differing ? GA_EXIT_FAILED : GA_EXIT_OK;
}

static enum ga_exit check_file(const struct ga_context *context, const char *const *values, size_t threads,
                               struct ga_weights *file, const struct ga_tolerance *tolerance)
{
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    choice.threads = threads;
    struct ga_model_instance instance = {0};
    struct ga_model_call call = {0};
    enum ga_exit code = ga_load_model(context, &choice, &instance);
    if (code == GA_EXIT_OK) {
        code = check_names(context, file);
    }
    if (code == GA_EXIT_OK) {
        code = ga_model_call_open(context, values[INPUT], &call);
    }
    bool wanted[GA_OUTPUTS] = {false};
    for (size_t i = 0; i < ga_weights_count(file) && code == GA_EXIT_OK; i++) {
        const char *name = ga_weights_at(file, i)->name;
        wanted[ga_output_called(name, strlen(name))] = true;
    }
    if (code == GA_EXIT_OK) {
        code = ga_model_call_run(context, &instance, wanted, 0, &call);
    }
    if (code == GA_EXIT_OK) {
        code = compare_all(context, file, &call, tolerance);
    }
    ga_model_call_close(&call);
    ga_model_instance_free(&instance);
    return code;
}

static enum ga_exit read_tolerance(const struct ga_context *context, const char *const *values,
                                   struct ga_tolerance *tolerance_out)
{
    *tolerance_out = (struct ga_tolerance){1.3e-6, 1e-5, values[EQUAL_NAN] != NULL};
    const enum ga_exit code = ga_read_real(context, "rtol", values[RTOL], 0.0, DBL_MAX, &tolerance_out->rtol);
    return code == GA_EXIT_OK ? ga_read_real(context, "atol", values[ATOL], 0.0, DBL_MAX, &tolerance_out->atol) : code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_tolerance tolerance;
    size_t threads;
    enum ga_exit code = ga_read_threads(context, values[THREADS], &threads);
    if (code == GA_EXIT_OK) {
        code = read_tolerance(context, values, &tolerance);
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    struct ga_weights *file;
    struct ga_error error;
    if (ga_weights_open(values[EXPECTED], &file, &error) != GA_OK) {
        return ga_failed(context, "%s", error.text);
    }
    code = check_file(context, values, threads, file, &tolerance);
    ga_weights_close(file);
    return code;
}

const struct ga_command ga_command_check = {
    .name = "check",
    .summary = "compare the model's outputs with expected tensors, by name",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
