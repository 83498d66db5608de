// row_sums.h: what linears of a model multiply, as sums of products of the rows' numbers, taken while it runs. Rounds
// no weight.
#ifndef GA_ROW_SUMS_H
#define GA_ROW_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "progress.h"
#include "watch.h"

// By role of the model: sums[i * stride + j], j <= i, of x[i] x[j] over all rows x that the weight multiplied, or NULL
// where it multiplied none that were shown. Weights that multiply the same rows share them.
struct ga_row_sums {
    const struct ga_model *model;
    float **of;                   // [n_roles]
    size_t *owner;                // [n_roles], the role that stands for all with the same sums
    float *rows;                  // room for some rows
    size_t room;                  // floats of each
    struct ga_watch watch;        // for io.watch; its self is this struct, which is not moved meanwhile
    bool is_short;                // of memory: the sums are not whole
    size_t n_shown;               // roles up to the last one that has sums
    struct ga_progress *progress; // of a run that shows each role's rows at once; NULL: none is shown
};

// False where there is no memory. The caller calls ga_row_sums_free in either case.
bool ga_row_sums_new(const struct ga_model *model, struct ga_row_sums *sums_out);

// Floats from one row of the sums to the next, of a weight so wide.
size_t ga_row_sums_stride(size_t width);

void ga_row_sums_free(struct ga_row_sums *sums);

#endif
