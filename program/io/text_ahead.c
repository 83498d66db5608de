// text_ahead.c: two blocks, one that is used and one that a thread fills. A thread lives for one block.
#include "text_ahead.h"

enum { STACK = 1 << 20 }; // bytes of the thread's stack

static void *read_block(void *context)
{
    struct ga_text_ahead *ahead = context;
    ahead->code = ga_text_block_read(ahead->reader, ahead->texts, &ahead->blocks[ahead->next]);
    return NULL;
}

// Where the system starts no thread, the block is read when it is asked for.
static void start(struct ga_text_ahead *ahead)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return;
    }
    ahead->is_running = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                        pthread_create(&ahead->thread, &attributes, read_block, ahead) == 0;
    (void)pthread_attr_destroy(&attributes);
}

static void finish(struct ga_text_ahead *ahead)
{
    if (ahead->is_running) {
        (void)pthread_join(ahead->thread, NULL);
        ahead->is_running = false;
    }
}

enum ga_exit ga_text_ahead_next(struct ga_text_ahead *ahead, const struct ga_text_block **block_out)
{
    const struct ga_text_block *block = &ahead->blocks[ahead->next];
    if (ahead->is_running) {
        finish(ahead);
    } else {
        read_block(ahead);
    }
    const enum ga_exit code = ahead->code; // the thread's from where it is started
    *block_out = code == GA_EXIT_OK && block->sequences.count > 0 ? block : NULL;
    if (*block_out) {
        ahead->next = 1 - ahead->next;
    }
    if (*block_out && ahead->is_threaded) {
        start(ahead);
    }
    return code;
}

void ga_text_ahead_close(struct ga_text_ahead *ahead)
{
    finish(ahead);
    ga_text_block_free(&ahead->blocks[0]);
    ga_text_block_free(&ahead->blocks[1]);
}
