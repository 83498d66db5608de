// batch_plan.c: checks many sequences, sorts them by length and divides them into batches, each with its room in the
// scratch. Runs nothing.
#include <stdint.h>

#include "batch_parts.h"
#include "call.h"
#include "min_max.h"

// -- Order ----------------------------------------------------------------------------------------------------------

size_t ga_batch_place(const size_t *order, size_t i)
{
    return order[i] & ~GA_BATCH_BEGINS;
}

static size_t length_at(const struct ga_batches *batches, size_t place)
{
    return batches->starts[place + 1] - batches->starts[place];
}

size_t ga_batch_length(const struct ga_batches *batches, const size_t *order, size_t i)
{
    return length_at(batches, ga_batch_place(order, i));
}

// The longest first; of equals the one that stands first.
static bool comes_before(const struct ga_batches *batches, size_t a, size_t b)
{
    const size_t of_a = length_at(batches, a), of_b = length_at(batches, b);
    return of_a != of_b ? of_a > of_b : a < b;
}

static void swap(size_t *a, size_t *b)
{
    const size_t kept = *a;
    *a = *b;
    *b = kept;
}

// Of a heap whose root comes last.
static void sift_down(const struct ga_batches *batches, size_t *order, size_t root, size_t count)
{
    for (size_t child = 2 * root + 1; child < count; root = child, child = 2 * root + 1) {
        if (child + 1 < count && comes_before(batches, order[child], order[child + 1])) {
            child++;
        }
        if (!comes_before(batches, order[root], order[child])) {
            return;
        }
        swap(&order[root], &order[child]);
    }
}

// By a heap, as the C library's sort may allocate.
static void sort(const struct ga_batches *batches, size_t *order)
{
    for (size_t i = 0; i < batches->count; i++) {
        order[i] = i;
    }
    for (size_t i = batches->count / 2; i > 0; i--) {
        sift_down(batches, order, i - 1, batches->count);
    }
    for (size_t end = batches->count; end > 1; end--) {
        swap(&order[0], &order[end - 1]);
        sift_down(batches, order, 0, end - 1);
    }
}

// -- Room -----------------------------------------------------------------------------------------------------------

struct ga_batch_size ga_batch_size(const struct ga_model *model, size_t count, size_t length)
{
    return (struct ga_batch_size){model->batch > 0 ? model->batch : count, ga_max(length, model->q_len.min)};
}

// Bytes that ga_..._size gave, where SIZE_MAX makes the arena one that nothing fits.
static void *take_bytes(struct ga_arena *arena, size_t bytes)
{
    return ga_arena_take(arena, bytes, 1);
}

struct ga_batch_room ga_batch_room_take(const struct ga_loaded *loaded, const struct ga_batches *batches,
                                        struct ga_batch_size size, size_t threads, struct ga_arena *arena)
{
    const struct ga_model *model = loaded->model;
    const size_t batch = size.batch, q_len = size.q_len;
    const bool has_rows = batches->output != NULL || batches->last_output != NULL;
    const bool has_labels = batches->class_logits != NULL || batches->watch != NULL; // which is shown its rows, too
    struct ga_batch_room room = {
        .tokens = ga_arena_take(arena, batch * q_len, sizeof(int32_t)),
        .types = ga_arena_take(arena, batches->types != NULL ? batch * q_len : 0, sizeof(int32_t)),
        .lengths = ga_arena_take(arena, batch, sizeof(int32_t)),
        .embedding =
            ga_arena_take(arena, batches->embedding != NULL ? batch * model->stack->d_embedding : 0, sizeof(float)),
        .output = ga_arena_take(arena, has_rows ? batch * q_len * model->d_model : 0, sizeof(float)),
        .logits =
            ga_arena_take(arena, batches->logits != NULL ? batch * q_len * model->stack->n_logits : 0, sizeof(float)),
        .last_logits =
            ga_arena_take(arena, batches->last_logits != NULL ? batch * model->stack->n_logits : 0, sizeof(float)),
        .class_logits = ga_arena_take(arena, has_labels ? batch * model->stack->n_labels : 0, sizeof(float)),
        .mask = ga_arena_take(arena, batches->seen != NULL ? batch * q_len : 0, 1),
        .cache_size = model->cache > 0 ? ga_cache_size(model, loaded->variant, batch, q_len) : 0,
        .scratch_size = ga_model_scratch_size(model, loaded->variant, batch, q_len, 0, threads),
    };
    room.cache = take_bytes(arena, room.cache_size);
    room.scratch = take_bytes(arena, room.scratch_size);
    return room;
}

// -- Batches --------------------------------------------------------------------------------------------------------

enum { LEAST_ROWS = 128 }; // of a batch that is made smaller than it may be, so that threads end together

struct division {
    const struct ga_loaded *loaded;
    const struct ga_batches *batches;
    size_t *order;
    size_t threads; // that run batches at the same time
    size_t first;   // sequence that no batch has yet
    size_t ids;     // of those from it on
};

static struct division division_of(const struct ga_loaded *loaded, const struct ga_batches *batches, size_t *order,
                                   size_t threads)
{
    return (struct division){loaded, batches, order, threads, 0, batches->starts[batches->count] - batches->starts[0]};
}

// Most rows of the next batch.
static size_t rows_of_next(const struct division *d)
{
    const size_t most = d->batches->rows > 0 ? d->batches->rows : GA_BATCH_ROWS, part = d->ids / (2 * d->threads);
    return d->threads == 1 ? most : ga_min(most, ga_max(part, LEAST_ROWS));
}

// Sequences of the next batch; in a model without lengths those of one length.
static size_t count_of_next(const struct division *d)
{
    const struct ga_model *model = d->loaded->model;
    const size_t left = d->batches->count - d->first, length = ga_batch_length(d->batches, d->order, d->first);
    const size_t fit = ga_max(rows_of_next(d) / ga_max(ga_max(length, model->q_len.min), 1), 1);
    size_t count = ga_min(left, model->batch > 0 ? model->batch : fit);
    count = model->batch == 0 && d->batches->most > 0 ? ga_min(count, d->batches->most) : count;
    for (size_t i = 1; !model->lengths && i < count; i++) {
        count = ga_batch_length(d->batches, d->order, d->first + i) == length ? count : i;
    }
    return count;
}

// Goes on by one batch. Returns how many sequences it has, 0 after the last one.
static size_t next_batch(struct division *d)
{
    const size_t count = d->first < d->batches->count ? count_of_next(d) : 0;
    for (size_t i = 0; i < count; i++) {
        d->ids -= ga_batch_length(d->batches, d->order, d->first++);
    }
    return count;
}

// Whether there are batches for so many threads. What watches is told of batches one after the other.
static bool has_batches(struct division d, size_t threads)
{
    size_t found = 0;
    while (found < threads && next_batch(&d) > 0) {
        found++;
    }
    return found == threads && d.batches->watch == NULL;
}

// Notes in the order where batches begin. Returns how many bytes the largest one needs; SIZE_MAX: more than there are.
static size_t divide(struct division d, size_t together)
{
    size_t most = 0, first = 0;
    for (size_t count = next_batch(&d); count > 0; first = d.first, count = next_batch(&d)) {
        struct ga_arena arena = ga_arena_measuring();
        const size_t length = ga_batch_length(d.batches, d.order, first);
        (void)ga_batch_room_take(d.loaded, d.batches, ga_batch_size(d.loaded->model, count, length), together, &arena);
        most = ga_max(most, arena.used);
        d.order[first] |= GA_BATCH_BEGINS;
    }
    return most;
}

// -- The plan -------------------------------------------------------------------------------------------------------

static enum ga_status check_model(const struct ga_model *model, struct ga_error *error)
{
    if (model->stack == NULL || model->kind != GA_ENCODER || model->vocab_size == 0) {
        return ga_fail(error, GA_UNSUPPORTED, "ga_batches_plan: %s %s", model->name,
                       model->vocab_size == 0 ? "takes no token ids" : "is no stack that attends to them alone");
    }
    return GA_OK;
}

static enum ga_status check_lengths(const struct ga_model *model, const struct ga_batches *batches,
                                    struct ga_error *error)
{
    for (size_t i = 0; i < batches->count; i++) {
        const size_t length = length_at(batches, i), number = batches->first + i;
        if (batches->starts[i + 1] < batches->starts[i]) {
            return ga_fail(error, GA_ARGUMENT, "%s: sequence %zu ends before it starts", model->name, number);
        }
        if (length > model->q_len.max) {
            return ga_fail(error, GA_ARGUMENT, "%s: sequence %zu has %zu ids; expected at most %zu", model->name,
                           number, length, model->q_len.max);
        }
        if (!model->lengths && length < model->q_len.min) {
            return ga_fail(error, GA_ARGUMENT,
                           "%s: sequence %zu has %zu ids; expected at least %zu, as the model takes no lengths",
                           model->name, number, length, model->q_len.min);
        }
    }
    return GA_OK;
}

static enum ga_status check(const struct ga_loaded *loaded, const struct ga_batches *batches, const size_t *order,
                            const struct ga_batch_plan *plan, struct ga_error *error)
{
    const bool is_there = batches != NULL && plan != NULL && ga_is_aligned(batches, _Alignof(struct ga_batches));
    enum ga_status status = ga_call_loaded("ga_batches_plan", loaded, error);
    if (status == GA_OK &&
        (!is_there || batches->starts == NULL || (batches->count > 0 && (order == NULL || batches->ids == NULL)))) {
        return ga_fail(error, GA_ARGUMENT,
                       "ga_batches_plan: batches, its starts or ids, order or plan_out is NULL or misaligned");
    }
    struct ga_parallel copy;
    status = status == GA_OK ? check_model(loaded->model, error) : status;
    status = status == GA_OK ? ga_call_parallel(loaded->model, batches->parallel, &copy, error) : status;
    return status == GA_OK ? check_lengths(loaded->model, batches, error) : status;
}

enum ga_status ga_batches_plan(const struct ga_loaded *loaded, const struct ga_batches *batches, size_t *order,
                               struct ga_batch_plan *plan_out, struct ga_error *error)
{
    const enum ga_status status = check(loaded, batches, order, plan_out, error);
    if (status != GA_OK) {
        return status;
    }
    const size_t all = batches->parallel != NULL ? batches->parallel->threads : 1;
    sort(batches, order);
    const bool is_shared = has_batches(division_of(loaded, batches, order, 1), all);
    const size_t threads = is_shared ? all : 1;
    const size_t most = divide(division_of(loaded, batches, order, threads), is_shared ? 1 : all);
    enum { MORE = GA_BATCH_WORKER + GA_BATCH_APART };
    if (most > SIZE_MAX / threads - MORE) {
        return ga_fail(error, GA_OVERFLOW, "%s: the scratch of %zu threads does not fit in memory", loaded->model->name,
                       threads);
    }
    *plan_out = (struct ga_batch_plan){order, threads, threads * (most + MORE)};
    return GA_OK;
}
