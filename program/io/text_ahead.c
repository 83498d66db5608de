// text_ahead.c: two blocks, one that is used and one that is read.
#include "text_ahead.h"

void ga_text_ahead_read(void *self)
{
    struct ga_text_ahead *ahead = self;
    ahead->code = ahead->read(ahead->context, &ahead->blocks[ahead->next]);
    ahead->is_read = true;
}

enum ga_exit ga_text_ahead_next(struct ga_text_ahead *ahead, const struct ga_text_block **block_out)
{
    const struct ga_text_block *block = &ahead->blocks[ahead->next];
    if (!ahead->is_read) {
        ga_text_ahead_read(ahead);
    }
    *block_out = ahead->code == GA_EXIT_OK ? block : NULL;
    if (*block_out) {
        ahead->next = 1 - ahead->next;
        ahead->is_read = false;
    }
    return ahead->code;
}

void ga_text_ahead_close(struct ga_text_ahead *ahead)
{
    ga_text_block_free(&ahead->blocks[0]);
    ga_text_block_free(&ahead->blocks[1]);
}
