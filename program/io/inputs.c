// inputs.c: which tensors a file of inputs may hold, by name, and why a model does not take one. Looks at no shape.
#include <string.h>

#include "model_call.h"

// Each says why a model does not take an input, or NULL where it does.

static const char *refuse_nothing(const struct ga_model *model)
{
    (void)model;
    return NULL;
}

static const char *refuse_x(const struct ga_model *model)
{
    if (model->kind == GA_TRANSFORMER) {
        return "it is a transformer; give src and trg";
    }
    return model->stack ? NULL : "it is one attention layer; give query";
}

static const char *refuse_lengths(const struct ga_model *model)
{
    return model->lengths ? NULL : "it was generated without lengths";
}

static bool is_transformer(const struct ga_model *model)
{
    return model->kind == GA_TRANSFORMER;
}

static const char *refuse_sides(const struct ga_model *model)
{
    return is_transformer(model) ? NULL : "it is not a transformer, which has a source and a target";
}

static const char *refuse_side_lengths(const struct ga_model *model)
{
    return is_transformer(model) ? refuse_lengths(model) : refuse_sides(model);
}

// Of a decoder key is the memory by a layer's name.
static const char *refuse_key(const struct ga_model *model)
{
    if (is_transformer(model)) {
        return "it is a transformer; give src, or memory";
    }
    return model->kind == GA_ENCODER ? "an encoder's keys and values are made from its own rows" : NULL;
}

static const char *refuse_value(const struct ga_model *model)
{
    return model->stack ? "a stack's values are made from its own rows, or from memory" : NULL;
}

static const char *refuse_memory(const struct ga_model *model)
{
    return model->kind == GA_DECODER || is_transformer(model) ? NULL : "only a decoder attends to one";
}

static const char *refuse_stack_lengths(const struct ga_model *model)
{
    if (is_transformer(model)) {
        return "it is a transformer; give src_lengths and trg_lengths";
    }
    return model->stack ? refuse_lengths(model) : "it is one attention layer; give q_lengths or kv_lengths";
}

static const char *refuse_key_lengths(const struct ga_model *model)
{
    if (is_transformer(model)) {
        return "it is a transformer; give src_lengths";
    }
    return model->kind == GA_ENCODER ? "lengths is for both queries and keys of an encoder" : refuse_lengths(model);
}

static const char *refuse_memory_lengths(const struct ga_model *model)
{
    return refuse_memory(model) ? refuse_memory(model) : refuse_lengths(model);
}

static const char *refuse_tokens(const struct ga_model *model)
{
    if (is_transformer(model)) {
        return refuse_x(model);
    }
    const char *instead = model->stack ? "it was generated without an embedding (vocab_size); give x"
                                       : "it was generated without an embedding (vocab_size); give query";
    return model->vocab_size ? NULL : instead;
}

static const char *refuse_token_types(const struct ga_model *model)
{
    const char *of_stack = "it was generated without token_types";
    return model->stack && model->stack->token_types ? NULL : model->stack ? of_stack : "it is one attention layer";
}

static const char *refuse_sublayer(const struct ga_model *model)
{
    return model->stack && model->stack->sublayer ? NULL : "it was generated without sublayer";
}

static const char *refuse_mask(const struct ga_model *model)
{
    return model->mask != GA_MASK_NONE ? NULL : "it was generated without a mask at run time (mask.tensor)";
}

// Of a stack mask is that of its rows by a layer's name.
static const char *refuse_own_mask(const struct ga_model *model)
{
    return is_transformer(model) ? "it is a transformer; give src_mask or trg_mask" : refuse_mask(model);
}

static const char *refuse_src_mask(const struct ga_model *model)
{
    const bool has_source = model->kind == GA_ENCODER || is_transformer(model);
    return has_source ? refuse_mask(model) : "only an encoder and a transformer have a source";
}

static const char *refuse_trg_mask(const struct ga_model *model)
{
    const bool has_target = model->kind == GA_DECODER || is_transformer(model);
    return has_target ? refuse_mask(model) : "only a decoder and a transformer have a target";
}

static const char *refuse_memory_mask(const struct ga_model *model)
{
    const char *why = refuse_memory(model), *without = "it was generated without a mask of its memory (mask.memory)";
    return why ? why : model->stack && model->stack->memory_mask != GA_MASK_NONE ? NULL : without;
}

static const char *refuse_positions(const struct ga_model *model)
{
    return model->rope.positions ? NULL : "it was generated without rotary positions (rope)";
}

static const char *refuse_key_positions(const struct ga_model *model)
{
    return model->stack ? "position is for both queries and keys of a stack" : refuse_positions(model);
}

static const char *refuse_cache(const struct ga_model *model)
{
    return model->cache ? NULL : "it was generated without a cache";
}

static const struct input {
    const char *name;
    const char *(*refused)(const struct ga_model *model);
    bool alias; // in a stack: a layer's name of what has one of its own there
} inputs[] = {
    {"query", refuse_nothing, true},
    {"x", refuse_x, false},
    {"key", refuse_key, true},
    {"memory", refuse_memory, false},
    {"value", refuse_value, false},
    {"q_lengths", refuse_lengths, true},
    {"kv_lengths", refuse_key_lengths, true},
    {"position", refuse_positions, false},
    {"kv_position", refuse_key_positions, false},
    {"tokens", refuse_tokens, false},
    {"token_types", refuse_token_types, false},
    {"sublayer", refuse_sublayer, false},
    {"lengths", refuse_stack_lengths, false},
    {"memory_lengths", refuse_memory_lengths, false},
    {"src", refuse_sides, false},
    {"trg", refuse_sides, false},
    {"src_lengths", refuse_side_lengths, false},
    {"trg_lengths", refuse_side_lengths, false},
    {"mask", refuse_own_mask, true},
    {"src_mask", refuse_src_mask, false},
    {"trg_mask", refuse_trg_mask, false},
    {"memory_mask", refuse_memory_mask, false},
    {"cache_keys", refuse_cache, false},
    {"cache_values", refuse_cache, false},
    {"cache_lengths", refuse_cache, false},
};
enum { N_INPUTS = sizeof inputs / sizeof inputs[0] };
_Static_assert((int)N_INPUTS == (int)GA_INPUTS, "callers make room for every name");

size_t ga_input_names(const struct ga_model *model, const char *names_out[GA_INPUTS])
{
    size_t count = 0;
    for (size_t i = 0; i < N_INPUTS; i++) {
        if (!inputs[i].refused(model) && !(model->stack && inputs[i].alias)) {
            names_out[count++] = inputs[i].name;
        }
    }
    return count;
}

// What other programs call an input that has another name here.
static const char *name_here(const char *name)
{
    static const char *const names[][2] = {
        {"input_ids", "tokens"},
        {"token_type_ids", "token_types"},
        {"attention_mask", "lengths"},
        {"inputs_embeds", "x"},
        {"src_key_padding_mask", "lengths"},
        {"hidden_states", "x"},
        {"encoder_hidden_states", "memory"},
        {"memory_key_padding_mask", "memory_lengths"},
        {"tgt", "trg"},
        {"tgt_mask", "trg_mask"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i][0], name) == 0) {
            return names[i][1];
        }
    }
    return name;
}

static enum ga_exit refuse_unknown(const struct ga_context *context, const struct ga_model_call *call, const char *name)
{
    const char *names[GA_INPUTS];
    char list[256] = "";
    size_t count = ga_input_names(context->model, names);
    for (size_t i = 0; i < count; i++) {
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, names[i], sizeof list - strlen(list) - 1);
    }
    char shown[GA_PRINTABLE], hint[GA_PRINTABLE];
    return ga_failed(context, "%s: tensor \"%s\" is not an input of this model%s (it takes %s)", call->path,
                     ga_printable(name, shown), ga_did_you_mean(ga_suggest_name(name_here(name), names, count), hint),
                     list);
}

static enum ga_exit check_name(const struct ga_context *context, const struct ga_model_call *call, const char *name)
{
    for (size_t i = 0; i < N_INPUTS; i++) {
        if (strcmp(inputs[i].name, name) == 0) {
            const char *reason = inputs[i].refused(context->model);
            return reason == NULL
                       ? GA_EXIT_OK
                       : ga_failed(context, "%s: tensor \"%s\": this model takes none, %s", call->path, name, reason);
        }
    }
    return refuse_unknown(context, call, name);
}

// A stack's inputs have one name, or a layer's; a transformer's memory stands for its source.
static const char *const twins[][2] = {
    {"x", "query"},       {"lengths", "q_lengths"},     {"memory", "key"}, {"memory_lengths", "kv_lengths"},
    {"trg", "query"},     {"trg_lengths", "q_lengths"}, {"src", "memory"}, {"src_lengths", "memory_lengths"},
    {"mask", "src_mask"}, {"mask", "trg_mask"},
};

static enum ga_exit check_twins(const struct ga_context *context, const struct ga_model_call *call)
{
    for (size_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        if (ga_weights_find(call->file, twins[i][0]) && ga_weights_find(call->file, twins[i][1])) {
            return ga_failed(context, "%s: tensors \"%s\" and \"%s\" are one input; give one of them", call->path,
                             twins[i][0], twins[i][1]);
        }
    }
    return GA_EXIT_OK;
}

// Of a memory given an encoder's layers have been run, and to a decoder only lengths hide rows of it.
static enum ga_exit check_source_mask(const struct ga_context *context, const struct ga_model_call *call)
{
    if (ga_weights_find(call->file, "memory") && ga_weights_find(call->file, "src_mask")) {
        return ga_failed(context,
                         "%s: \"src_mask\" is for the encoder's rows, and \"memory\" is what an encoder gave; say by "
                         "memory_lengths which of its rows are real",
                         call->path);
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_model_call_names(const struct ga_context *context, const struct ga_model_call *call)
{
    enum ga_exit code = check_twins(context, call);
    if (check_source_mask(context, call) != GA_EXIT_OK) {
        code = GA_EXIT_FAILED;
    }
    for (size_t i = 0; i < ga_weights_count(call->file); i++) {
        if (check_name(context, call, ga_weights_at(call->file, i)->name) != GA_EXIT_OK) {
            code = GA_EXIT_FAILED; // and go on: every stray name is told at once
        }
    }
    return code;
}
