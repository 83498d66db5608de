// sampling.c: candidates in order, cut, and one of them drawn.
#include "sampling.h"

#include <math.h>
#include <stdlib.h>

#include "elementary.h"
#include "random.h"

// Up to so many of the best are found in one pass; for more, all are sorted.
enum { FEW = 256 };

struct candidate {
    float logit; // -inf for a NaN
    int32_t id;
};

struct ga_sampler {
    struct ga_sampling sampling;
    size_t count;
    struct candidate candidates[]; // [count]
};

struct ga_sampler *ga_sampler_new(const struct ga_sampling *sampling, size_t count)
{
    struct ga_sampler *sampler = malloc(sizeof *sampler + count * sizeof sampler->candidates[0]);
    if (sampler) {
        sampler->sampling = *sampling;
        sampler->count = count;
    }
    return sampler;
}

void ga_sampler_free(struct ga_sampler *sampler)
{
    free(sampler);
}

// -- The likeliest --------------------------------------------------------------------------------------------------

static int32_t most_likely(const float *logits, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = logits[i] > logits[best] || isnan(logits[best]) ? i : best;
    }
    return (int32_t)best;
}

static struct candidate candidate_of(const float *logits, size_t i)
{
    return (struct candidate){isnan(logits[i]) ? -INFINITY : logits[i], (int32_t)i};
}

static int by_likelihood(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->logit != y->logit ? (x->logit < y->logit ? 1 : -1) : (x->id > y->id) - (x->id < y->id);
}

// The k best in order, each put at its place among those before it.
static size_t find_few(struct candidate *best, const float *logits, size_t count, size_t k)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct candidate candidate = candidate_of(logits, i);
        if (found == k && candidate.logit <= best[k - 1].logit) {
            continue;
        }
        size_t place = found < k ? found++ : k - 1;
        for (; place > 0 && best[place - 1].logit < candidate.logit; place--) {
            best[place] = best[place - 1];
        }
        best[place] = candidate;
    }
    return found;
}

static size_t find_many(struct candidate *best, const float *logits, size_t count, size_t k)
{
    for (size_t i = 0; i < count; i++) {
        best[i] = candidate_of(logits, i);
    }
    qsort(best, count, sizeof *best, by_likelihood);
    return k;
}

// -- Chance ---------------------------------------------------------------------------------------------------------

// Logits in the place of probabilities, which differ from the model's own by one number.
static void take_logarithms(struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        candidates[i].logit = (float)ga_log((double)candidates[i].logit);
    }
}

// What a candidate weighs compared with the best one, whose weight is 1.
static double weight(const struct ga_sampler *sampler, size_t i)
{
    const struct candidate *best = sampler->candidates;
    return i == 0 ? 1 : ga_exp(((double)best[i].logit - (double)best[0].logit) / sampler->sampling.temperature);
}

// The candidates of [count] whose weights reach top_p of all together, and the sum of theirs.
static size_t cut_to_top_p(const struct ga_sampler *sampler, size_t count, double *sum_out)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        all += weight(sampler, i);
    }
    size_t kept = 0;
    while (kept < count && (kept == 0 || sum < sampler->sampling.top_p * all)) {
        sum += weight(sampler, kept++);
    }
    *sum_out = sum;
    return kept;
}

int32_t ga_sampler_choose(struct ga_sampler *sampler, const float *logits, uint64_t stream, uint64_t step)
{
    const struct ga_sampling *sampling = &sampler->sampling;
    if (!(sampling->temperature > 0)) {
        return most_likely(logits, sampler->count);
    }
    const size_t k = sampling->top_k > 0 && sampling->top_k < sampler->count ? sampling->top_k : sampler->count;
    const size_t found = k <= FEW ? find_few(sampler->candidates, logits, sampler->count, k)
                                  : find_many(sampler->candidates, logits, sampler->count, k);
    if (sampling->is_softmax) {
        take_logarithms(sampler->candidates, found);
    }
    double sum;
    const size_t kept = cut_to_top_p(sampler, found, &sum);
    double left = ga_random_share(sampling->seed, stream, step) * sum;
    size_t chosen = 0;
    while (chosen + 1 < kept && left >= weight(sampler, chosen)) {
        left -= weight(sampler, chosen++);
    }
    return sampler->candidates[chosen].id;
}
