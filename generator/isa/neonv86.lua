-- neonv86.lua: NEON on CPUs of Armv8.6 (Arm since Neoverse V1, Apple since M2): they multiply four unsigned bytes by
-- signed ones at a time, or eight of two rows by those of two columns (FEAT_I8MM), and bf16 by bf16 into floats
-- (FEAT_BF16). bfmlalb and bfmlalt round once a product, as a multiply-add of floats does; bfdot and bfmmla round
-- otherwise and are left out (docs/numbers.md).
local product = require "isa.arm.by_lane"("armv8.2-a+i8mm+bf16", [[

// Adds the products of each lane's signed bytes in b and the unsigned ones in a's first lane to it. clang makes another
// instruction of the intrinsic, and one that copies that lane.
static inline int32x4_t add_fours(int32x4_t sum, int32x4_t a, int32x4_t b)
{
    __asm__("sudot %0.4s, %2.16b, %1.4b[0]" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
}

// The same of unsigned ones in a and the signed ones in a lane of b.
#define add_lane_bytes(sum, a, b, lane) \
    vusdotq_laneq_s32(sum, vreinterpretq_u8_s32(a), vreinterpretq_s8_s32(b), lane)

// Adds the products of two rows of eight unsigned bytes in a and two columns of eight signed ones in b to it: both
// columns of the first row, then of the second. It is volatile because clang would otherwise load all rows first and
// keep sums on the stack.
static inline int32x4_t add_pairs(int32x4_t sum, int32x4_t a, int32x4_t b)
{
    __asm__ volatile("usmmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
}

// Eight bytes of each of two rows.
static inline int32x4_t two_rows(const uint8_t *first, const uint8_t *second)
{
    return vreinterpretq_s32_u8(vcombine_u8(vld1_u8(first), vld1_u8(second)));
}

// Exchanges the second half of a for the first half of b: four columns of one row each become two columns of two rows.
static inline void exchange_halves(int32x4_t *a, int32x4_t *b)
{
    const int32x4_t low = vcombine_s32(vget_low_s32(*a), vget_low_s32(*b));
    *b = vcombine_s32(vget_high_s32(*a), vget_high_s32(*b));
    *a = low;
}

// Adds the products of each lane's two elements in b and those in a's first lane to it, one after the other.
static inline float32x4_t add_bf16_pairs(float32x4_t sum, int32x4_t a, int32x4_t b)
{
    __asm__("bfmlalb %0.4s, %2.8h, %1.h[0]\n\tbfmlalt %0.4s, %2.8h, %1.h[1]" : "+w"(sum) : "x"(a), "w"(b));
    return sum;
}

// Floats, none of them subnormal, rounded to the nearest, ties to even.
static inline void store_bf16_elements(uint16_t *to, float32x4_t v)
{
    vst1_u16(to, vreinterpret_u16_bf16(vcvt_bf16_f32(v)));
}
]])

local STORE = "store_bf16_elements(%s, %s)"

return {
  name = "neonv86", of = "neon",
  products = {
    bytes = product(4, "I8MM", "add_fours", { pairs = { rows = "two_rows(&%s, &%s)", low = "vzip1q_s32(%s, %s)",
      high = "vzip2q_s32(%s, %s)", dot = "add_pairs(%s, %s, %s)", exchange = "exchange_halves(&%s, &%s)" } }),
    bytes_by_lane = product(4, "I8MM", "add_lane_bytes", { dot = "add_lane_bytes(%s, %s, %s, %s)" }),
    bf16 = product(2, "BF16", "add_bf16_pairs", { store = STORE, in_order = STORE }),
  },
}
