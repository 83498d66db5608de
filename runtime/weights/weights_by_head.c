// weights_by_head.c: copies the rows of q, k and v of one head after another to where those of all heads come together.
#include "weights_by_head.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "weights_shard.h"

enum { PARTS = 3 }; // q, k and v

static float *in_parts(const float *from, size_t heads, size_t each)
{
    float *to = ga_block_room(heads * PARTS * each * sizeof *to);
    for (size_t head = 0; to != NULL && head < heads; head++) {
        for (size_t part = 0; part < PARTS; part++, from += each) {
            memcpy(to + (part * heads + head) * each, from, each * sizeof *to);
        }
    }
    return to;
}

enum ga_status ga_weights_by_head(struct ga_weights *weights, const struct ga_tensor *tensor, size_t heads,
                                  const float **floats_out, struct ga_error *error)
{
    const float *floats = NULL;
    size_t i = 0, count = 0;
    const enum ga_status status = ga_weights_floats(weights, tensor, &floats, error);
    if (status != GA_OK) {
        return status;
    }
    ga_shape_elements(tensor->rank, tensor->shape, &count);
    ga_weights_has(weights, tensor, &i);
    if (weights->by_head == NULL) {
        weights->by_head = calloc(weights->count, sizeof *weights->by_head);
    }
    if (weights->by_head != NULL && weights->by_head[i] == NULL) {
        weights->by_head[i] = in_parts(floats, heads, count / (PARTS * heads));
    }
    if (weights->by_head == NULL || weights->by_head[i] == NULL) {
        return ga_weights_fail_memory(error, weights->label, "the rows of q, k and v apart");
    }
    *floats_out = weights->by_head[i];
    return GA_OK;
}
