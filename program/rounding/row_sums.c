// row_sums.c: sums of products, some rows at a time. Looks at no weight.
#include "row_sums.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 8, ROWS = 8 }; // rows that are added to the sums together, so that these are read once for all

size_t ga_row_sums_stride(size_t width)
{
    return (width + LANES - 1) / LANES * LANES;
}

// Adds what ROWS rows give; both have numbers up to the stride. Lanes are counted, so that a compiler takes vectors.
static void add_products(float *sums, const float *rows, size_t width)
{
    const size_t stride = ga_row_sums_stride(width);
    for (size_t i = 0; i < width; i++) {
        for (size_t j = 0; j <= i; j += LANES) {
            float *to = sums + i * stride + j, lanes[LANES];
            memcpy(lanes, to, sizeof lanes);
            for (size_t row = 0; row < ROWS; row++) {
                const float factor = rows[row * stride + i], *x = rows + row * stride + j;
                for (size_t lane = 0; lane < LANES; lane++) {
                    lanes[lane] += factor * x[lane];
                }
            }
            memcpy(to, lanes, sizeof lanes);
        }
    }
}

static bool make_room(struct ga_row_sums *sums, size_t stride)
{
    if (stride > sums->room) {
        free(sums->rows);
        sums->rows = malloc(ROWS * stride * sizeof *sums->rows);
        sums->room = sums->rows ? stride : 0;
    }
    return stride <= sums->room;
}

// The sums of these weights, which begin as zeros.
static float *sums_of(struct ga_row_sums *sums, const size_t *roles, size_t n_roles)
{
    const size_t width = sums->model->roles[roles[0]].shape[1];
    if (!sums->of[roles[0]]) {
        float *made = calloc(width * ga_row_sums_stride(width), sizeof *made);
        for (size_t i = 0; i < n_roles; i++) {
            sums->of[roles[i]] = made;
            sums->owner[roles[i]] = roles[0];
        }
    }
    return sums->of[roles[0]];
}

static void show(void *self, const size_t *roles, size_t n_roles, const float *x, size_t stride, size_t rows)
{
    struct ga_row_sums *sums = self;
    const size_t width = sums->model->roles[roles[0]].shape[1], padded = ga_row_sums_stride(width);
    float *to = sums_of(sums, roles, n_roles);
    if (!to || !make_room(sums, padded)) {
        sums->is_short = true;
        return;
    }
    if (sums->progress) {
        sums->n_shown = roles[0] < sums->n_shown ? sums->n_shown : roles[0] + 1;
        ga_progress_show(sums->progress, sums->n_shown, (double)sums->n_shown / (double)sums->model->n_roles);
    }
    for (size_t i = 0; i < rows; i += ROWS) {
        memset(sums->rows, 0, ROWS * padded * sizeof *sums->rows);
        for (size_t row = 0; row < ROWS && i + row < rows; row++) {
            memcpy(sums->rows + row * padded, x + (i + row) * stride, width * sizeof *x);
        }
        add_products(to, sums->rows, width);
    }
}

bool ga_row_sums_new(const struct ga_model *model, struct ga_row_sums *sums_out)
{
    *sums_out = (struct ga_row_sums){.model = model,
                                     .of = calloc(model->n_roles, sizeof *sums_out->of),
                                     .owner = calloc(model->n_roles, sizeof *sums_out->owner),
                                     .watch = {show, sums_out}};
    return sums_out->of && sums_out->owner;
}

void ga_row_sums_free(struct ga_row_sums *sums)
{
    for (size_t role = 0; sums->of && sums->owner && role < sums->model->n_roles; role++) {
        if (sums->owner[role] == role) {
            free(sums->of[role]);
        }
    }
    free(sums->of);
    free(sums->owner);
    free(sums->rows);
}
