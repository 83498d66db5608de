-- bf16.lua: the upper half of a float: its sign, its whole exponent and 8 bits of significand. Becoming a float it is
-- exact; from one it is rounded to the nearest, ties to even, and a NaN stays one.

return {
  name = "bf16", bytes = 2, type = "uint16_t",
  from_float = "bf16_from_float(%s)", to_float = "bf16_to_float(%s)", load = "load_bf16", store = "store_bf16",
  helpers = [[
union bf16_bits {
    uint32_t bits;
    float number;
};

static inline float bf16_to_float(uint16_t element)
{
    return (union bf16_bits){.bits = (uint32_t)element << 16}.number;
}

// Rounds to the nearest, ties to even; a NaN stays one.
static inline uint16_t bf16_from_float(float x)
{
    const uint32_t bits = (union bf16_bits){.number = x}.bits, upper = bits >> 16;
    return (uint16_t)(x != x ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16);
}
]],
}
