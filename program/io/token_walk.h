// token_walk.h: sequences of tokens that grow by one token a step, each computed by one call of the model, with its
// cache where it has one. Reads and writes no file; which token comes next is sampling.h's.
#ifndef GA_TOKEN_WALK_H
#define GA_TOKEN_WALK_H

#include <stdbool.h>

#include "load_model.h"
#include "sampling.h"

// What a walk goes on from.
struct ga_token_walk_start {
    const char *label;      // of the tokens, for messages
    const struct ga_io *io; // tokens [batch][q_len], their lengths, and what a decoder attends to
    size_t added;           // tokens to add to each sequence, at most
    int64_t stop;           // the token that ends its sequence; -1: none does
    bool recompute;         // all rows anew for each token, as without a cache
    struct ga_sampling sampling;
};

struct ga_token_walk {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    struct ga_token_walk_start start;
    size_t batch, capacity; // sequences, and tokens there is room for in each
    size_t steps;           // done
    int32_t *tokens;        // [batch][capacity]
    int32_t *lengths;       // [batch]
    bool *ended;            // [batch], sequences that do not grow any more
    int32_t *call_tokens;   // [batch][capacity], the tokens of one call
    int32_t *call_rows;     // [batch], how many of them are real; 0: the sequence has ended
    float *logits;          // [batch][n_logits], after each sequence's last token
    float *memory;          // of a transformer's source, where every call needs it: given, or made by the first call
    struct ga_sampler *sampler;
    struct ga_cache *cache;
    void *scratch;
    size_t scratch_size;
};

// Why the model cannot go on from tokens, to follow its name; NULL: it can.
const char *ga_token_walk_refusal(const struct ga_model *model);

// Makes room for all that is added. context, instance and what start points to outlive the walk, which the caller
// closes whether or not this succeeds. GA_EXIT_FAILED after a message.
enum ga_exit ga_token_walk_open(const struct ga_context *context, const struct ga_model_instance *instance,
                                const struct ga_token_walk_start *start, struct ga_token_walk *walk_out);

// Adds a token to each sequence that has not ended. *any_out: whether one goes on.
enum ga_exit ga_token_walk_step(struct ga_token_walk *walk, bool *any_out);

// Zeroed memory may be closed.
void ga_token_walk_close(struct ga_token_walk *walk);

#endif
