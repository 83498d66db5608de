// call.c: times calls of the layer from C: call WEIGHTS CALLS WAY. WAY is "alone" (query) or "given" (query, key and
// value). Prints nanoseconds a call, the least of 201 rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bound_128_4.h"
#include "genattn/arena.h"
#include "genattn/pack_file.h"

enum { ROUNDS = 201, ROWS = 16, D = BOUND_128_4_D_MODEL };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); // others may have this CPU for a while
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    static float x[ROWS * D], key[ROWS * D], value[ROWS * D], y[ROWS * D];
    struct ga_pack pack;
    struct ga_pack_map map;
    const struct ga_variant *variant;
    struct ga_error error;
    if (argc != 4 || ga_pack_open(argv[1], &pack, &error) ||
        ga_pack_variant(&pack, &bound_128_4_model, NULL, &variant, &error) ||
        ga_pack_map(&pack, &bound_128_4_model, variant, GA_PACK_VERIFY, &map, &error)) {
        return EXIT_FAILURE;
    }
    size_t size = bound_128_4_scratch_size(1, ROWS, ROWS, 1);
    void *scratch = ga_block_new(size);
    struct ga_io io = {.batch = 1, .q_len = ROWS, .query = x, .output = y};
    double least = 1e18;
    int calls = atoi(argv[2]);
    if (strcmp(argv[3], "given") == 0) {
        io.kv_len = ROWS;
        io.key = key;
        io.value = value;
    }
    for (int i = 0; i < ROWS * D; i++) {
        x[i] = key[i] = value[i] = (float)(i % 13) - 6.0f;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < calls; i++) {
            if (ga_model_run(&map.weights, &io, scratch, size, &error)) {
                return EXIT_FAILURE;
            }
        }
        double took = (now() - start) / calls;
        least = took < least ? took : least;
    }
    printf("%.0f\n", least);
    return EXIT_SUCCESS;
}
