// call_model.c: the rules for what only calls of whole models have. Runs nothing.
#include "call.h"

bool ga_call_has_memory(const struct ga_model *model)
{
    return model->kind == GA_DECODER || model->kind == GA_TRANSFORMER;
}

static bool asks_for_anything(const struct ga_io *io)
{
    return io->output != NULL || io->embedding != NULL || io->logits != NULL || io->last_logits != NULL ||
           io->class_logits != NULL || io->hidden != NULL || io->layer_attention != NULL ||
           io->layer_cross_attention != NULL || io->src_layer_attention != NULL;
}

// Of one layer: what only stacks have is absent.
static enum ga_status check_layer(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_call_rule rules[] = {
        {io->token_types != NULL, GA_UNSUPPORTED, "token_types are given, but the model is one attention layer"},
        {io->sublayer != NULL, GA_UNSUPPORTED, "sublayer is given, but the model is one attention layer"},
        {io->embedding != NULL || io->logits != NULL || io->last_logits != NULL || io->hidden != NULL, GA_UNSUPPORTED,
         "embedding, logits, last_logits or hidden is given, but the model is one attention layer"},
        {io->class_logits != NULL, GA_UNSUPPORTED, "class_logits is given, but the model is one attention layer"},
        {io->layer_attention != NULL, GA_UNSUPPORTED,
         "layer_attention is given, but the model is one attention layer, which has attention"},
        {io->layer_cross_attention != NULL || io->src_layer_attention != NULL, GA_UNSUPPORTED,
         "layer_cross_attention or src_layer_attention is given, but the model is one attention layer, which has "
         "attention"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

// The lists of softmax weights that a stack is asked for.
static enum ga_status check_weights_lists(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const bool wants_cross = io->layer_cross_attention != NULL, wants_source = io->src_layer_attention != NULL;
    const bool is_transformer = model->kind == GA_TRANSFORMER;
    const struct ga_call_rule rules[] = {
        {io->layer_attention != NULL && !model->stack->attention, GA_UNSUPPORTED,
         "layer_attention is given, but the model was generated without; list attention in the spec's outputs"},
        {wants_cross && !ga_call_has_memory(model), GA_UNSUPPORTED,
         "layer_cross_attention is given, but an encoder's layers attend to their own rows alone"},
        {wants_cross && !model->stack->cross_attention, GA_UNSUPPORTED,
         "layer_cross_attention is given, but the model was generated without; list cross_attention in the spec's "
         "outputs"},
        {wants_source && !is_transformer, GA_UNSUPPORTED,
         "src_layer_attention is given, but the model is not a transformer, which has a source"},
        {wants_source && is_transformer && !model->encoder->attention, GA_UNSUPPORTED,
         "src_layer_attention is given, but the model was generated without; list attention in the spec's outputs"},
        {wants_source && io->key == NULL && io->key_tokens == NULL, GA_ARGUMENT,
         "src_layer_attention is given, but key and key_tokens are both NULL; expected the source, without which the "
         "encoder does not run"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

// Where a stack's keys come from, besides its own rows.
static enum ga_status check_source(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const bool is_encoder = model->kind == GA_ENCODER, is_transformer = model->kind == GA_TRANSFORMER;
    const bool is_given = io->key != NULL || io->key_tokens != NULL || io->memory != NULL;
    const bool may_hold = model->cache != 0; // ga_cache_check_memory says whether it does
    const struct ga_call_rule rules[] = {
        {is_encoder && io->key != NULL, GA_UNSUPPORTED,
         "key is given, but an encoder's keys and values are made from its own rows"},
        {is_encoder && io->kv_lengths != NULL && io->kv_lengths != io->q_lengths, GA_ARGUMENT,
         "kv_lengths is given; expected only q_lengths, which is used for both"},
        {model->kind == GA_DECODER && io->key == NULL && !may_hold, GA_ARGUMENT,
         "key is NULL; expected the encoder's output, [batch][kv_len][d_model]"},
        {io->value != NULL && io->value != io->key, GA_UNSUPPORTED,
         "value is given, but a stack's values are made from its own rows, or from key"},
        {is_transformer && !is_given && !may_hold, GA_ARGUMENT,
         "key, key_tokens and memory are all NULL; expected the source as rows, as token ids, or as what the encoder "
         "gave before"},
        {ga_call_has_memory(model) && is_given && io->kv_len == 0, GA_ARGUMENT,
         "kv_len is 0; expected the rows a sequence has of what it attends to"},
        {io->key != NULL && io->key_tokens != NULL, GA_ARGUMENT,
         "key and key_tokens are both given; expected one of them"},
        {io->key_tokens != NULL && model->src_vocab_size == 0, GA_UNSUPPORTED,
         "key_tokens are given, but the model has no source embedding; give key, or set vocab_size in the spec"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

enum ga_status ga_call_model(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_stack *stack = model->stack;
    if (model->kind != GA_TRANSFORMER && (io->key_tokens != NULL || io->memory != NULL)) {
        return ga_fail(error, GA_UNSUPPORTED, "%s: key_tokens or memory is given, but the model is not a transformer",
                       model->name);
    }
    if (stack == NULL) {
        return check_layer(model, io, error);
    }
    const bool has_logits = io->logits != NULL || io->last_logits != NULL;
    const struct ga_call_rule rules[] = {
        {!asks_for_anything(io), GA_ARGUMENT,
         "no output is asked for; expected room in output, embedding, logits, last_logits, class_logits, hidden, "
         "layer_attention, layer_cross_attention or src_layer_attention"},
        {io->token_types != NULL && stack->token_types == 0, GA_UNSUPPORTED,
         "token_types are given, but the model was generated without; set token_types in the spec"},
        {io->sublayer != NULL && !stack->sublayer, GA_UNSUPPORTED,
         "sublayer is given, but the model was generated without; set sublayer in the spec"},
        {io->sublayer == NULL && stack->sublayer, GA_ARGUMENT,
         "sublayer is NULL; expected [batch][q_len][d_model], what is added to the rows of query"},
        {io->embedding != NULL && stack->pool == GA_POOL_NONE, GA_UNSUPPORTED,
         "embedding is given, but the model was generated without pool.kind; set it in the spec"},
        {has_logits && stack->logits == GA_LOGITS_NONE, GA_UNSUPPORTED,
         "logits or last_logits is given, but the model was generated without logits.kind; set it in the spec"},
        {io->class_logits != NULL && stack->n_labels == 0, GA_UNSUPPORTED,
         "class_logits is given, but the model was generated without classifier.labels; set it in the spec"},
    };
    enum ga_status status = ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
    status = status == GA_OK ? check_weights_lists(model, io, error) : status;
    return status == GA_OK ? check_source(model, io, error) : status;
}
