// rank_scores.c: the sigmoid of each logit, or the softmax over the labels of each document.
#include "rank_scores.h"

#include <math.h>

#include "elementary.h"

static void softmax(float *row, size_t count)
{
    double highest = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        highest = row[i] > highest ? row[i] : highest;
    }
    for (size_t i = 0; i < count; i++) {
        sum += ga_exp(row[i] - highest);
    }
    for (size_t i = 0; i < count; i++) {
        row[i] = (float)(ga_exp(row[i] - highest) / sum);
    }
}

void ga_rank_activate(enum ga_class_scores activation, float *scores, size_t count, size_t n_labels)
{
    for (size_t i = 0; i < count * n_labels && activation == GA_CLASS_SCORES_SIGMOID; i++) {
        scores[i] = (float)(1.0 / (1.0 + ga_exp(-(double)scores[i])));
    }
    for (size_t i = 0; i < count && activation == GA_CLASS_SCORES_SOFTMAX; i++) {
        softmax(scores + i * n_labels, n_labels);
    }
}
