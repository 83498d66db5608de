// pooling.h: one row for each of many sequences of any lengths, which it sorts by length and runs in batches. Reads and
// writes no file.
#ifndef GA_POOLING_H
#define GA_POOLING_H

#include "load_model.h"
#include "progress.h"
#include "sequences.h"

enum { GA_POOLING_ROWS = 1024 }; // of a batch, where nothing else is said

// What pools, and its room for one batch. Zeroed memory with the first five set is one.
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
    size_t done;                          // sequences of earlier calls
    double begin, end;                    // shares of all the work, before this call and after it; 0: not known
    size_t *order;                        // places in sequences, the longest first
    int32_t *tokens, *types, *lengths;    // of a batch
    float *pooled, *next, *labels; // next: last_logits; labels: class_logits, also where watch is to see their rows
    size_t room;                   // rows these hold
    void *scratch;
    size_t scratch_size;
    struct ga_cache *cache; // of a batch, where the model has one
};

// What pools embeddings.
struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance);

// What makes a row of sequences of a model that does not pool: that of the output after their last id.
struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance);

// Whether the model gives a row of a sequence of token ids; GA_EXIT_FAILED after a message that says what it lacks.
enum ga_exit ga_pooling_check(const struct ga_context *context);

// Writes rows_out [sequences->count][width], in the order of the sequences; that of an empty one is zeros. The
// numbers are the same whatever the batches. Adds to pooling->done, where it succeeds. GA_EXIT_FAILED after a
// message.
enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out);

void ga_pooling_free(struct ga_pooling *pooling);

#endif
