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
