// openblas.c: a multi-head attention layer composed from a BLAS library's products, as a careful C programmer would:
// one product for q, k and v, scores a block of rows at a time so that they stay in cache, a vectorised softmax, real
// rows only. A peer of the benchmark; not linked with anything of ours, and no example of how to call us.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 }; // CBLAS

// Where integers are 32 and 64 bits wide.
typedef void narrow_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *,
                          int);
typedef void wide_sgemm(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t,
                        float, float *, int64_t);

typedef void narrow_sgemv(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void wide_sgemv(int, int, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                        float *, int64_t);

// One call; bench/systems/openblas.py declares the same struct. Everything is the caller's.
struct openblas_call {
    size_t batch, d_model, heads;
    size_t block;          // query rows whose scores are made at once
    const size_t *lengths; // [batch]
    bool causal;
    bool transposed; // weights are [out][in]
    bool wide;       // the library's integers have 64 bits
    size_t cached;   // keys and values of earlier calls, at the start of keys and values; length is 1 then
    bool across;     // keys are [batch][heads][d_head][cached + 1], else as values
    void (*sgemm)(void), (*sgemv)(void);
    const float *x;             // [rows][d_model], rows the sum of the lengths
    const float *w_in, *b_in;   // [d_model][3 * d_model] or transposed; [3 * d_model]
    const float *w_out, *b_out; // [d_model][d_model]; [d_model]
    float *qkv;                 // [rows][3 * d_model]
    float *scores;              // [min(block, longest)][longest + 64]
    float *heads_out;           // [rows][d_model]
    float *keys, *values;       // [batch][heads][cached + 1][d_head], for a call with cached
    float *output;              // [rows][d_model]
};

struct matrix {
    const float *data;
    size_t stride;
    int trans;
};

// One row is a matrix times a vector, for which sgemm would pack the matrix:
// c[n] = alpha * a[k] * b[k][n] + beta * c
static void row_product(const struct openblas_call *call, size_t n, size_t k, float alpha, const float *a,
                        struct matrix b, float beta, float *c)
{
    const bool stored = b.trans == NO_TRANS; // as [k][n]
    const size_t rows = stored ? k : n, columns = stored ? n : k;
    const int trans = stored ? TRANS : NO_TRANS;
    if (call->wide) {
        ((wide_sgemv *)call->sgemv)(ROW_MAJOR, trans, (int64_t)rows, (int64_t)columns, alpha, b.data, (int64_t)b.stride,
                                    a, 1, beta, c, 1);
    } else {
        ((narrow_sgemv *)call->sgemv)(ROW_MAJOR, trans, (int)rows, (int)columns, alpha, b.data, (int)b.stride, a, 1,
                                      beta, c, 1);
    }
}

// c[m][n] = alpha * a[m][k] * b[k][n] + beta * c
static void product(const struct openblas_call *call, size_t m, size_t n, size_t k, float alpha, struct matrix a,
                    struct matrix b, float beta, float *c, size_t ldc)
{
    if (m == 1) {
        row_product(call, n, k, alpha, a.data, b, beta, c);
    } else if (call->wide) {
        ((wide_sgemm *)call->sgemm)(ROW_MAJOR, a.trans, b.trans, (int64_t)m, (int64_t)n, (int64_t)k, alpha, a.data,
                                    (int64_t)a.stride, b.data, (int64_t)b.stride, beta, c, (int64_t)ldc);
    } else {
        ((narrow_sgemm *)call->sgemm)(ROW_MAJOR, a.trans, b.trans, (int)m, (int)n, (int)k, alpha, a.data, (int)a.stride,
                                      b.data, (int)b.stride, beta, c, (int)ldc);
    }
}

// -- Softmax --------------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif

typedef float vector __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef int32_t integers __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));

// Neither compiler makes one instruction of a comparison and a choice.
static inline vector larger(vector a, vector b)
{
#if defined(__AVX512F__)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX__)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#else
    const integers is = a > b;
    return (vector)((is & (integers)a) | (~is & (integers)b));
#endif
}

// 2^x for x <= 0, below -126 as -126: rounding to the nearest integer, a polynomial, the exponent's bits.
static inline vector exp2_of(vector x)
{
    const vector zero = {0}, shift = zero + 0x1.8p23f;
    x = larger(x, zero - 126.0f);
    const vector shifted = x + shift, f = x - (shifted - shift);
    vector p = zero + 0x1.41d334p-13f;
    p = p * f + 0x1.5f456ap-10f;
    p = p * f + 0x1.3b2dbcp-7f;
    p = p * f + 0x1.c6aed4p-5f;
    p = p * f + 0x1.ebfbdap-3f;
    p = p * f + 0x1.62e430p-1f;
    p = p * f + 1.0f;
    return (vector)((integers)p + ((integers)shifted << 23));
}

// Turns row[count], scores in units of log2, into weights that still lack the division by their sum, which it returns.
// row has room for whole vectors after count.
static float softmax(float *row, size_t count)
{
    const vector zero = {0};
    for (size_t i = count; i % LANES; i++) {
        row[i] = -1e30f;
    }
    vector top = zero - 1e30f, sum = zero;
    for (size_t i = 0; i < count; i += LANES) {
        top = larger(top, *(const vector *)(row + i));
    }
    float most = top[0], total = 0.0f;
    for (size_t l = 1; l < LANES; l++) {
        most = fmaxf(most, top[l]);
    }
    for (size_t i = 0; i < count; i += LANES) {
        const vector weights = exp2_of(*(const vector *)(row + i) - most);
        *(vector *)(row + i) = weights;
        sum += weights;
    }
    for (size_t l = 0; l < LANES; l++) {
        total += sum[l];
    }
    return total;
}

// -- The layer ------------------------------------------------------------------------------------------------------

// y[rows][columns] starts as the bias, which the product then adds to.
static void linear(const struct openblas_call *call, size_t rows, size_t columns, const float *x, const float *w,
                   const float *bias, float *y)
{
    const size_t d = call->d_model;
    for (size_t r = 0; r < rows; r++) {
        memcpy(y + r * columns, bias, columns * sizeof *y);
    }
    const struct matrix weights = {w, call->transposed ? d : columns, call->transposed ? TRANS : NO_TRANS};
    product(call, rows, columns, d, 1.0f, (struct matrix){x, d, NO_TRANS}, weights, 1.0f, y, columns);
}

// One head of one sequence: queries are d_model * 3 apart, keys so many columns of k, values rows of v.
struct head {
    const float *q;
    struct matrix k, v;
    size_t keys;
};

// Rows first .. first + count of a head.
static void attend_block(const struct openblas_call *call, const struct head *head, size_t first, size_t count,
                         float *out)
{
    const size_t d = call->d_model, d_head = d / call->heads, keys = call->causal ? first + count : head->keys;
    const size_t stride = (head->keys + 15) / 16 * 16 + 16; // never a power of two
    const float log2_e = 1.44269504f;
    product(call, count, keys, d_head, log2_e / sqrtf((float)d_head),
            (struct matrix){head->q + first * 3 * d, 3 * d, NO_TRANS}, head->k, 0.0f, call->scores, stride);
    float sums[256];
    for (size_t r = 0; r < count; r++) {
        float *row = call->scores + r * stride;
        const size_t seen = call->causal ? first + r + 1 : keys;
        sums[r] = softmax(row, seen);
        memset(row + seen, 0, (keys - seen) * sizeof *row);
    }
    product(call, count, d_head, keys, 1.0f, (struct matrix){call->scores, stride, NO_TRANS}, head->v, 0.0f,
            out + first * d, d);
    for (size_t r = 0; r < count; r++) {
        for (size_t c = 0; c < d_head; c++) {
            out[(first + r) * d + c] /= sums[r];
        }
    }
}

// A head whose keys and values are those of its own rows.
static struct head own_head(const struct openblas_call *call, size_t start, size_t length, size_t h)
{
    const size_t d = call->d_model;
    const float *q = call->qkv + start * 3 * d + h * (d / call->heads);
    return (struct head){q, {q + d, 3 * d, TRANS}, {q + 2 * d, 3 * d, NO_TRANS}, length};
}

// A head of a sequence of one row, whose key and value join the earlier ones.
static struct head cached_head(const struct openblas_call *call, size_t start, size_t h)
{
    const size_t d = call->d_model, d_head = d / call->heads, count = call->cached + 1;
    const float *q = call->qkv + start * 3 * d + h * d_head;
    float *keys = call->keys + (start * call->heads + h) * count * d_head;
    float *values = call->values + (start * call->heads + h) * count * d_head;
    memcpy(values + call->cached * d_head, q + 2 * d, d_head * sizeof *values);
    for (size_t i = 0; i < d_head; i++) {
        keys[call->across ? i * count + call->cached : call->cached * d_head + i] = q[d + i];
    }
    const struct matrix across = {keys, count, NO_TRANS}, along = {keys, d_head, TRANS};
    return (struct head){q, call->across ? across : along, {values, d_head, NO_TRANS}, count};
}

static void attend(const struct openblas_call *call, size_t start, size_t length)
{
    const size_t d = call->d_model, d_head = d / call->heads;
    for (size_t h = 0; h < call->heads; h++) {
        const struct head head = call->cached ? cached_head(call, start, h) : own_head(call, start, length, h);
        for (size_t first = 0; first < length; first += call->block) {
            const size_t left = length - first, count = left < call->block ? left : call->block;
            attend_block(call, &head, first, count, call->heads_out + start * d + h * d_head);
        }
    }
}

// Runs the call. block is at most 256.
void openblas_layer(const struct openblas_call *call);

void openblas_layer(const struct openblas_call *call)
{
    size_t rows = 0;
    for (size_t b = 0; b < call->batch; b++) {
        rows += call->lengths[b];
    }
    linear(call, rows, 3 * call->d_model, call->x, call->w_in, call->b_in, call->qkv);
    for (size_t b = 0, start = 0; b < call->batch; start += call->lengths[b++]) {
        attend(call, start, call->lengths[b]);
    }
    linear(call, rows, call->d_model, call->heads_out, call->w_out, call->b_out, call->output);
}
