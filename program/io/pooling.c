// pooling.c: memory for ga_batches_run, and what is done between its batches: progress, signals, other work.
#include "pooling.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance)
{
    return (struct ga_pooling){.context = context,
                               .instance = instance,
                               .rows = GA_BATCH_ROWS,
                               .field = offsetof(struct ga_batches, embedding)};
}

struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance)
{
    struct ga_pooling pooling = ga_pooling_of(context, instance);
    pooling.field = offsetof(struct ga_batches, last_output);
    return pooling;
}

const char *ga_pooling_refusal(const struct ga_model *model)
{
    return !model->stack || model->kind != GA_ENCODER ? "is not an encoder, so there is no embedding of a sequence"
           : model->stack->pool == GA_POOL_NONE       ? "does not pool; its spec would say pool = { kind = \"mean\" }"
           : model->vocab_size == 0                   ? "takes no token ids; its spec would say vocab_size = 30522"
           : model->cache ? "has a cache, and an embedding takes none; its spec would leave cache out"
                          : NULL;
}

// -- Between batches ------------------------------------------------------------------------------------------------

// One call.
struct run {
    const struct ga_pooling *pooling;
    double ids;           // of all sequences
    size_t shown;         // sequences, of which progress was told
    pthread_mutex_t lock; // of progress
    struct ga_parallel with_meanwhile;
    void (*task)(void *context, size_t part); // of the pool's run, as is the next
    void *task_context;
};

// Sequences take time by their ids, not by their number.
static void show_progress(struct run *run, size_t sequences, size_t ids)
{
    const struct ga_pooling *pooling = run->pooling;
    const double part = run->ids > 0 ? (double)ids / run->ids : 0;
    pthread_mutex_lock(&run->lock);
    if (sequences >= run->shown) {
        run->shown = sequences;
        ga_progress_show(pooling->progress, pooling->done + sequences,
                         pooling->begin + (pooling->end - pooling->begin) * part);
    }
    pthread_mutex_unlock(&run->lock);
}

// struct ga_batches' goes_on.
static bool goes_on(void *self, size_t sequences, size_t ids)
{
    struct run *run = self;
    if (run->pooling->is_stopped && run->pooling->is_stopped()) {
        return false;
    }
    if (run->pooling->progress) {
        show_progress(run, sequences, ids);
    }
    return true;
}

static void run_task(void *context, size_t part)
{
    const struct run *run = context;
    if (part == 0) {
        run->pooling->meanwhile(run->pooling->meanwhile_context);
    }
    run->task(run->task_context, part);
}

// struct ga_parallel's run.
static void run_with_meanwhile(void *self, size_t parts, void (*task)(void *context, size_t part), void *context)
{
    struct run *run = self;
    const struct ga_parallel *parallel = run->pooling->instance->parallel;
    run->task = task;
    run->task_context = context;
    parallel->run(parallel->self, parts, run_task, run);
}

// -- Memory ---------------------------------------------------------------------------------------------------------

static enum ga_exit make_order(struct ga_pooling *pooling, size_t count)
{
    if (count > pooling->n_order) {
        free(pooling->order);
        pooling->order = malloc(count * sizeof *pooling->order);
        pooling->n_order = pooling->order ? count : 0;
    }
    return pooling->order ? GA_EXIT_OK : ga_failed(pooling->context, "no memory for %zu sequences", count);
}

static enum ga_exit make_scratch(struct ga_pooling *pooling, size_t size)
{
    if (size > pooling->scratch_size) {
        ga_block_free(pooling->scratch);
        pooling->scratch = ga_block_room(size);
        pooling->scratch_size = pooling->scratch ? size : 0;
    }
    return pooling->scratch ? GA_EXIT_OK : ga_failed(pooling->context, "no memory for %zu bytes of scratch", size);
}

// -- The call -------------------------------------------------------------------------------------------------------

static struct ga_batches batches_of(const struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows,
                                    struct run *run)
{
    struct ga_batches batches = {
        .count = sequences->count,
        .starts = sequences->starts,
        .ids = sequences->ids,
        .types = sequences->types,
        .seen = pooling->context->model->mask == GA_MASK_BOOL ? sequences->seen : NULL,
        .first = pooling->done,
        .rows = pooling->rows,
        .last_logits = pooling->last_logits,
        .class_logits = pooling->class_logits,
        .parallel = pooling->instance->parallel,
        .arithmetic = pooling->arithmetic,
        .watch = pooling->watch,
        .goes_on = goes_on,
        .self = run,
    };
    memcpy((unsigned char *)&batches + pooling->field, &rows, sizeof rows);
    return batches;
}

static enum ga_exit run_batches(struct ga_pooling *pooling, struct ga_batches *batches, struct run *run)
{
    const struct ga_loaded *loaded = pooling->instance->loaded;
    struct ga_batch_plan plan;
    struct ga_error error;
    enum ga_status status = ga_batches_plan(loaded, batches, pooling->order, &plan, &error);
    if (status == GA_OK && make_scratch(pooling, plan.scratch_size) != GA_EXIT_OK) {
        return GA_EXIT_FAILED;
    }
    if (status == GA_OK && plan.threads > 1 && pooling->meanwhile) {
        run->with_meanwhile = (struct ga_parallel){plan.threads, run_with_meanwhile, run};
        batches->parallel = &run->with_meanwhile;
    }
    status = status == GA_OK ? ga_batches_run(loaded, batches, &plan, pooling->scratch, pooling->scratch_size, &error)
                             : status;
    return status == GA_OK        ? GA_EXIT_OK
           : status == GA_STOPPED ? ga_failed(pooling->context, "stopped by a signal")
                                  : ga_failed(pooling->context, "%s", error.text);
}

static enum ga_exit pool_whole(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out)
{
    if (sequences->count == 0) {
        return GA_EXIT_OK;
    }
    struct run run = {.pooling = pooling, .ids = (double)(sequences->starts[sequences->count] - sequences->starts[0])};
    struct ga_batches batches = batches_of(pooling, sequences, rows_out, &run);
    enum ga_exit code = make_order(pooling, sequences->count);
    if (code == GA_EXIT_OK && pthread_mutex_init(&run.lock, NULL) != 0) {
        return ga_failed(pooling->context, "no lock for the progress of batches");
    }
    if (code == GA_EXIT_OK) {
        code = run_batches(pooling, &batches, &run);
        pthread_mutex_destroy(&run.lock);
    }
    pooling->done += code == GA_EXIT_OK ? sequences->count : 0;
    return code;
}

// -- Rows of fewer numbers ------------------------------------------------------------------------------------------

// Divides a row by its L2 norm, or by 1e-12 if that is larger, as the model does with whole rows.
static void normalize(float *row, size_t width)
{
    double square = 0.0;
    for (size_t i = 0; i < width; i++) {
        square += (double)row[i] * row[i];
    }
    const double length = sqrt(square), over = length > 1e-12 ? length : 1e-12;
    for (size_t i = 0; i < width; i++) {
        row[i] = (float)(row[i] / over);
    }
}

size_t ga_pooling_width(const struct ga_pooling *pooling)
{
    return pooling->dims ? pooling->dims : pooling->context->model->stack->d_embedding;
}

enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out)
{
    const struct ga_stack *stack = pooling->context->model->stack;
    if (pooling->dims == 0) {
        return pool_whole(pooling, sequences, rows_out);
    }
    const size_t width = stack->d_embedding, dims = pooling->dims, count = sequences->count;
    if (count * width > pooling->n_whole) {
        free(pooling->whole);
        pooling->whole = malloc(count * width * sizeof *pooling->whole);
        pooling->n_whole = pooling->whole ? count * width : 0;
    }
    if (count > 0 && !pooling->whole) {
        return ga_failed(pooling->context, "no memory for %zu embeddings", count);
    }
    const enum ga_exit code = pool_whole(pooling, sequences, pooling->whole);
    for (size_t i = 0; i < count && code == GA_EXIT_OK; i++) {
        memcpy(rows_out + i * dims, pooling->whole + i * width, dims * sizeof *rows_out);
        if (stack->pool_normalize) {
            normalize(rows_out + i * dims, dims);
        }
    }
    return code;
}

void ga_pooling_free(struct ga_pooling *pooling)
{
    free(pooling->whole);
    free(pooling->order);
    ga_block_free(pooling->scratch);
}
