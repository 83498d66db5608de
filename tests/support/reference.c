// reference.c: what both precisions of the generic kernel share, and its two instances.
#include "reference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool reference_sees(enum ga_causal causal, size_t i, size_t j, size_t q_rows, size_t kv_rows)
{
    if (i >= q_rows || j >= kv_rows) {
        return false;
    }
    switch (causal) {
    case GA_CAUSAL_TOP_LEFT:
        return j <= i;
    case GA_CAUSAL_BOTTOM_RIGHT:
        return j + q_rows <= i + kv_rows;
    case GA_CAUSAL_NONE:
        break;
    }
    return true;
}

size_t reference_kv_len(const struct ga_io *io)
{
    return io->key ? io->kv_len : io->q_len;
}

size_t reference_q_rows(const struct ga_io *io, size_t b)
{
    return io->q_lengths ? (size_t)io->q_lengths[b] : io->q_len;
}

size_t reference_kv_rows(const struct ga_io *io, size_t b)
{
    if (io->kv_lengths) {
        return (size_t)io->kv_lengths[b];
    }
    return io->key ? io->kv_len : reference_q_rows(io, b);
}

const struct ga_weight_view *reference_role(const struct ga_model *model, const struct ga_weight_view *roles,
                                            const char *name)
{
    for (size_t r = 0; r < model->n_roles; r++) {
        if (strcmp(model->roles[r].name, name) == 0) {
            return &roles[r];
        }
    }
    return NULL;
}

#define REAL double
#define EXP exp
#define IN_REAL(name) name##_f64
#include "reference_layer.h"
#undef REAL
#undef EXP
#undef IN_REAL

#define REAL float
#define EXP expf
#define IN_REAL(name) name##_f32
#include "reference_layer.h"
