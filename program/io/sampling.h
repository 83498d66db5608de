// sampling.h: the next token from logits, or from their softmax: the most likely one, or one drawn by chance from those
// that are likely. Runs no model.
#ifndef GA_SAMPLING_H
#define GA_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a token is chosen. Logits are divided by the temperature; of the tokens in order of likelihood the first top_k
// stay, and of these the first whose probabilities, of softmax over them, reach top_p together.
struct ga_sampling {
    double temperature; // 0: the most likely token, and nothing below is looked at
    size_t top_k;       // 0: all
    double top_p;       // 1: all
    uint64_t seed;      // of random.h
    bool is_softmax;    // the model gives the softmax of its logits; its logarithm is divided by the temperature
};

struct ga_sampler;

// Work space for logits[count]. NULL where there is no memory. The caller frees it.
struct ga_sampler *ga_sampler_new(const struct ga_sampling *sampling, size_t count);

// NULL is allowed.
void ga_sampler_free(struct ga_sampler *sampler);

// The token chosen by logits[count], where a NaN is never chosen but where all are. The same seed, stream and step give
// the same token. Of tokens that are as likely, the first comes first.
int32_t ga_sampler_choose(struct ga_sampler *sampler, const float *logits, uint64_t stream, uint64_t step);

#endif
