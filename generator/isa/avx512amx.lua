-- avx512amx.lua: AVX-512 on CPUs that multiply matrices of bytes (Intel's servers since Sapphire Rapids): sixteen rows
-- by sixteen columns by 64 bytes of depth an instruction, eight times as many products a cycle as AVX512-VNNI.
-- Intel's Architecture Instruction Set Extensions, chapter "Intel AMX". A process needs a permission (cpu.h).
local avx512 = require "isa.avx512"

local HELPERS = [[

// What the matrix registers read was written before, and what they have written is read later: compilers do not see it.
#define MATRIX_FENCE() __asm__ volatile("" ::: "memory")

// Sizes the matrix registers for a tile of rows: 4 has `depth` bytes of the first sixteen, 5 of those after them, which
// are sixteen too in a tile of 32 or more, and as many as in 4 where none are left; 0 and 1 are sums of the rows of 4,
// 2 and 3 of those of 5, with sixteen columns each; 6 and 7 are columns.
static inline void size_matrices(size_t rows, size_t depth)
{
    const unsigned char first = (unsigned char)(rows < 16 ? rows : 16), words = (unsigned char)(depth / 4);
    const unsigned char second = rows > 16 && rows < 32 ? (unsigned char)(rows - 16) : first;
    const uint16_t bytes = (uint16_t)depth;
    struct {
        unsigned char palette, start_row, none[14];
        uint16_t row_bytes[16];
        unsigned char rows[16];
    } sizes = {1, 0, {0}, {64, 64, 64, 64, bytes, bytes, 64, 64},
               {first, first, second, second, first, second, words, words}};
    __asm__ volatile("" : "+m"(sizes)); // gcc 12 tells itself that only the first eight bytes are read
    _tile_loadconfig(&sizes);
}
]]

-- Products of so many rows at most, whose bytes are unsigned or signed, with columns, whose bytes are so too; vectors:
-- what multiplies fewer rows.
local function matrices(vectors, dot, rows, depths)
  return setmetatable({
    cflags = { "-mavx512vnni", "-mamx-tile", "-mamx-int8" }, cpu = { "AVX512_VNNI", "AMX_TILE", "AMX_INT8" },
    with = vectors, helpers = HELPERS,
    matrix = { rows = rows, block = 16, vectors = 2, depths = depths, size = "size_matrices(%s, %s)",
      release = "_tile_release()", fence = "MATRIX_FENCE()", zero = "_tile_zero(%s)", load = "_tile_loadd(%s, %s, %s)",
      store = "_tile_stored(%s, %s, %s)", dot = dot .. "(%s, %s, %s)" },
  }, { __index = vectors })
end

return {
  name = "avx512amx", of = "avx512",
  products = {
    byte_matrices = matrices(avx512.products.bytes, "_tile_dpbusd", 32, { 64, 32 }),
    grouped_matrices = matrices(avx512.products.grouped_bytes, "_tile_dpbsud", 128, { 32 }),
  },
}
