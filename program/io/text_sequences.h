// text_sequences.h: texts as sequences of token ids, each cut to what the model takes. Knows nothing of what is made of
// them.
#ifndef GA_TEXT_SEQUENCES_H
#define GA_TEXT_SEQUENCES_H

#include "sequences.h"
#include "texts.h"

// Reads all texts of a file (texts.h) as ga_sequences_read reads ids; *n_cut_out: how many of them had more tokens than
// the model's sequences, and lost the last ones but those that the tokenizer adds. The caller calls ga_sequences_free
// whether or not this succeeds.
enum ga_exit ga_sequences_of_texts(const struct ga_context *context, struct ga_text_tools *tools, const char *path,
                                   struct ga_sequences *sequences_out, size_t *n_cut_out);

#endif
