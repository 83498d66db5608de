// test_elementary.c: the runtime's own exponential, logarithm, power, sine, cosine, tanh and gelu: beside exact values
// and the C library's long double, at special values, and to the bit.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "checksum.h"
#include "elementary.h"
#include "rng.h"

enum { PLACES = 20000 };

static double sine(double x)
{
    double sine, cosine;
    ga_sin_cos(x, &sine, &cosine);
    return sine;
}

static double cosine(double x)
{
    double sine, cosine;
    ga_sin_cos(x, &sine, &cosine);
    return cosine;
}

static double power_of_theta(double y)
{
    return ga_pow(500000, y);
}

static double root(double x)
{
    return ga_pow(x, 0.4375);
}

static long double exact_power_of_theta(long double y)
{
    return powl(500000, y);
}

static long double exact_root(long double x)
{
    return powl(x, 0.4375L);
}

static long double exact_gelu(long double x)
{
    return x * erfcl(-x * 0.707106781186547524400844362104849039L) / 2;
}

// Where they are measured, and within how many units of the last place; gelu takes floats alone.
static const struct function {
    const char *name;
    double (*function)(double);
    long double (*exact)(long double);
    double low, high, ulps;
    uint64_t bits; // checksum of the results, on every machine
} FUNCTIONS[] = {
    {"exp", ga_exp, expl, -1, 1, 1, 0x0e2ad684254fe301},
    {"exp of any size", ga_exp, expl, -745, 709.75, 1, 0xcd0cdec3b23c19a5},
    {"log", ga_log, logl, 0x1p-20, 3, 0.6, 0xe44b48feb82cd684},
    {"log of large numbers", ga_log, logl, 1, 1e300, 0.6, 0x3e66562188aa6392},
    {"powers of a base", power_of_theta, exact_power_of_theta, -1, 1, 1, 0xd097759f6b9c7db8},
    {"a power of numbers", root, exact_root, 1e-3, 1e9, 1, 0x0503cc0997b23f17},
    {"sine", sine, sinl, -8, 8, 0.8, 0x00c6e406e4cb86c9},
    {"sine of large angles", sine, sinl, -0x1p31, 0x1p31, 0.8, 0xe6b210f5aee46099},
    {"cosine", cosine, cosl, -8, 8, 0.8, 0x3cc6e9039a2b45ac},
    {"cosine of large angles", cosine, cosl, -0x1p31, 0x1p31, 0.8, 0xe3c89d8ccb36d37f},
    {"tanh", ga_tanh, tanhl, -1, 1, 3, 0xfaf6c79eff269cf4},
    {"tanh of any size", ga_tanh, tanhl, -21, 21, 3, 0xc9472295de0ae70d},
    {"gelu", ga_gelu, exact_gelu, -2, 2, 8, 0x92a95f1544382cc1},
    {"gelu of any size", ga_gelu, exact_gelu, -16, 16, 8, 0x75282789c7103cd4},
};
enum { N_FUNCTIONS = sizeof FUNCTIONS / sizeof *FUNCTIONS };

// Places that are even in [low, high], each moved by a random part of the distance to the next; then small ones.
static double place(const struct function *f, size_t i, struct rng *rng)
{
    const double part = ((double)i + (double)(rng_bits(rng) >> 11) * 0x1p-53) / (double)PLACES;
    const double x = i % 4 == 3 && f->low < 0 ? ldexp(part - 0.5, -(int)(i % 64)) : f->low + (f->high - f->low) * part;
    return f->function == ga_gelu ? (double)(float)x : x;
}

static double ulps(double got, long double exact)
{
    int exponent;
    (void)frexpl(exact, &exponent);
    return (double)fabsl(((long double)got - exact) / ldexpl(1, exponent < -1021 ? -1074 : exponent - DBL_MANT_DIG));
}

Test(elementary, errors_are_as_small_as_the_header_says)
{
    cr_assert(LDBL_MANT_DIG >= 64, "long double has %d bits; expected 64, as it is the reference", LDBL_MANT_DIG);
    for (const struct function *f = FUNCTIONS; f < FUNCTIONS + N_FUNCTIONS; f++) {
        struct rng rng = rng_seeded(1);
        for (size_t i = 0; i < PLACES; i++) {
            const double x = place(f, i, &rng), got = f->function(x);
            const double error = ulps(got, f->exact((long double)x));
            if (!(error <= f->ulps)) { // Criterion's checks take longer than all else here
                cr_assert(false, "%s of %a is %a, wrong by %g units of the last place", f->name, x, got, error);
            }
        }
    }
}

// They are the promise of one result on every machine: a change of them changes results of models.
Test(elementary, bits_are_those_of_every_machine)
{
    static uint64_t results[PLACES];
    for (const struct function *f = FUNCTIONS; f < FUNCTIONS + N_FUNCTIONS; f++) {
        struct rng rng = rng_seeded(1);
        for (size_t i = 0; i < PLACES; i++) {
            const double got = f->function(place(f, i, &rng));
            uint64_t bits;
            memcpy(&bits, &got, sizeof bits);
            ga_write_u64((unsigned char *)&results[i], bits);
        }
        const uint64_t found = ga_checksum(results, sizeof results);
        cr_expect_eq(found, f->bits, "%s: found 0x%016llx", f->name, (unsigned long long)found);
    }
}

// -- Values ---------------------------------------------------------------------------------------------------------

// Doubles next to the exact values, by mpmath with 300 bits.
static const struct value {
    double (*function)(double);
    double x, exact;
} VALUES[] = {
    {ga_exp, 1, 0x1.5bf0a8b145769p+1},
    {ga_exp, -1, 0x1.78b56362cef38p-2},
    {ga_exp, -0.125, 0x1.c3d6a24ed8222p-1},
    {ga_exp, 100, 0x1.3494a9b171bf5p+144},
    {ga_exp, -700, 0x1.14f2b0fb9307fp-1010},
    {ga_exp, 709.75, 0x1.ef85a11e73f2dp+1023},
    {ga_exp, -740, 0x0.0000000000055p-1022},
    {ga_log, 2, 0x1.62e42fefa39efp-1},
    {ga_log, 10, 0x1.26bb1bbb55516p+1},
    {ga_log, 0x1.000001ad7f29bp+0, 0x1.ad7f2847b6492p-24},
    {ga_log, 0x1.7e43c8800759cp+996, 0x1.5963447f87fb5p+9},
    {ga_log, 0x0.0000000000001p-1022, -0x1.74385446d71c3p+9},
    {ga_log, 0x1.6a09e65dc27dfp-1, -0x1.62e4300c77ae8p-2},
    {ga_log, 0x1.6a09e7098ef50p+0, 0x1.62e431b8bb196p-2},
    {sine, 1, 0x1.aed548f090ceep-1},
    {sine, 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
    {sine, 131071, -0x1.268613f60babcp-1},
    {sine, 1e9, 0x1.1778cae83c69bp-1},
    {sine, 0x1p31, -0x1.f14f913e9af98p-1},
    {cosine, 1, 0x1.14a280fb5068cp-1},
    {cosine, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {cosine, 131071, -0x1.a2cebbb513e7cp-1},
    {cosine, 1e9, 0x1.acff8c7364234p-1},
    {cosine, 0x1p31, 0x1.e70c2d5131e55p-3},
    {power_of_theta, -0.984375, 0x1.4985fec80a8cbp-19},
    {ga_tanh, 1, 0x1.85efab514f394p-1},
    {ga_tanh, 0x1.999999999999ap-4, 0x1.983d7795f413ap-4},
    {ga_tanh, -5, -0x1.fff419668df11p-1},
    {ga_gelu, 1, 0x1.aec4bd120d37dp-1},
    {ga_gelu, -1, -0x1.44ed0bb7cb20bp-3},
    {ga_gelu, -3, -0x1.096697b244861p-8},
    {ga_gelu, -8, -0x1.669d2c90d55cep-48},
    {ga_gelu, -13, -0x1.b0f71384ef01ep-124},
    {ga_gelu, -15.5, -0x1.49993f80b2503p-175},
};

Test(elementary, values_are_those_of_arithmetic_of_300_bits)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        const struct value *value = &VALUES[i];
        const double got = value->function(value->x), most = value->function == ga_gelu ? 8 : 3;
        cr_expect(ulps(got, (long double)value->exact) <= most, "of %a: %a; expected %a", value->x, got, value->exact);
    }
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

Test(elementary, special_values_have_their_limits)
{
    const double infinite = (double)INFINITY, not_a_number = (double)NAN;
    const struct value values[] = {
        {ga_exp, 0, 1},
        {ga_exp, infinite, infinite},
        {ga_exp, 710.5, infinite},
        {ga_exp, -infinite, 0},
        {ga_exp, -1e300, 0},
        {ga_exp, not_a_number, not_a_number},
        {ga_log, 1, 0},
        {ga_log, 0, -infinite},
        {ga_log, -0.0, -infinite},
        {ga_log, infinite, infinite},
        {ga_log, -1, not_a_number},
        {ga_log, not_a_number, not_a_number},
        {power_of_theta, 0, 1},
        {sine, 0, 0},
        {sine, -0.0, -0.0},
        {sine, infinite, not_a_number},
        {sine, 0x1p32, not_a_number},
        {cosine, -0.0, 1},
        {cosine, not_a_number, not_a_number},
        {ga_tanh, -0.0, -0.0},
        {ga_tanh, 1e-310, 1e-310},
        {ga_tanh, -infinite, -1},
        {ga_tanh, not_a_number, not_a_number},
        {ga_gelu, 0, 0},
        {ga_gelu, infinite, infinite},
        {ga_gelu, -0x1p-149, -0x1p-150},
        {ga_gelu, not_a_number, not_a_number},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double got = values[i].function(values[i].x);
        cr_expect(is_same(got, values[i].exact), "value %zu, of %a: %a; expected %a", i, values[i].x, got,
                  values[i].exact);
    }
    cr_expect(is_same((double)(float)ga_gelu(-infinite), -0.0));
}
