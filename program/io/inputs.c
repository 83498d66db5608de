// inputs.c: which tensors a file of inputs may hold, by name, and why a model does not take one. Looks at no shape.
#include <string.h>

#include "model_call.h"

// What a model is or lacks, as bits.
enum trait {
    LAYER = 1,
    STACK = 2,
    ENCODER = 4,
    DECODER = 8,
    TRANSFORMER = 16,
    ONE_SIDE = 32, // no transformer
    NO_LENGTHS = 64,
    NO_POSITIONS = 128,
    NO_MASK = 256,
    NO_MEMORY_MASK = 512,
    NO_CACHE = 1024,
    NO_TOKEN_TYPES = 2048,
    NO_SUBLAYER = 4096,
    LAYER_OF_ROWS = 8192,  // without an embedding
    STACK_OF_ROWS = 16384, // likewise
};

static unsigned traits_of(const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    const unsigned rows = model->vocab_size ? 0 : stack ? STACK_OF_ROWS : LAYER_OF_ROWS;
    return rows | (stack ? STACK : LAYER) | (model->kind == GA_ENCODER ? ENCODER : 0) |
           (model->kind == GA_DECODER ? DECODER : 0) | (model->kind == GA_TRANSFORMER ? TRANSFORMER : ONE_SIDE) |
           (model->lengths ? 0 : NO_LENGTHS) | (model->rope.positions ? 0 : NO_POSITIONS) |
           (model->mask != GA_MASK_NONE ? 0 : NO_MASK) |
           (stack && stack->memory_mask != GA_MASK_NONE ? 0 : NO_MEMORY_MASK) | (model->cache ? 0 : NO_CACHE) |
           (stack && stack->token_types ? 0 : NO_TOKEN_TYPES) | (stack && stack->sublayer ? 0 : NO_SUBLAYER);
}

#define WITHOUT_LENGTHS NO_LENGTHS, "it was generated without lengths"
#define WITHOUT_POSITIONS NO_POSITIONS, "it was generated without rotary positions (rope)"
#define WITHOUT_MASK NO_MASK, "it was generated without a mask at run time (mask.tensor)"
#define WITHOUT_CACHE NO_CACHE, "it was generated without a cache"
#define WITHOUT_MEMORY LAYER | ENCODER, "only a decoder attends to one"
#define WITHOUT_SIDES ONE_SIDE, "it is not a transformer, which has a source and a target"
#define WITHOUT_X TRANSFORMER, "it is a transformer; give src and trg"

static const struct input {
    const char *name;
    bool alias; // in a stack: a layer's name of what has one of its own there
    struct {
        unsigned traits; // a model that has one of them does not take the input
        const char *why;
    } rules[4]; // the first that is broken is told; those after the last have no traits
} inputs[] = {
    {"query", true, {{0, NULL}}},
    {"x", false, {{WITHOUT_X}, {LAYER, "it is one attention layer; give query"}}},
    {"key", // of a decoder the memory, by a layer's name
     true,
     {{TRANSFORMER, "it is a transformer; give src, or memory"},
      {ENCODER, "an encoder's keys and values are made from its own rows"}}},
    {"memory", false, {{WITHOUT_MEMORY}}},
    {"value", false, {{STACK, "a stack's values are made from its own rows, or from memory"}}},
    {"q_lengths", true, {{WITHOUT_LENGTHS}}},
    {"kv_lengths",
     true,
     {{TRANSFORMER, "it is a transformer; give src_lengths"},
      {ENCODER, "lengths is for both queries and keys of an encoder"},
      {WITHOUT_LENGTHS}}},
    {"position", false, {{WITHOUT_POSITIONS}}},
    {"kv_position", false, {{STACK, "position is for both queries and keys of a stack"}, {WITHOUT_POSITIONS}}},
    {"tokens",
     false,
     {{WITHOUT_X},
      {STACK_OF_ROWS, "it was generated without an embedding (vocab_size); give x"},
      {LAYER_OF_ROWS, "it was generated without an embedding (vocab_size); give query"}}},
    {"token_types",
     false,
     {{LAYER, "it is one attention layer"}, {NO_TOKEN_TYPES, "it was generated without token_types"}}},
    {"sublayer", false, {{NO_SUBLAYER, "it was generated without sublayer"}}},
    {"lengths",
     false,
     {{TRANSFORMER, "it is a transformer; give src_lengths and trg_lengths"},
      {LAYER, "it is one attention layer; give q_lengths or kv_lengths"},
      {WITHOUT_LENGTHS}}},
    {"memory_lengths", false, {{WITHOUT_MEMORY}, {WITHOUT_LENGTHS}}},
    {"src", false, {{WITHOUT_SIDES}}},
    {"trg", false, {{WITHOUT_SIDES}}},
    {"src_lengths", false, {{WITHOUT_SIDES}, {WITHOUT_LENGTHS}}},
    {"trg_lengths", false, {{WITHOUT_SIDES}, {WITHOUT_LENGTHS}}},
    {"mask", // of a stack that of its rows, by a layer's name
     true,
     {{TRANSFORMER, "it is a transformer; give src_mask or trg_mask"}, {WITHOUT_MASK}}},
    {"src_mask", false, {{LAYER | DECODER, "only an encoder and a transformer have a source"}, {WITHOUT_MASK}}},
    {"trg_mask", false, {{LAYER | ENCODER, "only a decoder and a transformer have a target"}, {WITHOUT_MASK}}},
    {"memory_mask",
     false,
     {{WITHOUT_MEMORY}, {NO_MEMORY_MASK, "it was generated without a mask of its memory (mask.memory)"}}},
    {"cache_keys", false, {{WITHOUT_CACHE}}},
    {"cache_values", false, {{WITHOUT_CACHE}}},
    {"cache_lengths", false, {{WITHOUT_CACHE}}},
};
enum { N_INPUTS = sizeof inputs / sizeof inputs[0] };
_Static_assert((int)N_INPUTS == (int)GA_INPUTS, "callers make room for every name");

// Why a model does not take an input, or NULL where it does.
static const char *refusal(const struct ga_model *model, const struct input *input)
{
    size_t i = 0;
    while (input->rules[i].traits && !(input->rules[i].traits & traits_of(model))) {
        i++;
    }
    return input->rules[i].why;
}

size_t ga_input_names(const struct ga_model *model, const char *names_out[GA_INPUTS])
{
    size_t count = 0;
    for (size_t i = 0; i < N_INPUTS; i++) {
        if (!refusal(model, &inputs[i]) && !(model->stack && inputs[i].alias)) {
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
            const char *reason = refusal(context->model, &inputs[i]);
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
