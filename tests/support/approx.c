// approx.c: the comparisons of approx.h, in double precision.
#include "approx.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double GENERIC_TIMES = 2.0;
static const double LAYER_RELATIVE = 1e-6;
static const double LAYER_NMSE = 1e-11;

// The larger of the two; NaN wins, so that no NaN is lost on the way to a limit.
static double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = larger(most, fabs(x[i]));
    }
    return most;
}

static double largest_error(const float *got, const double *exact, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = larger(most, fabs((double)got[i] - exact[i]));
    }
    return most;
}

static double nmse(const float *got, const double *exact, size_t count)
{
    double errors = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double e = (double)got[i] - exact[i];
        errors += e * e;
        squares += exact[i] * exact[i];
    }
    return errors == 0 ? 0 : errors / squares;
}

// The first element beyond the limit, or the one with the largest error where none is.
static size_t worst(const float *got, const double *exact, size_t count, double limit)
{
    size_t at = 0;
    double most = -1;
    for (size_t i = 0; i < count; i++) {
        double e = fabs((double)got[i] - exact[i]);
        if (!(e <= limit)) {
            return i;
        }
        if (e > most) {
            most = e;
            at = i;
        }
    }
    return at;
}

static struct approx compare(const float *got, const double *exact, size_t count, double limit, double most_nmse)
{
    struct approx found = {.ok = true, .limit = limit};
    if (count == 0) {
        return found;
    }
    found.error = largest_error(got, exact, count);
    found.nmse = nmse(got, exact, count);
    found.ok = found.error <= limit && found.nmse <= most_nmse;
    found.at = worst(got, exact, count, limit);
    found.got = (double)got[found.at];
    found.expected = exact[found.at];
    return found;
}

struct approx_error approx_error(const float *generic, const double *exact, size_t count)
{
    return (struct approx_error){largest_error(generic, exact, count), nmse(generic, exact, count)};
}

struct approx_error approx_larger(struct approx_error a, struct approx_error b)
{
    return (struct approx_error){larger(a.most, b.most), larger(a.nmse, b.nmse)};
}

struct approx approx_layer(const float *got, const double *exact, size_t count, struct approx_error generic,
                           double step, double slack)
{
    double limit = GENERIC_TIMES * generic.most + (LAYER_RELATIVE + step) * largest(exact, count);
    double most_nmse = larger(LAYER_NMSE, GENERIC_TIMES * GENERIC_TIMES * generic.nmse) + step * step / 12;
    return compare(got, exact, count, limit + slack, slack > 0 ? INFINITY : most_nmse);
}

struct approx approx_exactly(const float *got, const double *exact, size_t count)
{
    return compare(got, exact, count, 0, 0);
}

bool approx_sums_to_one(const float *row, size_t count, double *sum_out)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)row[i];
    }
    *sum_out = sum;
    return fabs(sum - 1) <= 4 * (double)FLT_EPSILON * sqrt((double)count);
}

size_t approx_first_difference(const float *a, const float *b, size_t count)
{
    size_t i = 0;
    while (i < count && (memcmp(&a[i], &b[i], sizeof a[i]) == 0 || (isnan(a[i]) && isnan(b[i])))) {
        i++;
    }
    return i;
}
