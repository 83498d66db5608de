// batch_run.c: threads that take planned batches one after the other: ids gathered, the model called, results put where
// they belong. Chooses no batch.
#include <stdatomic.h>
#include <string.h>

#include "batch_parts.h"
#include "call.h"

// -- One batch ------------------------------------------------------------------------------------------------------

struct queue {
    const struct ga_loaded *loaded;
    const struct ga_batches *batches;
    const size_t *order;
    struct ga_parallel parallel;
    bool is_shared; // each batch is one thread's
    unsigned char *scratch;
    size_t part; // of the scratch, a thread's
    atomic_size_t next, ids;
    atomic_bool is_over, is_stopped;
};

// Copies a sequence's ids, or types, and checks the copies.
static enum ga_status copy(const struct queue *queue, const char *what, const int32_t *given, size_t n_known,
                           size_t place, int32_t *to, struct ga_error *error)
{
    const size_t start = queue->batches->starts[place], length = queue->batches->starts[place + 1] - start;
    for (size_t i = 0; i < length; i++) {
        to[i] = *(const volatile int32_t *)&given[start + i];
        if (to[i] < 0 || (size_t)to[i] >= n_known) {
            return ga_fail(error, GA_ARGUMENT, "%s: sequence %zu: %s %zu is %ld; expected 0..%zu",
                           queue->loaded->model->name, queue->batches->first + place, what, i, (long)to[i],
                           n_known - 1);
        }
    }
    return GA_OK;
}

// The keys that the rows of sequence b of a batch see.
static void fill_mask(const struct queue *queue, size_t q_len, size_t b, size_t place, uint8_t *mask)
{
    const size_t seen = queue->batches->seen[place];
    for (size_t i = 0; i < q_len; i++) {
        mask[b * q_len + i] = i < seen;
    }
}

// Zeros where there are no ids.
static enum ga_status fill(const struct queue *queue, struct ga_batch_size size, size_t first, size_t count,
                           const struct ga_batch_room *room, struct ga_error *error)
{
    const struct ga_batches *batches = queue->batches;
    const struct ga_model *model = queue->loaded->model;
    enum ga_status status = GA_OK;
    memset(room->tokens, 0, size.batch * size.q_len * sizeof *room->tokens);
    memset(room->types, 0, batches->types != NULL ? size.batch * size.q_len * sizeof *room->types : 0);
    memset(room->lengths, 0, size.batch * sizeof *room->lengths);
    for (size_t b = 0; b < count && status == GA_OK; b++) {
        const size_t place = ga_batch_place(queue->order, first + b), at = b * size.q_len;
        room->lengths[b] = (int32_t)ga_batch_length(batches, queue->order, first + b);
        status = copy(queue, "id", batches->ids, model->vocab_size, place, room->tokens + at, error);
        if (status == GA_OK && batches->types != NULL && model->stack->token_types > 0) {
            status = copy(queue, "type", batches->types, model->stack->token_types, place, room->types + at, error);
        }
        if (batches->seen != NULL) {
            fill_mask(queue, size.q_len, b, place, room->mask);
        }
    }
    return status;
}

static enum ga_status call_model(const struct queue *queue, struct ga_batch_size size, const struct ga_batch_room *room,
                                 struct ga_error *error)
{
    const struct ga_batches *batches = queue->batches;
    const struct ga_model *model = queue->loaded->model;
    const bool has_labels = batches->class_logits != NULL || (batches->watch != NULL && model->stack->n_labels > 0);
    struct ga_io io = {
        .batch = size.batch,
        .q_len = size.q_len,
        .tokens = room->tokens,
        .token_types = batches->types != NULL ? room->types : NULL,
        .q_lengths = model->lengths ? room->lengths : NULL,
        .embedding = batches->embedding != NULL ? room->embedding : NULL,
        .output = batches->output != NULL || batches->last_output != NULL ? room->output : NULL,
        .mask = batches->seen != NULL ? room->mask : NULL,
        .mask_strides = {size.q_len, 0, 0, 1},
        .logits = batches->logits != NULL ? room->logits : NULL,
        .last_logits = batches->last_logits != NULL ? room->last_logits : NULL,
        .class_logits = has_labels ? room->class_logits : NULL,
        .parallel = queue->is_shared || queue->parallel.run == NULL ? NULL : &queue->parallel,
        .arithmetic = batches->arithmetic,
        .watch = batches->watch,
    };
    enum ga_status status = GA_OK;
    if (model->cache > 0) {
        status = ga_cache_init(queue->loaded, size.batch, size.q_len, room->cache, room->cache_size, &io.cache, error);
    }
    return status == GA_OK ? ga_model_run(queue->loaded, &io, room->scratch, room->scratch_size, error) : status;
}

static void put(float *to, size_t to_row, const float *from, size_t from_row, size_t rows, size_t width)
{
    if (to != NULL && rows > 0) {
        memcpy(to + to_row * width, from + from_row * width, rows * width * sizeof *to);
    }
}

// The results of sequence b of a batch. The row after its last id is that of no id where it is empty: zeros.
static void put_results(const struct queue *queue, const struct ga_batch_room *room, size_t q_len, size_t b,
                        size_t place)
{
    const struct ga_batches *batches = queue->batches;
    const struct ga_model *model = queue->loaded->model;
    const size_t *starts = batches->starts, length = starts[place + 1] - starts[place];
    put(batches->embedding, place, room->embedding, b, 1, model->stack->d_embedding);
    put(batches->output, starts[place] - starts[0], room->output, b * q_len, length, model->d_model);
    put(batches->logits, starts[place] - starts[0], room->logits, b * q_len, length, model->stack->n_logits);
    put(batches->last_output, place, room->output, b * q_len + length - (length > 0), 1, model->d_model);
    put(batches->last_logits, place, room->last_logits, b, 1, model->stack->n_logits);
    put(batches->class_logits, place, room->class_logits, b, 1, model->stack->n_labels);
}

static enum ga_status run_batch(const struct queue *queue, unsigned char *scratch, size_t first, size_t count,
                                struct ga_error *error)
{
    const struct ga_batch_size size =
        ga_batch_size(queue->loaded->model, count, ga_batch_length(queue->batches, queue->order, first));
    struct ga_arena arena = ga_arena_over(scratch, queue->part - GA_BATCH_WORKER);
    const size_t together = queue->is_shared || queue->parallel.run == NULL ? 1 : queue->parallel.threads;
    const struct ga_batch_room room = ga_batch_room_take(queue->loaded, queue->batches, size, together, &arena);
    enum ga_status status = fill(queue, size, first, count, &room, error);
    status = status == GA_OK ? call_model(queue, size, &room, error) : status;
    for (size_t b = 0; b < count && status == GA_OK; b++) {
        put_results(queue, &room, size.q_len, b, ga_batch_place(queue->order, first + b));
    }
    return status;
}

// -- The queue ------------------------------------------------------------------------------------------------------

struct batch {
    size_t first, count;
};

// Asks whether a batch that was taken shall begin.
static bool may_begin(struct queue *queue, const struct batch *batch)
{
    const struct ga_batches *batches = queue->batches;
    size_t ids = 0;
    for (size_t i = 0; i < batch->count; i++) {
        ids += ga_batch_length(batches, queue->order, batch->first + i);
    }
    const size_t before = atomic_fetch_add(&queue->ids, ids);
    if (batches->goes_on != NULL && !batches->goes_on(batches->self, batch->first, before)) {
        atomic_store(&queue->is_stopped, true);
        atomic_store(&queue->is_over, true);
    }
    return !atomic_load(&queue->is_stopped);
}

// Takes the next batch; false where there is none, or no more is to be done.
static bool take(struct queue *queue, struct batch *batch_out)
{
    const size_t count = queue->batches->count;
    size_t first = atomic_load(&queue->next), end;
    do {
        if (first >= count || atomic_load(&queue->is_over)) {
            return false;
        }
        for (end = first + 1; end < count && (queue->order[end] & GA_BATCH_BEGINS) == 0; end++) {
        }
    } while (!atomic_compare_exchange_weak(&queue->next, &first, end));
    *batch_out = (struct batch){first, end - first};
    return may_begin(queue, batch_out);
}

// The life of one thread. Batches before one that failed were taken before it, so that the first of all that failed is
// the one that a single thread would have met.
static void work_off(void *context, size_t thread)
{
    struct queue *queue = context;
    unsigned char *scratch = queue->scratch + thread * queue->part;
    struct ga_batch_worker *worker = (void *)scratch;
    struct batch batch;
    while (worker->failed == SIZE_MAX && take(queue, &batch)) {
        if (run_batch(queue, scratch + GA_BATCH_WORKER, batch.first, batch.count, &worker->error) != GA_OK) {
            worker->failed = batch.first;
            atomic_store(&queue->is_over, true);
        }
    }
}

// -- The run --------------------------------------------------------------------------------------------------------

static enum ga_status check(const struct ga_loaded *loaded, const struct ga_batches *batches,
                            const struct ga_batch_plan *plan, const void *scratch, size_t scratch_size,
                            struct ga_error *error)
{
    const enum ga_status status = ga_call_loaded("ga_batches_run", loaded, error);
    if (status == GA_OK && (batches == NULL || plan == NULL)) {
        return ga_fail(error, GA_ARGUMENT, "ga_batches_run: batches or plan is NULL");
    }
    return status == GA_OK ? ga_call_block(loaded->model, "scratch", scratch, scratch_size, plan->scratch_size, error)
                           : status;
}

// What is written overlaps nothing else.
static enum ga_status check_spans(const struct ga_model *model, const struct ga_batches *b,
                                  const struct ga_batch_plan *plan, const void *scratch, struct ga_error *error)
{
    const size_t vector = model->d_model * sizeof(float), all = b->starts[b->count], ids = all - b->starts[0];
    const struct ga_span spans[] = {
        {"scratch", scratch, plan->scratch_size, GA_ALIGN},
        {"embedding", b->embedding, b->count * model->stack->d_embedding * sizeof(float), sizeof(float)},
        {"output", b->output, ids * vector, sizeof(float)},
        {"logits", b->logits, ids * model->stack->n_logits * sizeof(float), sizeof(float)},
        {"last_output", b->last_output, b->count * vector, sizeof(float)},
        {"last_logits", b->last_logits, b->count * model->stack->n_logits * sizeof(float), sizeof(float)},
        {"class_logits", b->class_logits, b->count * model->stack->n_labels * sizeof(float), sizeof(float)},
        {"order", plan->order, b->count * sizeof *plan->order, sizeof *plan->order},
        {"starts", b->starts, (b->count + 1) * sizeof *b->starts, sizeof *b->starts},
        {"ids", b->ids, all * sizeof *b->ids, sizeof *b->ids},
        {"types", b->types, all * sizeof *b->types, sizeof *b->types},
        {"seen", b->seen, b->count * sizeof *b->seen, sizeof *b->seen},
    };
    return ga_call_spans(model->name, spans, sizeof spans / sizeof *spans, 7, error);
}

static enum ga_status result_of(struct queue *queue, size_t threads, struct ga_error *error)
{
    const struct ga_batch_worker *first = (void *)queue->scratch;
    for (size_t i = 1; i < threads; i++) {
        const struct ga_batch_worker *worker = (void *)(queue->scratch + i * queue->part);
        first = worker->failed < first->failed ? worker : first;
    }
    if (first->failed < SIZE_MAX) {
        return ga_fail(error, first->error.status, "%s", first->error.text);
    }
    return atomic_load(&queue->is_stopped) ? ga_fail(error, GA_STOPPED, "%s: stopped", queue->loaded->model->name)
                                           : GA_OK;
}

static enum ga_status run(struct queue *queue, size_t threads, struct ga_error *error)
{
    for (size_t i = 0; i < threads; i++) {
        ((struct ga_batch_worker *)(void *)(queue->scratch + i * queue->part))->failed = SIZE_MAX;
    }
    if (queue->is_shared) {
        queue->parallel.run(queue->parallel.self, threads, work_off, queue);
    } else {
        work_off(queue, 0);
    }
    return result_of(queue, threads, error);
}

enum ga_status ga_batches_run(const struct ga_loaded *loaded, const struct ga_batches *batches,
                              const struct ga_batch_plan *plan, void *scratch, size_t scratch_size,
                              struct ga_error *error)
{
    enum ga_status status = check(loaded, batches, plan, scratch, scratch_size, error);
    status = status == GA_OK ? check_spans(loaded->model, batches, plan, scratch, error) : status;
    if (status != GA_OK) {
        return status;
    }
    struct queue queue = {.loaded = loaded,
                          .batches = batches,
                          .order = plan->order,
                          .is_shared = plan->threads > 1,
                          .scratch = scratch,
                          .part = plan->scratch_size / plan->threads};
    status = ga_call_parallel(loaded->model, batches->parallel, &queue.parallel, error);
    return status == GA_OK ? run(&queue, plan->threads, error) : status;
}
