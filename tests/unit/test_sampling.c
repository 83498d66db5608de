// test_sampling.c: tokens drawn by chance, against shares computed here, from logits and from their softmax.
#include "sampling.h"

#include <criterion/criterion.h>
#include <math.h>

enum { COUNT = 4, DRAWS = 20000 };

static const float logits[COUNT] = {1, 3, -INFINITY, 2};

// How many of DRAWS draws each token has.
static void count_draws(const struct ga_sampling *sampling, const float *given, size_t *counts_out)
{
    struct ga_sampler *sampler = ga_sampler_new(sampling, COUNT);
    cr_assert(sampler);
    for (size_t i = 0; i < COUNT; i++) {
        counts_out[i] = 0;
    }
    for (size_t i = 0; i < DRAWS; i++) {
        counts_out[ga_sampler_choose(sampler, given, 0, i)]++;
    }
    ga_sampler_free(sampler);
}

// exp(logit / temperature) over its sum.
static void shares_of(double temperature, double *shares_out)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        shares_out[i] = exp((double)logits[i] / temperature);
        sum += shares_out[i];
    }
    for (size_t i = 0; i < COUNT; i++) {
        shares_out[i] /= sum;
    }
}

// Each count is within five standard deviations of its share; the draws of a seed are always the same.
static void expect_shares(const size_t *counts, const double *shares)
{
    for (size_t i = 0; i < COUNT; i++) {
        const double mean = (double)DRAWS * shares[i], most = 5 * sqrt(mean * (1 - shares[i]));
        cr_expect_leq(fabs((double)counts[i] - mean), most, "token %zu: %zu draws, expected about %g", i, counts[i],
                      mean);
    }
}

Test(sampling, tokens_have_the_shares_of_their_logits)
{
    for (double temperature = 0.5; temperature <= 2; temperature *= 2) {
        size_t counts[COUNT];
        double shares[COUNT];
        count_draws(&(struct ga_sampling){temperature, 0, 1, 7, false}, logits, counts);
        shares_of(temperature, shares);
        expect_shares(counts, shares);
    }
}

Test(sampling, a_softmax_gives_the_draws_of_its_logits)
{
    double softmax[COUNT];
    float given[COUNT];
    shares_of(1, softmax);
    for (size_t i = 0; i < COUNT; i++) {
        given[i] = (float)softmax[i];
    }
    for (double temperature = 0.5; temperature <= 2; temperature *= 2) {
        size_t counts[COUNT];
        double shares[COUNT];
        count_draws(&(struct ga_sampling){temperature, 0, 1, 7, true}, given, counts);
        shares_of(temperature, shares);
        expect_shares(counts, shares);
    }
}
