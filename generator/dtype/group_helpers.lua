-- dtype/group_helpers.lua: the C functions by which each instruction set reads numbers in groups (dtype/groups.lua) and
-- multiplies them by parts of a row. Holds no layout: a type's table has it.
local group_helpers = {}

-- CONSTANTS in capitals are what filled() below gives for a type.
--
-- A row is whole numbers in parts of fewer bits (templates/linear/digit_rows.c.lt). Each part is multiplied by the
-- numbers of weights in exact sums. What these begin with takes BIAS from each number of a weight.
local HELPERS = {
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

static inline __m512 group_scales_at(const unsigned char *scales)
{
    SCALES_OF_512
    return scale;
}
LESS_ZERO_OF_512
// The sum of products over 256, by the sums of each digit's, the greatest first.
static inline __m512 joined_digits(__m512i high, __m512i middle, __m512i low)
{
    const __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(high, 8), middle);
    return _mm512_fmadd_ps(_mm512_cvtepi32_ps(low), _mm512_set1_ps(0x1p-8f), _mm512_cvtepi32_ps(upper));
}
]],
  avx2 = [[

// What lies at `at` in every lane: two or four parts of a row's numbers, or what sums begin with.
static inline __m256i every_lane(const unsigned char *at)
{
    int32_t lane;
    memcpy(&lane, at, sizeof lane);
    return _mm256_set1_epi32(lane);
}

static inline __m256 group_scales_at(const unsigned char *scales)
{
    SCALES_OF_256
    return scale;
}
LESS_ZERO_OF_256
static inline __m256i sums_from(const unsigned char *start)
{
    return every_lane(start);
}

// The same sum, of which the compiler knows nothing: it would add products to each other first, and keep sums on the
// stack meanwhile.
static inline __m256i joined(__m256i sum)
{
#ifdef __GNUC__
    __asm__("" : "+x"(sum));
#endif
    return sum;
}
JOINED_OF_256]],
  neon = [[

// A part of a number of a row in every lane, and what sums begin with.
static inline int32x4_t every_lane(const unsigned char *at)
{
    int16_t part;
    memcpy(&part, at, sizeof part);
    return vdupq_n_s32(part);
}

static inline int32x4_t sums_from(const unsigned char *start)
{
    int32_t sum;
    memcpy(&sum, start, sizeof sum);
    return vdupq_n_s32(sum);
}

static inline float32x4_t group_scales_at(const unsigned char *scales)
{
    const float scale[4] = {scale_at(scales), scale_at(scales + SCALE_BYTES), scale_at(scales + 2 * SCALE_BYTES),
                            scale_at(scales + 3 * SCALE_BYTES)};
    return vld1q_f32(scale);
}
LESS_ZERO_OF_128
static inline int32x4_t lowest_bits(uint32x4_t word)
{
    return vreinterpretq_s32_u32(vandq_u32(word, vdupq_n_u32(MASK)));
}

// The sum of products over 256, by the sums of each part's.
static inline float32x4_t joined_digits(int32x4_t upper, int32x4_t low)
{
    return vfmaq_f32(vcvtq_f32_s32(upper), vcvtq_f32_s32(low), vdupq_n_f32(0x1p-8f));
}
]],
  scalar = [[

// A part of a number of a row, and what sums begin with.
static inline int32_t every_lane(const unsigned char *at)
{
    int16_t part;
    memcpy(&part, at, sizeof part);
    return part;
}

static inline int32_t sums_from(const unsigned char *start)
{
    int32_t sum;
    memcpy(&sum, start, sizeof sum);
    return sum;
}

static inline float group_scales_at(const unsigned char *scales)
{
    return scale_at(scales);
}
LESS_ZERO_OF_32
static inline uint32_t word_at(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline int32_t lowest_bits(uint32_t word)
{
    return (int32_t)(word & MASK);
}

// The sum of products over 256, by the sums of each part's.
static inline float joined_digits(int32_t upper, int32_t low)
{
    return vec_fmadd((float)low, 0x1p-8f, (float)upper);
}
]],
}

-- Of AVX2, by bits of a number.
local JOINED_OF_256 = {
  [4] = [[

// Adds to each lane of 16 bits the products of two of its bytes and of two digits: of a whole group, with what it
// begins with, 16384 at most.
static inline __m256i add_bytes(__m256i sum, __m256i bytes, __m256i digits)
{
    return joined(_mm256_add_epi16(sum, _mm256_maddubs_epi16(bytes, digits)));
}

// The sum of products over 256, by the sums of each digit's, the greatest first.
static inline __m256 joined_digits(__m256i high, __m256i middle, __m256i low)
{
    const __m256i one = _mm256_set1_epi16(1), highest = _mm256_madd_epi16(high, _mm256_set1_epi16(256));
    const __m256i upper = _mm256_add_epi32(highest, _mm256_madd_epi16(middle, one));
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_madd_epi16(low, one)), _mm256_set1_ps(0x1p-8f),
                           _mm256_cvtepi32_ps(upper));
}
]],
  [8] = [[

// Adds to each lane the products of its two numbers of 16 bits and of two parts of a row's.
static inline __m256i add_pairs(__m256i sum, __m256i numbers, __m256i parts)
{
    return joined(_mm256_add_epi32(sum, _mm256_madd_epi16(numbers, parts)));
}

// The sum of products over 256, by the sums of each part's.
static inline __m256 joined_digits(__m256i upper, __m256i low)
{
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(low), _mm256_set1_ps(0x1p-8f), _mm256_cvtepi32_ps(upper));
}
]],
}

-- Beside rows of whole numbers: the numbers themselves, less the zeros; scales come after the sum of a group. Where
-- bytes are multiplied these are as above.
local NUMBERS = {
  avx512 = "",
  avx2 = [[

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

-- The zeros of a vector of columns by its bits, those that a group keeps: as they are; and what they are less in parts
-- of a step, from BIAS on, beside rows of digits.
local KEPT = {
  ZERO_OF_256 = "const __m256i parts = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)zeros));\n" ..
    "    const __m256 zero = _mm256_mul_ps(_mm256_cvtepi32_ps(parts), _mm256_set1_ps(ZERO_STEP));",
  ZERO_OF_128 = "const float parts[4] = {zeros[0], zeros[1], zeros[2], zeros[3]};\n" ..
    "    const float32x4_t zero = vmulq_n_f32(vld1q_f32(parts), ZERO_STEP);",
  ZERO_OF_32 = "const float zero = (float)*zeros * ZERO_STEP;",
  LESS_ZERO_OF_512 = [[

// BIAS less where zeros lie, in parts of a step.
static inline __m512 minus_zeros_at(const unsigned char *zeros)
{
    const __m512i parts = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)zeros));
    return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_set1_epi32(BIAS_PARTS), parts));
}
]],
  LESS_ZERO_OF_256 = [[

// BIAS less where zeros lie, in parts of a step.
static inline __m256 minus_zeros_at(const unsigned char *zeros)
{
    const __m256i parts = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)zeros));
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_set1_epi32(BIAS_PARTS), parts));
}
]],
  LESS_ZERO_OF_128 = [[

// BIAS less where zeros lie, in parts of a step.
static inline float32x4_t minus_zeros_at(const unsigned char *zeros)
{
    const float parts[4] = {zeros[0], zeros[1], zeros[2], zeros[3]};
    return vsubq_f32(vdupq_n_f32(BIAS_PARTS.0f), vld1q_f32(parts));
}
]],
  LESS_ZERO_OF_32 = [[

// BIAS less where zero lies, in parts of a step.
static inline float minus_zeros_at(const unsigned char *zeros)
{
    return BIAS_PARTS.0f - (float)*zeros;
}
]],
}
-- And the one that all groups have.
local GIVEN = {
  ZERO_OF_256 = "const __m256 zero = _mm256_set1_ps(ZERO);\n    (void)zeros;",
  ZERO_OF_128 = "const float32x4_t zero = vdupq_n_f32(ZERO);\n    (void)zeros;",
  ZERO_OF_32 = "const float zero = ZERO;\n    (void)zeros;",
  LESS_ZERO_OF_512 = "", LESS_ZERO_OF_256 = "", LESS_ZERO_OF_128 = "", LESS_ZERO_OF_32 = "",
}

-- The scales of a vector of columns by its bits, and of one.
local SCALES_OF = {
  half = {
    SCALES_OF_512 = "const __m512 scale = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)scales));",
    SCALES_OF_256 = "const __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)scales));",
    SCALE_OF_32 = "uint16_t half;\n    memcpy(&half, at, sizeof half);\n    return half_to_float(half);",
  },
  byte = {
    SCALES_OF_512 = "const __m128i bytes = _mm_loadu_si128((const __m128i *)scales);\n" ..
      "    const __m256i halves = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 7);\n" ..
      "    const __m512 scale = _mm512_mul_ps(_mm512_cvtph_ps(halves), _mm512_set1_ps(0x1p-8f));",
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

static inline float float_at(const unsigned char *at)
{
    float number;
    memcpy(&number, at, sizeof number);
    return number;
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
  local mask, steps = 2 ^ bits - 1, t.zero_steps or 1
  local function hex(number) return ("0x%08x"):format(number) end
  local words = {
    ZERO = t.zero and t.zero .. ".0f", ZERO_STEP = ("%.17gf"):format(1 / steps), MASK = hex(mask) .. "u",
    ONE_ZERO = t.zero and t.zero .. ".0f" or
      ("(float)group[%d * width + j] * %.17gf"):format(t.scale.bytes, 1 / steps),
    LENGTH = t.group, COLUMN_BYTES = t.column_bytes, FACTS = t.facts, UNIT = t.unit, BITS = bits,
    SCALE_BYTES = t.scale.bytes, BIAS = ("%d"):format(2 ^ (bits - 1)),
    BIAS_PARTS = ("%d"):format(2 ^ (bits - 1) * steps),
  }
  local text = format:gsub("JOINED_OF_256", { JOINED_OF_256 = JOINED_OF_256[bits] })
    :gsub("[LES_]*ZERO_OF_%d+", t.zero and GIVEN or KEPT):gsub("SCALES?_OF_%d+", SCALES_OF[t.scale.name])
  return (text:gsub("%u[%u_]+%u", words))
end

-- Those of a type for an instruction set, and those that it needs besides where rows are whole numbers too.
function group_helpers.of(t, isa)
  return filled(ONE_SCALE .. HELPERS[isa], t), filled(NUMBERS[isa], t)
end

return group_helpers
