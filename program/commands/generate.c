// generate.c: the command `generate`: tokens after tokens, each the most likely one after those before it, or drawn
// from the likely ones. From a file of tokens to another; generate_text.c goes on from a text.
#include <stdio.h>

#include "generate.h"
#include "model_call.h"
#include "output_name.h"
#include "weights_options.h"

enum {
    INPUT = GA_OPTIONS_LOADING,
    OUTPUT,
    TEXT,
    CHAT,
    SYSTEM,
    CHAT_TEMPLATE,
    TOKENIZER,
    NEW,
    STOP,
    STOP_TEXT,
    IGNORE_EOS,
    TEMPERATURE,
    TOP_K,
    TOP_P,
    SEED,
    RECOMPUTE,
    ISA,
    THREADS,
    TIMEOUT
};

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, false, "safetensors file of the tokens to continue"},
    [OUTPUT] = {"output", "FILE", NULL, false, "NAME.safetensors to write, of --input"},
    [TEXT] = {"text", "TEXT", NULL, false, "instead of --input: the text to continue"},
    [CHAT] = {"chat", "TEXT", NULL, false, "in place of --text: a message to answer, in the model's form of chats"},
    [SYSTEM] = {"system", "TEXT", "that of the chat template, if any", false, "of --chat: the system message"},
    [CHAT_TEMPLATE] = {"chat-template", "NAME", "that of the model", false,
                       "of --chat: chatml, llama2, llama3, llama3.1, gemma, gemma3, mistral, mistral-v1, mistral-v3, "
                       "mistral-tekken, phi3 or zephyr"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "of --text and --chat"},
    [NEW] = {"new", "N", "32", false, "most tokens to add to each sequence"},
    [STOP] = {"stop", "ID", "none", false, "a token that ends its sequence"},
    [STOP_TEXT] = {"stop-text", "TEXT...", "none", false,
                   "of --text and --chat: what ends it and is not printed; may be given up to 16 times"},
    [IGNORE_EOS] = {"ignore-eos", NULL, NULL, false, "of --text and --chat: go on after a token that ends a text"},
    [TEMPERATURE] = {"temperature", "T", "0", false, "0: the most likely token; else draw from logits / T"},
    [TOP_K] = {"top-k", "K", "all", false, "draw from the K most likely tokens"},
    [TOP_P] = {"top-p", "P", "1", false, "draw from the most likely tokens whose probabilities sum to P"},
    [SEED] = {"seed", "SEED", "0", false, "seed of the random draws"},
    [RECOMPUTE] = {"recompute", NULL, NULL, false,
                   "compute all rows again for each token, without the cache: slow, same tokens"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    [TIMEOUT] = {"timeout", GA_TIMEOUT_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "--input: tokens and lengths as `run` takes them; of a transformer src, src_lengths, trg and",
    "trg_lengths, where trg is the beginning of the target, or memory instead of src; for a decoder memory.",
    "--output:",
    "  tokens      I32 [batch, len + N]: the given tokens and the added ones, then zeros",
    "  lengths     I32 [batch]: the number of tokens of each sequence at the end",
    "--text: prints the text and what comes after it, token by token, and at the end tokens a second.",
    "--chat: prints the answer alone, up to the token that ends it. Special tokens in the message and in the system",
    "message are text. The form is that of the chat template in the GGUF file, in the packed weights, or in",
    "chat_template.jinja or tokenizer_config.json of the folder.",
    NULL,
};

static const char *const examples[] = {
    "generate --weights w.safetensors --input prompt.safetensors --output more.safetensors --new 50 --stop 2",
    "generate --weights model.gguf --chat \"Why is the sky blue?\" --system \"Answer briefly.\" --new 200",
    "generate --weights model/ --text \"Once upon a time\" --new 50 --temperature 0.8 --top-p 0.9 --top-k 40 --seed 1",
    NULL,
};

// Of a model without a cache, which a spec must say, since every call of it from C then takes one.
static void note_no_cache(const struct ga_context *context)
{
    ga_note(
        context,
        "this model has no cache, so each token takes all rows before it anew: ./configure --cache %zu (cache = %zu "
        "in the spec) makes one that takes a row a token",
        context->model->q_len.max, context->model->q_len.max);
}

// -- From a file to a file ------------------------------------------------------------------------------------------

static enum ga_exit write_tokens(const struct ga_token_walk *walk, const char *path)
{
    const struct ga_tensor tensors[] = {
        {.name = "tokens", .dtype = GA_I32, .rank = 2, .shape = {walk->batch, walk->capacity}, .data = walk->tokens},
        {.name = "lengths", .dtype = GA_I32, .rank = 1, .shape = {walk->batch}, .data = walk->lengths},
    };
    struct ga_error error;
    if (ga_weights_write(path, tensors, sizeof tensors / sizeof *tensors, &error) != GA_OK) {
        return ga_failed(walk->context, "%s", error.text);
    }
    ga_print_line("%s: tokens I32 [%zu, %zu], lengths I32 [%zu]", path, walk->batch, walk->capacity, walk->batch);
    return GA_EXIT_OK;
}

static enum ga_exit go_on(struct ga_generating *generating, struct ga_token_walk *walk, const char *path)
{
    enum ga_exit code = ga_generating_begin(generating, walk);
    bool any = true;
    for (size_t step = 0; code == GA_EXIT_OK && any && step < generating->start.added; step++) {
        code = ga_token_walk_step(walk, &any);
    }
    return code == GA_EXIT_OK && generating->team.rank == 0 ? write_tokens(walk, path) : code;
}

// What hides rows of the memory from one row hides them from those that are added too, where it is the same for all.
static bool has_mask_of_rows(const struct ga_io *io)
{
    const bool of_memory = io->memory_mask || io->memory_additive_mask;
    return io->mask || io->additive_mask || (of_memory && io->memory_mask_strides[2] != 0);
}

static enum ga_exit generate_file(struct ga_generating *generating, const char *input, const char *output)
{
    struct ga_model_call call = {0};
    struct ga_token_walk walk = {0};
    enum ga_exit code = ga_model_call_open(generating->context, input, &call);
    const struct ga_io *io = &call.io;
    if (code == GA_EXIT_OK) {
        const char *problem = !io->tokens            ? "goes on from token ids, and the file holds rows"
                              : has_mask_of_rows(io) ? "adds rows that the file's mask says nothing of"
                                                     : NULL;
        code = problem ? ga_failed(generating->context, "%s: generating %s", call.path, problem) : GA_EXIT_OK;
    }
    generating->start.label = call.path;
    generating->start.io = io;
    code = code == GA_EXIT_OK ? go_on(generating, &walk, output) : code;
    ga_token_walk_close(&walk);
    ga_model_call_close(&call);
    return code;
}

// -- Options --------------------------------------------------------------------------------------------------------

static enum ga_exit read_sampling(const struct ga_context *context, const char *const *values,
                                  struct ga_sampling *sampling_out)
{
    const struct ga_range tokens = {1, context->model->vocab_size};
    *sampling_out = (struct ga_sampling){.top_p = 1, .is_softmax = context->model->stack->logits == GA_LOGITS_SOFTMAX};
    const bool ok =
        ga_read_real(context, "temperature", values[TEMPERATURE], 0, 100, &sampling_out->temperature) == GA_EXIT_OK &&
        ga_read_real(context, "top-p", values[TOP_P], 0, 1, &sampling_out->top_p) == GA_EXIT_OK &&
        ga_read_size(context, "top-k", values[TOP_K], tokens, &sampling_out->top_k) == GA_EXIT_OK &&
        ga_read_seed(context, "seed", values[SEED], &sampling_out->seed) == GA_EXIT_OK;
    return ok ? GA_EXIT_OK : GA_EXIT_USAGE;
}

static enum ga_exit read_numbers(const struct ga_context *context, const char *const *values,
                                 struct ga_token_walk_start *start)
{
    const struct ga_range some = {1, 65536}, ids = {0, context->model->vocab_size - 1};
    size_t stop = 0;
    start->added = 32;
    enum ga_exit code = ga_read_size(context, "new", values[NEW], some, &start->added);
    code = code == GA_EXIT_OK ? ga_read_size(context, "stop", values[STOP], ids, &stop) : code;
    start->stop = values[STOP] ? (int64_t)stop : -1;
    return code == GA_EXIT_OK ? read_sampling(context, values, &start->sampling) : code;
}

// What is wrong with the options of texts, or NULL.
static const char *problem_of_text(const char *const *values)
{
    return values[TEXT] && values[CHAT] ? "--text and --chat cannot be given together"
           : values[INPUT] || values[OUTPUT]
               ? "--text and --chat print text; --input and --output are of files of tokens"
           : values[TEXT] && (values[SYSTEM] || values[CHAT_TEMPLATE]) ? "--system and --chat-template need --chat"
                                                                       : NULL;
}

// What is wrong with the options together, or NULL.
static const char *problem_of(const char *const *values)
{
    if (values[TEXT] || values[CHAT]) {
        return problem_of_text(values);
    }
    return !values[INPUT] || !values[OUTPUT]
               ? "--input FILE and --output FILE, or --text TEXT, or --chat TEXT, are missing"
           : values[SYSTEM] || values[CHAT_TEMPLATE] ? "--system and --chat-template need --chat"
           : values[IGNORE_EOS]                      ? "--ignore-eos needs --text or --chat"
           : values[STOP_TEXT] ? "--stop-text needs --text or --chat; a token that ends a sequence is --stop"
                               : NULL;
}

// By all ranks, or alone.
static enum ga_exit generate_by(struct ga_generating *generating, const struct ga_arguments *arguments)
{
    static const char *const endings[] = {GA_SAFETENSORS_ENDING, NULL};
    const struct ga_context *context = generating->context;
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    generating->instance = &instance;
    generating->start.recompute = values[RECOMPUTE] != NULL;
    choice.wants_checksum = generating->team.count > 1;
    const char *problem = problem_of(values);
    enum ga_exit code = problem ? ga_misused(context, "generate: %s", problem) : GA_EXIT_OK;
    code = code == GA_EXIT_OK && values[OUTPUT] ? ga_check_output_name(context, values[OUTPUT], endings, "") : code;
    if (code == GA_EXIT_OK && !context->model->cache && !generating->start.recompute) {
        generating->start.recompute = true;
        note_no_cache(context);
    }
    code = code == GA_EXIT_OK ? read_numbers(context, values, &generating->start) : code;
    code = code == GA_EXIT_OK ? ga_read_threads(context, values[THREADS], &choice.threads) : code;
    code = code == GA_EXIT_OK ? ga_load_model(context, &choice, &instance) : code;
    instance.ranks = generating->team.ranks;
    if (code == GA_EXIT_OK) {
        const struct ga_generated_text text = {
            .text = values[TEXT],
            .chat = values[CHAT],
            .system = values[SYSTEM],
            .chat_template = values[CHAT_TEMPLATE],
            .tokenizer = values[TOKENIZER],
            .weights = values[GA_OPTION_WEIGHTS],
            .stops = arguments->repeated,
            .n_stops = arguments->n_repeated,
            .ignores_ends = values[IGNORE_EOS] != NULL,
        };
        code = values[TEXT] || values[CHAT] ? ga_generate_text(generating, &text)
                                            : generate_file(generating, values[INPUT], values[OUTPUT]);
    }
    ga_model_instance_free(&instance);
    return code;
}

static enum ga_exit generate(const struct ga_context *context, const struct ga_arguments *arguments)
{
    struct ga_generating generating = {.context = &generating.team.context};
    struct ga_rank_team *team = &generating.team;
    enum ga_exit code = ga_rank_team_begin(context, arguments->values[TIMEOUT], team);
    code = code == GA_EXIT_OK ? generate_by(&generating, arguments) : code;
    return ga_rank_team_end(team, code);
}

const struct ga_command ga_command_generate = {
    .name = "generate",
    .summary = "continue tokens or a text, one likely token at a time",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = ga_token_walk_refusal,
    .run = generate,
};
