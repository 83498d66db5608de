// embed.c: a whole model, token ids in and one vector a sequence out, with weights from a safetensors file (or a folder
// of shards), which libga_weights.a reads by way of jansson. Each sequence has its length; padding is not computed.
#include <stdio.h>
#include <stdlib.h>

#include "encoder.h"
#include "genattn/arena.h"
#include "genattn/load.h"
#include "genattn/weights.h"

enum { BATCH = 3, ROWS = 6, D = ENCODER_D_MODEL };

// The first two sequences are the same after what is padding; the third is another.
static const int32_t tokens[BATCH][ROWS] = {{5, 17, 42, 8, 0, 0}, {5, 17, 42, 8, 99, 99}, {61, 3, 3, 29, 70, 11}};
static const int32_t lengths[BATCH] = {4, 4, 6};

// Finds the model's tensors in the file by name, and packs them into *block_out, which the caller frees.
static enum ga_status pack(struct ga_weights *file, void **block_out, const struct ga_loaded **weights_out,
                           struct ga_error *error)
{
    const struct ga_variant *variant;
    struct ga_weight_view views[ENCODER_N_ROLES];
    enum ga_status status = ga_model_variant(&encoder_model, NULL, &variant, error);
    if (status == GA_OK) {
        status = ga_load_views(&encoder_model, file, NULL, views, error);
    }
    if (status == GA_OK) {
        size_t size = ga_model_packed_size(variant);
        *block_out = ga_block_new(size);
        status = ga_model_pack(&encoder_model, variant, views, *block_out, size, weights_out, error);
    }
    return status;
}

static enum ga_status load(const char *path, void **block_out, const struct ga_loaded **weights_out,
                           struct ga_error *error)
{
    struct ga_weights *file;
    enum ga_status status = ga_weights_open_model(path, NULL, &file, error);
    if (status == GA_OK) {
        status = pack(file, block_out, weights_out, error);
    }
    ga_weights_close(file); // what was packed does not need it
    return status;
}

static enum ga_status embed(const struct ga_loaded *weights, float *vectors, struct ga_error *error)
{
    size_t size = encoder_scratch_size(BATCH, ROWS, ROWS, 1);
    void *scratch = ga_block_new(size);
    struct ga_io io = {.batch = BATCH, .q_len = ROWS, .tokens = tokens[0], .q_lengths = lengths, .embedding = vectors};
    enum ga_status status = ga_model_run(weights, &io, scratch, size, error);
    ga_block_free(scratch);
    return status;
}

// Of vectors of length 1, as the spec's pool gives them.
static double cosine(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: embed WEIGHTS.safetensors\n");
        return 2;
    }
    struct ga_error error;
    void *block = NULL;
    const struct ga_loaded *weights;
    float vectors[BATCH][D];
    enum ga_status status = load(argv[1], &block, &weights, &error);
    if (status == GA_OK) {
        status = embed(weights, vectors[0], &error);
    }
    ga_block_free(block);
    if (status != GA_OK) {
        fprintf(stderr, "embed: %s\n", error.text);
        return EXIT_FAILURE;
    }
    printf("cosine of sequence 1 with 2: %.4f, with 3: %.4f\n", cosine(vectors[0], vectors[1]),
           cosine(vectors[0], vectors[2]));
    return EXIT_SUCCESS;
}
