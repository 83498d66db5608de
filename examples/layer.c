// layer.c: one attention layer from C: weights packed once, one call, every status checked. Its weights are made up;
// your own come from arrays in the same way, or from files as in embed.c and packed.c.
#include <stdio.h>
#include <stdlib.h>

#include "genattn/arena.h"
#include "mha_512_8.h"

enum { ROWS = 128, D = MHA_512_8_D_MODEL };

static float w[MHA_512_8_N_ROLES][D * D]; // of a linear [out][in], of a bias [out]
static float x[ROWS * D], y[ROWS * D];    // [batch][rows][d_model]

static void make_up(float *values, size_t count, float largest)
{
    static unsigned state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = largest * ((float)(state >> 8) / 8388608.0f - 1.0f);
    }
}

static int fail(const char *text)
{
    fprintf(stderr, "layer: %s\n", text);
    return EXIT_FAILURE;
}

int main(void)
{
    struct ga_error error;
    struct ga_weight_view views[MHA_512_8_N_ROLES];
    for (size_t role = 0; role < MHA_512_8_N_ROLES; role++) {
        make_up(w[role], D * D, 0.0625f);
        views[role].data = w[role];
        views[role].row_stride = role % 2 ? 1 : D; // in floats; weights and biases take turns
        views[role].col_stride = 1;
    }

    const struct ga_variant *variant; // the kernels for the instruction set of this CPU
    if (ga_model_variant(&mha_512_8_model, NULL, &variant, &error)) {
        return fail(error.text);
    }
    size_t size = ga_model_packed_size(variant), scratch_size = mha_512_8_scratch_size(1, ROWS, ROWS, 1);
    void *block = ga_block_new(size), *scratch = ga_block_new(scratch_size); // any memory aligned to GA_ALIGN will do
    if (!block || !scratch) {
        return fail("no memory");
    }
    const struct ga_loaded *weights; // lies in block; the views are not needed any more
    if (ga_model_pack(&mha_512_8_model, variant, views, block, size, &weights, &error)) {
        return fail(error.text);
    }

    make_up(x, ROWS * D, 1.0f);
    static struct ga_io io; // zeros: what is not set is absent
    io.batch = 1;
    io.q_len = ROWS;
    io.query = x;
    io.output = y;
    enum ga_status status = mha_512_8_run(weights, &io, scratch, scratch_size);
    if (status) {
        return fail(ga_status_text(status));
    }
    printf("%s: the output's first row begins with %.4f %.4f %.4f\n", variant->isa, y[0], y[1], y[2]);
    ga_block_free(scratch);
    ga_block_free(block);
    return EXIT_SUCCESS;
}
