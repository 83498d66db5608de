// batch_parts.h: what batch_plan.c and batch_run.c share: which sequences are in a batch, and what one batch needs.
// Internal to them; starts no thread.
#ifndef GA_BATCH_PARTS_H
#define GA_BATCH_PARTS_H

#include "arena.h"
#include "batches.h"

// Set in the order of a plan where a batch begins.
#define GA_BATCH_BEGINS (~(SIZE_MAX >> 1))

// The place of the i-th of the sequences, the longest first; and how many ids it has.
size_t ga_batch_place(const size_t *order, size_t i);
size_t ga_batch_length(const struct ga_batches *batches, const size_t *order, size_t i);

// Sequences and rows of the call for `count` sequences, of which the longest has `length` ids.
struct ga_batch_size {
    size_t batch, q_len;
};
struct ga_batch_size ga_batch_size(const struct ga_model *model, size_t count, size_t length);

// Room for one batch.
struct ga_batch_room {
    int32_t *tokens, *types, *lengths;
    float *embedding, *output, *logits, *last_logits, *class_logits; // of io
    uint8_t *mask;                                                   // of io: [batch][q_len], of keys
    unsigned char *cache, *scratch;
    size_t cache_size, scratch_size;
};

// Takes it of an arena, or measures it. threads: that run the batch together.
struct ga_batch_room ga_batch_room_take(const struct ga_loaded *loaded, const struct ga_batches *batches,
                                        struct ga_batch_size size, size_t threads, struct ga_arena *arena);

// The header of a thread's part of the scratch. The room of its batch follows it. After the room, GA_BATCH_APART bytes
// stay free: a core prefetches past the end of a buffer, and should not fetch lines that another thread writes.
struct ga_batch_worker {
    size_t failed; // first sequence of its batch that failed, SIZE_MAX where none did
    struct ga_error error;
};
enum {
    GA_BATCH_WORKER = (sizeof(struct ga_batch_worker) + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN, // bytes
    GA_BATCH_APART = 256,
};

#endif
