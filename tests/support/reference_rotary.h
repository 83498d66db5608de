// reference_rotary.h: scaled rotary positions with the C library's functions, a second implementation of
// runtime/packing/rotary_scaling.h. reference.c alone includes it.
#ifndef REFERENCE_ROTARY_H
#define REFERENCE_ROTARY_H

#include <math.h>

#include "genattn/facts.h"

// A pair's angle from one place to the next.
static double reference_rotary_speed(const struct ga_rope *rope, size_t pair)
{
    const struct ga_rope_scaling *s = &rope->scaling;
    const double dim = (double)rope->rotary_dim, share = 2.0 * (double)pair / dim, turn = 2.0 * acos(-1.0);
    const double longer = s->factor * s->longest / s->original - s->factor + 1.0;
    const double plain = 1.0 / pow(rope->theta, share), turns = s->original * plain / turn;
    double low = 0.0, high = 0.0, at = (double)pair;
    switch (s->kind) {
    case GA_ROPE_LINEAR:
        return plain / s->factor;
    case GA_ROPE_DYNAMIC:
        return 1.0 / pow(rope->theta * pow(longer, dim / (dim - 2.0)), share);
    case GA_ROPE_LONGROPE:
        return plain / s->divisors[pair];
    case GA_ROPE_LLAMA3:
        low = s->slow, high = s->fast, at = low + high - turns; // the more turns, the faster
        break;
    case GA_ROPE_YARN:
        low = dim / 2.0 * log(s->original / (s->fast * turn)) / log(rope->theta);
        high = dim / 2.0 * log(s->original / (s->slow * turn)) / log(rope->theta);
        low = fmax(s->truncate ? floor(low) : low, 0.0), high = fmin(s->truncate ? ceil(high) : high, dim - 1.0);
        high += low == high ? 0.001 : 0.0;
        break;
    default:
        return plain;
    }
    const double slow = fmin(fmax((at - low) / (high - low), 0.0), 1.0);
    return plain * (slow / s->factor + (1.0 - slow));
}

// What cosines and sines are multiplied by.
static double reference_rotary_factor(const struct ga_rope_scaling *s)
{
    if (s->attention != 0.0 || s->factor <= 1.0) {
        return s->attention != 0.0 ? s->attention : 1.0;
    }
    return s->kind == GA_ROPE_YARN       ? 1.0 + log(s->factor) / 10.0
           : s->kind == GA_ROPE_LONGROPE ? sqrt(1.0 + log(s->factor) / log(s->original))
                                         : 1.0;
}

#endif
