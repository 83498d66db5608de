// compare.c: the rule two values agree by, and the sums over a tensor.
// Works in double, so that the comparison adds no error of its own to F32 values.
#include "compare.h"

#include <math.h>

static double expected_at(const struct ga_tensor *tensor, size_t i)
{
    return tensor->dtype == GA_F64 ? ((const double *)tensor->data)[i] : (double)((const float *)tensor->data)[i];
}

// |found - expected|, 0 for equal infinities and for NaNs that agree, infinite for every other NaN.
static double difference(double found, double expected, bool equal_nan)
{
    if (isnan(found) || isnan(expected)) {
        return equal_nan && isnan(found) && isnan(expected) ? 0.0 : (double)INFINITY;
    }
    return found == expected ? 0.0 : fabs(found - expected);
}

// How far beyond its tolerance a difference is; below 0 within it. An infinite expected value allows no difference.
static double excess(double diff, double expected, const struct ga_tolerance *tolerance)
{
    if (!isfinite(expected)) {
        return diff == 0.0 ? 0.0 : (double)INFINITY;
    }
    return diff - (tolerance->atol + tolerance->rtol * fabs(expected));
}

struct ga_comparison ga_compare(const float *found, const struct ga_tensor *expected,
                                const struct ga_tolerance *tolerance)
{
    struct ga_comparison result = {0};
    double worst = -(double)INFINITY;
    if (!ga_shape_elements(expected->rank, expected->shape, &result.count)) {
        result.count = 0;
    }
    for (size_t i = 0; i < result.count; i++) {
        double f = (double)found[i], e = expected_at(expected, i);
        double diff = difference(f, e, tolerance->equal_nan);
        double over = excess(diff, e, tolerance);
        result.beyond += over > 0.0;
        result.max_abs = fmax(result.max_abs, diff);
        if (isfinite(e) && e != 0.0) {
            result.max_rel = fmax(result.max_rel, diff / fabs(e));
        }
        if (over > worst) {
            worst = over;
            result.worst = i;
            result.found = f;
            result.expected = e;
        }
    }
    return result;
}
