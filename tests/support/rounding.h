// rounding.h: numbers rounded to the nearest of a narrower floating-point type, by arithmetic on their values. Knows no
// type's bits, so that what does can be held against it.
#ifndef TESTS_ROUNDING_H
#define TESTS_ROUNDING_H

#include "tensor.h"

// Bits of the significand of GA_BF16, GA_F16 or GA_F32, the first one included; and the exponent of the smallest
// positive number.
int rounding_significand(enum ga_dtype dtype);
int rounding_smallest_exponent(enum ga_dtype dtype);

// The nearest number of that type if its exponent had no upper end, of two the even one; NaN and infinities stay. As a
// float, what is too large for one becomes infinite.
double rounding_nearest(enum ga_dtype dtype, double x);

// The same of a type with so many bits in its significand, whose smallest positive number is 2^smallest.
double rounding_nearest_of(int significand, int smallest, double x);

// What a step of a row is worth as a cache of GA_I8 keeps it; of a row that it kept the same again. NaN where a number
// is not finite.
float rounding_step(size_t n, const float *row);

// A row of a head as a cache of that type keeps it, in its place: of GA_I8 as whole numbers of a step, which is the
// bf16 nearest to a 127th of the row's greatest magnitude, 2^-126 at least; all NaN where one is not finite. Of other
// types each number alone.
void rounding_row(enum ga_dtype dtype, size_t n, float *row);

#endif
