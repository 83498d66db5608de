// pooling.c: sorts sequences by length and has threads take batches of them. What is done of a batch is in
// pooling_batch.c.
#include "pooling.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance)
{
    return (struct ga_pooling){.context = context,
                               .instance = instance,
                               .rows = GA_POOLING_ROWS,
                               .field = offsetof(struct ga_io, embedding),
                               .width = context->model->d_model};
}

struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance)
{
    struct ga_pooling pooling = ga_pooling_of(context, instance);
    pooling.field = offsetof(struct ga_io, output);
    pooling.of_rows = true;
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

// -- Order ----------------------------------------------------------------------------------------------------------

struct place {
    size_t length, at;
};

static int longest_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length)
                                  : (a->at > b->at) - (a->at < b->at);
}

static enum ga_exit sort_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences)
{
    const size_t count = sequences->count;
    struct place *places = malloc(count * sizeof *places);
    free(pooling->order);
    pooling->order = malloc(count * sizeof *pooling->order);
    if (!places || !pooling->order) {
        free(places);
        return ga_failed(pooling->context, "no memory for %zu sequences", count);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct place){ga_sequence_length(sequences, i), i};
    }
    qsort(places, count, sizeof *places, longest_first);
    for (size_t i = 0; i < count; i++) {
        pooling->order[i] = places[i].at;
    }
    free(places);
    return GA_EXIT_OK;
}

// -- The queue ------------------------------------------------------------------------------------------------------

enum { LEAST_ROWS = 128 }; // of a batch that is made smaller than it may be, so that threads end together

// Batches of a set, which threads take one after the other, each into a room of its own.
struct queue {
    struct ga_pooling *pooling;
    struct ga_pooling_set set;
    size_t takers;         // threads that take batches at the same time
    pthread_mutex_t lock;  // of what follows
    size_t first;          // sequence that no batch has yet
    size_t ids, taken_ids; // of all sequences, and of those before it
    bool is_over, is_stopped;
    size_t failed;         // first sequence of the first batch that failed, SIZE_MAX where none did
    struct ga_error error; // of that batch
};

struct batch {
    size_t first, count;
};

// Rows of the next batch: fewer where little is left, so that no thread waits long for the last batch of another.
static size_t rows_of_next(const struct queue *queue)
{
    const size_t most = queue->pooling->rows, part = (queue->ids - queue->taken_ids) / (2 * queue->takers);
    const size_t least = most < LEAST_ROWS ? most : LEAST_ROWS;
    return queue->takers == 1 || part > most ? most : part < least ? least : part;
}

// Sequences take time by their ids, not by their number.
static void show_progress(const struct queue *queue)
{
    const struct ga_pooling *pooling = queue->pooling;
    const double part = queue->ids > 0 ? (double)queue->taken_ids / (double)queue->ids : 0;
    if (pooling->progress) {
        ga_progress_show(pooling->progress, pooling->done + queue->first,
                         pooling->begin + (pooling->end - pooling->begin) * part);
    }
}

// Takes the next batch; false where there is none, or no more is to be done.
static bool take(struct queue *queue, struct batch *batch_out)
{
    const struct ga_pooling *pooling = queue->pooling;
    pthread_mutex_lock(&queue->lock);
    if (!queue->is_over && pooling->is_stopped && pooling->is_stopped()) {
        queue->is_stopped = queue->is_over = true;
    }
    const bool is_taken = !queue->is_over && queue->first < queue->set.sequences->count;
    if (is_taken) {
        show_progress(queue);
        *batch_out =
            (struct batch){queue->first, ga_pooling_batch_size(&queue->set, queue->first, rows_of_next(queue))};
        for (size_t b = 0; b < batch_out->count; b++) {
            queue->taken_ids += ga_pooling_length(&queue->set, queue->first++);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return is_taken;
}

// Batches before one that failed were taken before it, so that of several the first is the one that a single thread
// would have met.
static void note_failure(struct queue *queue, size_t first, const struct ga_error *error)
{
    pthread_mutex_lock(&queue->lock);
    queue->is_over = true;
    if (first < queue->failed) {
        queue->failed = first;
        queue->error = *error;
    }
    pthread_mutex_unlock(&queue->lock);
}

// The life of one thread: batch after batch.
static void work_off(void *context, size_t part)
{
    struct queue *queue = context;
    struct ga_pooling *pooling = queue->pooling;
    struct ga_pooling_room *room = &pooling->rooms[part];
    struct batch batch;
    if (part == 0 && pooling->meanwhile && queue->takers > 1) {
        pooling->meanwhile(pooling->meanwhile_context);
    }
    while (take(queue, &batch)) {
        if (ga_pooling_batch_run(&queue->set, room, batch.first, batch.count) != GA_OK) {
            note_failure(queue, batch.first, &room->error);
        }
    }
}

// Whether there are batches for all threads. What watches is told of batches one after the other.
static bool has_batches(const struct queue *queue, size_t threads)
{
    size_t count = 0;
    for (size_t first = 0; count < threads && first < queue->set.sequences->count; count++) {
        first += ga_pooling_batch_size(&queue->set, first, queue->pooling->rows);
    }
    return count == threads && !queue->pooling->watch;
}

static enum ga_exit make_rooms(struct ga_pooling *pooling, size_t count)
{
    if (count > pooling->n_rooms) {
        struct ga_pooling_room *rooms = realloc(pooling->rooms, count * sizeof *rooms);
        if (!rooms) {
            return ga_failed(pooling->context, "no memory for batches of %zu threads", count);
        }
        memset(rooms + pooling->n_rooms, 0, (count - pooling->n_rooms) * sizeof *rooms);
        pooling->rooms = rooms;
        pooling->n_rooms = count;
    }
    return GA_EXIT_OK;
}

// Each batch by one thread where there are enough, else the batches one after the other by all threads together.
static enum ga_exit run_queue(struct queue *queue)
{
    struct ga_pooling *pooling = queue->pooling;
    const struct ga_parallel *parallel = pooling->instance->parallel;
    queue->takers = parallel && has_batches(queue, parallel->threads) ? parallel->threads : 1;
    if (make_rooms(pooling, queue->takers) != GA_EXIT_OK) {
        return GA_EXIT_FAILED;
    }
    pooling->rooms[0].parallel = queue->takers > 1 ? NULL : parallel;
    if (queue->takers > 1) {
        parallel->run(parallel->self, queue->takers, work_off, queue);
    } else {
        work_off(queue, 0);
    }
    if (queue->failed < SIZE_MAX) {
        return ga_failed(pooling->context, "%s", queue->error.text);
    }
    return queue->is_stopped ? ga_failed(pooling->context, "stopped by a signal") : GA_EXIT_OK;
}

static enum ga_exit run_batches(struct ga_pooling *pooling, const struct ga_pooling_set *set)
{
    const struct ga_sequences *sequences = set->sequences;
    struct queue queue = {.pooling = pooling,
                          .set = *set,
                          .ids = sequences->starts[sequences->count] - sequences->starts[0],
                          .failed = SIZE_MAX};
    if (pthread_mutex_init(&queue.lock, NULL) != 0) {
        return ga_failed(pooling->context, "no lock for a queue of batches");
    }
    const enum ga_exit code = run_queue(&queue);
    pthread_mutex_destroy(&queue.lock);
    return code;
}

// Sequences that the model has no call for: too short ones where it takes no lengths.
static enum ga_exit check_lengths(const struct ga_pooling_set *set)
{
    const size_t least = set->model->q_len.min;
    for (size_t i = 0; !set->model->lengths && i < set->sequences->count; i++) {
        if (ga_sequence_length(set->sequences, i) < least) {
            return ga_failed(set->pooling->context,
                             "sequence %zu has %zu ids; expected at least %zu, as the model takes no lengths",
                             set->pooling->done + i, ga_sequence_length(set->sequences, i), least);
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out)
{
    const struct ga_pooling_set set = {pooling, pooling->context->model, sequences, rows_out};
    if (sequences->count == 0) {
        return GA_EXIT_OK;
    }
    enum ga_exit code = check_lengths(&set);
    code = code == GA_EXIT_OK ? sort_sequences(pooling, sequences) : code;
    code = code == GA_EXIT_OK ? run_batches(pooling, &set) : code;
    pooling->done += code == GA_EXIT_OK ? sequences->count : 0;
    return code;
}

void ga_pooling_free(struct ga_pooling *pooling)
{
    free(pooling->order);
    for (size_t i = 0; i < pooling->n_rooms; i++) {
        ga_pooling_room_free(&pooling->rooms[i]);
    }
    free(pooling->rooms);
}
