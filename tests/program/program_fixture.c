// program_fixture.c: a tiny model for tests of the command line: everything a descriptor may offer, computed naively.
// Not a reference for kernels; it exists so that tokens, lengths, attention and an ISA no CPU has are all there.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "packed_parts.h"
#include "program.h" // defines: ga_program

enum { D = 8, HEADS = 2, D_HEAD = D / HEADS, MOST = 16, VOCAB = 10 };
enum { EMBEDDING, Q_WEIGHT, Q_BIAS, K_WEIGHT, K_BIAS, V_WEIGHT, V_BIAS, O_WEIGHT, O_BIAS, N_ROLES };

static const struct ga_weight_role roles[N_ROLES] = {
    [EMBEDDING] = {"embedding", 2, {VOCAB, D}},
    [Q_WEIGHT] = {"q_weight", 2, {D, D}},
    [Q_BIAS] = {"q_bias", 1, {D}},
    [K_WEIGHT] = {"k_weight", 2, {D, D}},
    [K_BIAS] = {"k_bias", 1, {D}},
    [V_WEIGHT] = {"v_weight", 2, {D, D}},
    [V_BIAS] = {"v_bias", 1, {D}},
    [O_WEIGHT] = {"o_weight", 2, {D, D}},
    [O_BIAS] = {"o_bias", 1, {D}},
};

static size_t role_elements(size_t role)
{
    return roles[role].shape[0] * (roles[role].rank == 2 ? roles[role].shape[1] : 1);
}

// Where a role starts among the packed weights, which lie dense in role order.
static size_t role_start(size_t role)
{
    size_t start = 0;
    for (size_t r = 0; r < role; r++) {
        start += role_elements(r);
    }
    return start;
}

// Roles as they are, dense in role order.
static const struct ga_packed_parts *packed_parts(void)
{
    static struct ga_packed_copy copies[N_ROLES];
    static const struct ga_packed_parts parts = {.count = 1, .copies = copies, .n_copies = N_ROLES};
    for (size_t r = 0; r < N_ROLES; r++) {
        const bool is_vector = roles[r].rank == 1;
        const size_t columns = is_vector ? roles[r].shape[0] : roles[r].shape[1];
        copies[r] = (struct ga_packed_copy){.role = r,
                                            .at = role_start(r) * sizeof(float),
                                            .is_vector = is_vector,
                                            .rows = is_vector ? 1 : roles[r].shape[0],
                                            .columns = columns,
                                            .stride = columns,
                                            .factor = 1.0F};
    }
    return &parts;
}

static void project(const float *packed, size_t role, const float *x, float *y)
{
    const float *weight = packed + role_start(role), *bias = packed + role_start(role + 1);
    for (size_t o = 0; o < D; o++) {
        y[o] = bias[o];
        for (size_t i = 0; i < D; i++) {
            y[o] += weight[o * D + i] * x[i];
        }
    }
}

// Floats of scratch that each thread has.
static size_t keys_and_values(size_t kv_len)
{
    return 2 * kv_len * D;
}

static size_t scratch_bytes(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)batch;
    (void)q_len;
    return threads * keys_and_values(kv_len) * sizeof(float);
}

static void softmax(float *scores, size_t count)
{
    float top = -INFINITY, sum = 0.0f;
    for (size_t j = 0; j < count; j++) {
        top = fmaxf(top, scores[j]);
    }
    for (size_t j = 0; j < count; j++) {
        scores[j] = expf(scores[j] - top);
        sum += scores[j];
    }
    for (size_t j = 0; j < count; j++) {
        scores[j] /= sum;
    }
}

static bool is_masked(const struct ga_io *io, size_t b, size_t h, size_t i, size_t j)
{
    const size_t *strides = io->mask_strides;
    return io->mask && !io->mask[b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3]];
}

// One query row of one head: its weights over `real` keys, which start as 0, or -inf for those that are masked, and
// their mean of the values.
static void attend(const float *q, const float *keys, const float *values, size_t real, float *weights, float *out)
{
    memset(out, 0, D_HEAD * sizeof *out);
    for (size_t j = 0; j < real; j++) {
        for (size_t d = 0; d < D_HEAD; d++) {
            weights[j] += q[d] * keys[j * D + d] * 0.5f; // 1 / sqrt(D_HEAD)
        }
    }
    softmax(weights, real);
    for (size_t j = 0; j < real; j++) {
        for (size_t d = 0; d < D_HEAD; d++) {
            out[d] += weights[j] * values[j * D + d];
        }
    }
}

static void attend_row(const struct ga_io *io, size_t b, size_t i, const float *q, const float *keys,
                       const float *values, float *mixed)
{
    size_t real = io->kv_lengths ? (size_t)io->kv_lengths[b] : io->kv_len;
    for (size_t h = 0; h < HEADS; h++) {
        float weights[MOST] = {0};
        size_t at = h * D_HEAD;
        for (size_t j = 0; j < real; j++) {
            weights[j] = is_masked(io, b, h, i, j) ? -INFINITY : 0.0f;
        }
        attend(q + at, keys + at, values + at, real, weights, mixed + at);
        if (io->attention) {
            float *to = io->attention + ((b * HEADS + h) * io->q_len + i) * io->kv_len;
            memcpy(to, weights, io->kv_len * sizeof *to);
        }
    }
}

static const float *source_row(const float *packed, const struct ga_io *io, const float *rows, size_t index)
{
    size_t row = io->tokens ? (size_t)io->tokens[index] : index;
    return (io->tokens ? packed + role_start(EMBEDDING) : rows) + row * D;
}

static void run_sequence(const float *packed, const struct ga_io *io, size_t b, float *keys)
{
    float *values = keys + io->kv_len * D;
    for (size_t j = 0; j < io->kv_len; j++) {
        project(packed, K_WEIGHT, source_row(packed, io, io->key, b * io->kv_len + j), keys + j * D);
        project(packed, V_WEIGHT, source_row(packed, io, io->value, b * io->kv_len + j), values + j * D);
    }
    size_t real = io->q_lengths ? (size_t)io->q_lengths[b] : io->q_len;
    for (size_t i = 0; i < io->q_len; i++) {
        float q[D], mixed[D], *out = io->output + (b * io->q_len + i) * D;
        memset(out, 0, sizeof q);
        if (i < real) {
            project(packed, Q_WEIGHT, source_row(packed, io, io->query, b * io->q_len + i), q);
            attend_row(io, b, i, q, keys, values, mixed);
            project(packed, O_WEIGHT, mixed, out);
        }
    }
}

struct call {
    const float *packed;
    const struct ga_io *io;
    float *scratch;
    size_t parts;
};

// Every parts-th sequence, on scratch of its own.
static void run_part(void *context, size_t part)
{
    const struct call *call = context;
    for (size_t b = part; b < call->io->batch; b += call->parts) {
        run_sequence(call->packed, call->io, b, call->scratch + part * keys_and_values(call->io->kv_len));
    }
}

// Says once how many threads it was given, for tests to see.
static void run(const void *packed, const struct ga_io *io, void *scratch)
{
    static bool said;
    const struct ga_parallel *parallel = io->parallel;
    struct call call = {packed, io, scratch, parallel ? parallel->threads : 1};
    if (!parallel) {
        run_part(&call, 0);
        return;
    }
    if (!said) {
        fprintf(stderr, "fixture: %zu threads\n", parallel->threads);
    }
    said = true;
    parallel->run(parallel->self, call.parts, run_part, &call);
}

// -- The descriptor -------------------------------------------------------------------------------------------------

#define MATRIX(role, name)                        \
    {                                             \
        role, name, 2, {D, D}, 0, false, false, 0 \
    }
#define VECTOR(role, name)                     \
    {                                          \
        role, name, 1, {D}, 0, false, false, 0 \
    }
#define STACKED_MATRIX(role, name, place)                       \
    {                                                           \
        role, name, 2, {3 * D, D}, place *D *D, false, false, 0 \
    }
#define STACKED_VECTOR(role, name, place)                 \
    {                                                     \
        role, name, 1, {3 * D}, place *D, false, false, 0 \
    }

static const struct ga_weight_source w_o_sources[N_ROLES] = {
    {EMBEDDING, "embedding.weight", 2, {VOCAB, D}, 0, false, true, 0},
    MATRIX(Q_WEIGHT, "w_q.weight"),
    VECTOR(Q_BIAS, "w_q.bias"),
    MATRIX(K_WEIGHT, "w_k.weight"),
    VECTOR(K_BIAS, "w_k.bias"),
    MATRIX(V_WEIGHT, "w_v.weight"),
    VECTOR(V_BIAS, "w_v.bias"),
    MATRIX(O_WEIGHT, "w_o.weight"),
    VECTOR(O_BIAS, "w_o.bias"),
};

static const struct ga_weight_source torch_mha_sources[N_ROLES] = {
    {EMBEDDING, "embedding.weight", 2, {VOCAB, D}, 0, false, true, 0},
    STACKED_MATRIX(Q_WEIGHT, "in_proj_weight", 0),
    STACKED_VECTOR(Q_BIAS, "in_proj_bias", 0),
    STACKED_MATRIX(K_WEIGHT, "in_proj_weight", 1),
    STACKED_VECTOR(K_BIAS, "in_proj_bias", 1),
    STACKED_MATRIX(V_WEIGHT, "in_proj_weight", 2),
    STACKED_VECTOR(V_BIAS, "in_proj_bias", 2),
    MATRIX(O_WEIGHT, "out_proj.weight"),
    VECTOR(O_BIAS, "out_proj.bias"),
};

static const struct ga_weight_map maps[] = {{.name = "w_o", .sources = w_o_sources},
                                            {.name = "torch_mha", .sources = torch_mha_sources}};

static const struct ga_kernel_info kernels[] = {
    {"fixture_project", "project", "1x1", "naive, for tests of the command line"},
};

static const uint32_t no_cpu_has = UINT32_C(1) << 31;
enum { PACKED_BYTES = (VOCAB * D + 4 * D * D + 4 * D) * sizeof(float) };

int main(int argc, char **argv)
{
    const struct ga_packed_parts *parts = packed_parts();
    const struct ga_variant variants[] = {
        {"future", no_cpu_has, 0, false, PACKED_BYTES, 1, kernels, 1, parts, scratch_bytes, run, {0}, {0}, 1},
        {"scalar", 0, 0, false, PACKED_BYTES, 1, kernels, 1, parts, scratch_bytes, run, {0}, {0}, 1},
    };
    static const char *const sentences[] = {"lengths: padding is neither computed nor seen"};
    const struct ga_model model = {
        .abi = GA_ABI,
        .bits_revision = GA_BITS_REVISION,
        .name = "fixture",
        .spec = "return {\n  name = \"fixture\",\n  d_model = 8,\n}\n",
        .d_model = D,
        .k_dim = D,
        .v_dim = D,
        .d_out = D,
        .d_v = D_HEAD,
        .n_heads = HEADS,
        .n_kv_heads = HEADS,
        .d_head = D_HEAD,
        .q_len = {1, MOST},
        .kv_len = {1, MOST},
        .vocab_size = VOCAB,
        .causal = GA_CAUSAL_NONE,
        .scale = 0.5,
        .lengths = true,
        .attention_output = true,
        .sentences = sentences,
        .n_sentences = 1,
        .roles = roles,
        .n_roles = N_ROLES,
        .maps = maps,
        .n_maps = sizeof maps / sizeof maps[0],
        .variants = variants,
        .n_variants = sizeof variants / sizeof variants[0],
        .mask = GA_MASK_BOOL,
    };
    return ga_program(&model, argc, argv);
}
