// call_ranks.h: one call that ranks divide: which columns are a rank's, and what the others computed. For ga_model_run
// and generated code; moves no bytes itself.
#ifndef GA_CALL_RANKS_H
#define GA_CALL_RANKS_H

#include "gather.h"

// What a call sees of its ranks: theirs, and whether they failed it.
struct ga_gathering {
    struct ga_ranks ranks; // what the call sees; its self is this struct, which is not moved meanwhile
    struct ga_ranks given; // the caller's
    bool failed;           // nothing is gathered any more
};

// Copies what a call is told of ranks, and checks the copy; none where io has none. In call_ranks.c, as those below.
enum ga_status ga_call_ranks(const struct ga_model *model, const struct ga_io *io, struct ga_gathering *gathering_out,
                             struct ga_error *error);

// What the kernels see of ranks that were checked; NULL where one does all.
const struct ga_ranks *ga_call_divided(const struct ga_gathering *gathering);

// Where the columns of a rank begin and end, of `width` columns that are divided by whole blocks of `block`. Without
// ranks (NULL) all columns are the caller's.
size_t ga_ranks_first(const struct ga_ranks *ranks, size_t width, size_t block);
size_t ga_ranks_end(const struct ga_ranks *ranks, size_t width, size_t block);

// Brings the columns of the other ranks to x [rows], `stride` floats apart; without ranks nothing happens. What a
// failed call computes afterwards means nothing.
void ga_ranks_gather(const struct ga_ranks *ranks, float *x, size_t rows, size_t stride, size_t width, size_t block);

#endif
