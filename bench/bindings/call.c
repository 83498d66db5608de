// call.c: times calls of the layer from C: call WEIGHTS CALLS. Prints nanoseconds a call, the median of 21 rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bound_128_4.h"
#include "genattn/arena.h"
#include "genattn/pack_file.h"

enum { ROUNDS = 21, ROWS = 16, D = BOUND_128_4_D_MODEL };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static float x[ROWS * D], y[ROWS * D];
    struct ga_pack pack;
    struct ga_pack_map map;
    const struct ga_variant *variant;
    struct ga_error error;
    if (argc != 3 || ga_pack_open(argv[1], &pack, &error) ||
        ga_pack_variant(&pack, &bound_128_4_model, NULL, &variant, &error) ||
        ga_pack_map(&pack, &bound_128_4_model, variant, GA_PACK_VERIFY, &map, &error)) {
        return EXIT_FAILURE;
    }
    size_t size = bound_128_4_scratch_size(1, ROWS, ROWS, 1);
    void *scratch = ga_block_new(size);
    struct ga_io io = {.batch = 1, .q_len = ROWS, .query = x, .output = y};
    double took[ROUNDS];
    int calls = atoi(argv[2]);
    for (int i = 0; i < ROWS * D; i++) {
        x[i] = (float)(i % 13) - 6.0f;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < calls; i++) {
            if (ga_model_run(&map.weights, &io, scratch, size, &error)) {
                return EXIT_FAILURE;
            }
        }
        took[round] = (now() - start) / calls;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    printf("%.0f\n", took[ROUNDS / 2]);
    return EXIT_SUCCESS;
}
