// sequences.h: many sequences of token ids, of any lengths, from one file. Does not know what they are used for.
#ifndef GA_SEQUENCES_H
#define GA_SEQUENCES_H

#include <stdint.h>

#include "diagnostics.h"

struct ga_sequences {
    size_t count;
    size_t *starts; // [count + 1], of each in ids
    int32_t *ids;
    int32_t *types; // of tokens, as many; NULL: all 0
    size_t *seen;   // [count], of struct ga_batches; NULL: all
};

// Reads path: a safetensors file where the name ends so, which holds tokens [B,L], lengths [B] and token_types [B,L],
// else text, a sequence a line, its ids separated by blanks or commas. Every id is one of the model's; a sequence
// longer than it takes is an error, or ends there where `cut` is set. The caller calls ga_sequences_free whether or not
// this succeeds.
enum ga_exit ga_sequences_read(const struct ga_context *context, const char *path, bool cut,
                               struct ga_sequences *sequences_out);

size_t ga_sequence_length(const struct ga_sequences *sequences, size_t i);

void ga_sequences_free(struct ga_sequences *sequences);

#endif
