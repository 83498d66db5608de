// run.c: the command `run`: inputs from a file through the model to a file of outputs.
// Compares nothing and times nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model_call.h"
#include "numpy_file.h"
#include "output_name.h"
#include "weights_options.h"

enum { INPUT = GA_OPTIONS_LOADING, OUTPUT, OUTPUTS, STEP, ISA, THREADS };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file of the inputs"},
    [OUTPUT] = {"output", "FILE", NULL, true, "NAME.safetensors to write; for one output also NAME.npy"},
    [OUTPUTS] = {"outputs", "LIST", "all except logits and numbered ones", false,
                 "outputs to write, separated by commas"},
    [STEP] = {"step", "N", "all at once", false, "rows of the query in each call, for a model with a cache"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Inputs of one layer (any other tensor in the file is refused; instead of F32, a tensor may be F16,",
    "BF16 or F64, and is converted):",
    "  query       F32 [batch, q_len, d_model] or [q_len, d_model]",
    "  key, value  F32 [batch, kv_len, d_model] or [kv_len, d_model] (k_dim and v_dim if the",
    "              spec says so); absent: the query's own sequence; value absent: the key's",
    "  q_lengths   I32 or I64 [batch]: real rows of each query; later rows are written as zeros",
    "  kv_lengths  I32 or I64 [batch]: real keys of each sequence; later ones are never read",
    "  position, kv_position  I32 or I64 [batch]: position of each sequence's first row, if the model",
    "              has rotary positions; absent: 0; kv_position absent in self-attention: position",
    "  query, key and value of attention alone are F32 [batch, heads, len, d_head], without the",
    "              batch, or [len, d_head] for one head; rows of value have d_v numbers",
    "  tokens      I32 or I64 [batch, q_len] or [q_len]: ids instead of query, if the model",
    "              has an embedding",
    "  mask        BOOL, U8, I32 or I64 (not zero: attend), or F32 (added to the scores), as the",
    "              model was generated for; [q_len, kv_len], [batch, q_len, kv_len] or",
    "              [batch, n_heads, q_len, kv_len]; an axis of 1 is used for all",
    "  cache_keys, F32 [batch, n_kv_heads, rows, d_head]: contents of the cache before, if the",
    "  cache_values  model has one, as PyTorch's past_key_values; for a stack [batch, n_layers, ...]",
    "  cache_lengths I32 or I64 [batch]: real rows of these",
    "Inputs of a stack of layers:",
    "  x           F32 [batch, len, d_model] or [len, d_model]; or, if it has an embedding,",
    "  tokens      I32 or I64 [batch, len] or [len]: ids",
    "  token_types I32 or I64, as tokens, if the model adds them; absent: all 0",
    "  lengths     I32 or I64 [batch]: real rows of each sequence; later rows are written as zeros",
    "  sublayer    F32, as x: added to x, if the model takes it",
    "  position    as above",
    "  memory      F32 [batch, memory_len, d_model]: for a decoder, the output of an encoder",
    "  memory_lengths  I32 or I64 [batch]: real rows of each sequence of memory",
    "  src, trg    for a transformer: ids as tokens, or rows as x, of the source and the target; memory",
    "              instead of src: the output of the encoder",
    "  src_lengths, trg_lengths  I32 or I64 [batch]: real rows of each sequence of src and trg",
    "  src_mask    as mask, [len, len] and so on: which rows see each other in each layer of an encoder,",
    "              of a transformer's source; trg_mask: of a decoder, of a transformer's target",
    "  memory_mask as mask, [len, memory_len] and so on: which rows of a decoder see which rows of the",
    "              memory, of a transformer its source, where the model was generated with mask.memory",
    "  query, q_lengths, key, kv_lengths and mask are other names of x, lengths, memory and so on",
    "Outputs:",
    "  output      F32, in the shape of the query; its rows have d_out numbers if the spec says so",
    "  attention   F32 [batch, n_heads, q_len, kv_len], if the model was generated with it; after",
    "              the keys come those that the model adds (add_bias_kv, add_zero_attn)",
    "  attention_mean  F32 [batch, q_len, kv_len]: its mean over the heads, likewise",
    "  and these, if the model was generated with them:",
    "  q_proj k_proj v_proj     F32 [batch, len, heads * d_head], projected",
    "  q_heads k_heads v_heads  F32 [batch, heads, len, d_head], as attention uses them",
    "  scores      F32 [batch, n_heads, q_len, kv_len], scaled and masked, before softmax",
    "  x_heads, x_concat  F32 [batch, n_heads, q_len, d_head], [batch, q_len, n_heads * d_head]",
    "  cache_keys, F32 [batch, n_kv_heads, rows + q_len, d_head]: contents of the cache after,",
    "  cache_values  zeros after a sequence's length",
    "Outputs of a stack of layers, in addition to output (without the batch if the input has none):",
    "  embedding   F32 [batch, d_embedding]: one row for each sequence, if the model pools",
    "  last_logits F32 [batch, n_logits]: logits of each sequence's last real row",
    "  class_logits F32 [batch, n_labels]: a number for each label, if it has a classifier",
    "  logits      F32 [batch, len, n_logits]: logits of every row; only if --outputs names them",
    "  hidden_N    F32 [batch, len, d_model]: rows after N layers; hidden_0: input of the first",
    "              layer; only if --outputs names them; hidden_all: all of them",
    "  attention_N F32 [batch, n_heads, len, len], if the model was generated with attention: the",
    "              weights of layer N over its own rows, counted from 0; attention_all: all of them",
    "  cross_attention_N  F32 [batch, n_heads, len, memory_len], if the model was generated with",
    "              cross_attention: the weights of layer N over the memory; cross_attention_all",
    "  src_attention_N    F32 [batch, n_heads, src_len, src_len], for a transformer generated with",
    "              attention: the weights of layer N of its encoder; src_attention_all",
    NULL,
};

static const char *const examples[] = {
    "run --weights w.safetensors --input in.safetensors --output out.safetensors",
    "run --allow-random 1 --input in.safetensors --output out.safetensors --isa scalar",
    "run --weights w.safetensors --input in.safetensors --output out.safetensors \\\n"
    "      --outputs output,hidden_3             (of a stack of layers)",
    NULL,
};

// Reads --outputs; text NULL takes what is given unasked.
static enum ga_exit read_outputs(const struct ga_context *context, const char *text, bool wanted_out[GA_OUTPUTS])
{
    for (size_t i = 0; i < GA_OUTPUTS && !text; i++) {
        wanted_out[i] = ga_output_usual(context->model, (enum ga_output)i);
    }
    return text ? ga_read_outputs(context, "outputs", text, wanted_out) : GA_EXIT_OK;
}

// Reads --step; text NULL is no steps, 0.
static enum ga_exit read_step(const struct ga_context *context, const char *text, size_t *step_out)
{
    *step_out = 0;
    if (text && !context->model->cache) {
        return ga_misused(context, "--step: this model was generated without a cache, so a call knows no earlier one");
    }
    return ga_read_size(context, "step", text, context->model->q_len, step_out);
}

// Steps give rows of the output and what a cache holds, and nothing that all rows make together.
static enum ga_exit check_step_outputs(const struct ga_context *context, bool is_named, size_t step,
                                       bool wanted[GA_OUTPUTS])
{
    for (size_t i = 0; step && i < GA_OUTPUTS; i++) {
        const bool in_steps = i == GA_OUTPUT || i == GA_CACHE_KEYS || i == GA_CACHE_VALUES;
        char name[GA_OUTPUT_NAME];
        if (wanted[i] && !in_steps && is_named) {
            return ga_misused(context, "--step gives output, cache_keys and cache_values, but --outputs names %s",
                              ga_output_name((enum ga_output)i, name));
        }
        wanted[i] = wanted[i] && in_steps;
    }
    return GA_EXIT_OK;
}

// A file of NumPy holds one array.
static enum ga_exit check_file(const struct ga_context *context, const char *path, const bool wanted[GA_OUTPUTS])
{
    static const char *const endings[] = {GA_SAFETENSORS_ENDING, GA_NUMPY_ENDING, NULL};
    size_t count = 0;
    for (size_t i = 0; i < GA_OUTPUTS; i++) {
        count += wanted[i];
    }
    return count == 1 || !ga_name_ends_in(path, GA_NUMPY_ENDING)
               ? ga_check_output_name(context, path, endings, "")
               : ga_misused(context,
                            "--output %s: a file of NumPy holds one array, and there are %zu outputs; --outputs NAME "
                            "chooses one, and a name that ends in .safetensors takes all",
                            path, count);
}

static enum ga_exit read_options(const struct ga_context *context, const char *const *values,
                                 bool wanted_out[GA_OUTPUTS], size_t *step_out, size_t *threads_out)
{
    enum ga_exit code = ga_read_threads(context, values[THREADS], threads_out);
    if (code == GA_EXIT_OK) {
        code = read_outputs(context, values[OUTPUTS], wanted_out);
    }
    if (code == GA_EXIT_OK) {
        code = read_step(context, values[STEP], step_out);
    }
    if (code == GA_EXIT_OK) {
        code = check_step_outputs(context, values[OUTPUTS] != NULL, *step_out, wanted_out);
    }
    return code == GA_EXIT_OK ? check_file(context, values[OUTPUT], wanted_out) : code;
}

// Steps feed the query's own rows; a layer's keys of another sequence come as one.
static enum ga_exit check_step(const struct ga_context *context, const struct ga_model_call *call, size_t step)
{
    const bool of_layer = context->model->stack == NULL;
    const char *given = call->io.token_types              ? "token_types"
                        : of_layer && call->io.key        ? "key"
                        : of_layer && call->io.kv_lengths ? "kv_lengths"
                        : call->io.position               ? "position"
                                                          : NULL;
    return step && given ? ga_misused(context, "--step takes the query's own rows, but the input holds \"%s\"", given)
                         : GA_EXIT_OK;
}

static enum ga_exit print_outputs(const char *path, const struct ga_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char shape[GA_PRINTABLE];
        ga_print_line("%s: %s F32 %s", path, tensors[i].name,
                      ga_shape_text(tensors[i].rank, tensors[i].shape, shape, sizeof shape));
    }
    return GA_EXIT_OK;
}

static enum ga_status write_tensors(const char *path, const struct ga_tensor *tensors, size_t count,
                                    struct ga_error *error)
{
    return ga_name_ends_in(path, GA_NUMPY_ENDING) ? ga_numpy_write(path, tensors, error)
                                                  : ga_weights_write(path, tensors, count, error);
}

static enum ga_exit write_outputs(const struct ga_context *context, const struct ga_model_call *call, const char *path,
                                  const bool wanted[GA_OUTPUTS])
{
    struct ga_tensor *tensors = calloc(GA_OUTPUTS, sizeof *tensors);
    size_t count = 0;
    for (size_t i = 0; tensors && i < GA_OUTPUTS; i++) {
        if (wanted[i]) {
            tensors[count++] = ga_model_call_output(context, call, (enum ga_output)i);
        }
    }
    struct ga_error error = {.text = "no memory"};
    enum ga_exit code = tensors && write_tensors(path, tensors, count, &error) == GA_OK
                            ? print_outputs(path, tensors, count)
                            : ga_failed(context, "%s", error.text);
    free(tensors);
    return code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct ga_model_call call = {0};
    bool wanted[GA_OUTPUTS];
    size_t step;
    enum ga_exit code = read_options(context, values, wanted, &step, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    if (code == GA_EXIT_OK) {
        code = ga_model_call_open(context, values[INPUT], &call);
    }
    if (code == GA_EXIT_OK) {
        code = check_step(context, &call, step);
    }
    if (code == GA_EXIT_OK) {
        code = ga_model_call_run(context, &instance, wanted, step, &call);
    }
    if (code == GA_EXIT_OK) {
        code = write_outputs(context, &call, values[OUTPUT], wanted);
    }
    ga_model_call_close(&call);
    ga_model_instance_free(&instance);
    return code;
}

const struct ga_command ga_command_run = {
    .name = "run",
    .summary = "run the model on a file of inputs and write its outputs",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
