// functions.c: the error of functions of one element against double precision, over all floats or a sample of them that
// holds each neighbourhood where such a function may break. Looks at no layer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "threads.h"

enum { BLOCK = 4096, ROOM = BLOCK + NUMBERS_VECTOR, MAX_PARTS = 64 };
static const uint64_t ALL_FLOATS = (uint64_t)1 << 32;
// Below, the result of a gate rests on a power of two that is a subnormal, or 0: only its absolute error is looked at.
static const double LEAST = 1e-35;
// Below, an absolute error is told too, and the one in units of the last place apart from that of larger results.
static const double SMALL = 0.25;
static const double HALF = 0.5, SMALL_HALF = 0x1p-27; // a place, and that of a number below SMALL
// Softmax asks for powers of two up to 2^0; a factor of 2^(y + 24) is a finite number far beyond.
static const double HIGHEST_POWER = 100;

// -- In double ------------------------------------------------------------------------------------------------------

// What a gate makes of x close to 0, where it is a half and a little, and far from 0, where it is 0 or 1; else NAN.
static double gate_by_limit(double x, double slope)
{
    const double close = 0x1p-30, far = 40, farther = 120;
    if (fabs(x) < close) {
        return x * (0.5 + slope * x);
    }
    return x > far ? x : x < -farther ? -0.0 : NAN;
}

static double gelu(double x)
{
    const double limit = gate_by_limit(x, 0.3989422804014327);
    return isnan(limit) ? x * 0.5 * erfc(-x * 0.7071067811865476) : limit;
}

static double gelu_tanh(double x)
{
    const double limit = gate_by_limit(x, 0.3989422804014327);
    return isnan(limit) ? x / (1 + exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x))) : limit;
}

static double silu(double x)
{
    const double limit = gate_by_limit(x, 0.25);
    return isnan(limit) ? x / (1 + exp(-x)) : limit;
}

static double power(double x)
{
    return x < -160 ? 0 : fabs(x) < 0x1p-40 ? 1 + x * 0.6931471805599453 : exp2(x);
}

static double tangent(double x)
{
    return fabs(x) < 0x1p-20 ? x - x * x * x / 3 : fabs(x) > 20 ? copysign(1, x) : tanh(x);
}

// -- In float, as anybody would -------------------------------------------------------------------------------------

static float plain_gelu(float x)
{
    return 0.5F * x * (1 + erff(x * 0.70710678F));
}

static float plain_gelu_tanh(float x)
{
    return 0.5F * x * (1 + tanhf(0.79788456F * (x + 0.044715F * x * x * x)));
}

static float plain_silu(float x)
{
    return x / (1 + expf(-x));
}

static const struct {
    const char *name;
    double (*exact)(double);
    float (*plain)(float);
    double highest; // beyond, nothing is promised
    double least;   // below, units of the last place say nothing
} FUNCTIONS[N_FUNCTIONS] = {
    [FUNCTION_EXP2] = {"exp2", power, exp2f, HIGHEST_POWER, 0},
    [FUNCTION_GELU] = {"gelu", gelu, plain_gelu, INFINITY, LEAST},
    [FUNCTION_GELU_TANH] = {"gelu_tanh", gelu_tanh, plain_gelu_tanh, INFINITY, LEAST},
    [FUNCTION_SILU] = {"silu", silu, plain_silu, INFINITY, LEAST},
    [FUNCTION_TANH] = {"tanh", tangent, tanhf, INFINITY, 0},
};

// -- Which floats ---------------------------------------------------------------------------------------------------

// Bits of floats, or all that there are: list is NULL, and the i-th is i.
struct floats {
    uint32_t *list;
    uint64_t count;
};

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The neighbours of breakpoint number i: a float of each exponent, then multiples of a quarter, of either sign.
enum { BESIDE = 24, EXPONENTS = 256, QUARTERS = 700, BREAKPOINTS = 2 * (EXPONENTS + QUARTERS) };

static uint32_t beside(size_t i)
{
    const uint32_t sign = i % 2 ? UINT32_C(1) << 31 : 0;
    const size_t which = i / 2 / (2 * BESIDE + 1) % (BREAKPOINTS / 2);
    const uint32_t at = which < EXPONENTS ? (uint32_t)which << 23 : bits_of((float)(which - EXPONENTS) / 4);
    return sign | ((at + (uint32_t)(i / 2 % (2 * BESIDE + 1)) - BESIDE) & ~(UINT32_C(1) << 31));
}

static struct floats sample(void)
{
    const uint64_t stride = 1021, strided = ALL_FLOATS / stride, close = (uint64_t)BREAKPOINTS * (2 * BESIDE + 1);
    struct floats floats = {malloc((strided + close) * sizeof(uint32_t)), strided + close};
    for (uint64_t i = 0; floats.list && i < strided; i++) {
        floats.list[i] = (uint32_t)(i * stride);
    }
    for (uint64_t i = 0; floats.list && i < close; i++) {
        floats.list[strided + i] = beside((size_t)i);
    }
    return floats;
}

// -- Sweeping -------------------------------------------------------------------------------------------------------

// The errors of one function, in columns: each instruction set, then plain float.
struct errors {
    double ulps[MAX_OPENED + 1], small_ulps[MAX_OPENED + 1], small[MAX_OPENED + 1];
    double unordered[MAX_OPENED + 1]; // neighbours of which the smaller has the larger result
    double differ[MAX_OPENED];        // results of other bits than portable C's, where these are not both NaN
};

struct sweep {
    enum function function;
    struct floats floats;
    const struct opened *opened[MAX_OPENED];
    size_t n_opened, n_parts;
    struct errors parts[MAX_PARTS];
};

static void evaluate(const struct sweep *sweep, size_t column, float *x, size_t n)
{
    if (column == sweep->n_opened) {
        for (size_t i = 0; i < n; i++) {
            x[i] = FUNCTIONS[sweep->function].plain(x[i]);
        }
    } else if (sweep->function == FUNCTION_EXP2) {
        (void)sweep->opened[column]->softmax(x, n, 0);
    } else {
        sweep->opened[column]->functions[sweep->function](x, n);
    }
}

static void measure(struct errors *errors, size_t column, enum function function, float got, double exact)
{
    const bool erred = errors->ulps[column] > HALF && errors->small_ulps[column] > HALF;
    if (got == (float)exact && erred && errors->small[column] > SMALL_HALF) {
        return; // the nearest float is no news
    }
    const double ulps = numbers_ulps(got, exact);
    if (!(fabs(exact) < SMALL)) {
        errors->ulps[column] = numbers_larger(errors->ulps[column], ulps);
        return;
    }
    errors->small[column] = numbers_larger(errors->small[column], fabs((double)got - exact));
    if (fabs(exact) >= FUNCTIONS[function].least) {
        errors->small_ulps[column] = numbers_larger(errors->small_ulps[column], ulps);
    }
}

// Whether two results of floats are the same to the last bit, and to the sign of a zero; a NaN is a NaN.
static bool is_same(float a, float b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

// One block of floats, x [ROOM]: NUMBERS_VECTOR that the block before has had, then count new ones.
static void sweep_block(const struct sweep *sweep, struct errors *errors, const float *x, const double *exact,
                        size_t count)
{
    float got[ROOM], portable[ROOM];
    memcpy(portable, x, sizeof portable);
    evaluate(sweep, sweep->n_opened - 1, portable, ROOM); // the last of the sets
    for (size_t column = 0; column <= sweep->n_opened; column++) {
        memcpy(got, x, sizeof got);
        evaluate(sweep, column, got, ROOM);
        for (size_t i = NUMBERS_VECTOR; i < NUMBERS_VECTOR + count; i++) {
            if (x[i] > (float)FUNCTIONS[sweep->function].highest) {
                continue;
            }
            measure(errors, column, sweep->function, got[i], exact[i]);
            if (column < sweep->n_opened) {
                errors->differ[column] += !is_same(got[i], portable[i]);
            }
            // As the bits of negative floats grow the floats fall, and so should what comes of them.
            errors->unordered[column] += signbit(x[i]) && signbit(x[i - 1]) && got[i] > got[i - 1];
        }
    }
}

static void sweep_part(void *context, size_t part)
{
    struct sweep *sweep = context;
    const uint64_t blocks = (sweep->floats.count + BLOCK - 1) / BLOCK;
    for (uint64_t block = part; block < blocks; block += sweep->n_parts) {
        float x[ROOM];
        double exact[ROOM];
        const uint64_t first = block * BLOCK, left = sweep->floats.count - first;
        for (size_t i = 0; i < ROOM; i++) {
            const uint64_t at = first + i < NUMBERS_VECTOR ? 0 : first + i - NUMBERS_VECTOR;
            const uint64_t known = at < sweep->floats.count ? at : 0;
            x[i] = float_of(sweep->floats.list ? sweep->floats.list[known] : (uint32_t)known);
            exact[i] = FUNCTIONS[sweep->function].exact((double)x[i]);
        }
        sweep_block(sweep, &sweep->parts[part], x, exact, left < BLOCK ? (size_t)left : BLOCK);
    }
}

static void print(const char *what, const struct sweep *sweep, const double *values, size_t columns)
{
    char row[64];
    strcpy(row, FUNCTIONS[sweep->function].name);
    strcat(row, what);
    for (size_t column = 0; column < columns; column++) {
        numbers_print(row, column < sweep->n_opened ? sweep->opened[column]->isa : "generic", values[column]);
    }
}

static void print_all(const struct sweep *sweep)
{
    struct errors all = {{0}, {0}, {0}, {0}, {0}};
    const size_t columns = sweep->n_opened + 1;
    for (size_t part = 0; part < sweep->n_parts; part++) {
        for (size_t column = 0; column <= sweep->n_opened; column++) {
            all.ulps[column] = numbers_larger(all.ulps[column], sweep->parts[part].ulps[column]);
            all.small[column] = numbers_larger(all.small[column], sweep->parts[part].small[column]);
            all.small_ulps[column] = numbers_larger(all.small_ulps[column], sweep->parts[part].small_ulps[column]);
            all.unordered[column] += sweep->parts[part].unordered[column];
            if (column < sweep->n_opened) {
                all.differ[column] += sweep->parts[part].differ[column];
            }
        }
    }
    print("", sweep, all.ulps, columns);
    print("_small_ulps", sweep, all.small_ulps, columns);
    print("_small", sweep, all.small, columns);
    print("_differ", sweep, all.differ, sweep->n_opened);
    if (!sweep->floats.list) {
        print("_unordered", sweep, all.unordered, columns);
    }
}

static void sweep_all(struct sweep *sweep, const struct ga_parallel *parallel)
{
    memset(sweep->parts, 0, sizeof sweep->parts);
    if (parallel) {
        parallel->run(parallel->self, sweep->n_parts, sweep_part, sweep);
    } else {
        sweep_part(sweep, 0);
    }
}

void numbers_functions(bool exhaustive, const char *only)
{
    static struct sweep sweep;
    struct ga_threads *threads = NULL;
    const size_t available = ga_threads_available();
    sweep = (struct sweep){.floats = {NULL, ALL_FLOATS}, .n_parts = 1};
    sweep.n_opened = numbers_opened(sweep.opened);
    if (!exhaustive) {
        sweep.floats = sample();
    } else if (ga_threads_new(available < MAX_PARTS ? available : MAX_PARTS, &threads, NULL) == GA_OK) {
        sweep.n_parts = available < MAX_PARTS ? available : MAX_PARTS;
    }
    for (size_t function = 0; function < N_FUNCTIONS && (exhaustive || sweep.floats.list); function++) {
        sweep.function = (enum function)function;
        if (only && strcmp(only, FUNCTIONS[function].name) != 0) {
            continue;
        }
        sweep_all(&sweep, threads ? ga_threads_parallel(threads) : NULL);
        print_all(&sweep);
    }
    ga_threads_free(threads);
    free(sweep.floats.list);
}
