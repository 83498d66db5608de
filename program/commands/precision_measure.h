// precision_measure.h: choices of dtypes, run on the user's rows: their errors and times. Chooses and prints nothing.
#ifndef GA_PRECISION_MEASURE_H
#define GA_PRECISION_MEASURE_H

#include "precision.h"
#include "progress.h"
#include "trial.h"

enum { GA_MOST_CHOICES = ((int)GA_LINEARS + 1) * (int)GA_ARITHMETICS, GA_MOST_ROUNDS = 1000 };

// A dtype for each linear.
struct ga_choice {
    enum ga_arithmetic of[GA_LINEARS];
    struct ga_measured *found; // where its figures go
};

// All that there is to measure. Zeroed memory with the first three set is one; freed by ga_precision_work_free.
struct ga_precision_work {
    const struct ga_context *context;
    size_t rounds; // in which each choice is timed, at most GA_MOST_ROUNDS
    struct ga_precision found;
    struct ga_trial trial;
    size_t done, all;                 // runs
    size_t samples;                   // pairs of runs in a round
    float *exact;                     // f32's rows [count][width]
    float *exact_more[GA_TRIAL_MORE]; // and what it gives besides
    double *ratios;                   // of the pairs [rounds * samples]
    struct ga_progress progress;
};

// What linears the model has and which dtypes it chooses among.
struct ga_linear_figures ga_precision_linears(const struct ga_model *model);

// Measures f32, each linear in each other dtype, and all linears in one.
enum ga_exit ga_precision_measure(struct ga_precision_work *work);

// Runs a choice once: its error, the greatest of the outputs, into *error_out.
enum ga_exit ga_precision_error(struct ga_precision_work *work, const enum ga_arithmetic *of, double *error_out);

// The median of a choice's time in parts of f32's, which runs in turn with it, into *time_out.
enum ga_exit ga_precision_time(struct ga_precision_work *work, const enum ga_arithmetic *of, double *time_out);

void ga_precision_work_free(struct ga_precision_work *work);

#endif
