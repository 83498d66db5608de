// group_rounding.c: the rules of docs/numbers.md for weights in groups, as packing has them, with an importance of each
// weight. Knows no file and no model.
#include "group_rounding.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// What a type keeps.
struct kept {
    float least, most; // numbers
    float zero_parts;  // a zero is a whole number of these parts of one; 0: it is 0
    int first, last;   // tries of narrower and narrower steps
    int fraction;      // bits of a scale's significand after the first
    float normal;      // from where on a scale has all of them
    float beyond;      // from where on a number is too large for a scale, and the greatest scale
    float greatest;
};

static const struct kept kept_by[] = {
    [GA_STORAGE_INT8] = {-127, 127, 0, 0, 1, 10, 0x1p-14F, 65520.0F, 65504.0F},
    [GA_STORAGE_INT4] = {0, 15, 16, -2, 9, 3, 0x1p-22F, 248.0F, 240.0F},
};

// The scale next to a number that is none below 0.
static float nearest_scale(const struct kept *kept, float x)
{
    const int dropped = 23 - kept->fraction;
    const uint32_t step = (uint32_t)1 << dropped;
    uint32_t bits;
    if (!(x < kept->beyond)) {
        return kept->greatest;
    }
    if (x < kept->normal) {
        const float least = ldexpf(kept->normal, -kept->fraction);
        return floorf(x / least + 0.5F) * least;
    }
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + step / 2 - 1 + (bits >> dropped & 1)) & ~(step - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The zero of a group whose least weight is `low`; where all are above zero they have higher numbers.
static float nearest_zero(const struct kept *kept, float low, float scale)
{
    if (kept->zero_parts == 0.0F) {
        return 0.0F;
    }
    const float zero = ceilf(low > 0.0F ? low / scale : 0.0F) - low / scale;
    const float parts = floorf(fminf(zero, kept->most) * kept->zero_parts + 0.5F);
    return fminf(parts, (kept->most + 1) * kept->zero_parts - 1) / kept->zero_parts;
}

static float nearest_number(const struct kept *kept, const struct ga_group *group, float x)
{
    const float place = group->scale > 0.0F ? x / group->scale + group->zero : group->zero;
    return floorf(fminf(fmaxf(place, kept->least), kept->most) + 0.5F);
}

float ga_group_nearest(enum ga_storage storage, const struct ga_group *group, float x)
{
    return group->scale * (nearest_number(&kept_by[storage], group, x) - group->zero);
}

// The weights, and sums over them, each times its importance.
struct fit {
    const float *weights, *importance;
    size_t count;
    float sum, number, weight, product, square;
};

// What a group costs; the sums are those of its numbers.
static float cost_of(const struct kept *kept, const struct ga_group *group, struct fit *fit)
{
    float cost = 0.0F;
    fit->sum = fit->number = fit->weight = fit->product = fit->square = 0.0F;
    for (size_t i = 0; i < fit->count; i++) {
        const float x = fit->weights[i], share = fit->importance[i], n = nearest_number(kept, group, x);
        const float error = x - group->scale * (n - group->zero);
        cost += share * error * error;
        fit->sum += share;
        fit->number += share * n;
        fit->weight += share * x;
        fit->product += share * n * x;
        fit->square += share * n * n;
    }
    return cost;
}

// The scale and zero that leave the least with the numbers of the sums; false where there are none.
static bool refine(const struct kept *kept, const struct fit *f, struct ga_group *group)
{
    const bool has_zero = kept->zero_parts > 0.0F;
    const float spread = has_zero ? f->sum * f->square - f->number * f->number : f->square;
    const float product = has_zero ? f->sum * f->product - f->number * f->weight : f->product;
    const float scale = spread > 0.0F ? product / spread : group->scale; // of one number alone
    if (!(scale > 0.0F && scale < kept->beyond)) {
        return false;
    }
    group->scale = nearest_scale(kept, scale);
    if (group->scale > 0.0F) {
        group->zero = nearest_zero(kept, (f->weight - group->scale * f->number) / f->sum, group->scale);
    }
    return group->scale > 0.0F;
}

// The range that the first steps cover; that of one number alone begins or ends at zero.
static void find_range(const struct kept *kept, const struct fit *fit, float *low, float *high)
{
    *low = *high = fit->weights[0];
    for (size_t i = 1; i < fit->count; i++) {
        *low = fminf(*low, fit->weights[i]);
        *high = fmaxf(*high, fit->weights[i]);
    }
    if (kept->zero_parts == 0.0F) {
        *high = fmaxf(*high, -*low);
        *low = -*high;
    } else if (*low == *high) {
        *low = fminf(*low, 0.0F);
        *high = fmaxf(*high, 0.0F);
    }
}

struct ga_group ga_group_choose(enum ga_storage storage, const float *weights, const float *importance, size_t count)
{
    const struct kept *kept = &kept_by[storage];
    struct fit fit = {.weights = weights, .importance = importance, .count = count};
    struct ga_group best = {0, 0};
    float low, high, least = INFINITY;
    find_range(kept, &fit, &low, &high);
    for (int i = kept->first; i <= kept->last; i++) {
        const float cut = (high - low) * 0.02F * (float)i, scale = (high - low - 2 * cut) / (kept->most - kept->least);
        struct ga_group group = {.scale = nearest_scale(kept, scale)};
        bool is_good = group.scale > 0.0F;
        group.zero = is_good ? nearest_zero(kept, low + cut, group.scale) : 0.0F;
        for (size_t refined = 0; refined < 2 && is_good; refined++) {
            const float cost = cost_of(kept, &group, &fit);
            if (cost < least) {
                least = cost;
                best = group;
            }
            is_good = refine(kept, &fit, &group);
        }
    }
    return best;
}
