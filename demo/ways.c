// ways.c: the calls of the demo, their clock and their comparison. Knows which results are expected, not how they look.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "weights.h"

enum { STRIDE = 7, MIN_CALLS = 5, TIMING_NS = 1000000000 };

struct runner {
    const struct ga_loaded *loaded;
    const int32_t *tokens;
    void *scratch;
    size_t scratch_size;
};

static enum ga_status run(const struct runner *runner, struct way *way, float *attention, struct ga_error *error)
{
    struct ga_io io = {
        .batch = EXAMPLE_SEQUENCES,
        .q_len = EXAMPLE_LENGTH,
        .tokens = runner->tokens,
        .q_lengths = way->lengths,
        .output = way->output,
        .attention = attention,
    };
    return ga_model_run(runner->loaded, &io, runner->scratch, runner->scratch_size, error);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static enum ga_status time_call(const struct runner *runner, struct way *way, struct ga_error *error)
{
    double start = now_ns();
    enum ga_status status = run(runner, way, NULL, error);
    way->ms[way->calls++] = 1e-6 * (now_ns() - start);
    return status;
}

// The ways take turns, so that whatever else the machine does meets them all.
static enum ga_status time_ways(const struct runner *runner, struct way *ways, size_t count, struct ga_error *error)
{
    double end = now_ns() + TIMING_NS;
    enum ga_status status = GA_OK;
    for (size_t call = 0; status == GA_OK && call < WAY_MAX_CALLS && (call < MIN_CALLS || now_ns() < end); call++) {
        for (size_t w = 0; w < count && status == GA_OK; w++) {
            status = time_call(runner, &ways[w], error);
        }
    }
    for (size_t w = 0; w < count; w++) {
        qsort(ways[w].ms, ways[w].calls, sizeof(double), by_value);
    }
    return status;
}

enum ga_status ways_run(struct way *ways, size_t count, const struct ga_loaded *loaded, const int32_t *tokens,
                        struct ga_error *error)
{
    struct runner runner = {.loaded = loaded, .tokens = tokens};
    runner.scratch_size = ga_model_scratch_size(ga_loaded_model(loaded), ga_loaded_variant(loaded), EXAMPLE_SEQUENCES,
                                                EXAMPLE_LENGTH, EXAMPLE_LENGTH, 1);
    runner.scratch = ga_block_new(runner.scratch_size);
    if (!runner.scratch) {
        return ga_fail(error, GA_MEMORY, "no memory for %zu bytes of scratch", runner.scratch_size);
    }
    enum ga_status status = GA_OK;
    for (size_t w = 0; w < count && status == GA_OK; w++) {
        status = run(&runner, &ways[w], ways[w].attention, error);
    }
    if (status == GA_OK) {
        status = time_ways(&runner, ways, count, error);
    }
    ga_block_free(runner.scratch);
    return status;
}

double way_median(const struct way *way)
{
    return 0.5 * (way->ms[(way->calls - 1) / 2] + way->ms[way->calls / 2]);
}

// -- Against PyTorch ------------------------------------------------------------------------------------------------

static void compare(struct way *way, const float *actual, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)actual[i * STRIDE] - (double)expected[i]);
        if (isnan(difference)) {
            difference = INFINITY;
        }
        way->beyond += difference > WAY_ABSOLUTE + WAY_RELATIVE * fabs((double)expected[i]);
        way->difference = fmax(way->difference, difference);
    }
}

static enum ga_status compare_result(struct way *way, const char *result, const float *actual, size_t elements,
                                     const struct ga_weights *file, struct ga_error *error)
{
    char name[64];
    size_t shape[] = {(elements + STRIDE - 1) / STRIDE};
    snprintf(name, sizeof name, "%s.%s", way->name, result);
    const struct ga_tensor *expected = ga_weights_find(file, name);
    if (!expected || expected->dtype != GA_F32 || !ga_tensor_has_shape(expected, 1, shape)) {
        return ga_fail(error, GA_SHAPE, "%s: expected tensor %s, F32 [%zu], as tests/pytorch/make_goldens.py writes it",
                       ga_weights_label(file), name, shape[0]);
    }
    compare(way, actual, expected->data, shape[0]);
    return GA_OK;
}

enum ga_status ways_compare(struct way *ways, size_t count, const char *path, struct ga_error *error)
{
    struct ga_weights *file = NULL;
    enum ga_status status = ga_weights_open(path, &file, error);
    for (size_t w = 0; w < count && status == GA_OK; w++) {
        status = compare_result(&ways[w], "output", ways[w].output, WAY_OUTPUT, file, error);
        if (status == GA_OK) {
            status = compare_result(&ways[w], "attention", ways[w].attention, WAY_ATTENTION, file, error);
        }
    }
    ga_weights_close(file);
    return status;
}
