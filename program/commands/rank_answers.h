// rank_answers.h: `rank` of a decoder that answers pairs with a token: what it would say after the text of each pair.
#ifndef GA_RANK_ANSWERS_H
#define GA_RANK_ANSWERS_H

#include "load_model.h"
#include "sequences.h"

// Writes scores_out [pairs->count]: the logit of the first of text_input.answers after each pair, less that of the
// second, if there is one; in batches of at most so many rows. GA_EXIT_FAILED after a message.
enum ga_exit ga_rank_answers(const struct ga_context *context, const struct ga_model_instance *instance,
                             const struct ga_sequences *pairs, size_t rows, float *scores_out);

// Whether these scores become probabilities, where nothing else is said.
bool ga_rank_answers_as_sigmoid(const struct ga_model *model);

#endif
