// pooling.h: one row for each of many sequences of any lengths, which it sorts by length and runs in batches: each by
// one thread, where there are as many batches as threads. Reads and writes no file.
#ifndef GA_POOLING_H
#define GA_POOLING_H

#include "load_model.h"
#include "pooling_batch.h"
#include "progress.h"
#include "sequences.h"

enum { GA_POOLING_ROWS = 1024 }; // of a batch, where nothing else is said

// What pools, and its room for batches. Zeroed memory with the first five set is one.
struct ga_pooling {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    size_t rows;                          // of a batch, at most, where a sequence is no longer
    size_t field;                         // of the output in struct ga_io, whose type is float *
    size_t width;                         // numbers of it that a sequence has, or a row where it is of rows
    bool of_rows;                         // the output has a row for each id: the last one is the sequence's
    const enum ga_arithmetic *arithmetic; // of io; NULL: the model's own
    const struct ga_watch *watch;         // of io
    float *last_logits, *class_logits;    // besides, of all sequences of a call, in their order; NULL: not asked for
    struct ga_progress *progress;         // NULL: none is shown
    bool (*is_stopped)(void);             // asked before each batch: whether to fail instead; NULL: never
    void (*meanwhile)(void *context); // what the calling thread does while others have begun; without others, or with
    void *meanwhile_context;          // fewer batches than threads, it is not called. NULL: nothing
    size_t done;                      // sequences of earlier calls
    double begin, end;                // shares of all the work, before this call and after it; 0: not known
    size_t *order;                    // places in sequences, the longest first
    struct ga_pooling_room *rooms;    // [n_rooms], one for each thread that runs batches
    size_t n_rooms;
};

// What pools embeddings.
struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance);

// What makes a row of sequences of a model that does not pool: that of the output after their last id.
struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance);

// Why the model gives no row of a sequence of token ids, to follow its name; NULL: it gives one.
const char *ga_pooling_refusal(const struct ga_model *model);

// Writes rows_out [sequences->count][width], in the order of the sequences; that of an empty one is zeros. The numbers
// are the same whatever the batches and the threads. Adds to pooling->done, where it succeeds. GA_EXIT_FAILED after a
// message: of several batches that fail the first is told.
enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out);

void ga_pooling_free(struct ga_pooling *pooling);

#endif
