// test_weights_checksum.c: the checksum of weights before packing: what its definition says, from any strides, and
// another for any other weight. What files have which is tests/program/program_pack.lua's.
#include "weights_checksum.h"

#include <criterion/criterion.h>
#include <string.h>

#include "checksum.h"

enum { OUT = 35, IN = 150, N_ROLES = 3, ROOM = 2 * OUT * IN }; // neither is whole blocks or tiles

static const struct ga_weight_role roles[N_ROLES] = {
    {"weight", 2, {OUT, IN}}, {"bias", 1, {OUT}}, {"table", 2, {1, 1}}};
static const struct ga_model model = {.roles = roles, .n_roles = N_ROLES};

// Element [o][i] of each role, in memory of its own by strides.
static float memory[N_ROLES][ROOM];

static uint64_t checksum_by(size_t row_stride, size_t col_stride, size_t bias_stride)
{
    const struct ga_weight_view views[N_ROLES] = {
        {.data = memory[0], .row_stride = row_stride, .col_stride = col_stride},
        {.data = memory[1], .row_stride = bias_stride},
        {.data = memory[2], .row_stride = 1, .col_stride = 1}};
    memset(memory, 0xFF, sizeof memory);
    for (size_t o = 0; o < OUT; o++) {
        for (size_t i = 0; i < IN; i++) {
            memory[0][o * row_stride + i * col_stride] = (float)(o * IN + i);
        }
        memory[1][o * bias_stride] = -(float)o;
    }
    memory[2][0] = 0.5F;
    return ga_weights_checksum(&model, views);
}

static uint64_t checksum_of_dense(void)
{
    const struct ga_weight_view views[N_ROLES] = {{.data = memory[0], .row_stride = IN, .col_stride = 1},
                                                  {.data = memory[1], .row_stride = 1},
                                                  {.data = memory[2], .row_stride = 1, .col_stride = 1}};
    return ga_weights_checksum(&model, views);
}

// Rows come by sixteen: 48 for those of the matrix, and 16 for each row that stands alone.
static uint64_t checksum_by_definition(void)
{
    unsigned char sums[48 + 16 + 16][8] = {{0}};
    for (size_t o = 0; o < OUT; o++) {
        ga_write_u64(sums[o], ga_checksum(memory[0] + o * IN, IN * sizeof(float)));
    }
    ga_write_u64(sums[48], ga_checksum(memory[1], OUT * sizeof(float)));
    ga_write_u64(sums[64], ga_checksum(memory[2], sizeof(float)));
    return ga_checksum(sums, sizeof sums);
}

Test(weights_checksum, is_that_of_its_definition_from_any_strides)
{
    const uint64_t dense = checksum_by(IN, 1, 1);
    cr_expect_eq(dense, checksum_by_definition());
    cr_expect_eq(dense, checksum_by(1, OUT, 1), "a matrix [in][out]");
    cr_expect_eq(dense, checksum_by(2 * IN, 1, 3), "rows and elements apart");
    cr_expect_eq(dense, checksum_by(1, 2 * OUT, 1), "a part of a matrix [in][out]");
    cr_expect_eq(dense, checksum_by(2 * IN, 2, 1), "neither is dense");
}

Test(weights_checksum, of_stored_weights_is_that_of_their_floats)
{
    static double matrix[2][OUT * IN], bias[OUT], one; // as rows, and transposed
    const uint64_t dense = checksum_by(IN, 1, 1);
    for (size_t o = 0; o < OUT; o++) {
        for (size_t i = 0; i < IN; i++) {
            matrix[0][o * IN + i] = matrix[1][i * OUT + o] = (double)memory[0][o * IN + i];
        }
        bias[o] = (double)memory[1][o];
    }
    one = (double)memory[2][0];
    for (size_t i = 0; i < 2; i++) {
        const struct ga_weight_view views[N_ROLES] = {
            {.stored = matrix[i], .row_stride = i == 0 ? IN : 1, .col_stride = i == 0 ? 1 : OUT, .dtype = GA_F64},
            {.stored = bias, .row_stride = 1, .dtype = GA_F64},
            {.stored = &one, .row_stride = 1, .col_stride = 1, .dtype = GA_F64}};
        cr_expect_eq(ga_weights_checksum(&model, views), dense, "%zu", i);
    }
}

Test(weights_checksum, every_weight_and_its_place_count)
{
    const uint64_t whole = checksum_by(IN, 1, 1);
    const size_t counts[N_ROLES] = {OUT * IN, OUT, 1};
    for (size_t role = 0; role < N_ROLES; role++) {
        for (size_t i = 0; i < counts[role]; i++) {
            const float was = memory[role][i];
            memory[role][i] += 0.25F;
            cr_expect_neq(checksum_of_dense(), whole, "%s, weight %zu", roles[role].name, i);
            memory[role][i] = was;
        }
    }
    memcpy(memory[0], memory[0] + IN, IN * sizeof(float));
    for (size_t i = 0; i < IN; i++) {
        memory[0][IN + i] = (float)i;
    }
    cr_expect_neq(checksum_of_dense(), whole, "two rows exchanged");
    cr_expect_eq(checksum_by(IN, 1, 1), whole);
}

Test(weights_checksum, a_model_without_weights_has_one)
{
    const struct ga_model none = {.n_roles = 0};
    cr_expect_eq(ga_weights_checksum(&none, NULL), ga_checksum("", 0));
}
