// watch.h: rows that linears multiply, shown to the caller of ga_model_run, who may choose numbers of packed
// weights by them. Keeps none of them.
#ifndef GA_WATCH_H
#define GA_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_watch {
    // x: rows of floats, `stride` apart, which the weights of all these roles, places among the model's, multiply: each
    // is as long as a row of them. They are gone when it returns. Threads of io.parallel call it at the same time.
    void (*show)(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows);
    void *self; // handed to show; the owner's
};

// Whether calls of a model take io.watch: those whose weights are in groups. They show the rows of all its linears: of
// that of logits all rows that the call leaves, whether or not logits are asked for; of a classifier's where
// class_logits are. No result changes. False where model is NULL.
bool ga_model_shows(const struct ga_model *model);

#ifdef __cplusplus
}
#endif
#endif
