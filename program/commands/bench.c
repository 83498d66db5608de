// bench.c: the command `bench`: which cells to measure, the table and the JSON.
// Measures nothing itself, and judges no result.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "isas.h"
#include "json_file.h"
#include "load_model.h"
#include "measure.h"
#include "program.h"

enum { LENGTHS, KV_LENGTHS, CACHED, BATCH, THREADS, SECONDS, OUTPUTS, ISA, JSON };

static const struct ga_option options[] = {
    [LENGTHS] = {"lengths", "LIST", "1,20,32,77,128,512,... within the model's range", false, "seq_len of each cell"},
    [KV_LENGTHS] = {"kv-lengths", "LIST", "seq_len, or the nearest that the model takes", false,
                    "kv_seq_len; each with each of --lengths"},
    [CACHED] = {"cached", "LIST", "0", false,
                "keys in the cache before a call, for a model with one; seq_len is 1 then"},
    [BATCH] = {"batch", "B", "1, or the model's own", false, "sequences in a call"},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    [SECONDS] = {"seconds", "S", "1.0", false, "time to spend on a cell"},
    [OUTPUTS] = {"outputs", "LIST", "output", false, "outputs of a call, separated by commas"},
    [ISA] = {"isa", "NAME", "the best this CPU runs", false, "instruction set to use; all: each this CPU runs"},
    [JSON] = {"json", "FILE", NULL, false, "also write the cells as JSON"},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Weights and inputs come from a seed. A call whose kv_seq_len equals its seq_len is self-attention.",
    "A stack of layers with an embedding starts from token ids.",
    "Times are of one call: median [fastest..slowest] of samples of at least 5 ms or one call. GFLOP/s",
    "count the projections and the unmasked pairs of attention, for a stack those of all layers, the",
    "feed-forward, and the logits and class_logits that --outputs asks for. Peak is the rate of multiply-adds",
    "in registers on this core with the same instruction set, measured between the samples, also a median;",
    "with N threads it is N times the peak of the calling thread's core.",
    "% peak is for the median call, 'at best' for the fastest, by the fastest burst: if they differ much, the machine",
    "was shared. If a call is faster than the peak, the peak is measured again; if it still is, a line says so.",
    NULL,
};

static const char *const examples[] = {
    "bench",
    "bench --lengths 20,128 --batch 4 --seconds 0.5",
    "bench --isa all --json bench.json",
    "bench --lengths 1 --cached 512 --outputs last_logits   (of a stack of layers with a cache)",
    NULL,
};

struct plan {
    const struct ga_variant *variant;    // NULL: each this CPU runs
    struct ga_sizes lengths, kv_lengths; // kv_lengths of count 0: as the query
    struct ga_sizes cached;              // at least one, 0 for a model without a cache
    size_t batch, threads;
    double seconds;
    const char *json;        // or NULL
    const char *outputs;     // as given
    bool wanted[GA_OUTPUTS]; // read
};

struct results {
    const struct ga_parallel *parallel; // for every call; NULL: one thread
    json_t *cells;
    double least_share; // the least CPU share any cell had
    size_t n_beyond;    // cells with a figure beyond the peak
};

enum { WEIGHT_SEED = 1 };

// -- Options --------------------------------------------------------------------------------------------------------

// The usual lengths that lie within range, and its end where it is no longer than those.
static struct ga_sizes default_lengths(struct ga_range range)
{
    static const size_t usual[] = {1, 20, 32, 77, 128, 512, 1024, 2048};
    enum { N_USUAL = sizeof usual / sizeof usual[0] };
    struct ga_sizes sizes = {.count = 0};
    for (size_t i = 0; i < N_USUAL; i++) {
        if (usual[i] >= range.min && usual[i] <= range.max) {
            sizes.items[sizes.count++] = usual[i];
        }
    }
    bool ends = sizes.count && sizes.items[sizes.count - 1] == range.max;
    if (!ends && range.max < usual[N_USUAL - 1]) {
        sizes.items[sizes.count++] = range.max;
    }
    if (sizes.count == 0) {
        sizes.items[sizes.count++] = range.min;
    }
    return sizes;
}

static enum ga_exit read_batch(const struct ga_context *context, const char *text, size_t *batch_out)
{
    size_t fixed = context->model->batch;
    *batch_out = fixed ? fixed : 1;
    struct ga_range range = {fixed ? fixed : 1, fixed ? fixed : 1048576};
    return ga_read_size(context, "batch", text, range, batch_out);
}

// Keys before a call; with any the usual query is the next token.
static enum ga_exit read_cached(const struct ga_context *context, const char *text, struct plan *plan)
{
    const struct ga_model *model = context->model;
    plan->cached = (struct ga_sizes){.count = 1};
    if (text && !model->cache) {
        return ga_misused(context,
                          "--cached: this model was generated without a cache; its spec would say cache = 1024");
    }
    if (text && model->q_len.min == 1) {
        plan->lengths = (struct ga_sizes){{1}, 1};
    }
    return ga_read_sizes(context, "cached", text, (struct ga_range){0, model->cache}, &plan->cached);
}

static enum ga_exit read_plan(const struct ga_context *context, const char *const *values, struct plan *plan_out)
{
    const struct ga_model *model = context->model;
    *plan_out = (struct plan){.lengths = default_lengths(model->q_len),
                              .seconds = 1.0,
                              .json = values[JSON],
                              .outputs = values[OUTPUTS] ? values[OUTPUTS] : "output"};
    enum ga_exit code = ga_read_threads(context, values[THREADS], &plan_out->threads);
    if (code == GA_EXIT_OK) {
        code = read_batch(context, values[BATCH], &plan_out->batch);
    }
    if (code == GA_EXIT_OK) {
        code = read_cached(context, values[CACHED], plan_out);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_outputs(context, "outputs", plan_out->outputs, plan_out->wanted);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_sizes(context, "lengths", values[LENGTHS], model->q_len, &plan_out->lengths);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_sizes(context, "kv-lengths", values[KV_LENGTHS], model->kv_len, &plan_out->kv_lengths);
    }
    if (code == GA_EXIT_OK) {
        code = ga_read_real(context, "seconds", values[SECONDS], 0.001, 3600.0, &plan_out->seconds);
    }
    if (code == GA_EXIT_OK && !(values[ISA] && strcmp(values[ISA], "all") == 0)) {
        code = ga_choose_variant(context, values[ISA], &plan_out->variant);
    }
    return code;
}

// -- Cells ----------------------------------------------------------------------------------------------------------

static void print_heading(const struct ga_model *model, size_t threads)
{
    printf("%s: ", model->name);
    if (model->stack) {
        printf("%zu layers of d_ff %zu, ", model->stack->n_layers, model->stack->d_ff);
    }
    printf("d_model %zu, ", model->d_model);
    if (model->n_heads) {
        printf("n_heads %zu, d_head %zu, ", model->n_heads, model->d_head);
    }
    printf("%zu thread%s\n", threads, threads == 1 ? "" : "s");
    printf("%-*s %6s %8s %11s  %-36s %8s %8s %7s %8s\n", ga_isa_width(model), "isa", "batch", "seq_len", "kv_seq_len",
           "us median [min..max]", "GFLOP/s", "peak", "% peak", "at best");
}

static void print_cell(const struct ga_cell *cell, int isa_width)
{
    char times[64];
    snprintf(times, sizeof times, "%.1f [%.1f..%.1f]", cell->us_median, cell->us_min, cell->us_max);
    printf("%-*s %6zu %8zu %11zu  %-36s %8.1f %8.1f %6.1f%% %7.1f%%\n", isa_width, cell->isa, cell->batch, cell->q_len,
           cell->kv_len, times, cell->gflops, cell->peak_gflops, cell->percent_of_peak, cell->at_best);
    if (cell->cached) {
        printf("%*s %zu keys in the cache: %.1f GB/s of weights, keys and values\n", isa_width, "", cell->cached,
               cell->gbytes);
    }
    fflush(stdout);
}

static json_t *cell_json(const struct ga_cell *cell)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "batch",
                     ga_json_size(cell->batch), "seq_len", ga_json_size(cell->q_len), "kv_seq_len",
                     ga_json_size(cell->kv_len), "cached", ga_json_size(cell->cached), "threads",
                     ga_json_size(cell->threads), "isa", cell->isa, "us_median", cell->us_median, "us_min",
                     cell->us_min, "us_max", cell->us_max, "gflops", cell->gflops, "peak_gflops", cell->peak_gflops,
                     "percent_of_peak", cell->percent_of_peak, "gbytes_per_second", cell->gbytes);
}

// A line on a terminal that the next one overwrites; nothing where stderr is no terminal.
static void show_progress(const struct ga_cell *cell)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%s batch %zu seq_len %zu kv_seq_len %zu ...\033[K", cell->isa, cell->batch, cell->q_len,
                cell->kv_len);
    }
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
    }
}

static enum ga_exit measure_cell(const struct ga_context *context, const struct ga_model_instance *instance,
                                 const struct plan *plan, size_t q_len, size_t kv_len, size_t cached,
                                 struct results *results)
{
    struct ga_cell cell = {.isa = instance->variant->isa,
                           .batch = plan->batch,
                           .q_len = q_len,
                           .kv_len = kv_len,
                           .cached = cached,
                           .outputs = plan->wanted,
                           .threads = plan->threads};
    show_progress(&cell);
    enum ga_exit code = ga_measure(context, instance, plan->seconds, &cell);
    clear_progress();
    if (code == GA_EXIT_OK) {
        print_cell(&cell, ga_isa_width(context->model));
        json_array_append_new(results->cells, cell_json(&cell));
        results->least_share = fmin(results->least_share, cell.cpu_share);
        results->n_beyond += fmax(cell.percent_of_peak, cell.at_best) > 100.0;
    }
    return code;
}

static size_t nearest_key_length(struct ga_range range, size_t q_len)
{
    return q_len < range.min ? range.min : q_len > range.max ? range.max : q_len;
}

static enum ga_exit measure_length(const struct ga_context *context, const struct ga_model_instance *instance,
                                   const struct plan *plan, size_t q_len, struct results *results)
{
    struct ga_sizes keys = plan->kv_lengths;
    if (keys.count == 0) {
        keys.items[keys.count++] = nearest_key_length(context->model->kv_len, q_len);
    }
    enum ga_exit code = GA_EXIT_OK;
    for (size_t i = 0; i < keys.count * plan->cached.count && code == GA_EXIT_OK; i++) {
        code = measure_cell(context, instance, plan, q_len, keys.items[i / plan->cached.count],
                            plan->cached.items[i % plan->cached.count], results);
    }
    return code;
}

static enum ga_exit measure_variant(const struct ga_context *context, const struct ga_variant *variant,
                                    const struct plan *plan, struct results *results)
{
    struct ga_model_instance instance;
    enum ga_exit code = ga_load_random_model(context, variant, WEIGHT_SEED, &instance);
    instance.parallel = results->parallel;
    for (size_t i = 0; i < plan->lengths.count && code == GA_EXIT_OK; i++) {
        code = measure_length(context, &instance, plan, plan->lengths.items[i], results);
    }
    ga_model_instance_free(&instance);
    return code;
}

static enum ga_exit measure_all(const struct ga_context *context, const struct plan *plan, struct results *results)
{
    const struct ga_model *model = context->model;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t i = 0; i < model->n_variants && code == GA_EXIT_OK; i++) {
        const struct ga_variant *variant;
        if (ga_model_variant(model, model->variants[i].isa, &variant, NULL) == GA_OK) {
            code = measure_variant(context, variant, plan, results);
        } else {
            ga_note(context, "%s is left out: this CPU cannot run it", model->variants[i].isa);
        }
    }
    return code;
}

// A CPU that has more than is measured is told of, with the reason: what it could do is not what is printed.
static void tell_unused(const struct ga_context *context)
{
    struct ga_unused unused[GA_MAX_ISAS];
    const size_t count = ga_isas_unused_here(context->model, unused);
    for (size_t i = 0; i < count; i++) {
        ga_note(context, "%s is not measured, though this CPU has it: %s", unused[i].isa, unused[i].why);
    }
}

static bool has_narrow_linear(const struct ga_model *model)
{
    bool has = false;
    for (size_t i = 0; i < GA_LINEARS; i++) {
        has = has || model->arithmetic[i] != GA_ARITHMETIC_F32;
    }
    return has;
}

// What keeps the figures from being what they seem.
static void tell_doubts(const struct ga_context *context, const struct results *results)
{
    if (results->least_share < 0.95) {
        ga_note(
            context,
            "this machine was busy: it gave us the CPU only %.0f %% of the time, so calls look slower than they are",
            100.0 * results->least_share);
    }
    if (results->n_beyond > 0 && has_narrow_linear(context->model)) {
        ga_note(context, "more than 100 %% of the peak: it is that of f32, and this model's dtype multiplies faster");
    } else if (results->n_beyond > 0 && context->model->rows_together > 0) {
        ga_note(context, "more than 100 %% of the peak: GFLOP/s count eight products of halves, and rows that are "
                         "multiplied together take seven of them");
    } else if (results->n_beyond > 0) {
        ga_note(context,
                "more than 100 %% of the peak in %zu cells: this machine was busy while the peak was measured, so that "
                "it is more than what is shown; measure again when it is not",
                results->n_beyond);
    }
}

// -- The file -------------------------------------------------------------------------------------------------------

// The CPU's own name where the system tells it.
static const char *cpu_name(char text[GA_PRINTABLE])
{
    char line[256];
    FILE *stream = fopen("/proc/cpuinfo", "r");
    strcpy(text, "unknown");
    while (stream && fgets(line, sizeof line, stream)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(text, GA_PRINTABLE, "%.100s", colon + 1 + strspn(colon + 1, " "));
            text[strcspn(text, "\n")] = '\0';
            break;
        }
    }
    if (stream) {
        fclose(stream);
    }
    return text;
}

static enum ga_exit write_cells(const struct ga_context *context, const struct plan *plan, json_t *cells)
{
    const struct ga_model *model = context->model;
    char cpu[GA_PRINTABLE];
    return ga_json_write(context, plan->json,
                         json_pack("{s:s, s:s, s:s, s:{s:s}, s:s, s:O}", "version", GA_VERSION, "model", model->name,
                                   "spec", model->spec, "machine", "cpu", cpu_name(cpu), "outputs", plan->outputs,
                                   "cells", cells));
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    struct plan plan;
    enum ga_exit code = read_plan(context, arguments->values, &plan);
    if (code == GA_EXIT_OK) {
        code = ga_check_writable(context, "json", plan.json);
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    struct ga_threads *pool;
    code = ga_start_threads(context, plan.threads, &pool);
    if (code != GA_EXIT_OK) {
        return code;
    }
    struct results results = {
        .parallel = pool ? ga_threads_parallel(pool) : NULL, .cells = json_array(), .least_share = 1.0};
    print_heading(context->model, plan.threads);
    if (!plan.variant || !arguments->values[ISA]) {
        tell_unused(context);
    }
    code =
        plan.variant ? measure_variant(context, plan.variant, &plan, &results) : measure_all(context, &plan, &results);
    ga_threads_free(pool);
    tell_doubts(context, &results);
    if (code == GA_EXIT_OK && plan.json) {
        code = write_cells(context, &plan, results.cells);
    }
    json_decref(results.cells);
    return code;
}

const struct ga_command ga_command_bench = {
    .name = "bench",
    .summary = "time calls of the model and compare them with the machine's peak",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
