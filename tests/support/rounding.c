// rounding.c: a number as a whole count of the steps between its neighbours, rounded.
#include "rounding.h"

#include <math.h>

int rounding_significand(enum ga_dtype dtype)
{
    return dtype == GA_BF16 ? 8 : dtype == GA_F16 ? 11 : 24;
}

int rounding_smallest_exponent(enum ga_dtype dtype)
{
    return dtype == GA_BF16 ? -133 : dtype == GA_F16 ? -24 : -149;
}

double rounding_nearest_of(int significand, int smallest, double x)
{
    int exponent;
    if (!isfinite(x)) {
        return x;
    }
    frexp(x, &exponent);
    const int lowest = exponent - significand, last = lowest > smallest ? lowest : smallest;
    return ldexp(nearbyint(ldexp(x, -last)), last);
}

double rounding_nearest(enum ga_dtype dtype, double x)
{
    return rounding_nearest_of(rounding_significand(dtype), rounding_smallest_exponent(dtype), x);
}

float rounding_step(size_t n, const float *row)
{
    float most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(row[i])) {
            return NAN;
        }
        most = fmaxf(most, fabsf(row[i]));
    }
    return fmaxf((float)rounding_nearest(GA_BF16, most / 127), 0x1p-126F);
}

void rounding_row(enum ga_dtype dtype, size_t n, float *row)
{
    const float step = rounding_step(n, row);
    for (size_t i = 0; i < n; i++) {
        // By a product, as kernels do it: a quotient may be the other of two neighbours. An integer is never -0.
        row[i] =
            dtype == GA_I8 ? (nearbyintf(row[i] * (1 / step)) + 0.0F) * step : (float)rounding_nearest(dtype, row[i]);
    }
}
