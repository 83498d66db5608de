// reference_place.h: the generic kernel's places: the row of positions that each row of a call has.
#ifndef GA_REFERENCE_PLACE_H
#define GA_REFERENCE_PLACE_H

#include "genattn/model.h"

// That of row i of sequence b. Padding has the row before the first place, and is not counted after it.
static inline size_t reference_place(const struct ga_stack *stack, const struct ga_io *io, size_t b, size_t i)
{
    const int32_t *tokens = stack->has_padding && io->tokens ? io->tokens + b * io->q_len : NULL;
    size_t skipped = 0;
    for (size_t j = 0; tokens && j < i; j++) {
        skipped += tokens[j] == stack->padding;
    }
    return tokens && tokens[i] == stack->padding ? stack->first_position - 1 : stack->first_position + i - skipped;
}

#endif
