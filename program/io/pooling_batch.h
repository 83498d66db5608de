// pooling_batch.h: one batch of sequences at a time: room for it, one call of the model, its rows put where they
// belong. Chooses no batch, starts no thread and prints nothing.
#ifndef GA_POOLING_BATCH_H
#define GA_POOLING_BATCH_H

#include <stdint.h>

#include "model.h"

struct ga_pooling;
struct ga_sequences;

// What one thread needs for one batch, kept for the next. Zeroed memory is room for none.
struct ga_pooling_room {
    int32_t *tokens, *types, *lengths;
    float *pooled, *next, *labels; // next: last_logits; labels: class_logits, also where watch is to see their rows
    size_t batch, rows;            // sequences and rows that these hold
    void *scratch;
    size_t scratch_size;
    struct ga_cache *cache;
    struct ga_error error;              // of the batch that failed
    const struct ga_parallel *parallel; // of io: those who do one batch together, or NULL
};

// Sequences that are run by batches, and where their rows go.
struct ga_pooling_set {
    const struct ga_pooling *pooling; // whose order is set
    const struct ga_model *model;
    const struct ga_sequences *sequences;
    float *rows;
};

// Ids that the i-th of the sequences has, the longest first.
size_t ga_pooling_length(const struct ga_pooling_set *set, size_t i);

// How many sequences from the first-th on go together, of `rows` rows at most where a sequence is no longer; without
// lengths in the model those of one length.
size_t ga_pooling_batch_size(const struct ga_pooling_set *set, size_t first, size_t rows);

// Runs `count` sequences from the first-th on as one batch. Threads may run other batches of the set in rooms of their
// own. An entry in room->error where it fails.
enum ga_status ga_pooling_batch_run(const struct ga_pooling_set *set, struct ga_pooling_room *room, size_t first,
                                    size_t count);

void ga_pooling_room_free(struct ga_pooling_room *room);

#endif
