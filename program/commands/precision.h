// precision.h: what the command `precision` measured, for the parts of it that print, draw and write. Measures nothing.
#ifndef GA_PRECISION_H
#define GA_PRECISION_H

#include "diagnostics.h"
#include "mixture.h"

struct ga_precision {
    const char *isa, *input, *what; // the output that is looked at
    size_t rows, threads;
    double limit, seconds; // of a call in f32
    struct ga_linear_figures figures;
    struct ga_measured uniform[GA_ARITHMETICS]; // all linears in one
    enum ga_arithmetic of[GA_LINEARS];          // the mixture that was chosen
    struct ga_measured chosen;                  // as a whole
};

// Draws it as a picture that needs nothing but itself.
enum ga_exit ga_precision_draw(const struct ga_context *context, const struct ga_precision *precision,
                               const char *path); // precision_svg.c

// Writes the model's spec with the chosen dtypes.
enum ga_exit ga_precision_write_spec(const struct ga_context *context, const struct ga_precision *precision,
                                     const char *path); // precision_spec.c

#endif
