// mixture.h: which dtype each linear gets, chosen by what each costs in time and error. Runs no model: the
// figures are given.
#ifndef GA_MIXTURE_H
#define GA_MIXTURE_H

#include <stdbool.h>

#include "model.h"

// What a choice gives and takes: its error against f32, and the time of a call in parts of f32's.
struct ga_measured {
    double error, time;
};

// Measured of a model: each linear in each dtype while all others are f32; of f32 itself {0, 1}.
struct ga_linear_figures {
    bool is_there[GA_LINEARS];
    bool is_choice[GA_ARITHMETICS];
    struct ga_measured of[GA_LINEARS][GA_ARITHMETICS];
};

struct ga_mixture {
    enum ga_arithmetic of[GA_LINEARS];
    struct ga_measured sum; // of what its linears were measured to cost and save alone
};

// All linears that there are in one dtype.
struct ga_mixture ga_mixture_of(const struct ga_linear_figures *figures, enum ga_arithmetic arithmetic);

// Moves linears to other dtypes, always the one that saves most time for each error it adds, as long as the sum of
// errors stays within the limit. Only moves that save time are made.
void ga_mixture_advance(const struct ga_linear_figures *figures, double limit, struct ga_mixture *mixture);

// Moves the linear to a dtype of less error by which most of the `excess` goes for the time it costs: *linear_out,
// which had *from_out. False where no linear has an error.
bool ga_mixture_retreat(const struct ga_linear_figures *figures, double excess, struct ga_mixture *mixture,
                        enum ga_linear *linear_out, enum ga_arithmetic *from_out);

// The linear's name in a spec, "q"; and the dtype's, "int8".
const char *ga_linear_name(enum ga_linear linear);
const char *ga_arithmetic_name(enum ga_arithmetic arithmetic);

#endif
