// cost.h: what one call costs, from the model's sizes alone.
// Counts what must be computed and moved, whatever kernels do it; measures nothing.
#ifndef GA_COST_H
#define GA_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"

// The sizes of a call that its cost depends on.
struct ga_call_size {
    size_t batch, q_len, kv_len;
    size_t cached;     // keys a sequence's cache holds before the call
    size_t logit_rows; // rows of a sequence whose logits are asked for
    bool class_logits; // those of the sequences are asked for
};

// Floating-point operations of a call, a multiply and an add being two: every projection the model has, and q k^T and
// p v over the pairs its causal rule and window let see each other; of a stack those of all its layers, with their
// feed-forward, the logits and the class_logits. The call that begins a sequence encodes and projects the memory that a
// decoder attends to, that with none cached, and not by later ones. Biases, norms, activations, softmax and scaling are
// not counted.
double ga_cost_flops(const struct ga_model *model, const struct ga_call_size *size);

// Least bytes that a call moves besides weights: its inputs, its output and the cached keys and values once, with those
// of what a decoder attends to. Keys and values are a second input where kv_len is another length than q_len. Token ids
// count as the rows they stand for.
double ga_cost_bytes(const struct ga_model *model, const struct ga_call_size *size);

// Bytes of a row's keys and values in a cache, over all layers; 0 where the model takes none. Padding is not counted.
size_t ga_cost_cache_row_bytes(const struct ga_model *model);

// Whether the rows of tokens have a table of their own, which tied logits do not multiply.
bool ga_cost_has_token_table(const struct ga_model *model);

// Bytes of a token's row in such a table; 0 where the model takes no token ids.
size_t ga_cost_token_row_bytes(const struct ga_model *model);

// Bytes of packed weights that a call reads: all but those of a stack's embedding, of logits and class_logits that it
// does not give, and of what only the call that begins a sequence does.
double ga_cost_weight_bytes(const struct ga_model *model, const struct ga_variant *variant,
                            const struct ga_call_size *size);

#endif
