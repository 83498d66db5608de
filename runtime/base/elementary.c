// elementary.c: see elementary.h. Taylor series after a reduction of the argument, as in W. J. Cody and W. Waite,
// "Software Manual for the Elementary Functions" (1980); what a step loses is carried on in a second number (T. J.
// Dekker, "A floating-point technique for extending the available precision", 1971).
//
// Only +, -, * and / of doubles, one by one, each rounded to nearest: IEEE 754 fixes their bits. A compiler that made
// one multiply-add of two of them would change these, so that all is built with -ffp-contract=off, at any -O.
#include "elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { FRACTION_BITS = 52, BIAS = 1023 };

// A number as the sum of two, of which the second is at most about a unit of the first's last place.
struct sum {
    double high, low;
};

// a + b exactly (D. E. Knuth's).
static struct sum add(double a, double b)
{
    const double high = a + b, of_b = high - a;
    return (struct sum){high, (a - (high - of_b)) + (b - of_b)};
}

// The upper 26 bits of a significand and the rest; |a| < 2^996.
static struct sum split(double a)
{
    const double by = 0x1p27 + 1, shifted = by * a, high = shifted - (shifted - a);
    return (struct sum){high, a - high};
}

// a b exactly (Dekker's), unless it is subnormal.
static struct sum multiply(double a, double b)
{
    const double high = a * b;
    const struct sum x = split(a), y = split(b);
    return (struct sum){high, ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

// The nearest whole number of |x| < 2^51: adding 1.5 * 2^52 leaves no room for a fraction.
static double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1).
static double polynomial(const double *c, size_t n, double x)
{
    double y = c[n - 1];
    for (size_t i = n - 1; i-- > 0;) {
        y = y * x + c[i];
    }
    return y;
}
#define POLYNOMIAL(c, x) polynomial(c, sizeof(c) / sizeof *(c), x)

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// 2^n for -1022 <= n <= 1023.
static double power_of_two(int n)
{
    return double_of((uint64_t)(n + BIAS) << FRACTION_BITS);
}

// -- Powers ---------------------------------------------------------------------------------------------------------

static const double LOG2E = 0x1.71547652b82fep+0;
// ln 2; the first has 32 bits, so that its products by exponents are exact.
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;

// e^(x.high + x.low) as 2^n (1 + y): y by its series to the 13th power, whose argument is at most 0.35.
static double exp_parts(struct sum x, int *n_out)
{
    static const double after[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                   1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                   1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    const double n = nearest(x.high * LOG2E);
    const double r = (x.high - n * LN2_HIGH) + (x.low - n * LN2_LOW);
    *n_out = (int)n;
    return r + r * r * POLYNOMIAL(after, r);
}

static double exp_of(struct sum x)
{
    const double least = -746, most = 710;
    if (!(x.high >= least && x.high <= most)) {
        return x.high < least ? 0 : x.high > most ? (double)INFINITY : x.high;
    }
    int n;
    const double y = exp_parts(x, &n);
    const int half = n / 2; // 2^n itself may be no double, or a subnormal
    return (1 + y) * power_of_two(half) * power_of_two(n - half);
}

double ga_exp(double x)
{
    return exp_of((struct sum){x, 0});
}

// x in 2^n m with sqrt(1/2) <= m < sqrt(2), for a finite x > 0.
static double normalized(double x, int *n_out)
{
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd); // the bits of sqrt(1/2)
    const bool is_subnormal = x < 0x1p-1022;
    const uint64_t bits = bits_of(is_subnormal ? x * 0x1p54 : x);
    const int64_t n = (int64_t)((bits - root_half) >> FRACTION_BITS);
    *n_out = (int)(n >= 2048 ? n - 4096 : n) - (is_subnormal ? 54 : 0);
    return double_of(bits - ((uint64_t)n << FRACTION_BITS));
}

// ln x for a finite x > 0: n ln 2 + 2 (s + s^3 / 3 + s^5 / 5 + ...), s = (m - 1) / (m + 1), to the 23rd power.
static struct sum log_of(double x)
{
    static const double after[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                                   2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23};
    int n;
    const double f = normalized(x, &n) - 1;
    const struct sum by = add(2, f);
    const double s = f / by.high;
    const struct sum product = multiply(s, by.high);
    const double s_rest = (((f - product.high) - product.low) - s * by.low) / by.high;
    const struct sum first = add(n * LN2_HIGH, 2 * s);
    const double rest = n * LN2_LOW + (2 * s_rest + s * s * s * POLYNOMIAL(after, s * s));
    return add(first.high, first.low + rest);
}

double ga_log(double x)
{
    if (!(x > 0 && x < (double)INFINITY)) {
        return x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    }
    return log_of(x).high;
}

double ga_pow(double x, double y)
{
    const struct sum log = log_of(x), product = multiply(log.high, y);
    return exp_of((struct sum){product.high, product.low + log.low * y});
}

// -- Angles ---------------------------------------------------------------------------------------------------------

// x less n quarters of a turn, |x| <= 2^31. Each of the first three parts of pi / 2 has 22 bits, so that n times it is
// exact.
static struct sum within_quarter(double x, double n)
{
    const double first = 0x1.921fbp+0, second = 0x1.5110bp-22, third = 0x1.1846980p-44, last = 0x1.3198a2e037073p-69;
    const struct sum rest = add((x - n * first) - n * second, -n * third);
    return add(rest.high, rest.low - n * last);
}

// sin(x.high + x.low) for |x| <= pi / 4 and little more: the series to the 17th power.
static double sine(struct sum x)
{
    static const double after[] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                   -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    const double square = x.high * x.high;
    return x.high + (x.high * square * POLYNOMIAL(after, square) + x.low * (1 - square / 2));
}

// cos(x.high + x.low) there: the series to the 16th power.
static double cosine(struct sum x)
{
    static const double after[] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
                                   1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    const double square = x.high * x.high;
    const struct sum first = add(1, -square / 2);
    return first.high + (first.low + (square * square * POLYNOMIAL(after, square) - x.high * x.low));
}

void ga_sin_cos(double x, double *sine_out, double *cosine_out)
{
    const double two_over_pi = 0x1.45f306dc9c883p-1, most = 0x1p31;
    if (!(x >= -most && x <= most)) {
        *sine_out = *cosine_out = (double)NAN;
        return;
    }
    const double n = nearest(x * two_over_pi);
    const struct sum r = within_quarter(x, n);
    const unsigned quarter = (unsigned)((int64_t)n & 3);
    const double s = x == 0 ? x : sine(r), c = cosine(r);
    *sine_out = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine_out = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

// -- Activations ----------------------------------------------------------------------------------------------------

// e / (e + 2), e = exp(2 |x|) - 1 = 2^n y + (2^n - 1), which is not rounded to e + 1 on the way.
double ga_tanh(double x)
{
    const double size = fabs(x), far = 20; // where tanh is 1
    if (!(size < far)) {
        return x != x ? x : copysign(1, x);
    }
    int n;
    const double y = exp_parts((struct sum){2 * size, 0}, &n), power = power_of_two(n);
    const double e = power * y + (power - 1);
    return copysign(e / (e + 2), x);
}

// The tail Q(t) of the normal distribution, 0 <= t <= 16: exp(-t^2 / 2) times a polynomial in (t - 4) / (t + 4) that
// has the value of Q(t) exp(t^2 / 2) at Chebyshev's 23 places (computed with 400 bits), and elsewhere within 1.5e-16.
static double normal_tail(double t)
{
    static const double c[] = {
        0x1.82b4bb8c94dcep-4,   -0x1.5cf97b0ae882cp-3,  0x1.fd751a1fba3dep-4,   -0x1.25b6aa96581f8p-4,
        0x1.f9b05f0efbeaep-6,   -0x1.1644dc2f747f7p-7,  0x1.0a1bd41863c65p-11,  0x1.4eec24e1d80cep-11,
        -0x1.888dc99e850a6p-13, -0x1.7e246e0e1fc1bp-15, 0x1.e0a3909a3db2ep-16,  0x1.36d3344755652p-18,
        -0x1.20cb3b4929d27p-18, -0x1.bd707214f8a3fp-21, 0x1.62c00968491afp-21,  0x1.bb3eb12c31621p-23,
        -0x1.8d2e6448156c6p-24, -0x1.c4dc4be33810cp-25, 0x1.ebf19ed013c89p-28,  0x1.74c58353d63e3p-27,
        0x1.8b160651cd4ffp-30,  -0x1.012bd3b72c947p-30, -0x1.2ab878d6182a9p-32,
    };
    const double centre = 4;
    return ga_exp(-t * t / 2) * POLYNOMIAL(c, (t - centre) / (t + centre));
}

double ga_gelu(double x)
{
    const double most = 16, t = fabs(x) < most ? fabs(x) : most;
    return x != x ? x : (x > 0 ? x : 0) - t * normal_tail(t);
}
