// text_ahead.h: blocks of texts, the next of which a thread reads and tokenizes while the last one is used. Computes
// nothing of them.
#ifndef GA_TEXT_AHEAD_H
#define GA_TEXT_AHEAD_H

#include <pthread.h>

#include "text_blocks.h"

// Zeroed memory with the first three set is one at the file's begin.
struct ga_text_ahead {
    struct ga_text_reader *reader; // in use by the thread between calls
    struct ga_texts *texts;        // the same
    bool is_threaded;              // false: blocks are read when they are asked for
    struct ga_text_block blocks[2];
    size_t next; // of blocks
    bool is_running;
    pthread_t thread;
    enum ga_exit code; // of the thread
};

// *block_out: the next block, good until the next call; NULL after the last. GA_EXIT_FAILED after a message.
enum ga_exit ga_text_ahead_next(struct ga_text_ahead *ahead, const struct ga_text_block **block_out);

// Waits for the thread and frees the blocks; the reader and the texts stay open.
void ga_text_ahead_close(struct ga_text_ahead *ahead);

#endif
