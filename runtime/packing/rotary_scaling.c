// rotary_scaling.c: how fast each pair of rotary positions turns under each kind of scaling, in double precision. Makes
// no table.
#include "rotary_scaling.h"

#include "elementary.h"

static const double TURN = 6.283185307179586; // 2 pi

static double clamped(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

// The greatest whole number up to x, |x| < 2^31.
static double floor_of(double x)
{
    const double whole = (double)(int32_t)x;
    return whole > x ? whole - 1.0 : whole;
}

// Theta of dynamic scaling.
static double dynamic_theta(const struct ga_packed_angles *angles)
{
    const struct ga_rope_scaling *scaling = &angles->scaling;
    const double width = (double)angles->width;
    const double longer = scaling->factor * scaling->longest / scaling->original - (scaling->factor - 1.0);
    return angles->theta * ga_pow(longer, width / (width - 2.0));
}

static double llama3_speed(const struct ga_rope_scaling *scaling, double speed)
{
    const double turns = scaling->original * speed / TURN;
    const double ramp = clamped((turns - scaling->slow) / (scaling->fast - scaling->slow), 0.0, 1.0);
    return (1.0 - ramp) * speed / scaling->factor + ramp * speed;
}

// The pair, as a real number, that makes so many turns in the original positions; at the ends of the range if it lies
// far outside, as where theta is near 1.
static double pair_of_turns(const struct ga_packed_angles *angles, double turns)
{
    const double length = angles->scaling.original / (turns * TURN);
    const double width = (double)angles->width, pair = width * ga_log(length) / (2.0 * ga_log(angles->theta));
    return clamped(pair, -1.0, width);
}

static double yarn_speed(const struct ga_packed_angles *angles, size_t pair, double speed)
{
    const struct ga_rope_scaling *scaling = &angles->scaling;
    double first = pair_of_turns(angles, scaling->fast), last = pair_of_turns(angles, scaling->slow);
    if (scaling->truncate) {
        first = floor_of(first);
        last = -floor_of(-last);
    }
    first = first < 0.0 ? 0.0 : first;
    last = last > (double)angles->width - 1.0 ? (double)angles->width - 1.0 : last;
    last += first == last ? 0.001 : 0.0; // as transformers does
    const double ramp = clamped(((double)pair - first) / (last - first), 0.0, 1.0);
    return speed / scaling->factor * ramp + speed * (1.0 - ramp);
}

double ga_rotary_speed(const struct ga_packed_angles *angles, size_t pair)
{
    const struct ga_rope_scaling *scaling = &angles->scaling;
    const double theta = scaling->kind == GA_ROPE_DYNAMIC ? dynamic_theta(angles) : angles->theta;
    const double speed = ga_pow(theta, -2.0 * (double)pair / (double)angles->width);
    switch (scaling->kind) {
    case GA_ROPE_LINEAR:
        return speed / scaling->factor;
    case GA_ROPE_YARN:
        return yarn_speed(angles, pair, speed);
    case GA_ROPE_LONGROPE:
        return speed / scaling->divisors[pair];
    case GA_ROPE_LLAMA3:
        return llama3_speed(scaling, speed);
    default:
        return speed;
    }
}

double ga_rotary_factor(const struct ga_packed_angles *angles)
{
    const struct ga_rope_scaling *scaling = &angles->scaling;
    if (scaling->attention > 0.0) {
        return scaling->attention;
    }
    if (scaling->factor <= 1.0) {
        return 1.0;
    }
    switch (scaling->kind) {
    case GA_ROPE_YARN:
        return 0.1 * ga_log(scaling->factor) + 1.0;
    case GA_ROPE_LONGROPE:
        return ga_pow(1.0 + ga_log(scaling->factor) / ga_log(scaling->original), 0.5);
    default:
        return 1.0;
    }
}
