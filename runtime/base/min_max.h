// min_max.h: the smaller and the larger of two sizes, for the runtime, the program, the tests and generated code.
#ifndef GA_MIN_MAX_H
#define GA_MIN_MAX_H

#include <stddef.h>

static inline size_t ga_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t ga_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
