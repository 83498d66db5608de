// stored_floats.c: the types of numbers that files of weights have, one reader each. The layouts of blocks are ggml's
// (ggml-common.h, its structs block_q4_0 and so on). Each float of a block has the bits that dequantize of the Python
// package gguf gives: every product and every sum is rounded to a float, in the order in which the formulas below have
// them.
//
// Numbers of two bytes are halves, the lower byte first; q stands for the small whole numbers.
#include "stored_floats.h"

#include <stdbool.h>
#include <string.h>

#include "bf16.h"
#include "f16.h"

// -- Elements -------------------------------------------------------------------------------------------------------

static void read_f32(const unsigned char *data, size_t count, float *floats)
{
    memcpy(floats, data, count * sizeof *floats);
}

static void read_f16(const unsigned char *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, data + i * sizeof half, sizeof half);
        floats[i] = ga_float_of_f16(half);
    }
}

static void read_bf16(const unsigned char *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t upper;
        memcpy(&upper, data + i * sizeof upper, sizeof upper);
        floats[i] = ga_float_of_bf16(upper);
    }
}

static void read_f64(const unsigned char *data, size_t count, float *floats)
{
    for (size_t i = 0; i < count; i++) {
        double number;
        memcpy(&number, data + i * sizeof number, sizeof number);
        floats[i] = (float)number;
    }
}

static float half_at(const unsigned char *bytes)
{
    return ga_float_of_f16((uint16_t)(bytes[0] | bytes[1] << 8));
}

static float signed_byte(unsigned char byte)
{
    return (float)(byte < 128 ? byte : byte - 256);
}

// -- Blocks of 32 ---------------------------------------------------------------------------------------------------

enum { BLOCK = 32, SUPER = 256 };

// d, then 32 signed bytes: q d.
static void decode_q8_0(const unsigned char *block, size_t count, float *floats)
{
    for (size_t first = 0; first < count; first += BLOCK, block += 2 + BLOCK) {
        const float d = half_at(block);
        for (size_t i = 0; i < BLOCK; i++) {
            floats[first + i] = signed_byte(block[2 + i]) * d;
        }
    }
}

// d, then 16 bytes that hold elements 0 to 15 in their lower four bits and 16 to 31 in the upper ones: d (q - 8).
static void decode_q4_0(const unsigned char *block, size_t count, float *floats)
{
    for (size_t first = 0; first < count; first += BLOCK, block += 2 + BLOCK / 2) {
        const float d = half_at(block);
        for (size_t i = 0; i < BLOCK / 2; i++) {
            floats[first + i] = d * (float)((block[2 + i] & 15) - 8);
            floats[first + BLOCK / 2 + i] = d * (float)((block[2 + i] >> 4) - 8);
        }
    }
}

// d, m, then 16 bytes as those above: d q + m.
static void decode_q4_1(const unsigned char *block, size_t count, float *floats)
{
    for (size_t first = 0; first < count; first += BLOCK, block += 4 + BLOCK / 2) {
        const float d = half_at(block), m = half_at(block + 2);
        for (size_t i = 0; i < BLOCK / 2; i++) {
            floats[first + i] = d * (float)(block[4 + i] & 15) + m;
            floats[first + BLOCK / 2 + i] = d * (float)(block[4 + i] >> 4) + m;
        }
    }
}

// Bit i of bytes, the lowest first.
static int bit_at(const unsigned char *bytes, size_t i)
{
    return bytes[i / 8] >> i % 8 & 1;
}

// d, four bytes with the fifth bit of each element, then 16 bytes as those of Q4_0: d (q - 16).
static void decode_q5_0(const unsigned char *block, size_t count, float *floats)
{
    for (size_t first = 0; first < count; first += BLOCK, block += 6 + BLOCK / 2) {
        const float d = half_at(block);
        for (size_t i = 0; i < BLOCK / 2; i++) {
            const int low = (block[6 + i] & 15) | bit_at(block + 2, i) << 4;
            const int high = block[6 + i] >> 4 | bit_at(block + 2, BLOCK / 2 + i) << 4;
            floats[first + i] = d * (float)(low - 16);
            floats[first + BLOCK / 2 + i] = d * (float)(high - 16);
        }
    }
}

// d, m, then 20 bytes as those of Q5_0: d q + m.
static void decode_q5_1(const unsigned char *block, size_t count, float *floats)
{
    for (size_t first = 0; first < count; first += BLOCK, block += 8 + BLOCK / 2) {
        const float d = half_at(block), m = half_at(block + 2);
        for (size_t i = 0; i < BLOCK / 2; i++) {
            const int low = (block[8 + i] & 15) | bit_at(block + 4, i) << 4;
            const int high = block[8 + i] >> 4 | bit_at(block + 4, BLOCK / 2 + i) << 4;
            floats[first + i] = d * (float)low + m;
            floats[first + BLOCK / 2 + i] = d * (float)high + m;
        }
    }
}

// d, then 16 bytes as those of Q4_0, each half of which is the place of a number in a table.
static void decode_iq4_nl(const unsigned char *block, size_t count, float *floats)
{
    static const float numbers[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    for (size_t first = 0; first < count; first += BLOCK, block += 2 + BLOCK / 2) {
        const float d = half_at(block);
        for (size_t i = 0; i < BLOCK / 2; i++) {
            floats[first + i] = d * numbers[block[2 + i] & 15];
            floats[first + BLOCK / 2 + i] = d * numbers[block[2 + i] >> 4];
        }
    }
}

// -- Blocks of 256 --------------------------------------------------------------------------------------------------

// Scale s, 0 to 7, of the twelve bytes that hold eight scales and then, where is_min, eight minima, of six bits each:
// of the first four, in the lower six bits of bytes 0 to 3 (4 to 7); of the others the lower four bits are in the lower
// (upper) half of bytes 8 to 11, the upper two in the highest bits of bytes 0 to 3 (4 to 7).
static int scale_at(const unsigned char *bytes, size_t s, bool is_min)
{
    const unsigned char *own = bytes + (is_min ? 4 : 0) + s % 4;
    if (s < 4) {
        return *own & 63;
    }
    return (is_min ? bytes[4 + s] >> 4 : bytes[4 + s] & 15) | (*own >> 6) << 4;
}

// d, dmin, twelve bytes of scales, then 128 bytes of nibbles: 32 of them hold 64 elements, the lower halves before the
// upper ones. Each 32 elements share a scale and a minimum: (d scale) q - (dmin minimum).
static void decode_q4_k(const unsigned char *at, size_t count, float *floats)
{
    enum { HEAD = 4, SCALES = 12, BYTES = HEAD + SCALES + SUPER / 2 };
    for (size_t first = 0; first < count; first += BLOCK) {
        const unsigned char *block = at + first / SUPER * BYTES;
        const size_t s = first % SUPER / BLOCK;
        const float d = half_at(block) * (float)scale_at(block + HEAD, s, false);
        const float m = half_at(block + 2) * (float)scale_at(block + HEAD, s, true);
        const unsigned char *q = block + HEAD + SCALES + s / 2 * BLOCK;
        for (size_t i = 0; i < BLOCK; i++) {
            floats[first + i] = d * (float)(s % 2 == 0 ? q[i] & 15 : q[i] >> 4) - m;
        }
    }
}

// As Q4_K, with 32 bytes after the scales for fifth bits: that of elements 0 to 31, 32 to 63 ... is bit 0, 1 ... of
// bytes 0 to 31.
static void decode_q5_k(const unsigned char *at, size_t count, float *floats)
{
    enum { HEAD = 4, SCALES = 12, HIGH = SUPER / 8, BYTES = HEAD + SCALES + HIGH + SUPER / 2 };
    for (size_t first = 0; first < count; first += BLOCK) {
        const unsigned char *block = at + first / SUPER * BYTES;
        const size_t s = first % SUPER / BLOCK;
        const float d = half_at(block) * (float)scale_at(block + HEAD, s, false);
        const float m = half_at(block + 2) * (float)scale_at(block + HEAD, s, true);
        const unsigned char *high = block + HEAD + SCALES, *q = high + HIGH + s / 2 * BLOCK;
        for (size_t i = 0; i < BLOCK; i++) {
            const int low = s % 2 == 0 ? q[i] & 15 : q[i] >> 4;
            floats[first + i] = d * (float)(low | (high[i] >> s & 1) << 4) - m;
        }
    }
}

enum { RUN = 16 }; // elements that share a scale in the types below

// 16 bytes, each a scale in its lower half and a minimum in its upper one, 64 bytes of q, d, dmin: each 16 elements
// share a scale and a minimum, (d scale) q - (dmin minimum). Each half of a block has half of the bytes of q: elements
// 0 to 31, 32 to 63 ... are in bits 0 and 1, 2 and 3 ... of bytes 0 to 31.
static void decode_q2_k(const unsigned char *at, size_t count, float *floats)
{
    enum { SCALES = SUPER / RUN, LOW = SUPER / 4, BYTES = SCALES + LOW + 4 };
    for (size_t first = 0; first < count; first += RUN) {
        const unsigned char *block = at + first / SUPER * BYTES;
        const unsigned char scales = block[first % SUPER / RUN];
        const unsigned char *low = block + SCALES + first % SUPER / 128 * 32 + first % 32;
        const float d = half_at(block + SCALES + LOW) * (float)(scales & 15);
        const float m = half_at(block + SCALES + LOW + 2) * (float)(scales >> 4);
        for (size_t i = 0; i < RUN; i++) {
            floats[first + i] = d * (float)(low[i] >> first % 128 / 32 * 2 & 3) - m;
        }
    }
}

// Scale s, 0 to 15, of twelve bytes that hold sixteen of six bits each: the lower four bits of the first eight are in
// the lower halves of bytes 0 to 7, of the others in the upper halves; the upper two of scales 0 to 3, 4 to 7 ... in
// bits 0 and 1, 2 and 3 ... of bytes 8 to 11.
static int q3_k_scale_at(const unsigned char *bytes, size_t s)
{
    const int low = s < 8 ? bytes[s] & 15 : bytes[s - 8] >> 4;
    return (low | (bytes[8 + s % 4] >> s / 4 * 2 & 3) << 4) - 32;
}

// 32 bytes with the upper bit of q, as the fifth bits of Q5_K lie; 64 bytes with the lower two, as Q2_K has them;
// twelve bytes of scales, d: each 16 elements share a scale, (d scale) (q - 4).
static void decode_q3_k(const unsigned char *at, size_t count, float *floats)
{
    enum { HIGH = SUPER / 8, LOW = SUPER / 4, SCALES = 12, BYTES = HIGH + LOW + SCALES + 2 };
    for (size_t first = 0; first < count; first += RUN) {
        const unsigned char *block = at + first / SUPER * BYTES, *high = block + first % 32;
        const unsigned char *low = block + HIGH + first % SUPER / 128 * 32 + first % 32;
        const float scale = (float)q3_k_scale_at(block + HIGH + LOW, first % SUPER / RUN);
        const float d = half_at(block + HIGH + LOW + SCALES) * scale;
        for (size_t i = 0; i < RUN; i++) {
            const int q = (low[i] >> first % 128 / 32 * 2 & 3) | (high[i] >> first % SUPER / 32 & 1) << 2;
            floats[first + i] = d * (float)(q - 4);
        }
    }
}

// 128 bytes with the lower four bits of q, 64 with the upper two, 16 signed scales, d: each 16 elements share a scale,
// (d scale) (q - 32). Each half of a block has half of the bytes: of elements 0 to 31, 32 to 63 ... the lower bits are
// in the lower halves of bytes 0 to 31 and 32 to 63, then in their upper halves; the upper bits in bits 0 and 1, 2 and
// 3 ... of bytes 0 to 31.
static void decode_q6_k(const unsigned char *at, size_t count, float *floats)
{
    enum { LOW = SUPER / 2, HIGH = SUPER / 4, SCALES = SUPER / RUN, BYTES = LOW + HIGH + SCALES + 2 };
    for (size_t first = 0; first < count; first += RUN) {
        const unsigned char *block = at + first / SUPER * BYTES;
        const size_t half = first % SUPER / 128, quarter = first % 128 / 32, begin = first % 32;
        const unsigned char *low = block + half * 64 + quarter % 2 * 32 + begin;
        const unsigned char *high = block + LOW + half * 32 + begin;
        const float d = half_at(block + LOW + HIGH + SCALES) * signed_byte(block[LOW + HIGH + first % SUPER / RUN]);
        for (size_t i = 0; i < RUN; i++) {
            const int q = (quarter < 2 ? low[i] & 15 : low[i] >> 4) | (high[i] >> 2 * quarter & 3) << 4;
            floats[first + i] = d * (float)(q - 32);
        }
    }
}

// -- All of them ----------------------------------------------------------------------------------------------------

static const struct {
    enum ga_dtype dtype;
    ga_float_reader read;
} readers[] = {
    {GA_F32, read_f32},     {GA_F16, read_f16},     {GA_BF16, read_bf16},       {GA_F64, read_f64},
    {GA_Q8_0, decode_q8_0}, {GA_Q4_0, decode_q4_0}, {GA_Q4_1, decode_q4_1},     {GA_Q4_K, decode_q4_k},
    {GA_Q6_K, decode_q6_k}, {GA_Q5_0, decode_q5_0}, {GA_Q5_1, decode_q5_1},     {GA_Q2_K, decode_q2_k},
    {GA_Q3_K, decode_q3_k}, {GA_Q5_K, decode_q5_k}, {GA_IQ4_NL, decode_iq4_nl},
};

ga_float_reader ga_float_reader_of(enum ga_dtype dtype)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i].dtype == dtype) {
            return readers[i].read;
        }
    }
    return NULL;
}
