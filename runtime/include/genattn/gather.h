// gather.h: ranks, which divide each call of a whole model, and the function by which they bring each other what they
// computed. The host provides it, by its own engine (MPI, sockets, memory of threads); the library has none.
#ifndef GA_GATHER_H
#define GA_GATHER_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_MAX_TEAM = 64 }; // ranks of a call

// One of several processes, or of threads, that make the same calls in the same order, with the same variant, weights,
// inputs, outputs asked for and number of threads in io.parallel. Each has its own scratch, cache and memory for
// outputs. Each computes its part of the key heads and of the columns of every linear, and reads only these weights.
// Outputs are complete on every rank, and have the bits of a call without ranks. A cache holds the key heads of its
// rank alone; the others have any values.
struct ga_ranks {
    size_t rank, size; // which one this is, 0..size - 1, of how many, 1..GA_MAX_TEAM
    // data: `rows` rows, `stride` bytes apart. In each row, rank r has computed the bytes from ends[r - 1] (rank 0:
    // from 0) up to ends[r]; some ranks may have none. The function brings the bytes of all other ranks from the same
    // call of their function, and returns when they are there. False: it cannot; ga_model_run then returns GA_RANK and
    // does not call it again. All ranks call it in the same order with the same rows, stride and ends; on each rank,
    // the thread that called ga_model_run calls it.
    bool (*gather)(void *self, void *data, size_t rows, size_t stride, const size_t *ends);
    void *self; // passed to gather; belongs to the owner
};

#ifdef __cplusplus
}
#endif
#endif
