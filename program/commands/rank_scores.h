// rank_scores.h: how `rank` makes scores of the logits of labels. Computes no logit.
#ifndef GA_RANK_SCORES_H
#define GA_RANK_SCORES_H

#include "model.h"

// Turns logits [count][n_labels] into scores, in place.
void ga_rank_activate(enum ga_class_scores activation, float *scores, size_t count, size_t n_labels);

#endif
