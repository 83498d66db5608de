// info_stack.c: what `info` tells of a whole model in addition to what it tells of any: its layers and its parameters.
// Counts from roles and properties; runs nothing.
#include <stdio.h>
#include <string.h>

#include "info.h"
#include "mixture.h"

static const char *const activations[] = {
    [GA_ACTIVATION_NONE] = "none",           [GA_ACTIVATION_RELU] = "relu", [GA_ACTIVATION_GELU] = "gelu",
    [GA_ACTIVATION_GELU_TANH] = "gelu_tanh", [GA_ACTIVATION_SILU] = "silu", [GA_ACTIVATION_TANH] = "tanh",
};
// Where norms are, as a spec says it and in words.
static const char *const places[][2] = {
    {"post", "after residuals"},
    {"pre", "before blocks"},
    {"result", "over blocks' results"},
    {"sandwich", "before blocks and over their results"},
};
static const char *const norms[] = {[GA_NORM_NONE] = "none", [GA_NORM_RMS] = "rms", [GA_NORM_LAYER] = "layer"};
static const char *const positions[] = {
    [GA_POSITIONS_NONE] = "none", [GA_POSITIONS_LEARNED] = "learned", [GA_POSITIONS_SINUSOIDAL] = "sinusoidal"};
static const char *const pools[] = {[GA_POOL_NONE] = "none",
                                    [GA_POOL_CLS] = "cls",
                                    [GA_POOL_MEAN] = "mean",
                                    [GA_POOL_LAST] = "last",
                                    [GA_POOL_WEIGHTED_MEAN] = "weighted_mean"};
static const char *const logits[] = {[GA_LOGITS_NONE] = "none",
                                     [GA_LOGITS_LINEAR] = "linear",
                                     [GA_LOGITS_SOFTMAX] = "softmax",
                                     [GA_LOGITS_LOG_SOFTMAX] = "log_softmax",
                                     [GA_LOGITS_UNIT] = "unit"};

static const char *const scores[] = {
    [GA_CLASS_SCORES_NONE] = "none", [GA_CLASS_SCORES_SIGMOID] = "sigmoid", [GA_CLASS_SCORES_SOFTMAX] = "softmax"};

static size_t elements(const struct ga_weight_role *role)
{
    return role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
}

struct ga_parameters ga_parameters_of(const struct ga_model *model)
{
    struct ga_parameters count = {0};
    const char *layer = model->kind == GA_TRANSFORMER ? "decoder.layers.0." : "layers.0.";
    for (size_t i = 0; i < model->n_roles; i++) {
        const struct ga_weight_role *role = &model->roles[i];
        count.all += elements(role);
        if (strncmp(role->name, layer, strlen(layer)) == 0) {
            count.of_layer += elements(role);
        }
        count.of_encoder += strncmp(role->name, "encoder.", strlen("encoder.")) == 0 ? elements(role) : 0;
    }
    count.beside_layers = count.all - count.of_encoder - (model->stack ? model->stack->n_layers : 0) * count.of_layer;
    return count;
}

// What a linear multiplies instead of floats.
static void print_dtype(enum ga_arithmetic arithmetic)
{
    if (arithmetic != GA_ARITHMETIC_F32) {
        printf(", in %s", ga_arithmetic_name(arithmetic));
    }
}

// Linears after pooling.
static void print_dense(const struct ga_stack *stack)
{
    for (size_t i = 0; i < stack->n_dense; i++) {
        printf(", dense %zu %s", stack->dense[i].n_out, activations[stack->dense[i].activation]);
    }
}

static json_t *dense_json(const struct ga_stack *stack)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stack->n_dense; i++) {
        json_array_append_new(list, json_pack("{s:o, s:s}", "size", ga_json_size(stack->dense[i].n_out), "activation",
                                              activations[stack->dense[i].activation]));
    }
    return list;
}

static size_t place_of(const struct ga_stack *stack)
{
    return (size_t)stack->norm_first + 2 * (size_t)stack->result_norm;
}

void ga_info_stack_print(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    const struct ga_parameters count = ga_parameters_of(model);
    if (stack->n_layers == 0) {
        printf("\nlayers\n  none%s, norm %s", stack->sublayer ? ", x + sublayer" : "", norms[stack->norm.kind]);
    } else {
        printf("\nlayers\n  %zu of d_ff %zu, %s%s%s%s, norm %s %s", stack->n_layers, stack->d_ff,
               activations[stack->ffn_activation], stack->ffn_gated ? " gated" : "",
               stack->without_attention ? ", without attention" : "",
               stack->without_residual ? ", without residual" : "", norms[stack->norm.kind],
               places[place_of(stack)][1]);
    }
    printf(", positions %s, pool %s", positions[stack->positions], pools[stack->pool]);
    print_dense(stack);
    printf(", logits %s", logits[stack->logits]);
    if (stack->n_logits) {
        printf(" of %zu%s", stack->n_logits, stack->logits_tied ? ", tied" : "");
        if (stack->logits_transform) {
            printf(", after a linear, %s and a norm", activations[stack->logits_transform]);
        }
        print_dtype(model->arithmetic[GA_LINEAR_LOGITS]);
    }
    if (stack->n_labels) {
        printf(", classifier of %zu labels, %s", stack->n_labels, activations[stack->classifier_activation]);
        print_dtype(model->arithmetic[GA_LINEAR_CLASSIFIER]);
    }
    printf("\n  %zu parameters: %zu x %zu in layers, %zu outside them", count.all, stack->n_layers, count.of_layer,
           count.beside_layers);
    if (model->encoder) {
        printf(", %zu in an encoder of %zu layers", count.of_encoder, model->encoder->n_layers);
    }
    printf("\n");
}

json_t *ga_info_stack_json(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    if (!stack) {
        return json_null();
    }
    const struct ga_parameters count = ga_parameters_of(model);
    json_t *properties = json_pack(
        "{s:o, s:o, s:s, s:b, s:s, s:f, s:s, s:b, s:s, s:o, s:s, s:b, s:s, s:o, s:b, s:b, s:b, s:b, s:o, s:s, s:s}",
        "n_layers", ga_json_size(stack->n_layers), "d_ff", ga_json_size(stack->d_ff), "activation",
        activations[stack->ffn_activation], "gated", stack->ffn_gated, "norm", norms[stack->norm.kind], "norm_eps",
        stack->norm.eps, "norm_place", places[place_of(stack)][0], "norm_final", stack->final_norm, "positions",
        positions[stack->positions], "token_types", ga_json_size(stack->token_types), "pool", pools[stack->pool],
        "pool_normalize", stack->pool_normalize, "logits", logits[stack->logits], "n_logits",
        ga_json_size(stack->n_logits), "logits_tied", stack->logits_tied, "attention", !stack->without_attention,
        "residual", !stack->without_residual, "sublayer", stack->sublayer, "n_labels", ga_json_size(stack->n_labels),
        "classifier_activation", activations[stack->classifier_activation], "class_scores",
        scores[stack->class_scores]);
    json_object_set_new(properties, "d_embedding", ga_json_size(stack->d_embedding));
    json_object_set_new(properties, "dense", dense_json(stack));
    json_object_set_new(properties, "logits_transform", json_string(activations[stack->logits_transform]));
    json_object_set_new(properties, "logits_dtype",
                        json_string(ga_arithmetic_name(model->arithmetic[GA_LINEAR_LOGITS])));
    json_object_set_new(properties, "classifier_dtype",
                        json_string(ga_arithmetic_name(model->arithmetic[GA_LINEAR_CLASSIFIER])));
    json_object_set_new(properties, "parameters",
                        json_pack("{s:o, s:o, s:o, s:o}", "all", ga_json_size(count.all), "of_a_layer",
                                  ga_json_size(count.of_layer), "beside_layers", ga_json_size(count.beside_layers),
                                  "of_encoder", ga_json_size(count.of_encoder)));
    return properties;
}
