// call_stack.c: the rules for what only calls of whole models have. Runs nothing.
#include "call.h"

static bool asks_for_anything(const struct ga_io *io)
{
    return io->output != NULL || io->embedding != NULL || io->logits != NULL || io->last_logits != NULL ||
           io->hidden != NULL;
}

// Of one layer: what only stacks have is absent.
static enum ga_status check_layer(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_call_rule rules[] = {
        {io->token_types != NULL, GA_UNSUPPORTED, "token_types are given, but the model is one attention layer"},
        {io->embedding != NULL || io->logits != NULL || io->last_logits != NULL || io->hidden != NULL, GA_UNSUPPORTED,
         "embedding, logits, last_logits or hidden is given, but the model is one attention layer"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

enum ga_status ga_call_stack(const struct ga_model *model, const struct ga_io *io, struct ga_error *error)
{
    const struct ga_stack *stack = model->stack;
    if (stack == NULL) {
        return check_layer(model, io, error);
    }
    const bool is_decoder = model->kind == GA_DECODER;
    const bool has_logits = io->logits != NULL || io->last_logits != NULL;
    const struct ga_call_rule rules[] = {
        {!asks_for_anything(io), GA_ARGUMENT,
         "no output is asked for; expected room in output, embedding, logits, last_logits or hidden"},
        {!is_decoder && io->key != NULL, GA_UNSUPPORTED,
         "key is given, but an encoder's keys and values are made from its own rows"},
        {is_decoder && io->key == NULL, GA_ARGUMENT,
         "key is NULL; expected the encoder's output, [batch][kv_len][d_model]"},
        {io->value != NULL && io->value != io->key, GA_UNSUPPORTED,
         "value is given, but a stack's values are made from its own rows, or from key"},
        {!is_decoder && io->kv_lengths != NULL && io->kv_lengths != io->q_lengths, GA_ARGUMENT,
         "kv_lengths is given; expected q_lengths alone, which stands for both"},
        {io->token_types != NULL && stack->token_types == 0, GA_UNSUPPORTED,
         "token_types are given, but the model was generated without; set token_types in the spec"},
        {io->embedding != NULL && stack->pool == GA_POOL_NONE, GA_UNSUPPORTED,
         "embedding is given, but the model was generated without pool.kind; set it in the spec"},
        {has_logits && stack->logits == GA_LOGITS_NONE, GA_UNSUPPORTED,
         "logits or last_logits is given, but the model was generated without logits.kind; set it in the spec"},
    };
    return ga_call_rules(model, rules, sizeof rules / sizeof *rules, error);
}

enum ga_status ga_call_token_types(const struct ga_model *model, const struct ga_io *call, struct ga_error *error)
{
    for (size_t b = 0; call->token_types != NULL && b < call->batch; b++) {
        const int32_t *row = call->token_types + b * call->q_len;
        const size_t rows = call->q_lengths == NULL ? call->q_len : (size_t)call->q_lengths[b];
        for (size_t i = 0; i < rows; i++) {
            if (row[i] < 0 || (size_t)row[i] >= model->stack->token_types) {
                return ga_fail(error, GA_ARGUMENT, "%s: token_types[%zu][%zu] is %ld; expected 0..%zu", model->name, b,
                               i, (long)row[i], model->stack->token_types - 1);
            }
        }
    }
    return GA_OK;
}
