// text_ahead.h: blocks of texts, the next of which is read and tokenized while the last one is used, on whichever
// thread the caller has do it. Starts no thread and computes nothing of the texts.
#ifndef GA_TEXT_AHEAD_H
#define GA_TEXT_AHEAD_H

#include "text_blocks.h"

// Zeroed memory with the first two set is one at the file's begin.
struct ga_text_ahead {
    // Makes the block one of the next texts. GA_EXIT_FAILED after a message.
    enum ga_exit (*read)(void *context, struct ga_text_block *block);
    void *context;
    struct ga_text_block blocks[2];
    size_t next; // of blocks
    bool is_read;
    enum ga_exit code; // of what was read
};

// Reads the next block now, for ga_text_ahead_next to give; the last one stays as it is. self: a struct ga_text_ahead.
void ga_text_ahead_read(void *self);

// *block_out: the next block, read now where it has not been, and good until the next call; GA_EXIT_FAILED after a
// message, with NULL there.
enum ga_exit ga_text_ahead_next(struct ga_text_ahead *ahead, const struct ga_text_block **block_out);

// Frees the blocks.
void ga_text_ahead_close(struct ga_text_ahead *ahead);

#endif
