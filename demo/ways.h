// ways.h: the demo's batch run in several ways, timed against each other and held against PyTorch. Prints nothing.
#ifndef DEMO_WAYS_H
#define DEMO_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include "example.h"
#include "model.h"

enum {
    WAY_OUTPUT = EXAMPLE_TOKENS * EXAMPLE_D_MODEL,                                       // [10][20][512]
    WAY_ATTENTION = EXAMPLE_SEQUENCES * EXAMPLE_HEADS * EXAMPLE_LENGTH * EXAMPLE_LENGTH, // [10][8][20][20]
    WAY_MAX_CALLS = 200
};

// What counts as equal to PyTorch: torch.testing.assert_close's own bounds for float32.
#define WAY_RELATIVE 1.3e-6
#define WAY_ABSOLUTE 1e-5

// One way to run the batch (the first three fields, set by the caller), and what came of it (zero before).
struct way {
    const char *name;       // also the first part of its tensors' names in the expected file
    const int32_t *lengths; // [EXAMPLE_SEQUENCES], or NULL: padding is attended as any token
    size_t rows;            // tokens it computes
    float output[WAY_OUTPUT];
    float attention[WAY_ATTENTION];
    double ms[WAY_MAX_CALLS]; // per timed call, sorted
    size_t calls;
    double difference; // largest from PyTorch, infinite where a result is no number
    size_t beyond;     // elements that differ by more than the bounds
};

// Runs tokens[EXAMPLE_TOKENS] each way, once for the attention weights and then, for a second or so, the ways in turn
// without them to time the call.
enum ga_status ways_run(struct way *ways, size_t count, const struct ga_loaded *loaded, const int32_t *tokens,
                        struct ga_error *error);

// The middle of a way's timed calls, in milliseconds.
double way_median(const struct way *way);

// Compares each way's output and attention with the tensors <name>.output and <name>.attention of the file at path,
// which holds every 7th element of the flattened results.
enum ga_status ways_compare(struct way *ways, size_t count, const char *path, struct ga_error *error);

#endif
