// kernels_neighbours.h: a comparison with the generic kernel that also asks its errors over neighbours of a call, whose
// weights are off by a rounding, where its error in the call itself is not enough.
//
// A call can amplify what its first layers round: a row that nearly cancels is made large again by a norm. Its error is
// then one random number, and so is the generic kernel's, and of two such numbers one is often many times the other.
// How large errors of the call are, several of them say.
#ifndef TESTS_KERNELS_NEIGHBOURS_H
#define TESTS_KERNELS_NEIGHBOURS_H

#include "kernels.h"
#include "support/approx.h"

// The generic kernel's error in what is compared of a call, with the weights of near; false: no memory.
typedef bool generic_error(const struct subject *near, const struct call *call, void *context,
                           struct approx_error *error_out);

// What is compared of a run, and with what: got and exact are [count], error is the generic kernel's in the call.
struct compared {
    const float *got;
    const double *exact;
    size_t count;
    struct approx_error error;
    double slack;            // of approx_layer
    generic_error *error_of; // NULL: neighbours are not asked
    void *context;
};

// By approx_layer's rule, with the generic kernel's error in the call; where that fails, with its largest over
// neighbours too.
struct approx approx_among_neighbours(const struct subject *subject, const struct call *call,
                                      const struct compared *compared);

#endif
