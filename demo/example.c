// example.c: the sequences and the weights as tables. tests/pytorch/cases.py holds the same tables for PyTorch, and
// the committed results would not match if either changed alone.
#include "example.h"

#include "arena.h"
#include "formula.h"
#include "weights.h"

enum { PAD = EXAMPLE_PADDING, D = EXAMPLE_D_MODEL };

// No sequence holds the padding id, so that padding ends one.
static const int32_t sequences[EXAMPLE_SEQUENCES][EXAMPLE_LENGTH] = {
    {62, 13, 47, 39, 78, 33, 56, 13, 39, 29, 44, 86, 71, 36, 18, 75},
    {60, 96, 51, 32, 90},
    {35, 45, 48, 65, 91, 99, 92, 10, 3, 21, 54},
    {75, 51},
    {66, 88, 98, 47},
    {21, 39, 10, 64, 21},
    {98},
    {77, 65, 51, 77, 19, 15, 35, 19, 23, 97, 50, 46, 53, 42, 45, 91, 66, 3, 43, 10},
    {70, 64, 98, 25, 99, 53, 4, 13, 69, 62, 66, 76, 15, 75, 45, 34},
    {20, 64, 81, 35, 76, 85, 1, 62, 8, 45, 99, 77, 19, 43},
};

struct example_batch example_batch(void)
{
    struct example_batch batch = {.rows = 0};
    for (size_t s = 0; s < EXAMPLE_SEQUENCES; s++) {
        for (size_t i = 0; i < EXAMPLE_LENGTH; i++) {
            batch.tokens[s][i] = sequences[s][i];
            batch.lengths[s] += sequences[s][i] != PAD;
        }
        batch.rows += (size_t)batch.lengths[s];
    }
    return batch;
}

// Tensor number t of the formula is tables[t]. Linears are as nn.Linear initialises them, up to 1 / sqrt(512) = 2896 /
// 65536; q and k twice that, or attention would be almost uniform; the embedding's standard deviation is 1.
static const struct {
    const char *name;
    size_t rows, cols; // cols 0: a vector of rows
    uint32_t r;
} tables[] = {
    {"embedding.weight", EXAMPLE_VOCABULARY, D, 114688},
    {"w_q.weight", D, D, 5792},
    {"w_q.bias", D, 0, 2896},
    {"w_k.weight", D, D, 5792},
    {"w_k.bias", D, 0, 2896},
    {"w_v.weight", D, D, 2896},
    {"w_v.bias", D, 0, 2896},
    {"w_0.weight", D, D, 2896},
    {"w_0.bias", D, 0, 2896},
};

enum { N_TABLES = sizeof tables / sizeof tables[0] };

static size_t elements(size_t t)
{
    return tables[t].rows * (tables[t].cols ? tables[t].cols : 1);
}

static struct ga_tensor describe(size_t t, const float *data)
{
    return (struct ga_tensor){
        .name = tables[t].name,
        .dtype = GA_F32,
        .rank = tables[t].cols ? 2 : 1,
        .shape = {tables[t].rows, tables[t].cols},
        .data = data,
    };
}

enum ga_status example_write_weights(const char *path, struct ga_error *error)
{
    size_t total = 0;
    for (size_t t = 0; t < N_TABLES; t++) {
        total += elements(t);
    }
    float *values = ga_block_new(total * sizeof *values);
    if (!values) {
        return ga_fail(error, GA_MEMORY, "%s: no memory for %zu weights", path, total);
    }
    struct ga_tensor tensors[N_TABLES];
    float *at = values;
    for (size_t t = 0; t < N_TABLES; t++) {
        formula_fill(at, elements(t), (uint32_t)t, tables[t].r);
        tensors[t] = describe(t, at);
        at += elements(t);
    }
    enum ga_status status = ga_weights_write(path, tensors, N_TABLES, error);
    ga_block_free(values);
    return status;
}
