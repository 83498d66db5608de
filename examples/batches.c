// batches.c: many calls on a pool of threads, each thread taking one call after the other, held against the same calls
// one by one: the bits are the same. No thread waits for another within a call, as the threads of one call do.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "genattn/arena.h"
#include "genattn/pack_file.h"
#include "genattn/threads.h"
#include "mha_512_8.h"

enum { CALLS = 40, ROWS = 50, THREADS = 4, COUNT = ROWS * MHA_512_8_D_MODEL };

// Calls that are to be run, and what each thread needs for one.
struct queue {
    const struct ga_loaded *weights;
    const float *x;     // [CALLS][COUNT]
    float *y;           // the same
    atomic_size_t next; // call
    void *scratch[THREADS];
    size_t scratch_size;
    struct ga_error errors[THREADS];
    atomic_bool failed;
};

// The life of one thread: call after call, until none is left.
static void work(void *context, size_t thread)
{
    struct queue *queue = context;
    for (size_t i = atomic_fetch_add(&queue->next, 1); i < CALLS; i = atomic_fetch_add(&queue->next, 1)) {
        struct ga_io io = {.batch = 1, .q_len = ROWS, .query = queue->x + i * COUNT, .output = queue->y + i * COUNT};
        if (ga_model_run(queue->weights, &io, queue->scratch[thread], queue->scratch_size, &queue->errors[thread])) {
            atomic_store(&queue->failed, true);
        }
    }
}

// Runs all calls on so many threads of the pool, or on the calling one where that is NULL. False where there is no
// memory, or a call failed.
static bool run(const struct ga_loaded *weights, const struct ga_parallel *parallel, const float *x, float *y)
{
    struct queue queue = {.weights = weights, .x = x, .y = y};
    const size_t threads = parallel ? parallel->threads : 1;
    bool fits = true;
    queue.scratch_size = mha_512_8_scratch_size(1, ROWS, ROWS, 1); // of a call by one thread
    for (size_t i = 0; i < threads; i++) {
        queue.scratch[i] = ga_block_new(queue.scratch_size);
        fits = fits && queue.scratch[i];
    }
    if (fits && parallel) {
        parallel->run(parallel->self, threads, work, &queue);
    } else if (fits) {
        work(&queue, 0);
    }
    for (size_t i = 0; i < threads; i++) {
        ga_block_free(queue.scratch[i]);
        if (queue.errors[i].status) {
            fprintf(stderr, "batches: %s\n", queue.errors[i].text);
        }
    }
    return fits && !queue.failed;
}

// Maps the weights of the best instruction set; ga_pack_unmap ends that.
static enum ga_status map(const char *path, struct ga_pack_map *map_out, struct ga_error *error)
{
    struct ga_pack pack;
    const struct ga_variant *variant;
    enum ga_status status = ga_pack_open(path, &pack, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_pack_variant(&pack, &mha_512_8_model, NULL, &variant, error);
    if (status == GA_OK) {
        status = ga_pack_map(&pack, &mha_512_8_model, variant, GA_PACK_VERIFY, map_out, error);
    }
    ga_pack_close(&pack);
    return status;
}

int main(int argc, char **argv)
{
    static float x[CALLS * COUNT], alone[CALLS * COUNT], together[CALLS * COUNT];
    if (argc != 2) {
        fprintf(stderr, "usage: batches WEIGHTS.gap\n");
        return 2;
    }
    struct ga_error error;
    struct ga_pack_map weights;
    struct ga_threads *pool;
    if (map(argv[1], &weights, &error) != GA_OK || ga_threads_new(THREADS, &pool, &error) != GA_OK) {
        fprintf(stderr, "batches: %s\n", error.text);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        x[i] = (float)(i % 11) - 5.0f;
    }
    const bool ran =
        run(&weights.weights, NULL, x, alone) && run(&weights.weights, ga_threads_parallel(pool), x, together);
    ga_threads_free(pool);
    ga_pack_unmap(&weights);
    const bool same = ran && memcmp(alone, together, sizeof alone) == 0;
    printf("%d calls by %d threads and 1: %s bits\n", CALLS, THREADS, same ? "the same" : "other");
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
