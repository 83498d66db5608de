// kernels_neighbours.c: neighbours of a subject, and the generic kernel's largest error over them. Runs no kernel of a
// model.
#include <float.h>
#include <stdlib.h>

#include "kernels_neighbours.h"
#include "support/reference_rounded.h"

// Of as many normal numbers the largest is seldom (once in 100 times) below one and a half standard deviations, so that
// twice it are three, in either direction; of one number it is in 87 of 100.
enum { NEIGHBOURS = 32 };

// A copy of a role's elements, each by an epsilon more, less, or as it was.
static float *nudged(const struct ga_weight_role *role, const struct ga_weight_view *view, struct rng *rng)
{
    const size_t columns = role_columns(role), count = role->shape[0] * columns;
    const float *from = view->data;
    float *to = malloc(count * sizeof *to);
    for (size_t i = 0; to && i < count; i++) {
        const float by = (float)rng_below(rng, 3) - 1;
        to[i] = from[i / columns * view->row_stride + i % columns * view->col_stride] * (1 + by * FLT_EPSILON);
    }
    return to;
}

static void neighbour_drop(struct subject *near)
{
    for (size_t r = 0; r < near->model->n_roles; r++) {
        free((void *)near->roles[r].data);
    }
}

static bool neighbour_make(struct subject *near, const struct subject *subject, uint64_t seed)
{
    struct rng rng = rng_seeded(seed);
    bool ok = true;
    *near = (struct subject){.model = subject->model};
    for (size_t r = 0; ok && r < subject->model->n_roles; r++) {
        const struct ga_weight_role *role = &subject->model->roles[r];
        near->roles[r] = (struct ga_weight_view){
            .data = nudged(role, &subject->roles[r], &rng), .row_stride = role_columns(role), .col_stride = 1};
        ok = near->roles[r].data != NULL;
    }
    return ok;
}

// Fewer bits have steps, which their limit allows for, and a neighbour of a step is another number.
static bool has_neighbours(const struct ga_model *model)
{
    return kernels_multiply_floats(model) && model->weights_dtype == GA_STORAGE_F32;
}

// Raises *error to the largest over neighbours; false where there are none, or for want of memory.
static bool raise_error(const struct subject *subject, const struct call *call, const struct compared *compared,
                        struct approx_error *error)
{
    bool ok = compared->error_of && has_neighbours(call->model);
    for (uint64_t seed = 1; ok && seed <= NEIGHBOURS; seed++) {
        struct subject near;
        struct approx_error found;
        ok = neighbour_make(&near, subject, seed) && compared->error_of(&near, call, compared->context, &found);
        *error = ok ? approx_larger(*error, found) : *error;
        neighbour_drop(&near);
    }
    return ok;
}

struct approx approx_among_neighbours(const struct subject *subject, const struct call *call,
                                      const struct compared *compared)
{
    const double step = reference_step(call->model);
    struct approx_error error = compared->error;
    struct approx found = approx_layer(compared->got, compared->exact, compared->count, error, step, compared->slack);
    if (!found.ok && raise_error(subject, call, compared, &error)) {
        found = approx_layer(compared->got, compared->exact, compared->count, error, step, compared->slack);
    }
    return found;
}
