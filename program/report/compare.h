// compare.h: two tensors of the same shape held against each other.
// Prints nothing; knows no file.
#ifndef GA_COMPARE_H
#define GA_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "tensor.h"

struct ga_tolerance {
    double rtol, atol; // |found - expected| <= atol + rtol * |expected| agrees, as in torch.testing.assert_close
    bool equal_nan;    // two NaNs in one place agree
};

struct ga_comparison {
    size_t count;           // of elements
    size_t beyond;          // of those that do not agree
    double max_abs;         // largest |found - expected|; infinite for a NaN that does not agree
    double max_rel;         // largest |found - expected| / |expected| over those with an expected value other than 0
    size_t worst;           // the element furthest beyond, or nearest to, what its tolerance allows
    double found, expected; // that element's values
};

// found: as many F32 elements as expected has, at least one; expected: F32 or F64.
struct ga_comparison ga_compare(const float *found, const struct ga_tensor *expected,
                                const struct ga_tolerance *tolerance);

#endif
