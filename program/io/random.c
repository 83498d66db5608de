// random.c: the formula of random.h.
// Keeps no state: an element depends on its seed, stream and place alone.
#include "random.h"

#include <math.h>
#include <stdlib.h>

static double unit(uint64_t seed, uint64_t stream, uint64_t i)
{
    uint64_t z = seed * UINT64_C(0xD1342543DE82EF95) + stream * UINT64_C(0x2545F4914F6CDD1D) +
                 (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 40) / 8388608.0 - 1.0;
}

double ga_random_share(uint64_t seed, uint64_t stream, uint64_t i)
{
    return (unit(seed, stream, i) + 1) / 2;
}

void ga_random_fill(uint64_t seed, uint64_t stream, double bound, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)(unit(seed, stream, i) * bound);
    }
}

static size_t role_elements(const struct ga_weight_role *role)
{
    return role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
}

void *ga_random_views(const struct ga_model *model, uint64_t seed, struct ga_weight_view *views_out)
{
    size_t total = 0;
    for (size_t r = 0; r < model->n_roles; r++) {
        total += role_elements(&model->roles[r]);
    }
    float *block = calloc(total ? total : 1, sizeof *block);
    if (!block) {
        return NULL;
    }
    float *at = block;
    for (size_t r = 0; r < model->n_roles; r++) {
        const struct ga_weight_role *role = &model->roles[r];
        size_t columns = role->rank == 2 ? role->shape[1] : 1;
        double fan_in = (double)(role->rank == 2 ? columns : model->d_model);
        ga_random_fill(seed, r, 1.0 / sqrt(fan_in), at, role_elements(role));
        views_out[r] = (struct ga_weight_view){.data = at, .row_stride = columns, .col_stride = 1};
        at += role_elements(role);
    }
    return block;
}
