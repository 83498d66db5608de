// example.h: what the demo runs: ten sequences of token ids and a file of weights made by formula.h. Runs nothing.
#ifndef DEMO_EXAMPLE_H
#define DEMO_EXAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

enum {
    EXAMPLE_SEQUENCES = 10,
    EXAMPLE_LENGTH = 20, // of the longest sequence
    EXAMPLE_TOKENS = EXAMPLE_SEQUENCES * EXAMPLE_LENGTH,
    EXAMPLE_VOCABULARY = 100,
    EXAMPLE_PADDING = 0, // the token id that fills the shorter ones up
    EXAMPLE_D_MODEL = 512,
    EXAMPLE_HEADS = 8
};

struct example_batch {
    int32_t tokens[EXAMPLE_SEQUENCES][EXAMPLE_LENGTH]; // padded with EXAMPLE_PADDING
    int32_t lengths[EXAMPLE_SEQUENCES];                // real tokens of each, 1..EXAMPLE_LENGTH
    size_t rows;                                       // sum of the lengths
};

// The ten sequences.
struct example_batch example_batch(void);

// Writes the embedding and the four linears to path as safetensors.
enum ga_status example_write_weights(const char *path, struct ga_error *error);

#endif
