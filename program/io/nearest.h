// nearest.h: which of many vectors are nearest to one, by the similarity of a model: all are looked at. Makes no
// vectors.
#ifndef GA_NEAREST_H
#define GA_NEAREST_H

#include "model.h"

struct ga_hit {
    size_t row;
    double score;
};

struct ga_vectors {
    const float *rows; // [count][width]
    size_t count, width;
    const struct ga_parallel *parallel; // that looks at them, or NULL
    enum ga_similarity similarity;
};

// Writes the `top` rows nearest to wanted[width] to hits_out, the best first, of equal ones the first first; fewer
// where there are fewer. The cosine with a vector of zeros is 0, and a score that is not finite is the lowest double.
// Returns how many; SIZE_MAX where there is no memory.
// The same whatever the threads.
size_t ga_nearest(const struct ga_vectors *vectors, const float *wanted, size_t top, struct ga_hit *hits_out);

#endif
