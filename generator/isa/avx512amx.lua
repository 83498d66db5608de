-- avx512amx.lua: AVX-512 on CPUs that multiply matrices of bytes (Intel's servers since Sapphire Rapids): sixteen rows
-- by sixteen columns by 64 bytes of depth an instruction, eight times as many products a cycle as AVX512-VNNI.
-- Intel's Architecture Instruction Set Extensions, chapter "Intel AMX". A process needs a permission (cpu.h).
local avx512 = require "isa.avx512"

local HELPERS = [[

// What the matrix registers read was written before, and what they have written is read later: compilers do not see it.
#define MATRIX_FENCE() __asm__ volatile("" ::: "memory")

// Sizes the matrix registers: 0 to 3 are sums of `rows` rows, of which 0 and 1 have the first sixteen, by sixteen
// columns; 4 and 5 are `depth` bytes of these rows, 6 and 7 of sixteen columns.
static inline void size_matrices(size_t rows, size_t depth)
{
    const unsigned char first = (unsigned char)(rows < 16 ? rows : 16), second = (unsigned char)(rows - first);
    const unsigned char words = (unsigned char)(depth / 4);
    const uint16_t bytes = (uint16_t)depth, of_second = second ? bytes : 0, sums = second ? 64 : 0;
    struct {
        unsigned char palette, start_row, none[14];
        uint16_t row_bytes[16];
        unsigned char rows[16];
    } sizes = {1, 0, {0}, {64, 64, sums, sums, bytes, of_second, 64, 64},
               {first, first, second, second, first, second, words, words}};
    __asm__ volatile("" : "+m"(sizes)); // gcc 12 tells itself that only the first eight bytes are read
    _tile_loadconfig(&sizes);
}
]]

local bytes = avx512.products.bytes

return {
  name = "avx512amx", of = "avx512",
  products = {
    byte_matrices = setmetatable({
      cflags = { "-mavx512vnni", "-mamx-tile", "-mamx-int8" }, cpu = { "AVX512_VNNI", "AMX_TILE", "AMX_INT8" },
      with = bytes, helpers = HELPERS,
      matrix = { rows = 32, vectors = 2, depths = { 64, 32 }, size = "size_matrices(%s, %s)",
        release = "_tile_release()", fence = "MATRIX_FENCE()", zero = "_tile_zero(%s)",
        load = "_tile_loadd(%s, %s, %s)", store = "_tile_stored(%s, %s, %s)", dot = "_tile_dpbusd(%s, %s, %s)" },
    }, { __index = bytes }),
  },
}
