// program_stack_fixture.c: a tiny stack of layers for tests of the command line: rows are those of its input plus those
// of their types, and each of three layers adds one, so that every output is known; what a layer's rows give each other
// by way of attention has no part in them. Not a reference for kernels.
#include <string.h>

#include "packed_parts.h"
#include "program.h" // defines: ga_program

enum { D = 8, HEADS = 2, LAYERS = 3, MOST = 16, VOCAB = 10, TYPES = 2, LOGITS = VOCAB };
enum { EMBEDDING, TOKEN_TYPES, N_ROLES };

static const struct ga_weight_role roles[N_ROLES] = {
    [EMBEDDING] = {"embedding", 2, {VOCAB, D}},
    [TOKEN_TYPES] = {"token_types", 2, {TYPES, D}},
};

enum { PACKED_BYTES = (VOCAB + TYPES) * D * sizeof(float) };
static const size_t starts[N_ROLES] = {0, VOCAB *D}; // of each role among the packed weights

static const struct ga_packed_copy copies[N_ROLES] = {
    {.role = EMBEDDING, .rows = VOCAB, .columns = D, .stride = D, .factor = 1.0F},
    {.role = TOKEN_TYPES, .at = VOCAB * D * sizeof(float), .rows = TYPES, .columns = D, .stride = D, .factor = 1.0F},
};
static const struct ga_packed_parts parts = {.count = 1, .copies = copies, .n_copies = N_ROLES};

static size_t scratch_bytes(size_t batch, size_t q_len, size_t kv_len, size_t threads)
{
    (void)kv_len;
    (void)threads;
    return batch * q_len * D * sizeof(float);
}

static size_t real_length(const struct ga_io *io, size_t b)
{
    return io->q_lengths ? (size_t)io->q_lengths[b] : io->q_len;
}

// x [batch][q_len][D]: rows as the first layer takes them, zeros after a length.
static void take_rows(const float *packed, const struct ga_io *io, float *x)
{
    memset(x, 0, io->batch * io->q_len * D * sizeof *x);
    for (size_t i = 0; i < io->batch * io->q_len; i++) {
        const float *row = io->tokens ? packed + (size_t)io->tokens[i] * D : io->query + i * D;
        const float *type = packed + starts[TOKEN_TYPES] + (io->token_types ? (size_t)io->token_types[i] : 0) * D;
        for (size_t d = 0; i % io->q_len < real_length(io, i / io->q_len) && d < D; d++) {
            x[i * D + d] = row[d] + type[d];
        }
    }
}

// One more layer: each real row plus one.
static void layer(const struct ga_io *io, float *x)
{
    for (size_t i = 0; i < io->batch * io->q_len * D; i++) {
        x[i] += i / D % io->q_len < real_length(io, i / D / io->q_len) ? 1.0f : 0.0f;
    }
}

// A row gives all to the key as many places before it as the layer's number, or to the first; in the second head to
// itself.
static void attend(const struct ga_io *io, size_t l, float *to)
{
    memset(to, 0, io->batch * HEADS * io->q_len * io->q_len * sizeof *to);
    for (size_t at = 0; at < io->batch * HEADS * io->q_len; at++) {
        const size_t i = at % io->q_len, head = at / io->q_len % HEADS;
        const size_t key = head == 1 ? i : i < l ? 0 : i - l;
        to[at * io->q_len + key] = i < real_length(io, at / io->q_len / HEADS) ? 1.0f : 0.0f;
    }
}

static void copy(const struct ga_io *io, const float *x, float *to)
{
    if (to) {
        memcpy(to, x, io->batch * io->q_len * D * sizeof *x);
    }
}

static void pool(const struct ga_io *io, size_t b, const float *x, float *to)
{
    const size_t real = real_length(io, b);
    for (size_t d = 0; d < D; d++) {
        to[d] = 0.0f;
        for (size_t i = 0; i < real; i++) {
            to[d] += x[i * D + d] / (float)real;
        }
    }
}

// Logit c of a row is its first number plus 100 c.
static void give_row_logits(const float *row, float *to)
{
    for (size_t c = 0; c < LOGITS; c++) {
        to[c] = row[0] + 100.0f * (float)c;
    }
}

static void give_logits(const struct ga_io *io, size_t b, const float *x)
{
    const size_t real = real_length(io, b);
    for (size_t i = 0; io->logits && i < io->q_len; i++) {
        float *to = io->logits + (b * io->q_len + i) * LOGITS;
        memset(to, 0, LOGITS * sizeof *to);
        if (i < real) {
            give_row_logits(x + i * D, to);
        }
    }
    if (io->last_logits) {
        memset(io->last_logits + b * LOGITS, 0, LOGITS * sizeof *x);
    }
    if (io->last_logits && real > 0) {
        give_row_logits(x + (real - 1) * D, io->last_logits + b * LOGITS);
    }
}

static void run(const void *packed, const struct ga_io *io, void *scratch)
{
    float *x = scratch;
    take_rows(packed, io, x);
    for (size_t l = 0; l <= LAYERS; l++) {
        copy(io, x, io->hidden ? io->hidden[l] : NULL);
        if (l < LAYERS && io->layer_attention && io->layer_attention[l]) {
            attend(io, l, io->layer_attention[l]);
        }
        if (l < LAYERS) {
            layer(io, x);
        }
    }
    copy(io, x, io->output);
    for (size_t b = 0; b < io->batch; b++) {
        if (io->embedding) {
            pool(io, b, x + b * io->q_len * D, io->embedding + b * D);
        }
        give_logits(io, b, x + b * io->q_len * D);
    }
}

// -- The descriptor -------------------------------------------------------------------------------------------------

static const struct ga_weight_source sources[N_ROLES] = {
    {EMBEDDING, "embedding", 2, {VOCAB, D}, 0, false, false, 0},
    {TOKEN_TYPES, "token_types", 2, {TYPES, D}, 0, false, false, 0},
};

static const struct ga_weight_map maps[] = {{.name = "roles", .sources = sources}};

static const struct ga_kernel_info kernels[] = {{"fixture_add", "add", "1x1", "naive, for tests of the command line"}};

static const char *const steps[] = {"adding", "giving"};
static const struct ga_stack_buffer buffers[] = {{"x", D, GA_ROWS_ALL, 0, 1}, {"mid", 16, GA_ROWS_BLOCK, 1, 1}};

static const struct ga_stack stack = {
    .n_layers = LAYERS,
    .d_ff = 16,
    .ffn_activation = GA_ACTIVATION_GELU,
    .norm = {GA_NORM_LAYER, 1e-5, false, false},
    .token_types = TYPES,
    .pool = GA_POOL_MEAN,
    .d_embedding = D,
    .logits = GA_LOGITS_LINEAR,
    .n_logits = LOGITS,
    .attention = true,
    .steps = steps,
    .n_steps = sizeof steps / sizeof *steps,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof *buffers,
};

int main(int argc, char **argv)
{
    static const struct ga_variant variants[] = {
        {"scalar", 0, 0, false, PACKED_BYTES, 1, kernels, 1, &parts, scratch_bytes, run, {0}, {0}, 1},
    };
    static const char *const sentences[] = {"layers: 3"};
    const struct ga_model model = {
        .abi = GA_ABI,
        .bits_revision = GA_BITS_REVISION,
        .name = "stack_fixture",
        .spec = "return {\n  name = \"stack_fixture\",\n  kind = \"encoder\",\n}\n",
        .d_model = D,
        .k_dim = D,
        .v_dim = D,
        .d_out = D,
        .d_v = D / HEADS,
        .n_heads = HEADS,
        .n_kv_heads = HEADS,
        .d_head = D / HEADS,
        .q_len = {1, MOST},
        .kv_len = {1, MOST},
        .vocab_size = VOCAB,
        .causal = GA_CAUSAL_TOP_LEFT,
        .scale = 0.5,
        .lengths = true,
        .kind = GA_ENCODER,
        .sentences = sentences,
        .n_sentences = 1,
        .roles = roles,
        .n_roles = N_ROLES,
        .maps = maps,
        .n_maps = 1,
        .variants = variants,
        .n_variants = 1,
        .stack = &stack,
        .arithmetic = {[GA_LINEAR_LOGITS] = GA_ARITHMETIC_I16},
    };
    return ga_program(&model, argc, argv);
}
