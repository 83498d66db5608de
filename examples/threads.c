// threads.c: one call spread over a pool of threads, held against the same call by the calling thread alone: the bits
// are the same. The weights are mapped from a packed file, not copied; a scheduler of your own goes where the pool is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "genattn/arena.h"
#include "genattn/pack_file.h"
#include "genattn/threads.h"
#include "mha_512_8.h"

enum { BATCH = 4, ROWS = 100, THREADS = 4, COUNT = BATCH * ROWS * MHA_512_8_D_MODEL };

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

// One call of a batch of made up rows. Scratch is for as many threads as there are; without a pool, NULL, it is one.
static enum ga_status run(const struct ga_loaded *weights, const struct ga_threads *pool, float *y,
                          struct ga_error *error)
{
    static float x[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (float)(i % 11) - 5.0f;
    }
    size_t size = mha_512_8_scratch_size(BATCH, ROWS, ROWS, pool ? THREADS : 1);
    void *scratch = ga_block_new(size);
    struct ga_io io = {.batch = BATCH, .q_len = ROWS, .query = x, .output = y};
    io.parallel = pool ? ga_threads_parallel(pool) : NULL;
    enum ga_status status = ga_model_run(weights, &io, scratch, size, error);
    ga_block_free(scratch);
    return status;
}

static enum ga_status run_both(const struct ga_loaded *weights, float *alone, float *together, struct ga_error *error)
{
    struct ga_threads *pool; // made once, for all calls
    enum ga_status status = ga_threads_new(THREADS, &pool, error);
    if (status == GA_OK) {
        status = run(weights, NULL, alone, error);
    }
    if (status == GA_OK) {
        status = run(weights, pool, together, error);
    }
    ga_threads_free(pool);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: threads WEIGHTS.gap\n");
        return 2;
    }
    struct ga_error error;
    struct ga_pack_map weights;
    static float alone[COUNT], together[COUNT];
    enum ga_status status = map(argv[1], &weights, &error);
    if (status == GA_OK) {
        status = run_both(&weights.weights, alone, together, &error);
        ga_pack_unmap(&weights);
    }
    if (status != GA_OK) {
        fprintf(stderr, "threads: %s\n", error.text);
        return EXIT_FAILURE;
    }
    int same = memcmp(alone, together, sizeof alone) == 0;
    printf("%d threads and 1: %s bits\n", THREADS, same ? "the same" : "other");
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
