-- scalar.lua: portable C11, a "vector" of one float; runs anywhere and is the second oracle of the other sets.
-- Rounds multiply-adds once, as the other sets do: where the compiler has no instruction for it, by way of double.
-- The bits of a float as an integer, and back.
local function same_bits(name, from, to)
  return ([[

static inline %s vec_%s(%s v)
{
    const union {
        %s from;
        %s to;
    } same = {v};
    return same.to;
}
]]):format(to, name, from, from, to)
end

-- A number of 16 bits with a fraction of 10 as a float, by its bits; what is at `from` begins at any byte.
local FROM_F16 = [[

static inline float vec_from_f16(uint16_t half)
{
    const uint32_t sign = (half & 0x8000U) << 16, rest = half & 0x7fff;
    union {
        float number;
        uint32_t bits;
    } same = {(float)rest * 0x1p-24f};
    if (rest >= 0x400)
        same.bits = (rest + (rest < 0x7c00 ? 0x1c000U : 0x38000U)) << 13;
    same.bits |= sign;
    return same.number;
}

static inline float vec_load_f16(const void *from)
{
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return vec_from_f16(half);
}
]]

local INT_AT = [[

static inline int32_t vec_int_at(const void *from)
{
    int32_t number;
    memcpy(&number, from, sizeof number);
    return number;
}
]]

local INT_MAX = [[

static inline int32_t vec_int_max(int32_t a, int32_t b)
{
    return a > b ? a : b;
}
]]

return {
  name = "scalar", arch = "any", width = 1, registers = 16, max_accumulators = 12, type = "float",
  headers = {}, cflags = {}, cpu = {},
  fma_per_cycle = 1, loads_per_cycle = 2, fma_latency = 4, lowest_exponent = -151, scale_shift = 24,
  spell = {
    zero = "0.0f", splat = "%s", load = "*(%s)", store = "*(%s) = %s", add = "(%s + %s)", sub = "(%s - %s)",
    mul = "(%s * %s)", max = "vec_max2(%s, %s)", fmadd = "vec_fmadd(%s, %s, %s)", round = "vec_round(%s)",
    above = "vec_below(%s, 1 - (%s))",
    sqrt = "sqrtf(%s)", div = "(%s / %s)", fmsub = "vec_fmadd(%s, %s, -(%s))",
    int_zero = "0", int_splat = "%s", int_load = { "vec_int_at(%s)", helpers = INT_AT },
    int_add = "(%s + %s)", int_sub = "(%s - %s)", int_mul = "(%s * %s)",
    int_max = { "vec_int_max(%s, %s)", helpers = INT_MAX }, int_and = "(%s & %s)", int_or = "(%s | %s)",
    int_where_above = "(%s > %s ? %s : 0)",
    shl = "(int32_t)((uint32_t)(%s) << %s)", shr = "((%s) >> %s)", shr_bits = "(int32_t)((uint32_t)(%s) >> %s)",
    to_floats = "(float)(%s)", to_ints = "(int32_t)vec_round(%s)",
    bits_of = { "vec_bits_of(%s)", helpers = same_bits("bits_of", "float", "int32_t") },
    floats_of = { "vec_floats_of(%s)", helpers = same_bits("floats_of", "int32_t", "float") },
    int_load_int8 = "*(%s)", int_load_uint8 = "*(%s)", int_load_uint16 = "*(%s)",
    int_store_int8 = "*(%s) = (int8_t)(%s)", int_store_uint8 = "*(%s) = (uint8_t)(%s)",
    int_store_int16 = "*(%s) = (int16_t)(%s)", int_store_uint16 = "*(%s) = (uint16_t)(%s)",
    int_largest = "%s", int_sum = "%s",
    load_f16 = { "vec_load_f16(%s)", helpers = FROM_F16 },
    load_e5m3 = { "vec_from_f16((uint16_t)(*(%s) << 7))", helpers = FROM_F16 },
  },
  ints = "int32_t",
  products = {
    int16 = { unit = 1, splat = "%s", load = "*(%s)", load_int8 = "*(%s)", dot = "%s + %s * %s" },
    ints = { dot = "%s + %s * %s" },
  },
  helpers = [[
#ifndef __FP_FAST_FMAF
// The sum in double of an exact product and c, rounded to odd: to a float it then rounds as the exact sum does.
static float vec_round_odd(double product, float c, double sum)
{
    const double rest = sum - product, lost = (product - (sum - rest)) + ((double)c - rest);
    union {
        double value;
        uint64_t bits;
    } odd = {sum};
    if (lost > 0.0 || lost < 0.0) // not where it is exact, and not where it is no number
        odd.bits += (lost > 0.0) == (sum > 0.0) ? 1 : UINT64_MAX;
    return (float)odd.value;
}
#endif

// a b + c, rounded once. In double it is rounded twice, which is wrong where the double lies in the middle between two
// floats, subnormal ones too, and the exact sum does not: the double's last bits are zeros then.
static inline float vec_fmadd(float a, float b, float c)
{
#ifdef __FP_FAST_FMAF
    return fmaf(a, b, c);
#else
    const double product = (double)a * b;
    const union {
        double value;
        uint64_t bits;
    } sum = {product + c};
    return sum.bits & 0xfffffff ? (float)sum.value : vec_round_odd(product, c, sum.value);
#endif
}

// The second argument where either is a NaN, as the x86 instruction does.
static inline float vec_max2(float a, float b)
{
    return a > b ? a : b;
}

static inline float vec_max(float v)
{
    return v;
}

static inline float vec_sum(float v)
{
    return v;
}

// To the nearest whole number, ties to even, for |v| < 2^22: adding 1.5 * 2^23 leaves no room for a fraction.
static inline float vec_round(float v)
{
    return (v + 0x1.8p23f) - 0x1.8p23f;
}

// p 2^(n + 24) for a whole n from -151, where it is 0, to 103, and from 104 on infinite: a row with a NaN among its
// scores has no maximum, so that others may be anything. A NaN in p stays one.
static inline float vec_exp2_scale(float p, float n)
{
    const int32_t exponent = n > -151.0f ? (int32_t)(n < 104.0f ? n : 104.0f) + 151 : 0;
    union {
        uint32_t bits;
        float value;
    } power = {(uint32_t)exponent << 23};
    return p * power.value;
}

// v where lane (0) < limit, else -inf.
static inline float vec_below(float v, int32_t limit)
{
    return 0 < limit ? v : -INFINITY;
}

static inline void vec_transpose(const float *from, size_t stride, float *to, size_t to_stride)
{
    (void)stride, (void)to_stride; // one row of one float
    *to = *from;
}
]],
  lanes = [[

// Sixteen running sums over a row, which fold in the order that every instruction set has.
struct lanes {
    float at[16];
    size_t next; // that the next float joins, modulo sixteen
};

static inline struct lanes lanes_none(void)
{
    return (struct lanes){.next = 0};
}

static inline void lanes_add(struct lanes *sum, float v)
{
    sum->at[sum->next++ % 16] += v;
}

static inline void lanes_fmadd(struct lanes *sum, float a, float b)
{
    float *const at = &sum->at[sum->next++ % 16];
    *at = vec_fmadd(a, b, *at);
}

static inline float lanes_sum(const struct lanes *sum)
{
    struct lanes folded = *sum;
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            folded.at[i] += folded.at[i + half];
    return folded.at[0];
}
]],
  extras = {
    turn_pairs = [[

// Turns the two floats at x by the angle whose cosine and sine table holds; count is 2.
static inline void vec_turn_pairs(float *x, const float *table, int32_t count)
{
    const float even = x[0], odd = x[1];
    (void)count;
    x[0] = vec_fmadd(even, table[0], -(odd * table[1]));
    x[1] = vec_fmadd(odd, table[0], even * table[1]);
}
]],
    choose = [[

// v where the byte at p is not zero, else other.
static inline float vec_choose(const uint8_t *p, float v, float other)
{
    return *p ? v : other;
}
]],
    add_mask = [[

// v + m, and -inf where m is -inf, whatever v is.
static inline float vec_add_mask(float v, float m)
{
    return m == -INFINITY ? m : v + m;
}
]],
  },
}
