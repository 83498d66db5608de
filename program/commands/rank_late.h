// rank_late.h: `rank` of a model of late interaction: the vectors of a query's tokens are compared with
// those of documents.
#ifndef GA_RANK_LATE_H
#define GA_RANK_LATE_H

#include "load_model.h"
#include "sequences.h"

// Writes scores_out [documents->count]: the largest similarities of each document with the one sequence of query, in
// batches of at most so many rows. GA_EXIT_FAILED after a message.
enum ga_exit ga_rank_late(const struct ga_context *context, const struct ga_model_instance *instance,
                          const struct ga_sequences *query, const struct ga_sequences *documents, size_t rows,
                          float *scores_out);

#endif
