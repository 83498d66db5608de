// rotary_scaling.h: how fast each pair of rotary positions turns, and by what its cosines and sines are multiplied, for
// each kind of scaling (enum ga_rope_scaling_kind). Makes no table: pack_tables.h does.
#ifndef GA_ROTARY_SCALING_H
#define GA_ROTARY_SCALING_H

#include <stddef.h>

#include "packed_parts.h"

// The angle of a pair from one place to the next; angles->layout is rotary.
double ga_rotary_speed(const struct ga_packed_angles *angles, size_t pair);

// The attention factor: 1 unless the kind of scaling has one.
double ga_rotary_factor(const struct ga_packed_angles *angles);

#endif
