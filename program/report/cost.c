// cost.c: counts the operations and bytes of a call from the descriptor.
// Looks at roles for the projections a model has, so grouped keys and absent output projections count as they are.
#include "cost.h"
#include "min_max.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *role;
    bool of_keys;  // applied to rows of key and value (of a stack: of its memory), not of the query
    bool of_heads; // applied to each head of a row where a model shares it among them
} projections[] = {
    {"q_weight", false, true},        {"k_weight", true, true},          {"v_weight", true, true},
    {"o_weight", false, false},       {"memory_q_weight", false, false}, {"memory_k_weight", true, false},
    {"memory_v_weight", true, false}, {"memory_o_weight", false, false},
};

// Elements of a role, of a layer's or of the first layer of a stack or of a side of it; 0 where there is none of that
// name.
static double role_elements(const struct ga_model *model, const char *side, const char *role)
{
    char name[48];
    snprintf(name, sizeof name, "%s%s%s", side, model->stack ? "layers.0." : "", role);
    for (size_t i = 0; i < model->n_roles; i++) {
        if (strcmp(model->roles[i].name, name) == 0) {
            return (double)model->roles[i].shape[0] * (double)model->roles[i].shape[1];
        }
    }
    return 0.0;
}

static bool has_memory(const struct ga_model *model)
{
    return model->kind == GA_DECODER || model->kind == GA_TRANSFORMER;
}

// Whether a call begins its sequences, and has to make keys and values of what a decoder attends to.
static bool begins(const struct ga_call_size *size)
{
    return size->cached == 0;
}

// What is left of a after b.
static size_t beyond(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

// Keys query i sees.
static size_t visible(const struct ga_model *model, size_t i, size_t q_len, size_t kv_len)
{
    const bool right = model->causal == GA_CAUSAL_BOTTOM_RIGHT;
    const size_t reach = beyond(i + 1 + (right ? kv_len : 0), right ? q_len : 0); // up to the query's own place
    const size_t first = model->window > 0 ? beyond(reach, model->window) : 0;
    size_t end = kv_len;
    if (model->causal != GA_CAUSAL_NONE) {
        end = ga_min(end, reach);
    } else if (model->window_both) {
        end = ga_min(end, reach + model->window - 1);
    }
    return beyond(end, first);
}

static bool is_projection(const char *role)
{
    for (size_t i = 0; i < sizeof projections / sizeof projections[0]; i++) {
        if (strcmp(projections[i].role, role) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_weight(const char *role)
{
    const size_t length = strlen(role), ending = strlen("_weight");
    return length > ending && strcmp(role + length - ending, "_weight") == 0;
}

// Of one row through the linears of a stack's layer that are none of attention's: its matrices but those.
static double other_flops(const struct ga_model *model, const char *side)
{
    char prefix[24];
    const int length = snprintf(prefix, sizeof prefix, "%slayers.0.", side);
    double elements = 0.0;
    for (size_t i = 0; model->stack && i < model->n_roles; i++) {
        const struct ga_weight_role *role = &model->roles[i];
        const bool is_inside = strncmp(role->name, prefix, (size_t)length) == 0;
        if (is_inside && role->rank == 2 && is_weight(role->name) && !is_projection(role->name + length)) {
            elements += (double)role->shape[0] * (double)role->shape[1];
        }
    }
    return 2.0 * elements;
}

// Of one sequence's rows through the linears of a layer.
static double projection_flops(const struct ga_model *model, const char *side, const struct ga_call_size *size)
{
    double flops = (double)size->q_len * other_flops(model, side);
    for (size_t i = 0; i < sizeof projections / sizeof projections[0]; i++) {
        const bool own = !projections[i].of_keys || (model->stack && strncmp(projections[i].role, "memory_", 7) != 0);
        const bool is_held = has_memory(model) && !begins(size);
        double rows = (double)(own ? size->q_len : is_held ? 0 : size->kv_len);
        if (model->shared_heads && projections[i].of_heads) {
            rows *= (double)(projections[i].of_keys ? model->n_kv_heads : model->n_heads);
        }
        flops += 2.0 * rows * role_elements(model, side, projections[i].role);
    }
    return flops;
}

// Numbers in the two matrices of a classification head; 0 without one.
static double classifier_elements(const struct ga_model *model)
{
    const size_t labels = model->stack ? model->stack->n_labels : 0;
    return labels > 0 ? (double)model->d_model * (double)(model->d_model + labels) : 0.0;
}

// Numbers in the matrices that make the logits of a row: the linear's, and that of its transform.
static double logits_elements(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    const size_t dense = stack->logits_transform ? model->d_model : 0;
    return (double)model->d_model * (double)(stack->n_logits + dense);
}

// Of one sequence's source through the encoder of a transformer.
static double encoder_flops(const struct ga_model *model, const struct ga_call_size *size)
{
    const struct ga_call_size source = {.q_len = size->kv_len, .kv_len = size->kv_len};
    const double pairs = (double)size->kv_len * (double)size->kv_len;
    const double attention = 4.0 * pairs * (double)model->n_heads * (double)model->d_head;
    return (double)model->encoder->n_layers * (projection_flops(model, "encoder.", &source) + attention);
}

// Pairs of a query and a key that it sees in one layer, of the stack's own rows and of its memory.
static double pairs_of_kind(const struct ga_model *model, const struct ga_model *kind, const struct ga_call_size *size)
{
    const size_t kv_len = model->stack ? size->q_len : size->kv_len;
    double pairs = has_memory(model) ? (double)size->q_len * (double)size->kv_len : 0.0;
    for (size_t i = 0; i < size->q_len; i++) {
        pairs += (double)visible(kind, size->cached + i, size->cached + size->q_len, size->cached + kv_len);
    }
    return pairs;
}

// The same of all layers.
static double seen_pairs(const struct ga_model *model, const struct ga_call_size *size)
{
    const size_t layers = model->stack ? model->stack->n_layers : 1;
    double pairs = model->layer_kinds ? 0.0 : (double)layers * pairs_of_kind(model, model, size);
    for (size_t l = 0; model->layer_kinds && l < layers; l++) {
        pairs += pairs_of_kind(model, &model->layer_kinds[model->kind_of_layer[l]], size);
    }
    return pairs;
}

double ga_cost_flops(const struct ga_model *model, const struct ga_call_size *size)
{
    const struct ga_stack *stack = model->stack;
    const char *side = model->kind == GA_TRANSFORMER ? "decoder." : "";
    const double layers = stack ? (double)stack->n_layers : 1.0;
    const double attention =
        2.0 * seen_pairs(model, size) * (double)model->n_heads * (double)(model->d_head + model->d_v);
    double flops = layers * projection_flops(model, side, size) + attention;
    if (stack) {
        flops += 2.0 * (double)size->logit_rows * logits_elements(model);
    }
    if (size->class_logits) {
        flops += 2.0 * classifier_elements(model);
    }
    if (model->kind == GA_TRANSFORMER && begins(size)) {
        flops += encoder_flops(model, size);
    }
    return (double)size->batch * flops;
}

double ga_cost_bytes(const struct ga_model *model, const struct ga_call_size *size)
{
    const bool self = !has_memory(model) && size->kv_len == size->q_len && model->k_dim == model->d_model &&
                      model->v_dim == model->d_model;
    const size_t kv_width = model->k_dim + (model->v_dim == model->k_dim ? 0 : model->v_dim);
    const double query = (double)size->q_len * (double)(model->d_model + model->d_out);
    const bool holds = has_memory(model) && !begins(size);
    const double keys = self || holds ? 0.0 : (double)size->kv_len * (double)kv_width;
    const double held = (double)(size->cached + (holds ? size->kv_len : 0));
    const double past = held * (double)ga_cost_cache_row_bytes(model);
    const double logits = model->stack ? (double)(size->logit_rows * model->stack->n_logits) : 0.0;
    const double labels = size->class_logits && model->stack ? (double)model->stack->n_labels : 0.0;
    return (double)size->batch * ((query + keys + logits + labels) * (double)sizeof(float) + past);
}

size_t ga_cost_cache_row_bytes(const struct ga_model *model)
{
    const size_t layers = model->stack ? model->stack->n_layers : 1;
    const size_t step = model->cache_dtype == GA_I8 ? sizeof(uint16_t) : 0; // of each row of a head
    const size_t row = model->d_head * ga_dtype_size(model->cache_dtype) + step;
    return model->cache ? 2 * layers * model->n_kv_heads * row : 0;
}

static bool is_in_groups(enum ga_storage dtype)
{
    return dtype == GA_STORAGE_INT8 || dtype == GA_STORAGE_INT4;
}

// Bytes of a weight of a linear, as it is packed: in each dtype that a call may choose.
static double element_bytes(const struct ga_model *model, enum ga_linear linear)
{
    static const double stored[] = {[GA_STORAGE_F32] = sizeof(float),
                                    [GA_STORAGE_BF16] = 2,
                                    [GA_STORAGE_F16] = 2,
                                    [GA_STORAGE_INT8] = (32 + 2) / 32.0,
                                    [GA_STORAGE_INT4] = (16 + 2) / 32.0};
    const double bytes[GA_ARITHMETICS] = {[GA_ARITHMETIC_F32] = stored[model->weights_dtype],
                                          [GA_ARITHMETIC_BF16] = 2,
                                          [GA_ARITHMETIC_I16] = 2,
                                          [GA_ARITHMETIC_INT8] =
                                              is_in_groups(model->weights_dtype) ? stored[model->weights_dtype] : 1};
    double sum = 0.0;
    for (size_t a = 0; a < GA_ARITHMETICS; a++) {
        sum += model->arithmetic_choices >> a & 1U ? bytes[a] : 0.0;
    }
    return model->arithmetic_choices ? sum : bytes[model->arithmetic[linear]];
}

// Bytes of the weights that only a call that begins a sequence reads: a transformer's encoder, and what makes keys and
// values of a memory. All their linears count as that of keys.
static double beginning_bytes(const struct ga_model *model)
{
    const double element = element_bytes(model, GA_LINEAR_K);
    double bytes = 0.0;
    for (size_t i = 0; has_memory(model) && i < model->n_roles; i++) {
        const struct ga_weight_role *role = &model->roles[i];
        const bool is_used = strncmp(role->name, "encoder.", 8) == 0 || strstr(role->name, ".memory_k_") ||
                             strstr(role->name, ".memory_v_");
        const bool is_table = strcmp(role->name, "encoder.embedding") == 0;
        const bool is_linear = role->rank == 2 && !is_table && !strstr(role->name, "embedding");
        const double elements = (double)role->shape[0] * (double)(role->rank == 2 ? role->shape[1] : 1);
        const double each = is_linear ? element : (double)sizeof(float);
        const double all = is_table ? (double)(role->shape[0] * ga_cost_token_row_bytes(model)) : elements * each;
        bytes += is_used ? all : 0.0;
    }
    return bytes;
}

size_t ga_cost_token_row_bytes(const struct ga_model *model)
{
    const size_t scale = model->embedding_dtype == GA_I8 ? sizeof(uint16_t) : 0;
    return model->vocab_size ? model->d_model * ga_dtype_size(model->embedding_dtype) + scale : 0;
}

// Whether what logits multiply are the numbers of the table.
static bool serves_both(const struct ga_model *model)
{
    static const enum ga_arithmetic of_table[] = {
        [GA_F32] = GA_ARITHMETIC_F32, [GA_BF16] = GA_ARITHMETIC_BF16, [GA_I8] = GA_ARITHMETIC_INT8};
    const enum ga_arithmetic logits = model->arithmetic[GA_LINEAR_LOGITS];
    if (model->weights_dtype == GA_STORAGE_F32) {
        return logits == of_table[model->embedding_dtype];
    }
    return model->embedding_dtype == GA_F32 && (logits == GA_ARITHMETIC_F32 || is_in_groups(model->weights_dtype));
}

bool ga_cost_has_token_table(const struct ga_model *model)
{
    const bool is_tied = model->stack && model->stack->logits_tied;
    return model->vocab_size > 0 && !(is_tied && serves_both(model));
}

double ga_cost_weight_bytes(const struct ga_model *model, const struct ga_variant *variant,
                            const struct ga_call_size *size)
{
    const struct ga_stack *stack = model->stack;
    double unread = 0.0;
    if (stack && ga_cost_has_token_table(model)) {
        unread += (double)model->vocab_size * (double)ga_cost_token_row_bytes(model);
    }
    if (stack && size->logit_rows == 0) {
        unread += logits_elements(model) * element_bytes(model, GA_LINEAR_LOGITS);
    }
    if (stack && !size->class_logits) {
        unread += classifier_elements(model) * element_bytes(model, GA_LINEAR_CLASSIFIER);
    }
    if (!begins(size)) {
        unread += beginning_bytes(model);
    }
    return (double)variant->packed_bytes - unread;
}
