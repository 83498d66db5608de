-- vnni.lua: AVX-512's sums of products of integers as C functions. gcc 12 copies the sum around its intrinsics, and
-- keeps half of a register tile on the stack for it; with the instruction itself it does neither.

-- A function `name` that adds products to the lanes of a sum; intrinsic, instruction: what does so.
return function(name, intrinsic, instruction)
  return ([[

// Adds the products of each lane's elements to it.
static inline __m512i NAME(__m512i sum, __m512i a, __m512i b)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512VNNI__)
    __asm__("INSTRUCTION %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    return INTRINSIC(sum, a, b);
#endif
}
]]):gsub("%u%u+", { NAME = name, INSTRUCTION = instruction, INTRINSIC = intrinsic })
end
