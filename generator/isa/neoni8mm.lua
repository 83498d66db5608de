-- neoni8mm.lua: NEON on CPUs that multiply unsigned bytes by signed ones, four in a lane at a time (FEAT_I8MM: Arm
-- since Neoverse V1, Apple since M2).
return {
  name = "neoni8mm", of = "neon",
  products = {
    bytes = {
      unit = 4, cflags = { "-march=armv8.2-a+i8mm" }, cpu = { "I8MM" }, splat = "vdupq_n_s32(lane_at(&%s))",
      load = "vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)(%s)))", dot = "add_fours(%s, %s, %s)",
      helpers = [[

// Adds the products of each lane's bytes to it.
static inline int32x4_t add_fours(int32x4_t sum, int32x4_t a, int32x4_t b)
{
    return vusdotq_s32(sum, vreinterpretq_u8_s32(a), vreinterpretq_s8_s32(b));
}
]],
    },
  },
}
