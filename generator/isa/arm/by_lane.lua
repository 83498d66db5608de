-- isa/arm/by_lane.lua: products of NEON whose instructions multiply the lanes of a vector by the first one of another:
-- a row's elements, 32 bits of them, come there by a load that takes no unit of vectors.
local FIRST_LANE = [[

// The 32 bits at `from` in the first lane. gcc 12 would move them once more; clang would add the address up before.
static inline int32x4_t first_lane(const void *from)
{
#if defined(__clang__)
    uint32_t lane;
    memcpy(&lane, from, sizeof lane);
    return vcombine_s32(vcreate_s32(lane), vcreate_s32(0));
#else
    int32x4_t v;
    __asm__("ldr %s0, %1" : "=w"(v) : "m"(*(const unsigned char(*)[4])from));
    return v;
#endif
}
]]

-- A function that gives the table of a product (isa/init.lua). feature: which the CPU needs; flag: what compilers call
-- a CPU with the features of all products of a set, as the last -march counts; functions: C text, of all of them; more:
-- other fields of the table.
return function(flag, functions)
  return function(unit, feature, dot, more)
    local product = { unit = unit, cflags = { "-march=" .. flag }, cpu = { feature }, dot = dot .. "(%s, %s, %s)",
      splat = "first_lane(&%s)", load = "vreinterpretq_s32_u8(vld1q_u8((const uint8_t *)(%s)))",
      helpers = FIRST_LANE .. functions }
    for name, value in pairs(more or {}) do product[name] = value end
    return product
  end
end
