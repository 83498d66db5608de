// main.c: prints the figures of docs/numbers.md as this build and CPU have them, one a line; "all" has functions of one
// element measured over all floats, which takes minutes, or one function of that name. Which figures are good enough is
// for tests/numbers/numbers.lua to say.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "kernels.h"
#include "numbers.h"

// NUMBERS_ISAS(X) names the instruction sets of the build.
#define DECLARE(isa)                                                                                  \
    in_place numbers_gelu__##isa, numbers_gelu_tanh__##isa, numbers_silu__##isa, numbers_tanh__##isa; \
    softmax numbers_softmax__##isa;                                                                   \
    norm numbers_layer_norm__##isa, numbers_rms_norm__##isa;
NUMBERS_ISAS(DECLARE)

#define OPENED(isa)                                                                                   \
    {#isa,                                                                                            \
     {NULL, numbers_gelu__##isa, numbers_gelu_tanh__##isa, numbers_silu__##isa, numbers_tanh__##isa}, \
     numbers_softmax__##isa,                                                                          \
     numbers_layer_norm__##isa,                                                                       \
     numbers_rms_norm__##isa},
static const struct opened all_opened[] = {NUMBERS_ISAS(OPENED)};

static bool runs_here(const char *isa)
{
    for (size_t v = 0; v < ga_test_models[0]->n_variants; v++) {
        const struct ga_variant *variant = &ga_test_models[0]->variants[v];
        if (strcmp(variant->isa, isa) == 0) {
            return ga_cpu_has(variant->cpu);
        }
    }
    return false;
}

size_t numbers_opened(const struct opened *list[MAX_OPENED])
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof all_opened / sizeof *all_opened && count < MAX_OPENED; i++) {
        if (runs_here(all_opened[i].isa)) {
            list[count++] = &all_opened[i];
        }
    }
    return count;
}

void numbers_print(const char *row, const char *column, double value)
{
    printf("%s %s %.9g\n", row, column, value);
    fflush(stdout);
}

double numbers_larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

// Numbers of magnitude from 2^exponent on, up to its double, have a float's last place at 2^(exponent - 23).
static double last_place(double exact)
{
    const int lowest = FLT_MIN_EXP - 1, digits = FLT_MANT_DIG - 1, bias = 1023, mantissa = 52;
    uint64_t bits;
    double place;
    memcpy(&bits, &exact, sizeof bits);
    int exponent = (int)(bits >> mantissa & 0x7FF) - bias;
    exponent = exponent < lowest ? lowest : exponent;
    bits = (uint64_t)(exponent - digits + bias) << mantissa;
    memcpy(&place, &bits, sizeof place);
    return place;
}

double numbers_ulps(float got, double exact)
{
    const double error = fabs((double)got - exact);
    if (error < INFINITY) {
        return error / last_place(exact);
    }
    return (isnan(exact) && isnan(got)) || (double)got == exact ? 0 : INFINITY;
}

int main(int argc, char **argv)
{
    const bool exhaustive = argc > 1 && strcmp(argv[1], "all") == 0;
    if ((argc > 1 && !exhaustive) || argc > 3) {
        fprintf(
            stderr,
            "usage: %s [all [FUNCTION]]\n"
            "Prints the error of each kernel against double precision; all: over all floats, of all or one of them.\n",
            argv[0]);
        return 2;
    }
    kernels_name_skipped();
    numbers_functions(exhaustive, argc > 2 ? argv[2] : NULL);
    if (argc > 2) {
        return 0;
    }
    numbers_softmax();
    numbers_norms();
    numbers_tables();
    return numbers_products() && numbers_layers() ? 0 : 1;
}
