// watch.h: shows the rows that linears multiply to the caller of ga_model_run, who can use them to choose the numbers
// of packed weights. It keeps none of the rows.
#ifndef GA_WATCH_H
#define GA_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_watch {
    // x: rows of floats, `stride` apart, that the weights of all these roles multiply; a row of x is as long as a row
    // of the weights. roles: indices into the model's roles. The rows are valid only until show returns. Threads of
    // io.parallel call it at the same time.
    void (*show)(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows);
    void *self; // passed to show; belongs to the owner
};

// Whether calls of a model take io.watch: true if its weights are in groups. A call shows the rows of all linears. For
// logits these are all rows that the call leaves, even if io.logits is NULL; a classifier shows its rows if
// io.class_logits is given. No result changes. False if model is NULL.
bool ga_model_shows(const struct ga_model *model);

#ifdef __cplusplus
}
#endif
#endif
