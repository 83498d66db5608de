-- dtype/groups.lua: what element types have in common that keep whole numbers in groups along depth: their layout, and
-- how each instruction set unpacks them. A weight is scale (number - zero). How numbers are chosen is the packer's
-- (templates/linear/pack_groups.c.lt).
--
-- A group holds LENGTH weights of every column of a panel: the scales; the zeros, a byte each, where the type keeps
-- them; then words of 32 bits, [depth / unit][columns], whose four bytes hold weights that follow each other in depth:
-- of int4 the next four are in the upper halves of the bytes.
local groups = {}

local LENGTH = 32
local ZERO_STEPS = 16 -- that a zero is a whole number of, in parts of one

-- What scales are kept as: bytes; bits of the significand after the first; what they are in units of, 2^-unit; and from
-- where on a number is too large for one, as C. A byte is what follows the sign in the upper half of a half.
local SCALES = {
  half = { name = "half", bytes = 2, fraction = 10, unit = 0, beyond = "65520.0f" },
  byte = { name = "byte", bytes = 1, fraction = 3, unit = 8, beyond = "248.0f" },
}

local ISAS = { "avx512", "avx2", "neon", "scalar" }

-- CONSTANTS in capitals are what `words` below gives for a type.
local HELPERS = {
  -- Products are those of bytes, four at a time: a row is whole numbers of 24 bits (templates/linear/digit_rows.c.lt),
  -- whose three signed digits are multiplied one after the other. A row's start takes BIAS from each number.
  avx512 = [[

// A digit of four numbers of a row, or one number, in every lane.
static inline __m512i every_lane(const unsigned char *at)
{
    int32_t lane;
    memcpy(&lane, at, sizeof lane);
    return _mm512_set1_epi32(lane);
}

// Adds to each lane the products of its bytes and of the four digits at `at`. The instruction reads them where they
// are: gcc 12 keeps each vector of an intrinsic for the next columns, on the stack.
static inline __m512i add_bytes(__m512i sum, __m512i bytes, const unsigned char *at)
{
#if defined(__GNUC__) && defined(__AVX512VNNI__)
    __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(bytes), "m"(*(const unsigned char(*)[4])at));
    return sum;
#else
    return _mm512_dpbusd_epi32(sum, bytes, every_lane(at));
#endif
}

// The same pointer, of which and of what lies there the compiler knows nothing: it would keep a register for each
// address, and what other columns read there, and has not as many.
static inline const unsigned char *anew(const unsigned char *at)
{
    __asm__ volatile("" : "+r"(at)::"memory");
    return at;
}

static inline __m512 every_float(const unsigned char *at)
{
    float number;
    memcpy(&number, at, sizeof number);
    return _mm512_set1_ps(number);
}

static inline __m512 group_scales_at(const unsigned char *scales)
{
    SCALES_OF_512
}
ZERO_OF_512
// The sum of products by the sums of each digit's, the greatest first.
static inline __m512 joined_digits(__m512i high, __m512i middle, __m512i low)
{
    const __m512i lower = _mm512_add_epi32(_mm512_slli_epi32(middle, 8), low);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(high), _mm512_set1_ps(0x1p16f), _mm512_cvtepi32_ps(lower));
}
]],
  avx2 = [[

// What makes weights of the numbers of a vector of columns.
struct group {
    __m256 scale, start;
};

static inline struct group group_at(const unsigned char *scales, const unsigned char *zeros)
{
    SCALES_OF_256
    ZERO_OF_256
    return (struct group){scale, _mm256_mul_ps(scale, _mm256_sub_ps(_mm256_setzero_ps(), zero))};
}

static inline __m256 lowest_weights(__m256i word, struct group g)
{
    const __m256i number = _mm256_and_si256(word, _mm256_set1_epi32(MASK));
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(number), g.scale, g.start);
}
]],
  neon = [[

// What makes weights of the numbers of a vector of columns.
struct group {
    float32x4_t scale, start;
};

static inline struct group group_at(const unsigned char *scales, const unsigned char *zeros)
{
    const float scale[4] = {scale_at(scales), scale_at(scales + SCALE_BYTES), scale_at(scales + 2 * SCALE_BYTES),
                            scale_at(scales + 3 * SCALE_BYTES)};
    ZERO_OF_128
    return (struct group){vld1q_f32(scale), vmulq_f32(vld1q_f32(scale), vnegq_f32(zero))};
}

static inline float32x4_t lowest_weights(uint32x4_t word, struct group g)
{
    return vfmaq_f32(g.start, vcvtq_f32_u32(vandq_u32(word, vdupq_n_u32(MASK))), g.scale);
}
]],
  scalar = [[

// What makes weights of the numbers of a column.
struct group {
    float scale, start;
};

static inline struct group group_at(const unsigned char *scales, const unsigned char *zeros)
{
    const float scale = scale_at(scales);
    ZERO_OF_32
    return (struct group){scale, -(scale * zero)};
}

static inline uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline float lowest_weights(uint32_t word, struct group g)
{
    return (float)(word & MASK) * g.scale + g.start;
}
]],
}

-- Beside rows of whole numbers: the numbers themselves, less the zeros; scales come after the sum of a group. Where
-- bytes are multiplied these are as above.
local NUMBERS = {
  avx512 = "",
  avx2 = [[

static inline __m256 group_scales_at(const unsigned char *scales)
{
    SCALES_OF_256
    return scale;
}

static inline __m256 zeros_at(const unsigned char *zeros)
{
    ZERO_OF_256
    return zero;
}

static inline __m256 lowest_numbers(__m256i word, __m256 zero)
{
    return _mm256_sub_ps(_mm256_cvtepi32_ps(_mm256_and_si256(word, _mm256_set1_epi32(MASK))), zero);
}
]],
  neon = [[

static inline float32x4_t group_scales_at(const unsigned char *scales)
{
    const float scale[4] = {scale_at(scales), scale_at(scales + SCALE_BYTES), scale_at(scales + 2 * SCALE_BYTES),
                            scale_at(scales + 3 * SCALE_BYTES)};
    return vld1q_f32(scale);
}

static inline float32x4_t zeros_at(const unsigned char *zeros)
{
    ZERO_OF_128
    return zero;
}

static inline float32x4_t lowest_numbers(uint32x4_t word, float32x4_t zero)
{
    return vsubq_f32(vcvtq_f32_u32(vandq_u32(word, vdupq_n_u32(MASK))), zero);
}
]],
  scalar = [[

static inline float group_scales_at(const unsigned char *scales)
{
    return scale_at(scales);
}

static inline float zeros_at(const unsigned char *zeros)
{
    ZERO_OF_32
    return zero;
}

static inline float lowest_numbers(uint32_t word, float zero)
{
    return (float)(word & MASK) - zero;
}
]],
}

-- The zeros of a vector of columns by its bits: those that a group keeps, and the one that all have.
local KEPT = {
  ZERO_OF_512 = [[

// Where zeros lie, from BIAS on, in parts of a step.
static inline __m512 zeros_at(const unsigned char *zeros)
{
    const __m512i parts = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)zeros));
    return _mm512_cvtepi32_ps(_mm512_sub_epi32(parts, _mm512_set1_epi32(BIAS_PARTS)));
}
]],
  ZERO_OF_256 = "const __m256i parts = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)zeros));\n" ..
    "    const __m256 zero = _mm256_mul_ps(_mm256_cvtepi32_ps(parts), _mm256_set1_ps(ZERO_STEP));",
  ZERO_OF_128 = "const float parts[4] = {zeros[0], zeros[1], zeros[2], zeros[3]};\n" ..
    "    const float32x4_t zero = vmulq_n_f32(vld1q_f32(parts), ZERO_STEP);",
  ZERO_OF_32 = "const float zero = (float)*zeros * ZERO_STEP;",
}
local GIVEN = {
  ZERO_OF_512 = "",
  ZERO_OF_256 = "const __m256 zero = _mm256_set1_ps(ZERO);\n    (void)zeros;",
  ZERO_OF_128 = "const float32x4_t zero = vdupq_n_f32(ZERO);\n    (void)zeros;",
  ZERO_OF_32 = "const float zero = ZERO;\n    (void)zeros;",
}

-- The scales of a vector of columns by its bits, and of one.
local SCALES_OF = {
  half = {
    SCALES_OF_512 = "return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)scales));",
    SCALES_OF_256 = "const __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)scales));",
    SCALE_OF_32 = "uint16_t half;\n    memcpy(&half, at, sizeof half);\n    return half_to_float(half);",
  },
  byte = {
    SCALES_OF_512 = "const __m128i bytes = _mm_loadu_si128((const __m128i *)scales);\n" ..
      "    const __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 7);\n" ..
      "    return _mm512_mul_ps(_mm512_cvtph_ps(halves), _mm512_set1_ps(0x1p-8f));",
    SCALES_OF_256 = "const __m128i bytes = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)scales));\n" ..
      "    const __m256 halves = _mm256_cvtph_ps(_mm_slli_epi16(bytes, 7));\n" ..
      "    const __m256 scale = _mm256_mul_ps(halves, _mm256_set1_ps(0x1p-8f));",
    SCALE_OF_32 = "return half_to_float((uint16_t)(*at << 7)) * 0x1p-8f;",
  },
}

local ONE_SCALE = [[
// A half that is no less than zero as a float.
static inline float half_to_float(uint16_t half)
{
    if (half < 0x400)
        return (float)half * 0x1p-24f;
    const uint32_t bits = ((uint32_t)half + (half < 0x7c00 ? 0x1c000 : 0x38000)) << 13;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline float scale_at(const unsigned char *at)
{
    SCALE_OF_32
}

// The lowest bit of a number in its word: numbers of four in depth are in four bytes.
static inline size_t place_of(size_t depth)
{
    return depth % 4 * 8 + depth % UNIT / 4 * BITS;
}

// The weight at a depth of column j of a panel of `width`.
static inline float weight_at(const unsigned char *panel, size_t width, size_t j, size_t depth)
{
    const unsigned char *group = panel + depth / LENGTH * width * COLUMN_BYTES;
    const float zero = ONE_ZERO;
    uint32_t word;
    memcpy(&word, group + width * FACTS + (depth % LENGTH / UNIT * width + j) * sizeof word, sizeof word);
    return scale_at(group + SCALE_BYTES * j) * ((float)(word >> place_of(depth) & MASK) - zero);
}
]]

-- The C text `format` with a type's constants.
local function filled(format, t)
  local bits = t.bits
  local mask = 2 ^ bits - 1
  local function hex(number) return ("0x%08x"):format(number) end
  local words = {
    ZERO = t.zero and t.zero .. ".0f", ZERO_STEP = ("%.17gf"):format(1 / ZERO_STEPS), MASK = hex(mask) .. "u",
    ONE_ZERO = t.zero and t.zero .. ".0f" or
      ("(float)group[%d * width + j] * %.17gf"):format(t.scale.bytes, 1 / ZERO_STEPS),
    LENGTH = LENGTH, COLUMN_BYTES = t.column_bytes, FACTS = t.facts, UNIT = t.unit, BITS = bits,
    SCALE_BYTES = t.scale.bytes, BIAS = ("%d"):format(2 ^ (bits - 1)),
    BIAS_PARTS = ("%d"):format(2 ^ (bits - 1) * ZERO_STEPS),
  }
  local text = format:gsub("ZERO_OF_%d+", t.zero and GIVEN or KEPT):gsub("SCALES?_OF_%d+", SCALES_OF[t.scale.name])
  return (text:gsub("%u[%u_]+%u", words))
end

-- Where in its word the i-th number of one lies, of places of so many bits: those of four in depth lie in four bytes.
function groups.place(i, bits)
  return i % 4 * math.floor(8 / bits) + math.floor(i / 4)
end

-- By instruction set: word and load; then weights(i, word, group), the C of the floats of a word's i-th numbers, and
-- numbers(i, word, zero), of the numbers themselves over zero; or of one that multiplies rows of digits,
-- bytes(i, word), of its i-th four numbers as bytes, and bias.
local function sets(t)
  local bits = t.bits
  local function lowest(name, down)
    return function(i, word, group)
      local by = bits * groups.place(i, bits)
      return ("%s(%s, %s)"):format(name, by == 0 and word or down:format(word, by), group)
    end
  end
  local function of_floats(word, load, down)
    return { word = word, load = load, weights = lowest("lowest_weights", down),
      numbers = lowest("lowest_numbers", down) }
  end
  return {
    avx512 = { word = "__m512i", load = "_mm512_loadu_si512(%s)", digits = true, bias = math.floor(2 ^ (bits - 1)),
      bytes = function(i, word)
        if bits == 8 then return word end
        return ("_mm512_and_si512(%s, _mm512_set1_epi32(0x0f0f0f0f))"):format(
          i == 0 and word or ("_mm512_srli_epi32(%s, 4)"):format(word))
      end },
    avx2 = of_floats("__m256i", "_mm256_loadu_si256((const __m256i *)(%s))", "_mm256_srli_epi32(%s, %d)"),
    neon = of_floats("uint32x4_t", "vreinterpretq_u32_u8(vld1q_u8(%s))", "vshrq_n_u32(%s, %d)"),
    scalar = of_floats("uint32_t", "word_at(%s)", "(%s >> %d)"),
  }
end

-- The table of a type (dtype/init.lua) of so many bits a number; scale: what those of groups are kept as; zero: that of
-- all groups, nil where each has its own.
function groups.type(name, bits, scale, zero)
  local t = { name = name, type = "unsigned char", bytes = 1, bits = bits, group = LENGTH, unit = math.floor(32 / bits),
    zero = zero, zero_steps = not zero and ZERO_STEPS or nil, scale = SCALES[scale] }
  t.facts = t.scale.bytes + (zero and 0 or 1)
  t.column_bytes = t.facts + math.floor(LENGTH * bits / 8)
  t.sets, t.helpers, t.number_helpers = sets(t), {}, {}
  for _, isa in ipairs(ISAS) do
    t.helpers[isa], t.number_helpers[isa] = filled(ONE_SCALE .. HELPERS[isa], t), filled(NUMBERS[isa], t)
  end
  t.needs = {
    avx512 = { cflags = { "-mavx512vnni" }, cpu = { "AVX512_VNNI" } },
    avx2 = { cflags = { "-mf16c" }, cpu = { "F16C" } },
  }
  return t
end

return groups
