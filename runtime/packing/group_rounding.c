// group_rounding.c: a search for the scale and the zero of a group, and the numbers that follow from them.
#include "group_rounding.h"

#include <math.h>
#include <string.h>

// What a storage keeps.
struct type {
    uint32_t bits;      // of a number, and of a scale's significand after the first one
    uint32_t fraction;  //
    size_t scale_bytes; //
    float unit;         // scales are kept as halves of this times them; of one byte: the upper half of a half's bits
    float beyond;       // from where on a number is too large for a scale
    float zero;         // of all groups; 0: each has its own, in parts of 1 / zero_parts
    float zero_parts;   //
    float least;        // number that ga_group_nearest gives: as far below the zero of all as the largest is above
    int steps;          // from the zero of all, or from the least number, to the largest
    int first, last;    // tries of smaller and smaller scales; a negative one is so large that no rounding cuts
};

static const struct type types[] = {
    [GA_STORAGE_INT8] = {8, 10, 2, 1.0F, 65520.0F, 128.0F, 0.0F, 1.0F, 127, 0, 1},
    [GA_STORAGE_INT4] = {4, 3, 1, 256.0F, 248.0F, 0.0F, 16.0F, 0.0F, 15, -2, 9},
};

static float largest_number(const struct type *type)
{
    return (float)((1U << type->bits) - 1);
}

// From the number of the least weight of a range to that of its largest.
static float steps_of_range(const struct type *type)
{
    return (float)(type->zero > 0.0F ? 2 * type->steps : type->steps);
}

// -- Scales and zeros -----------------------------------------------------------------------------------------------

// The bits of the scale next to a number that is not below 0; those of a NaN if it is too large.
static uint16_t bits_of_scale(const struct type *type, float x)
{
    const uint32_t dropped = 23 - type->fraction;
    uint32_t bits;
    if (!(x < type->beyond)) {
        return (uint16_t)(0x7e00 >> (10 - type->fraction));
    }
    x *= type->unit;
    memcpy(&bits, &x, sizeof bits);
    if (x < 0x1p-14F) {
        return (uint16_t)(x * 0x1p14F * (float)(1U << type->fraction) + 0.5F);
    }
    return (uint16_t)((bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1) - 0x38000000) >> dropped);
}

static float scale_of_bits(const struct type *type, uint16_t scale)
{
    const uint32_t half = (uint32_t)scale << (10 - type->fraction);
    const uint32_t bits = (half + (half < 0x7c00 ? 0x1c000 : 0x38000)) << 13;
    float number = (float)half * 0x1p-24F;
    if (half >= 0x400) {
        memcpy(&number, &bits, sizeof number);
    }
    return number / type->unit;
}

static float rounded_scale(const struct type *type, float x)
{
    return scale_of_bits(type, bits_of_scale(type, x));
}

// The whole number at or below x >= 0, which from 2^23 on every float is; and that at or above. NaN gives NaN. Of our
// own, as the library links without libm.
static float whole_below(float x)
{
    return x < 0x1p23F ? (float)(int32_t)x : x;
}

static float whole_above(float x)
{
    const float below = whole_below(x);
    return below < x ? below + 1.0F : below;
}

// Where zero lies among the numbers whose least one stands for `low`. If it lies below them, `low` has a higher number.
static float nearest_zero(const struct type *type, float low, float scale)
{
    if (type->zero > 0.0F) {
        return type->zero;
    }
    const float most = largest_number(type), zero = whole_above(low > 0.0F ? low / scale : 0.0F) - low / scale;
    const float parts = whole_below((zero < most ? zero : most) * type->zero_parts + 0.5F);
    return (parts < 255.0F ? parts : 255.0F) / type->zero_parts;
}

// -- The search -----------------------------------------------------------------------------------------------------

// The weights, the range that their numbers are to cover, and sums over them, each times its importance.
struct fit {
    float weights[GA_GROUP], importance[GA_GROUP];
    size_t count;
    float low, high;
    float sum, number, weight, product, square;
};

// Gives each weight the nearest number. Returns the sum of squared errors, each times its importance. All GA_GROUP
// numbers are computed, in loops that compilers make vectors of; the sum has one order.
static float choose_numbers(const struct type *type, const struct fit *fit, struct ga_group *group)
{
    const float scale = group->scale, zero = group->zero, most = largest_number(type);
    const float per_step = scale > 0.0F ? 1.0F / scale : 0.0F;
    float places[GA_GROUP], squares[GA_GROUP], error = 0.0F;
    for (size_t i = 0; i < GA_GROUP; i++) {
        const float place = fit->weights[i] * per_step + zero, above = place < 0.0F ? 0.0F : place;
        places[i] = above < most ? above : most;
    }
    for (size_t i = 0; i < GA_GROUP; i++) {
        group->numbers[i] = (int32_t)(places[i] + 0.5F);
        const float left = fit->weights[i] - scale * ((float)group->numbers[i] - zero);
        squares[i] = fit->importance[i] * left * left;
    }
    for (size_t i = 0; i < fit->count; i++) {
        error += squares[i];
    }
    return error;
}

// False if a weight is infinite or NaN, or if no scale covers their range.
static bool find_range(const struct type *type, struct fit *fit)
{
    float low = fit->weights[0], high = low, probe = 0.0F;
    for (size_t i = 0; i < fit->count; i++) {
        low = fit->weights[i] < low ? fit->weights[i] : low;
        high = fit->weights[i] > high ? fit->weights[i] : high;
        probe += fit->weights[i] * 0.0F;
    }
    if (type->zero > 0.0F) {
        high = -low > high ? -low : high;
        low = -high;
    } else if (low == high) { // a range that has steps
        low = low < 0.0F ? low : 0.0F;
        high = high > 0.0F ? high : 0.0F;
    }
    fit->low = low;
    fit->high = high;
    return probe == 0.0F && (high - low) / steps_of_range(type) < type->beyond;
}

// Whether a number can be a whole number of steps of some scale at all: the product has few bits.
static bool is_short(const struct type *type, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & ((1U << (23 - type->fraction - type->bits)) - 1)) == 0;
}

// Tries every scale that the range may be a whole number of.
static bool keep(const struct type *type, const struct fit *fit, struct ga_group *group)
{
    const float range = type->zero > 0.0F ? fit->high : fit->high - fit->low;
    for (int steps = is_short(type, range) ? type->steps : 0; steps > 0; steps--) {
        group->scale = rounded_scale(type, range / (float)steps);
        if (group->scale * (float)steps != range) {
            continue;
        }
        group->zero = nearest_zero(type, fit->low, group->scale);
        if (choose_numbers(type, fit, group) == 0.0F) {
            return true;
        }
    }
    return false;
}

static void add_up(const struct type *type, struct fit *fit, const struct ga_group *group)
{
    fit->sum = fit->number = fit->weight = fit->product = fit->square = 0.0F;
    for (size_t i = 0; i < fit->count; i++) {
        const float x = fit->weights[i], share = fit->importance[i], n = (float)group->numbers[i] - type->zero;
        fit->sum += share;
        fit->number += share * n;
        fit->weight += share * x;
        fit->product += share * n * x;
        fit->square += share * n * n;
    }
}

// The scale and the zero with which the numbers that were chosen come nearest to the weights (least squares).
static void refine(const struct type *type, struct fit *fit, struct ga_group *group)
{
    add_up(type, fit, group);
    const bool has_zero = type->zero == 0.0F;
    const float spread = has_zero ? fit->sum * fit->square - fit->number * fit->number : fit->square;
    const float product = has_zero ? fit->sum * fit->product - fit->number * fit->weight : fit->product;
    const float same = has_zero ? group->scale : 0.0F; // of one number alone
    const float scale = spread > 0.0F ? product / spread : same;
    if (scale > 0.0F && scale < type->beyond) {
        group->scale = rounded_scale(type, scale);
        const float low = (fit->weight - group->scale * fit->number) / fit->sum;
        group->zero = group->scale > 0.0F ? nearest_zero(type, low, group->scale) : 0.0F;
    }
}

static void take_better(const struct type *type, const struct fit *fit, struct ga_group *group, float *least,
                        struct ga_group *best)
{
    const float error = choose_numbers(type, fit, group);
    if (error < *least) {
        *least = error;
        *best = *group;
    }
}

// Scales that cover the whole range, then smaller ones, which are nearer to most weights than to the outermost, each as
// it is and refined.
static void choose(const struct type *type, struct fit *fit, struct ga_group *best)
{
    float least = INFINITY;
    for (int i = type->first; i <= type->last; i++) {
        const float cut = (fit->high - fit->low) * 0.02F * (float)i;
        struct ga_group group = {.scale =
                                     rounded_scale(type, (fit->high - fit->low - 2.0F * cut) / steps_of_range(type))};
        if (!(group.scale > 0.0F)) {
            continue;
        }
        group.zero = nearest_zero(type, fit->low + cut, group.scale);
        take_better(type, fit, &group, &least, best);
        refine(type, fit, &group);
        take_better(type, fit, &group, &least, best);
    }
}

// -- Calls ----------------------------------------------------------------------------------------------------------

// Weights `stride` apart; importance: NULL for 1 each.
static struct fit fit_of(const float *weights, size_t stride, const float *importance, size_t count)
{
    struct fit fit = {.count = count};
    for (size_t i = 0; i < count; i++) {
        fit.weights[i] = weights[i * stride];
        fit.importance[i] = importance ? importance[i] : 1.0F;
    }
    return fit;
}

static void choose_of(const struct type *type, struct fit *fit, bool keeps, struct ga_group *group_out)
{
    *group_out = (struct ga_group){.scale = NAN};
    if (find_range(type, fit) && !(keeps && keep(type, fit, group_out))) {
        *group_out = (struct ga_group){.scale = 0.0F};
        choose(type, fit, group_out);
    }
}

void ga_group_choose(enum ga_storage storage, const float *weights, const float *importance, size_t count,
                     struct ga_group *group_out)
{
    struct fit fit = fit_of(weights, 1, importance, count);
    choose_of(&types[storage], &fit, false, group_out);
}

float ga_group_nearest(enum ga_storage storage, const struct ga_group *group, float x)
{
    const struct type *type = &types[storage];
    const float place = group->scale > 0.0F ? x / group->scale + group->zero : group->zero;
    const float most = largest_number(type), above = place > type->least ? place : type->least;
    return group->scale * (whole_below((above < most ? above : most) + 0.5F) - group->zero);
}

static void put(const struct type *type, const struct ga_group *group, size_t count, unsigned char *panel, size_t width,
                size_t j)
{
    const uint16_t scale = bits_of_scale(type, group->scale);
    const size_t unit = 32 / type->bits, header = type->scale_bytes + (type->zero > 0.0F ? 0 : 1);
    memcpy(panel + j * type->scale_bytes, &scale, type->scale_bytes);
    if (type->zero == 0.0F) {
        panel[width * type->scale_bytes + j] = (unsigned char)(group->zero * type->zero_parts);
    }
    for (size_t i = 0; i < count; i++) {
        unsigned char *at = panel + width * header + (i / unit * width + j) * sizeof(uint32_t);
        uint32_t word;
        memcpy(&word, at, sizeof word);
        word |= (uint32_t)group->numbers[i] << (i % 4 * 8 + i % unit / 4 * type->bits);
        memcpy(at, &word, sizeof word);
    }
}

void ga_group_pack(enum ga_storage storage, const float *weights, size_t stride, size_t count, unsigned char *panel,
                   size_t width, size_t j)
{
    struct fit fit = fit_of(weights, stride, NULL, count);
    struct ga_group group;
    choose_of(&types[storage], &fit, true, &group);
    put(&types[storage], &group, count, panel, width, j);
}

// The first scale that the search tries makes the largest weight the number 127.
bool ga_group_move_q8_0(const unsigned char *block, unsigned char *panel, size_t width, size_t j)
{
    const struct type *type = &types[GA_STORAGE_INT8];
    const uint16_t scale = (uint16_t)(block[0] | block[1] << 8);
    struct ga_group group = {.scale = scale_of_bits(type, scale), .zero = type->zero};
    int32_t most = 0, least = 0;
    for (size_t i = 0; i < GA_GROUP; i++) {
        const int32_t number = block[2 + i] < 128 ? block[2 + i] : block[2 + i] - 256;
        group.numbers[i] = number + (int32_t)type->zero;
        most = number > most ? number : most;
        least = number < least ? number : least;
    }
    if (scale == 0 || scale >= 0x7c00 || least < -type->steps || (most < type->steps && least > -type->steps)) {
        return false;
    }
    put(type, &group, GA_GROUP, panel, width, j);
    return true;
}
