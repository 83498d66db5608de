// pooling.h: one row for each of many sequences of any lengths, by ga_batches_run: its scratch, its progress and its
// messages. Reads and writes no file.
#ifndef GA_POOLING_H
#define GA_POOLING_H

#include "batches.h"
#include "load_model.h"
#include "progress.h"
#include "sequences.h"

// What pools, and its memory. Zeroed memory with the first four set is one.
struct ga_pooling {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    size_t rows;                          // of a batch, at most, where a sequence is no longer
    size_t field;                         // of the result in struct ga_batches, whose type is float *
    size_t dims;                          // numbers of a row to keep, the first ones; 0: all
    const enum ga_arithmetic *arithmetic; // of io; NULL: the model's own
    const struct ga_watch *watch;         // of io
    float *last_logits, *class_logits;    // besides, of all sequences of a call, in their order; NULL: not asked for
    struct ga_progress *progress;         // NULL: none is shown
    bool (*is_stopped)(void);             // asked before each batch: whether to fail instead; NULL: never
    void (*meanwhile)(void *context); // what the calling thread does while others have begun; without others, or with
    void *meanwhile_context;          // fewer batches than threads, it is not called. NULL: nothing
    size_t done;                      // sequences of earlier calls
    double begin, end;                // shares of all the work, before this call and after it; 0: not known
    size_t *order;                    // [n_order], of a plan
    size_t n_order;
    void *scratch;
    size_t scratch_size;
    float *whole; // [n_whole], rows before `dims`
    size_t n_whole;
};

// What pools embeddings.
struct ga_pooling ga_pooling_of(const struct ga_context *context, const struct ga_model_instance *instance);

// What makes a row of sequences of a model that does not pool: that of the output after their last id.
struct ga_pooling ga_pooling_of_rows(const struct ga_context *context, const struct ga_model_instance *instance);

// Why the model gives no row of a sequence of token ids, to follow its name; NULL: it gives one.
const char *ga_pooling_refusal(const struct ga_model *model);

// Numbers of a row of embeddings.
size_t ga_pooling_width(const struct ga_pooling *pooling);

// Writes rows_out [sequences->count][...], in the order of the sequences; that of an empty one is zeros. With `dims`, a
// row is the first numbers of the embedding, divided by their L2 norm if the model normalizes its rows. The numbers
// are the same whatever the batches and the threads. Adds to pooling->done, where it succeeds. GA_EXIT_FAILED after a
// message: of several batches that fail the first is told.
enum ga_exit ga_pool_sequences(struct ga_pooling *pooling, const struct ga_sequences *sequences, float *rows_out);

void ga_pooling_free(struct ga_pooling *pooling);

#endif
