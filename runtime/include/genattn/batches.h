// batches.h: one result for each of many sequences of token ids, of any lengths. It sorts them by length and runs them
// in batches, each by one thread if there are enough of them. It makes no ids of texts and allocates nothing.
#ifndef GA_BATCHES_H
#define GA_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GA_BATCH_ROWS = 1024 }; // of a batch, if nothing else is said

// The sequences, and where their results go. The caller owns all memory and changes none of it from ga_batches_plan
// until ga_batches_run has returned; ids and types are copied before they are checked. Zero-initialise the struct: a
// field that is NULL is absent. The model must be one that takes token ids and attends to them alone (an encoder, or a
// decoder without a memory). With a cache, each batch gets an empty one.
struct ga_batches {
    size_t count;         // sequences
    const size_t *starts; // [count + 1]: sequence i has ids[starts[i]] to ids[starts[i + 1] - 1]; it may be empty
    const int32_t *ids;   // [starts[count]]
    const int32_t *types; // [starts[count]], for a model that adds token types; NULL: all 0
    const size_t *seen;   // [count], how many of its first ids a sequence's rows see: later ones have rows, but no row
                          // sees them. NULL: all. Only if the spec has mask.tensor "bool"
    size_t first;         // the number of the first sequence in messages of errors
    size_t rows;          // the most rows of a batch, unless one sequence is longer; 0: GA_BATCH_ROWS
    size_t most;          // the most sequences of a batch; 0: any number. A model with a fixed batch has its own
    // Results, in the order of the sequences; as the fields of struct ga_io of these names. Those of an empty sequence
    // are zeros.
    float *embedding;    // [count][d_embedding]
    float *output;       // [starts[count] - starts[0]][d_model], the rows of all ids, one sequence after the other
    float *logits;       // [starts[count] - starts[0]][n_logits], of all ids, as output
    float *last_output;  // [count][d_model], of output the row of the last id of each sequence
    float *last_logits;  // [count][n_logits]
    float *class_logits; // [count][n_labels]
    const struct ga_parallel *parallel;   // NULL: the calling thread does all the work. The bits are the same
    const enum ga_arithmetic *arithmetic; // of struct ga_io; NULL: model->arithmetic
    const struct ga_watch *watch;         // of struct ga_io: is shown one batch after the other. NULL: none
    // Is called before each batch, by the thread that is about to run it, also at the same time by several. sequences,
    // ids: how many earlier batches have. false: no further batch is begun, and the run gives GA_STOPPED. NULL: true.
    bool (*goes_on)(void *self, size_t sequences, size_t ids);
    void *self; // passed to goes_on; belongs to the caller
};

// What ga_batches_plan says. Read the struct, do not write it.
struct ga_batch_plan {
    const size_t *order; // the room that ga_batches_plan was given
    size_t threads;      // that run batches at the same time; 1: those of parallel run each batch together
    size_t scratch_size; // bytes, for all of these threads
};

// Sorts and divides the sequences. order: room for [count], which must stay until ga_batches_run has returned. Batches
// are smaller where few ids are left, so that threads end together. GA_ARGUMENT: a pointer is missing, starts decrease,
// a sequence is longer than the model takes, or too short for a model without lengths; GA_UNSUPPORTED: the model takes
// no such sequences; GA_OVERFLOW: the scratch does not fit in memory.
enum ga_status ga_batches_plan(const struct ga_loaded *loaded, const struct ga_batches *batches, size_t *order,
                               struct ga_batch_plan *plan_out, struct ga_error *error);

// Runs the batches of a plan for these weights. scratch: GA_ALIGN-aligned, at least plan->scratch_size bytes; it and
// the results must not overlap anything else that is given. Any number of threads may run the same weights at the same
// time, each with its own plan and scratch. The numbers are the same for any batches and any number of threads.
//
// If an id is out of range or a call fails, the error is that of the first batch that fails, whatever the threads do;
// it names the sequence. No further batch is begun, and results are undefined. GA_STOPPED: goes_on has said so.
enum ga_status ga_batches_run(const struct ga_loaded *loaded, const struct ga_batches *batches,
                              const struct ga_batch_plan *plan, void *scratch, size_t scratch_size,
                              struct ga_error *error);

#ifdef __cplusplus
}
#endif
#endif
