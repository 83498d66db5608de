// rows.c: the error of functions of a row against double precision: softmax and its sum, norms, tables of sines and
// cosines. Rows are made to be hard; how large the errors may be is not said here.
#include <float.h>
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "support/rng.h"

static const double EPS = (double)FLT_EPSILON;

// -- Softmax --------------------------------------------------------------------------------------------------------

enum { LONGEST = 4096 };
static const size_t LENGTHS[] = {16, 48, 128, 512, LONGEST};
enum { N_LENGTHS = sizeof LENGTHS / sizeof *LENGTHS };

// Scores in powers of two.
static void scores_normal(struct rng *rng, float *s, size_t n)
{
    rng_fill_normal(rng, s, n, 1);
}

static void scores_wide(struct rng *rng, float *s, size_t n)
{
    rng_fill_normal(rng, s, n, 20);
}

static void scores_at_the_ends(struct rng *rng, float *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float most = 1.44269504F * (88 + 2 * rng_normal(rng) / 5);
        s[i] = rng_below(rng, 2) ? most : -most;
    }
}

static void scores_of_ten_thousand(struct rng *rng, float *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s[i] = (rng_below(rng, 2) ? 1e4F : -1e4F) + rng_normal(rng);
    }
}

static void scores_equal(struct rng *rng, float *s, size_t n)
{
    const float all = 10 * rng_normal(rng);
    for (size_t i = 0; i < n; i++) {
        s[i] = all;
    }
}

static void scores_one_hot(struct rng *rng, float *s, size_t n)
{
    scores_equal(rng, s, n);
    s[rng_below(rng, n)] += 300;
}

static void scores_that_vanish(struct rng *rng, float *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s[i] = i == 0 ? 0 : -140 + 5 * rng_normal(rng);
    }
}

typedef void make_scores(struct rng *rng, float *s, size_t n);
static make_scores *const SCORES[] = {scores_normal, scores_wide,    scores_at_the_ends, scores_of_ten_thousand,
                                      scores_equal,  scores_one_hot, scores_that_vanish};
enum { N_SCORES = sizeof SCORES / sizeof *SCORES, ROUNDS = 8 };

static float highest_of(const float *s, size_t n)
{
    float highest = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        highest = s[i] > highest ? s[i] : highest;
    }
    return highest;
}

static float plain_softmax(float *s, size_t n, float highest)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        s[i] = exp2f(s[i] - highest);
        sum += s[i];
    }
    return 1 / sum;
}

// Largest errors: of a weight 2^-d of the largest, over its row's sum, in eps (1 + d) of itself, since a difference of
// scores has been rounded to eps d / 2 at most; of a row's sum, in eps times the root of its length.
struct softmax_errors {
    double weight, sum;
};

static void softmax_error(struct softmax_errors *errors, softmax *evaluate, const float *scores, size_t n)
{
    float weights[LONGEST];
    double powers[LONGEST], sum = 0, total = 0;
    const float highest = highest_of(scores, n);
    memcpy(weights, scores, n * sizeof *weights);
    const float inverse = evaluate(weights, n, highest);
    for (size_t i = 0; i < n; i++) {
        weights[i] *= inverse;
        powers[i] = exp2((double)scores[i] - (double)highest);
        sum += powers[i];
        total += (double)weights[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double exact = powers[i] / sum, below = (double)highest - (double)scores[i];
        const double unit = EPS * (1 + below) * exact + 2 * (double)FLT_TRUE_MIN;
        errors->weight = numbers_larger(errors->weight, fabs((double)weights[i] / total - exact) / unit);
    }
    errors->sum = numbers_larger(errors->sum, fabs(total - 1) / EPS / sqrt((double)n));
}

static void softmax_column(const char *column, softmax *evaluate)
{
    struct softmax_errors errors = {0, 0};
    struct rng rng = rng_seeded(1);
    float scores[LONGEST];
    for (size_t i = 0; i < (size_t)N_LENGTHS * N_SCORES * ROUNDS; i++) {
        const size_t n = LENGTHS[i % N_LENGTHS];
        SCORES[i / N_LENGTHS % N_SCORES](&rng, scores, n);
        softmax_error(&errors, evaluate, scores, n);
    }
    numbers_print("softmax_weight", column, errors.weight);
    numbers_print("softmax_sum", column, errors.sum);
}

void numbers_softmax(void)
{
    const struct opened *opened[MAX_OPENED];
    const size_t count = numbers_opened(opened);
    for (size_t i = 0; i < count; i++) {
        softmax_column(opened[i]->isa, opened[i]->softmax);
    }
    softmax_column("generic", plain_softmax);
}

// -- Norms ----------------------------------------------------------------------------------------------------------

static const double LAYER_EPS = 1e-5, RMS_EPS = 1e-6; // of bert_48_4 and llama_45_3, as specs have them by default

enum { WIDEST = LAYER_NORM_WIDTH > RMS_NORM_WIDTH ? LAYER_NORM_WIDTH : RMS_NORM_WIDTH, NORM_ROWS = 2000 };

// Mean and standard deviation of rows.
static const struct {
    float mean, deviation;
} ROWS[] = {{0, 1}, {1e3F, 1}, {0, 1e-3F}, {1, 1e-3F}, {1e3F, 1e-1F}, {0, 1e4F}, {-3e4F, 30}};
enum { N_ROWS = sizeof ROWS / sizeof *ROWS };

struct moments {
    double mean, size; // size: the root of what the norm divides by
};

static struct moments moments_of(const float *x, size_t n, bool centred)
{
    struct moments moments = {0, 0};
    for (size_t i = 0; centred && i < n; i++) {
        moments.mean += (double)x[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        moments.size += pow((double)x[i] - moments.mean, 2) / (double)n;
    }
    moments.size = sqrt(moments.size + (centred ? LAYER_EPS : RMS_EPS));
    return moments;
}

static void plain_norm(const float *from, float *to, size_t n, bool centred)
{
    float mean = 0, squares = 0;
    for (size_t i = 0; centred && i < n; i++) {
        mean += from[i];
    }
    mean /= (float)n;
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] - mean;
        squares += to[i] * to[i];
    }
    const float size = sqrtf(squares / (float)n + (float)(centred ? LAYER_EPS : RMS_EPS));
    for (size_t i = 0; i < n; i++) {
        to[i] /= size;
    }
}

static void plain_layer_norm(const float *from, float *to, const float *weight)
{
    (void)weight;
    plain_norm(from, to, LAYER_NORM_WIDTH, true);
}

static void plain_rms_norm(const float *from, float *to, const float *weight)
{
    (void)weight;
    plain_norm(from, to, RMS_NORM_WIDTH, false);
}

// The largest error in parts of what is allowed: 5e-6 max(1, |exact|) + 2 eps |mean| / deviation.
static void norm_column(const char *row, const char *column, norm *evaluate, size_t n, bool centred)
{
    double most = 0;
    struct rng rng = rng_seeded(2);
    for (size_t round = 0; round < NORM_ROWS; round++) {
        float x[WIDEST], y[WIDEST], weight[2 * WIDEST] = {0};
        rng_fill_normal(&rng, x, n, ROWS[round % N_ROWS].deviation);
        for (size_t i = 0; i < n; i++) {
            x[i] += ROWS[round % N_ROWS].mean;
            weight[i] = 1;
        }
        evaluate(x, y, weight);
        const struct moments moments = moments_of(x, n, centred);
        for (size_t i = 0; i < n; i++) {
            const double exact = ((double)x[i] - moments.mean) / moments.size;
            const double allowed = 5e-6 * fmax(1, fabs(exact)) + 2 * EPS * fabs(moments.mean) / moments.size;
            most = numbers_larger(most, fabs((double)y[i] - exact) / allowed);
        }
    }
    numbers_print(row, column, most);
}

void numbers_norms(void)
{
    const struct opened *opened[MAX_OPENED];
    const size_t count = numbers_opened(opened);
    for (size_t i = 0; i < count; i++) {
        norm_column("layer_norm", opened[i]->isa, opened[i]->layer_norm, LAYER_NORM_WIDTH, true);
        norm_column("rms_norm", opened[i]->isa, opened[i]->rms_norm, RMS_NORM_WIDTH, false);
    }
    norm_column("layer_norm", "generic", plain_layer_norm, LAYER_NORM_WIDTH, true);
    norm_column("rms_norm", "generic", plain_rms_norm, RMS_NORM_WIDTH, false);
}

// -- Tables ---------------------------------------------------------------------------------------------------------

// The largest error of a table [places][width] of pairs, a sine and a cosine, or the other way round.
static double table_error(const float *table, size_t places, size_t width, bool sine_first)
{
    double most = 0;
    for (size_t at = 0; at < places * width; at++) {
        const size_t pair = at % width / 2;
        const long double step = powl(10000, -2.0L * (long double)pair / (long double)width);
        const long double angle = (long double)(at / width) * step;
        const bool is_sine = (at % 2 == 0) == sine_first;
        const long double error = (long double)table[at] - (is_sine ? sinl(angle) : cosl(angle));
        most = numbers_larger(most, (double)fabsl(error));
    }
    return most;
}

// The same made in float.
static double plain_table_error(size_t places, size_t width)
{
    double most = 0;
    for (size_t at = 0; at < places * width; at += 2) {
        const float step = powf(10000, -2.0F * (float)(at % width / 2) / (float)width);
        const long double exact_step = powl(10000, -2.0L * (long double)(at % width / 2) / (long double)width);
        const long double angle = (long double)(at / width) * exact_step;
        most = numbers_larger(most, (double)fabsl((long double)sinf((float)(at / width) * step) - sinl(angle)));
    }
    return most;
}

// All instruction sets have the same tables, made with the C library's double sin and cos.
static void print_table(const char *row, const struct opened *const *opened, size_t count, double error)
{
    for (size_t i = 0; i < count; i++) {
        numbers_print(row, opened[i]->isa, error);
    }
}

void numbers_tables(void)
{
    static float rope[ROPE_PLACES * ROPE_WIDTH], positions[POSITION_PLACES * POSITION_WIDTH];
    const struct opened *opened[MAX_OPENED];
    const size_t count = numbers_opened(opened);
    numbers_rope_table(rope);
    numbers_position_table(positions);
    print_table("rope", opened, count, table_error(rope, ROPE_PLACES, ROPE_WIDTH, false));
    print_table("positions", opened, count, table_error(positions, POSITION_PLACES, POSITION_WIDTH, true));
    numbers_print("rope", "generic", plain_table_error(ROPE_PLACES, ROPE_WIDTH));
    numbers_print("positions", "generic", plain_table_error(POSITION_PLACES, POSITION_WIDTH));
}
