// cost.h: what one call costs, from the model's sizes alone.
// Counts what must be computed and moved, whatever kernels do it; measures nothing.
#ifndef GA_COST_H
#define GA_COST_H

#include <stddef.h>

#include "model.h"

// Floating-point operations of a call, a multiply and an add being two: every projection the model has, and q k^T and
// p v over the pairs its causal rule and window let see each other. Biases, softmax and scaling are not counted.
// cached: keys a sequence's cache holds before the call.
double ga_cost_flops(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len, size_t cached);

// Least bytes a call moves: its inputs, its output and the cached keys and values once. Keys and values are a second
// input where kv_len is another length than q_len.
double ga_cost_bytes(const struct ga_model *model, size_t batch, size_t q_len, size_t kv_len, size_t cached);

#endif
