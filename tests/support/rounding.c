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

double rounding_nearest(enum ga_dtype dtype, double x)
{
    const int smallest = rounding_smallest_exponent(dtype);
    int exponent;
    if (!isfinite(x)) {
        return x;
    }
    frexp(x, &exponent);
    const int lowest = exponent - rounding_significand(dtype), last = lowest > smallest ? lowest : smallest;
    return ldexp(nearbyint(ldexp(x, -last)), last);
}
