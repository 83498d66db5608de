-- f16.lua: IEEE 754 half precision: 11 bits of significand, from 2^-24 to 65504. Weights are rounded to the nearest
-- once, ties to even (runtime/packing), and read as floats, which is exact.
return {
  name = "f16", bits = 16, weights = true, bytes = 2, type = "uint16_t", load = "load_f16",
  to_float = "f16_to_float(%s)", helpers = [[

static inline float f16_to_float(uint16_t element)
{
    const uint32_t rest = element & 0x7fffU;
    union {
        float number;
        uint32_t bits;
    } same = {(float)rest * 0x1p-24f};
    if (rest >= 0x400)
        same.bits = (rest + (rest < 0x7c00 ? 0x1c000U : 0x38000U)) << 13;
    same.bits |= (element & 0x8000U) << 16;
    return same.number;
}
]],
}
