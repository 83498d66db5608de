// measure.c: times calls in samples long enough for the clock, with a burst of peak arithmetic between every two, so
// that both meet the same clock frequency and the same neighbours.
// Measures what a caller gets, checks of ga_model_run included.
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "cost.h"
#include "peak_flops.h"
#include "peak_share.h"
#include "random.h"
#include "tensor.h"

enum { MIN_SAMPLES = 3, MAX_SAMPLES = 4096 };
static const double warm_up_seconds = 0.03, wake_up_seconds = 3e-4, sample_seconds = 5e-3;

struct bench {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    struct ga_model_call call;  // the call and its outputs
    float *query, *key, *value; // query NULL: token ids; key NULL: self-attention; value NULL: key's
    float *sublayer;            // NULL: the model takes none
    void *scratch;
    size_t scratch_size;
    size_t cached;
};

// -- The call -------------------------------------------------------------------------------------------------------

// A tensor [batch][len][width], filled with -1..1 where stream is not 0.
static float *make_rows(size_t batch, size_t len, size_t width, uint64_t stream)
{
    size_t shape[] = {batch, len, width, sizeof(float)}, bytes;
    float *rows = ga_shape_elements(4, shape, &bytes) ? ga_block_new(bytes) : NULL;
    if (rows && stream) {
        ga_random_fill(1, stream, 1.0, rows, bytes / sizeof *rows);
    }
    return rows;
}

// A cache whose sequences hold what the cell asks for, made from a seed; NULL where there is no memory.
static struct ga_cache *make_cache(const struct ga_model_instance *instance, const struct ga_cell *cell)
{
    const struct ga_model *model = ga_loaded_model(instance->loaded);
    const size_t capacity = cell->cached + (model->stack ? cell->q_len : cell->kv_len);
    const size_t size = ga_cache_size(model, instance->variant, cell->batch, capacity);
    const size_t layers = model->stack ? model->stack->n_layers : 1;
    const size_t elements = layers * model->n_kv_heads * cell->cached * model->d_head;
    void *block = size == SIZE_MAX ? NULL : ga_block_new(size);
    float *rows = block ? ga_block_new((elements + 1) * sizeof *rows) : NULL;
    struct ga_cache *cache = NULL;
    if (rows && ga_cache_init(instance->loaded, cell->batch, capacity, block, size, &cache, NULL) == GA_OK) {
        ga_random_fill(1, 1003, 1.0, rows, elements);
        for (size_t b = 0; b < cell->batch; b++) {
            ga_cache_put(cache, b, rows, rows, cell->cached, cell->cached, NULL);
        }
    }
    ga_block_free(rows);
    if (!cache) {
        ga_block_free(block);
    }
    return cache;
}

// Token ids, from a seed; NULL where there is no memory.
static int32_t *make_tokens(const struct ga_model *model, const struct ga_cell *cell)
{
    const size_t count = cell->batch * cell->q_len;
    float *numbers = make_rows(cell->batch, cell->q_len, 1, 1001);
    int32_t *tokens = numbers ? calloc(count, sizeof *tokens) : NULL;
    for (size_t i = 0; tokens && i < count; i++) {
        tokens[i] = (int32_t)((0.5 + 0.5 * (double)numbers[i]) * (double)model->vocab_size);
    }
    ga_block_free(numbers);
    return tokens;
}

// The inputs of a call; false where there is no memory.
static bool make_inputs(struct bench *bench, const struct ga_cell *cell)
{
    const struct ga_model *model = bench->context->model;
    const bool wide = model->v_dim != model->k_dim, other = model->k_dim != model->d_model || wide ||
                                                            model->kind == GA_DECODER || model->kind == GA_TRANSFORMER;
    const bool cross = other || cell->kv_len != cell->q_len, ids = model->stack && model->vocab_size > 0;
    const bool adds = model->stack && model->stack->sublayer;
    struct ga_model_call *call = &bench->call;
    bench->query = ids ? NULL : make_rows(cell->batch, cell->q_len, model->d_model, 1001);
    call->copies[GA_COPY_TOKENS] = ids ? make_tokens(model, cell) : NULL;
    bench->key = cross ? make_rows(cell->batch, cell->kv_len, model->k_dim, 1002) : NULL;
    bench->sublayer = adds ? make_rows(cell->batch, cell->q_len, model->d_model, 1002) : NULL;
    bench->value = wide ? make_rows(cell->batch, cell->kv_len, model->v_dim, 1003) : NULL;
    call->kv_len = cell->kv_len;
    call->io = (struct ga_io){
        .batch = cell->batch,
        .q_len = cell->q_len,
        .kv_len = cross ? cell->kv_len : 0,
        .query = bench->query,
        .tokens = call->copies[GA_COPY_TOKENS],
        .key = bench->key,
        .value = bench->value,
        .parallel = bench->instance->parallel,
        .cache = model->cache ? make_cache(bench->instance, cell) : NULL,
        .sublayer = bench->sublayer,
    };
    return (!model->cache || call->io.cache) && (bench->query || call->io.tokens) && (!cross || bench->key) &&
           (!wide || bench->value) && (!adds || bench->sublayer);
}

static enum ga_exit make_bench(struct bench *bench, const struct ga_cell *cell)
{
    const struct ga_model *model = bench->context->model;
    bench->call = (struct ga_model_call){.path = "bench", .batched = true};
    bench->cached = cell->cached;
    bench->scratch_size =
        ga_model_scratch_size(model, bench->instance->variant, cell->batch, cell->q_len, cell->kv_len, cell->threads);
    bench->scratch = bench->scratch_size == SIZE_MAX ? NULL : ga_block_new(bench->scratch_size);
    if (!bench->scratch || !make_inputs(bench, cell)) {
        return ga_failed(bench->context, "no memory for batch %zu, seq_len %zu, kv_seq_len %zu", cell->batch,
                         cell->q_len, cell->kv_len);
    }
    return ga_model_call_room(bench->context, cell->outputs, &bench->call);
}

static void free_bench(struct bench *bench)
{
    ga_block_free(bench->query);
    ga_block_free(bench->key);
    ga_block_free(bench->value);
    ga_block_free(bench->sublayer);
    ga_block_free(bench->scratch);
    ga_model_call_close(&bench->call);
}

// Forgets what the call before appended.
static void cut_back(const struct bench *bench)
{
    const struct ga_io *io = &bench->call.io;
    for (size_t b = 0; io->cache && b < io->batch; b++) {
        ga_cache_cut(io->cache, b, bench->cached, NULL);
    }
}

// Seconds that calls calls took; below 0 after a message.
static double time_calls(const struct bench *bench, size_t calls)
{
    struct ga_error error;
    double start = ga_seconds_now();
    for (size_t i = 0; i < calls; i++) {
        cut_back(bench);
        if (ga_model_run(bench->instance->loaded, &bench->call.io, bench->scratch, bench->scratch_size, &error) !=
            GA_OK) {
            ga_failed(bench->context, "%s", error.text);
            return -1.0;
        }
    }
    return ga_seconds_now() - start;
}

// -- Samples --------------------------------------------------------------------------------------------------------

struct moment {
    double wall, cpu; // seconds
};

struct samples {
    double call[MAX_SAMPLES]; // seconds a call
    double peak[MAX_SAMPLES]; // GFLOP/s
    size_t count;
    struct moment watched; // time in which the calling thread had nobody to wait for, and what it had of the CPU then
};

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Sorts values and returns their median.
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

// Runs for some time, at least one call; the shortest call in seconds, or below 0 after a message.
static double run_for(const struct bench *bench, double seconds)
{
    double start = ga_seconds_now(), fastest = INFINITY;
    do {
        double took = time_calls(bench, 1);
        if (took < 0.0) {
            return took;
        }
        fastest = took < fastest ? took : fastest;
    } while (ga_seconds_now() - start < seconds);
    return fastest;
}

// Runs until caches and clock have settled; the calls a sample needs, or 0 after a message.
static size_t warm_up(const struct bench *bench)
{
    double fastest = run_for(bench, warm_up_seconds);
    double calls = ceil(sample_seconds / (fastest > 1e-9 ? fastest : 1e-9));
    return fastest < 0.0 ? 0 : calls < 1.0 ? 1 : (size_t)calls;
}

static struct moment moment_now(void)
{
    return (struct moment){ga_seconds_now(), ga_thread_seconds()};
}

// One sample and one burst. Other threads have gone to sleep in the burst before, and would have to be woken within the
// sample as they are not within calls one after the other; so some calls come before it.
static bool take_sample(const struct bench *bench, const struct ga_cell *cell, struct samples *samples)
{
    if (cell->threads > 1 && run_for(bench, wake_up_seconds) < 0.0) {
        return false;
    }
    struct moment start = moment_now();
    double took = time_calls(bench, cell->calls_per_sample);
    struct moment between = moment_now();
    if (took < 0.0) {
        return false;
    }
    samples->call[samples->count] = took / (double)cell->calls_per_sample;
    samples->peak[samples->count++] = ga_peak_gflops(cell->isa);
    struct moment end = moment_now(), from = cell->threads > 1 ? between : start;
    samples->watched.wall += end.wall - from.wall;
    samples->watched.cpu += end.cpu - from.cpu;
    return true;
}

static enum ga_exit take_samples(const struct bench *bench, const struct ga_cell *cell, double seconds,
                                 struct samples *samples)
{
    double start = ga_seconds_now();
    samples->count = 0;
    samples->watched = (struct moment){0};
    while (samples->count < MIN_SAMPLES || (samples->count < MAX_SAMPLES && ga_seconds_now() - start < seconds)) {
        if (!take_sample(bench, cell, samples)) {
            return GA_EXIT_FAILED;
        }
    }
    return GA_EXIT_OK;
}

static double one_burst(const void *isa)
{
    return ga_peak_gflops(isa);
}

// Of a cell whose calls are summed up.
static void hold_against_peak(struct samples *samples, struct ga_cell *cell)
{
    const struct ga_bursts bursts = {one_burst, cell->isa, samples->peak, samples->count};
    qsort(samples->peak, samples->count, sizeof *samples->peak, by_value);
    const struct ga_peak_share share =
        ga_peak_share_of(cell->gflops, cell->gflops * cell->us_median / cell->us_min, cell->threads, &bursts);
    cell->peak_gflops = share.peak;
    cell->percent_of_peak = share.percent;
    cell->at_best = share.at_best;
}

static void summarise(const struct bench *bench, struct samples *samples, struct ga_cell *cell)
{
    const struct ga_model *model = bench->context->model;
    const struct ga_call_size size = {
        .batch = cell->batch,
        .q_len = cell->q_len,
        .kv_len = cell->kv_len,
        .cached = cell->cached,
        .logit_rows = (cell->outputs[GA_LOGITS] ? cell->q_len : 0) + (cell->outputs[GA_LAST_LOGITS] ? 1 : 0),
        .class_logits = cell->outputs[GA_CLASS_LOGITS],
    };
    double seconds = median(samples->call, samples->count); // and sorted, so the ends are the extremes
    cell->samples = samples->count;
    cell->us_median = seconds * 1e6;
    cell->us_min = samples->call[0] * 1e6;
    cell->us_max = samples->call[samples->count - 1] * 1e6;
    cell->gflops = ga_cost_flops(model, &size) / seconds / 1e9;
    cell->gbytes =
        (ga_cost_weight_bytes(model, bench->instance->variant, &size) + ga_cost_bytes(model, &size)) / seconds / 1e9;
    hold_against_peak(samples, cell);
}

static enum ga_exit sample_cell(const struct bench *bench, double seconds, struct ga_cell *cell)
{
    cell->calls_per_sample = warm_up(bench);
    struct samples *samples = cell->calls_per_sample ? malloc(sizeof *samples) : NULL;
    if (!samples) {
        return GA_EXIT_FAILED;
    }
    enum ga_exit code = take_samples(bench, cell, seconds, samples);
    if (code == GA_EXIT_OK) {
        cell->cpu_share = samples->watched.cpu / samples->watched.wall;
        summarise(bench, samples, cell);
    }
    free(samples);
    return code;
}

enum ga_exit ga_measure(const struct ga_context *context, const struct ga_model_instance *instance, double seconds,
                        struct ga_cell *cell)
{
    struct bench bench = {.context = context, .instance = instance};
    enum ga_exit code = make_bench(&bench, cell);
    if (code == GA_EXIT_OK) {
        code = sample_cell(&bench, seconds, cell);
    }
    free_bench(&bench);
    return code;
}
