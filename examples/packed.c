// packed.c: weights that a program has packed before, from a file into memory of the caller's, and one call: neither
// jansson nor packing is needed to start. Every byte of the file is checked before it is used.
#include <stdio.h>
#include <stdlib.h>

#include "genattn/arena.h"
#include "genattn/pack_file.h"
#include "mha_512_8.h"

enum { ROWS = 20, D = MHA_512_8_D_MODEL };

// Reads the file into *block_out, which the caller frees. The best instruction set that the file, this build and this
// CPU share is taken.
static enum ga_status load(const char *path, void **block_out, const struct ga_loaded **weights_out,
                           struct ga_error *error)
{
    struct ga_pack pack;
    const struct ga_variant *variant;
    enum ga_status status = ga_pack_open(path, &pack, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_pack_variant(&pack, &mha_512_8_model, NULL, &variant, error);
    if (status == GA_OK) {
        size_t size = ga_model_packed_size(variant);
        *block_out = ga_block_room(size);
        status = *block_out ? ga_pack_load(&pack, &mha_512_8_model, variant, GA_PACK_VERIFY, *block_out, size,
                                           weights_out, error)
                            : ga_fail(error, GA_MEMORY, "no memory for %zu bytes of weights", size);
    }
    ga_pack_close(&pack);
    return status;
}

// One call over made up rows.
static enum ga_status run(const struct ga_loaded *weights, float *y, struct ga_error *error)
{
    static float x[ROWS * D];
    for (size_t i = 0; i < ROWS * D; i++) {
        x[i] = (float)(i % 7) - 3.0f;
    }
    size_t size = mha_512_8_scratch_size(1, ROWS, ROWS, 1);
    void *scratch = ga_block_new(size);
    struct ga_io io = {.batch = 1, .q_len = ROWS, .query = x, .output = y};
    enum ga_status status = ga_model_run(weights, &io, scratch, size, error);
    ga_block_free(scratch);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: packed WEIGHTS.gap\n");
        return 2;
    }
    struct ga_error error;
    void *block = NULL;
    const struct ga_loaded *weights;
    static float y[ROWS * D];
    enum ga_status status = load(argv[1], &block, &weights, &error);
    if (status == GA_OK) {
        status = run(weights, y, &error);
    }
    if (status == GA_OK) {
        printf("%s: the output's first row begins with %.4f %.4f %.4f\n", ga_loaded_variant(weights)->isa, y[0], y[1],
               y[2]);
    } else {
        fprintf(stderr, "packed: %s\n", error.text);
    }
    ga_block_free(block);
    return status == GA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
