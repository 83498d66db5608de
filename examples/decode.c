// decode.c: a layer with a cache, as decoding wants it: a prompt in one call, then one row a call, each of which looks
// at all rows before. Held against one call with all rows: the bits are the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "genattn/arena.h"
#include "genattn/pack_file.h"

enum { PROMPT = 20, ROWS = 50, CAPACITY = 64, D = DECODER_D_MODEL };

// Maps the weights of the best instruction set; ga_pack_unmap ends that.
static enum ga_status map(const char *path, struct ga_pack_map *map_out, struct ga_error *error)
{
    struct ga_pack pack;
    const struct ga_variant *variant;
    enum ga_status status = ga_pack_open(path, &pack, error);
    if (status != GA_OK) {
        return status;
    }
    status = ga_pack_variant(&pack, &decoder_model, NULL, &variant, error);
    if (status == GA_OK) {
        status = ga_pack_map(&pack, &decoder_model, variant, GA_PACK_VERIFY, map_out, error);
    }
    ga_pack_close(&pack);
    return status;
}

// What one sequence's calls share.
struct sequence {
    const struct ga_loaded *weights;
    struct ga_cache *cache;
    void *cache_block, *scratch;
    size_t scratch_size;
};

// The cache is a block of the caller's, and so is the scratch, here large enough for any of the calls.
static enum ga_status begin(const struct ga_loaded *weights, struct sequence *sequence_out, struct ga_error *error)
{
    size_t size = ga_cache_size(&decoder_model, ga_loaded_variant(weights), 1, CAPACITY);
    sequence_out->weights = weights;
    sequence_out->cache_block = ga_block_new(size);
    sequence_out->scratch_size = decoder_scratch_size(1, ROWS, ROWS, 1);
    sequence_out->scratch = ga_block_new(sequence_out->scratch_size);
    return ga_cache_init(weights, 1, CAPACITY, sequence_out->cache_block, size, &sequence_out->cache, error);
}

static void end(struct sequence *sequence)
{
    ga_block_free(sequence->scratch);
    ga_block_free(sequence->cache_block);
}

// The next rows of the sequence: x and y [rows][D].
static enum ga_status append(struct sequence *sequence, size_t rows, const float *x, float *y, struct ga_error *error)
{
    struct ga_io io = {.batch = 1, .q_len = rows, .query = x, .output = y, .cache = sequence->cache};
    return ga_model_run(sequence->weights, &io, sequence->scratch, sequence->scratch_size, error);
}

// All rows, first in one call, then, the cache being empty again, the prompt's in one and each other in its own.
static enum ga_status decode(struct sequence *sequence, const float *x, float *whole, float *stepwise,
                             struct ga_error *error)
{
    enum ga_status status = append(sequence, ROWS, x, whole, error);
    if (status == GA_OK) {
        status = ga_cache_cut(sequence->cache, 0, 0, error);
    }
    if (status == GA_OK) {
        status = append(sequence, PROMPT, x, stepwise, error);
    }
    for (size_t row = PROMPT; status == GA_OK && row < ROWS; row++) {
        status = append(sequence, 1, x + row * D, stepwise + row * D, error);
    }
    return status;
}

static enum ga_status run(const struct ga_loaded *weights, float *whole, float *stepwise, struct ga_error *error)
{
    static float x[ROWS * D]; // what embeds the tokens would be here
    for (size_t i = 0; i < ROWS * D; i++) {
        x[i] = (float)(i % 13) - 6.0f;
    }
    struct sequence sequence;
    enum ga_status status = begin(weights, &sequence, error);
    if (status == GA_OK) {
        status = decode(&sequence, x, whole, stepwise, error);
    }
    if (status == GA_OK) {
        printf("the cache holds %d rows\n", (int)ga_cache_lengths(sequence.cache)[0]);
    }
    end(&sequence);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: decode WEIGHTS.gap\n");
        return 2;
    }
    struct ga_error error;
    struct ga_pack_map weights;
    static float whole[ROWS * D], stepwise[ROWS * D];
    enum ga_status status = map(argv[1], &weights, &error);
    if (status == GA_OK) {
        status = run(&weights.weights, whole, stepwise, &error);
        ga_pack_unmap(&weights);
    }
    if (status != GA_OK) {
        fprintf(stderr, "decode: %s\n", error.text);
        return EXIT_FAILURE;
    }
    int same = memcmp(whole, stepwise, sizeof whole) == 0;
    printf("row by row and all at once: %s bits\n", same ? "the same" : "other");
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
