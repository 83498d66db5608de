-- neonv84.lua: NEON on CPUs of Armv8.4 (Arm since Cortex-A75 and Neoverse N1, Apple since M1): they multiply four
-- signed bytes by signed ones at a time (FEAT_DotProd).
local product = require "isa.arm.by_lane"("armv8.2-a+dotprod", [[

// Adds the products of each lane's bytes in b and those in a's first lane to it.
static inline int32x4_t add_fours(int32x4_t sum, int32x4_t a, int32x4_t b)
{
    __asm__("sdot %0.4s, %2.16b, %1.4b[0]" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
}

// The same of those in a and in a lane of b.
#define add_lane_bytes(sum, a, b, lane) \
    vdotq_laneq_s32(sum, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(b), lane)

// Unsigned bytes less 128, which are signed.
static inline int32x4_t less_128(int32x4_t bytes)
{
    return veorq_s32(bytes, vreinterpretq_s32_u8(vdupq_n_u8(0x80)));
}

// Four unsigned bytes as signed ones: their lower seven bits in the first lane, in the second -128 for an upper bit.
static inline int32x4_t parts_of(const void *from)
{
    uint32_t all;
    memcpy(&all, from, sizeof all);
    return vcombine_s32(vcreate_s32((uint64_t)(all & 0x80808080) << 32 | (all & 0x7f7f7f7f)), vcreate_s32(0));
}

// Adds the products of each lane's bytes in b, none of which is -128, and those whose parts are in a to it.
static inline int32x4_t add_parts(int32x4_t sum, int32x4_t a, int32x4_t b)
{
    const int32x4_t minus_b = vreinterpretq_s32_s8(vnegq_s8(vreinterpretq_s8_s32(b)));
    __asm__("sdot %0.4s, %2.16b, %1.4b[0]\n\tsdot %0.4s, %3.16b, %1.4b[1]" : "+w"(sum) : "w"(a), "w"(b), "w"(minus_b));
    return sum;
}
]])

return {
  name = "neonv84", of = "neon",
  products = {
    bytes_by_lane = product(4, "ASIMDDP", "add_lane_bytes",
      { dot = "add_lane_bytes(%s, %s, %s, %s)", lessen = "less_128(%s)", less = 128 }),
    signed_bytes = product(4, "ASIMDDP", "add_fours",
      { unsigned = { splat = "parts_of(&%s)", dot = "add_parts(%s, %s, %s)" } }),
  },
}
