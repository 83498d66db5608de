-- neon.lua: NEON of AArch64, four floats a vector, thirty-two registers; nearly every CPU of this architecture has it.
-- The costs are those of a core with two pipes for vectors; nobody has measured them.
local STORE_8 = { "vec_store_bytes(%s, %s)", helpers = [[

// The lowest bytes of the lanes, of either sign; they begin at any byte.
static inline void vec_store_bytes(void *to, int32x4_t v)
{
    const int16x4_t halves = vmovn_s32(v);
    const uint32_t four = vget_lane_u32(vreinterpret_u32_s8(vmovn_s16(vcombine_s16(halves, halves))), 0);
    memcpy(to, &four, sizeof four);
}
]] }

-- Four bytes, which begin anywhere, as the lower half of a vector of eight.
local FOUR_BYTES = [[

static inline uint8x8_t vec_four_bytes(const void *from)
{
    uint32_t four;
    memcpy(&four, from, sizeof four);
    return vcreate_u8(four);
}
]]

return {
  name = "neon", arch = "aarch64", width = 4, registers = 32, max_accumulators = 24, type = "float32x4_t",
  headers = { "arm_neon.h" }, cflags = {}, cpu = { "ASIMD" },
  fma_per_cycle = 2, loads_per_cycle = 2, fma_latency = 4, lowest_exponent = -151, scale_shift = 24,
  spell = {
    zero = "vdupq_n_f32(0.0f)", splat = "vdupq_n_f32(%s)", load = "vld1q_f32(%s)", store = "vst1q_f32(%s, %s)",
    add = "vaddq_f32(%s, %s)", sub = "vsubq_f32(%s, %s)", mul = "vmulq_f32(%s, %s)", max = "vec_max2(%s, %s)",
    fmadd = "vec_fmadd(%s, %s, %s)", above = "vec_above(%s, %s)",
    round = "vrndnq_f32(%s)", sqrt = "vsqrtq_f32(%s)", div = "vdivq_f32(%s, %s)", fmsub = "vec_fmsub(%s, %s, %s)",
    int_zero = "vdupq_n_s32(0)", int_splat = "vdupq_n_s32(%s)",
    int_load = "vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)(%s)))",
    int_add = "vaddq_s32(%s, %s)", int_sub = "vsubq_s32(%s, %s)", int_mul = "vmulq_s32(%s, %s)",
    int_max = "vmaxq_s32(%s, %s)", int_and = "vandq_s32(%s, %s)", int_or = "vorrq_s32(%s, %s)",
    int_where_above = "vandq_s32(vreinterpretq_s32_u32(vcgtq_s32(%s, %s)), %s)",
    shl = "vshlq_n_s32(%s, %s)", shr = "vshrq_n_s32(%s, %s)",
    shr_bits = "vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(%s), %s))",
    to_floats = "vcvtq_f32_s32(%s)", to_ints = "vcvtnq_s32_f32(%s)",
    bits_of = "vreinterpretq_s32_f32(%s)", floats_of = "vreinterpretq_f32_s32(%s)",
    int_load_int8 = { "vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(vec_four_bytes(%s)))))",
      helpers = FOUR_BYTES },
    int_load_uint8 = { "vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vec_four_bytes(%s)))))",
      helpers = FOUR_BYTES },
    int_load_uint16 = "vreinterpretq_s32_u32(vmovl_u16(vld1_u16(%s)))",
    int_store_int8 = STORE_8, int_store_uint8 = STORE_8,
    int_store_int16 = "vst1_s16(%s, vmovn_s32(%s))",
    int_store_uint16 = "vst1_u16(%s, vreinterpret_u16_s16(vmovn_s32(%s)))",
    int_largest = "vmaxvq_s32(%s)", int_sum = "vaddvq_s32(%s)",
    load_f16 = "vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8((const uint8_t *)(%s))))",
    load_e5m3 = { "vcvt_f32_f16(vreinterpret_f16_u16(vshl_n_u16(vget_low_u16(vmovl_u8(vec_four_bytes(%s))), 7)))",
      helpers = FOUR_BYTES },
  },
  ints = "int32x4_t",
  products = {
    -- Products of 16 bits are as wide as a lane, so that a lane takes one element at a time.
    int16 = { unit = 1, type = "int16x4_t", splat = "vdup_n_s16(%s)", load = "vld1_s16(%s)",
      load_int8 = "vget_low_s16(vmovl_s8(vreinterpret_s8_u8(vec_four_bytes(%s))))", dot = "vmlal_s16(%s, %s, %s)",
      helpers = FOUR_BYTES },
    ints = { dot = "vmlaq_s32(%s, %s, %s)" },
  },
  helpers = [[
// a b + c, rounded once: the intrinsic has its addend first.
static inline float32x4_t vec_fmadd(float32x4_t a, float32x4_t b, float32x4_t c)
{
    return vfmaq_f32(c, a, b);
}

// a b - c, rounded once.
static inline float32x4_t vec_fmsub(float32x4_t a, float32x4_t b, float32x4_t c)
{
    return vfmaq_f32(vnegq_f32(c), a, b);
}

// The second argument where either is a NaN, as in the other sets; the instruction would give the NaN.
static inline float32x4_t vec_max2(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

// Of the lanes that are numbers.
static inline float vec_max(float32x4_t v)
{
    return vmaxnmvq_f32(v);
}

static inline float vec_sum(float32x4_t v)
{
    const float32x2_t s = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vget_lane_f32(vpadd_f32(s, s), 0);
}

// p 2^(n + 24) for whole n >= -151; at -151 it is 0. A NaN in p stays one.
static inline float32x4_t vec_exp2_scale(float32x4_t p, float32x4_t n)
{
    const uint32x4_t exponent = vreinterpretq_u32_s32(vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(151)));
    return vmulq_f32(p, vreinterpretq_f32_u32(vshlq_n_u32(exponent, 23)));
}

// All bits of the first count lanes; there are no registers of masks.
static inline uint32x4_t vec_first(int32_t count)
{
    static const int32_t lanes[4] = {0, 1, 2, 3};
    return vcgtq_s32(vdupq_n_s32(count), vld1q_s32(lanes));
}

// v in lanes below limit, else -inf.
static inline float32x4_t vec_below(float32x4_t v, int32_t limit)
{
    return vbslq_f32(vec_first(limit), v, vdupq_n_f32(-INFINITY));
}

// -inf in the first count lanes, else v.
static inline float32x4_t vec_above(float32x4_t v, int32_t count)
{
    return vbslq_f32(vec_first(count), vdupq_n_f32(-INFINITY), v);
}

// The first count floats at p, then zeros; reads no further. No load has a mask, so that each float is copied.
static inline float32x4_t vec_load_tail(const float *p, int32_t count)
{
    float lanes[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < count && i < 4; i++) {
        lanes[i] = p[i];
    }
    return vld1q_f32(lanes);
}

// Writes the first count lanes; touches no further.
static inline void vec_store_tail(float *p, float32x4_t v, int32_t count)
{
    float lanes[4];
    vst1q_f32(lanes, v);
    for (int32_t i = 0; i < count && i < 4; i++) {
        p[i] = lanes[i];
    }
}

// Transposes 4 rows of 4 floats, row stride `stride`, into rows at stride `to_stride`.
static inline void vec_transpose(const float *from, size_t stride, float *to, size_t to_stride)
{
    const float32x4_t r0 = vld1q_f32(from), r1 = vld1q_f32(from + stride);
    const float32x4_t r2 = vld1q_f32(from + 2 * stride), r3 = vld1q_f32(from + 3 * stride);
    const float32x4_t even_low = vzip1q_f32(r0, r2), even_high = vzip2q_f32(r0, r2);
    const float32x4_t odd_low = vzip1q_f32(r1, r3), odd_high = vzip2q_f32(r1, r3);
    vst1q_f32(to, vzip1q_f32(even_low, odd_low));
    vst1q_f32(to + to_stride, vzip2q_f32(even_low, odd_low));
    vst1q_f32(to + 2 * to_stride, vzip1q_f32(even_high, odd_high));
    vst1q_f32(to + 3 * to_stride, vzip2q_f32(even_high, odd_high));
}
]],
  extras = {
    turn_pairs = [[

// Turns the first count floats at x, pair by pair, by the angles whose cosine and sine stand in their places of table.
static inline void vec_turn_pairs(float *x, const float *table, int32_t count)
{
    static const uint32_t minus[4] = {0x80000000u, 0, 0x80000000u, 0}; // the first of a pair takes the sine's part off
    const float32x4_t v = count < 4 ? vec_load_tail(x, count) : vld1q_f32(x);
    const float32x4_t angles = count < 4 ? vec_load_tail(table, count) : vld1q_f32(table);
    const float32x4_t crossed = vmulq_f32(vrev64q_f32(v), vtrn2q_f32(angles, angles));
    const uint32x4_t added = veorq_u32(vreinterpretq_u32_f32(crossed), vld1q_u32(minus));
    const float32x4_t turned = vfmaq_f32(vreinterpretq_f32_u32(added), v, vtrn1q_f32(angles, angles));
    if (count < 4)
        vec_store_tail(x, turned, count);
    else
        vst1q_f32(x, turned);
}
]],
    choose = [[

// v in lanes whose byte at p is not zero, else other.
static inline float32x4_t vec_choose(const uint8_t *p, float32x4_t v, float32x4_t other)
{
    const uint32_t four = (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    const uint32x4_t bytes = vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
    return vbslq_f32(vtstq_u32(bytes, bytes), v, other);
}
]],
    add_mask = [[

// v + m, and -inf in lanes where m is -inf, whatever v is there.
static inline float32x4_t vec_add_mask(float32x4_t v, float32x4_t m)
{
    return vbslq_f32(vceqq_f32(m, vdupq_n_f32(-INFINITY)), m, vaddq_f32(v, m));
}
]],
  },
}
