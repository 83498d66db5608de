// generate.c: the command `generate`: tokens after tokens, each the most likely one after those before it.
// Samples nothing and searches nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "command.h"
#include "model_call.h"
#include "weights_options.h"

enum { INPUT = GA_OPTIONS_LOADING, OUTPUT, NEW, STOP, RECOMPUTE, ISA, THREADS };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [INPUT] = {"input", "FILE", NULL, true, "safetensors file of the tokens to go on from"},
    [OUTPUT] = {"output", "FILE", NULL, true, "safetensors file to write"},
    [NEW] = {"new", "N", "32", false, "tokens to add to each sequence, at most"},
    [STOP] = {"stop", "ID", "none", false, "a token that ends its sequence"},
    [RECOMPUTE] = {"recompute", NULL, NULL, false,
                   "compute all rows anew for each token, as without a cache: slow, the same tokens"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Inputs: tokens and lengths as `run` takes them; of a transformer src, src_lengths, trg and",
    "trg_lengths, trg being what the target begins with, or memory in place of src; of a decoder memory.",
    "Outputs:",
    "  tokens      I32 [batch, len + N]: those given and those added, zeros after",
    "  lengths     I32 [batch]: how many each sequence has in the end",
    NULL,
};

static const char *const examples[] = {
    "generate --weights w.safetensors --input prompt.safetensors --output more.safetensors --new 50 --stop 2",
    NULL,
};

// Sequences that grow.
struct walk {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    const struct ga_model_call *call;
    size_t batch, capacity; // sequences, and tokens there is room for in each
    int64_t stop;           // -1: nothing stops one
    bool recompute;
    int32_t *tokens;      // [batch][capacity]
    int32_t *lengths;     // [batch]
    int32_t *call_tokens; // [batch][capacity], the tokens of one call
    int32_t *call_rows;   // [batch], how many of them are real; 0: the sequence has ended
    float *logits;        // [batch][n_logits], after each sequence's last token
    float *memory;        // of a transformer's source, where every call needs it: given, or made by the first call
    struct ga_cache *cache;
    void *scratch;
    size_t scratch_size;
};

static enum ga_exit check_model(const struct ga_context *context)
{
    const struct ga_model *model = context->model;
    const char *problem = !model->stack || model->stack->logits == GA_LOGITS_NONE || !model->vocab_size
                              ? "it was generated without logits.kind or vocab_size"
                          : model->stack->n_logits != model->vocab_size ? "its logits are not those of its tokens"
                          : model->causal == GA_CAUSAL_NONE             ? "its tokens see later ones (mask.causal)"
                          : !model->lengths                             ? "it was generated without lengths"
                                                                        : NULL;
    return problem ? ga_failed(context, "this model cannot go on from tokens: %s", problem) : GA_EXIT_OK;
}

// Of a model without a cache, which a spec must say, since every call of it from C then takes one.
static void note_no_cache(const struct ga_context *context)
{
    ga_note(
        context,
        "this model has no cache, so each token takes all rows before it anew: ./configure --cache %zu (cache = %zu "
        "in the spec) makes one that takes a row a token",
        context->model->q_len.max, context->model->q_len.max);
}

static enum ga_exit check_room(const struct walk *walk, size_t added)
{
    const struct ga_model *model = walk->context->model;
    const bool in_one_call = walk->recompute && (!model->cache || model->q_len.max < model->cache);
    const size_t most = in_one_call ? model->q_len.max : model->cache;
    return walk->capacity <= most
               ? GA_EXIT_OK
               : ga_failed(walk->context, "%s: %zu tokens and %zu more are %zu; expected at most %zu (%s of the spec)",
                           walk->call->path, walk->call->io.q_len, added, walk->capacity, most,
                           in_one_call ? "seq_len" : "cache");
}

static enum ga_exit no_memory(const struct walk *walk)
{
    return ga_failed(walk->context, "%s: no memory for %zu sequences of %zu tokens", walk->call->path, walk->batch,
                     walk->capacity);
}

static enum ga_exit make_cache(struct walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const size_t size = ga_cache_size(model, walk->instance->variant, walk->batch, walk->capacity);
    void *block = size == SIZE_MAX ? NULL : ga_block_new(size);
    struct ga_error error;
    if (block && ga_cache_init(walk->instance->loaded, walk->batch, walk->capacity, block, size, &walk->cache,
                               &error) == GA_OK) {
        return GA_EXIT_OK;
    }
    ga_block_free(block);
    return no_memory(walk);
}

// Room for everything, and the tokens given.
static enum ga_exit make_walk(struct walk *walk)
{
    const struct ga_model *model = walk->context->model;
    const struct ga_io *io = &walk->call->io;
    const size_t rows = walk->recompute ? walk->capacity : io->q_len;
    const size_t kv_len = model->kind == GA_ENCODER ? rows : io->kv_len;
    walk->tokens = calloc(walk->batch * walk->capacity, sizeof *walk->tokens);
    walk->call_tokens = calloc(walk->batch * walk->capacity, sizeof *walk->call_tokens);
    walk->lengths = calloc(walk->batch, sizeof *walk->lengths);
    walk->call_rows = calloc(walk->batch, sizeof *walk->call_rows);
    walk->logits = ga_block_new(walk->batch * model->vocab_size * sizeof *walk->logits);
    const bool keeps_memory = model->encoder && (walk->recompute || io->memory);
    walk->memory = keeps_memory ? ga_block_new(walk->batch * kv_len * model->d_model * sizeof *walk->memory) : NULL;
    walk->scratch_size = ga_model_scratch_size(model, walk->instance->variant, walk->batch, rows, kv_len,
                                               walk->instance->parallel ? walk->instance->parallel->threads : 1);
    walk->scratch = walk->scratch_size == SIZE_MAX ? NULL : ga_block_new(walk->scratch_size);
    if (!walk->tokens || !walk->call_tokens || !walk->lengths || !walk->call_rows || !walk->logits || !walk->scratch ||
        (keeps_memory && !walk->memory)) {
        return no_memory(walk);
    }
    for (size_t b = 0; b < walk->batch; b++) {
        walk->lengths[b] = io->q_lengths ? io->q_lengths[b] : (int32_t)io->q_len;
        memcpy(walk->tokens + b * walk->capacity, io->tokens + b * io->q_len, io->q_len * sizeof *walk->tokens);
    }
    if (io->memory) {
        memcpy(walk->memory, io->memory, walk->batch * kv_len * model->d_model * sizeof *walk->memory);
    }
    return model->cache ? make_cache(walk) : GA_EXIT_OK;
}

static void drop_walk(struct walk *walk)
{
    free(walk->tokens);
    free(walk->call_tokens);
    free(walk->lengths);
    free(walk->call_rows);
    ga_block_free(walk->logits);
    ga_block_free(walk->memory);
    ga_block_free(walk->cache);
    ga_block_free(walk->scratch);
}

// The tokens of one call: from token `from` of each sequence that goes on, q_len at most.
static void lay_call(struct walk *walk, const bool *ended, bool only_last, size_t *q_len_out)
{
    size_t q_len = 1;
    for (size_t b = 0; b < walk->batch; b++) {
        walk->call_rows[b] = ended[b] ? 0 : only_last ? 1 : walk->lengths[b];
        q_len = (size_t)walk->call_rows[b] > q_len ? (size_t)walk->call_rows[b] : q_len;
    }
    for (size_t b = 0; b < walk->batch; b++) {
        const size_t rows = (size_t)walk->call_rows[b], from = (size_t)walk->lengths[b] - rows;
        memcpy(walk->call_tokens + b * q_len, walk->tokens + b * walk->capacity + from,
               rows * sizeof *walk->call_tokens);
    }
    *q_len_out = q_len;
}

// One call that gives the logits after each sequence's last token.
static enum ga_status call_model(struct walk *walk, bool is_first, size_t q_len, struct ga_error *error)
{
    struct ga_io io = {
        .batch = walk->batch,
        .q_len = q_len,
        .tokens = walk->call_tokens,
        .q_lengths = walk->call_rows,
        .last_logits = walk->logits,
        .cache = walk->cache,
        .parallel = walk->instance->parallel,
    };
    for (size_t b = 0; walk->recompute && walk->cache && b < walk->batch; b++) {
        (void)ga_cache_cut(walk->cache, b, 0, NULL); // to nothing, which any sequence can be
    }
    // After the first call, the cache holds the memory that a decoder attends to.
    if (walk->context->model->kind != GA_ENCODER && (is_first || walk->recompute)) {
        const bool encodes = is_first || !walk->memory;
        io.kv_len = walk->call->io.kv_len;
        io.kv_lengths = walk->call->io.kv_lengths;
        io.memory = walk->memory;
        io.key_tokens = encodes ? walk->call->io.key_tokens : NULL;
        io.key = encodes ? walk->call->io.key : NULL;
        io.src_mask = walk->call->io.src_mask;
        io.src_additive_mask = walk->call->io.src_additive_mask;
        memcpy(io.src_mask_strides, walk->call->io.src_mask_strides, sizeof io.src_mask_strides);
    }
    return ga_model_run(walk->instance->loaded, &io, walk->scratch, walk->scratch_size, error);
}

static int32_t most_likely(const float *logits, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        best = logits[i] > logits[best] ? i : best;
    }
    return (int32_t)best;
}

// Adds a token to each sequence that goes on; false: none does any more.
static bool add_tokens(struct walk *walk, bool *ended)
{
    const size_t count = walk->context->model->vocab_size;
    bool any = false;
    for (size_t b = 0; b < walk->batch; b++) {
        if (!ended[b]) {
            const int32_t token = most_likely(walk->logits + b * count, count);
            walk->tokens[b * walk->capacity + (size_t)walk->lengths[b]++] = token;
            ended[b] = token == walk->stop;
            any = any || !ended[b];
        }
    }
    return any;
}

static enum ga_exit go_on(struct walk *walk, size_t added)
{
    bool *ended = calloc(walk->batch, sizeof *ended), any = ended != NULL;
    struct ga_error error = {.status = GA_MEMORY, .text = "no memory"};
    enum ga_status status = ended ? GA_OK : GA_MEMORY;
    for (size_t b = 0; ended && b < walk->batch; b++) {
        ended[b] = walk->lengths[b] == 0; // nothing to go on from
    }
    for (size_t step = 0; any && status == GA_OK && step < added; step++) {
        size_t q_len;
        lay_call(walk, ended, step > 0 && !walk->recompute, &q_len);
        status = call_model(walk, step == 0, q_len, &error);
        any = status == GA_OK && add_tokens(walk, ended);
    }
    free(ended);
    return status == GA_OK ? GA_EXIT_OK : ga_failed(walk->context, "%s: %s", walk->call->path, error.text);
}

static enum ga_exit write_tokens(const struct walk *walk, const char *path)
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

static enum ga_exit generate_from(struct walk *walk, size_t added, const char *path)
{
    const struct ga_io *io = &walk->call->io;
    const char *problem = !io->tokens                     ? "goes on from token ids, and the file holds rows"
                          : io->mask || io->additive_mask ? "adds rows that the file's mask says nothing of"
                                                          : NULL;
    if (problem) {
        return ga_failed(walk->context, "%s: generating %s", walk->call->path, problem);
    }
    walk->batch = io->batch;
    walk->capacity = io->q_len + added;
    enum ga_exit code = check_room(walk, added);
    code = code == GA_EXIT_OK ? make_walk(walk) : code;
    code = code == GA_EXIT_OK ? go_on(walk, added) : code;
    code = code == GA_EXIT_OK ? write_tokens(walk, path) : code;
    drop_walk(walk);
    return code;
}

static enum ga_exit read_numbers(const struct ga_context *context, const char *const *values, size_t *added_out,
                                 int64_t *stop_out)
{
    const struct ga_range some = {1, 65536}, ids = {0, context->model->vocab_size - 1};
    size_t stop = 0;
    *added_out = 32;
    enum ga_exit code = values[NEW] ? ga_read_size(context, "new", values[NEW], some, added_out) : GA_EXIT_OK;
    if (code == GA_EXIT_OK && values[STOP]) {
        code = ga_read_size(context, "stop", values[STOP], ids, &stop);
    }
    *stop_out = values[STOP] ? (int64_t)stop : -1;
    return code;
}

static enum ga_exit generate(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct ga_model_call call = {0};
    struct walk walk = {
        .context = context, .instance = &instance, .call = &call, .recompute = values[RECOMPUTE] != NULL};
    size_t added;
    enum ga_exit code = check_model(context);
    if (code == GA_EXIT_OK && !context->model->cache && !walk.recompute) {
        walk.recompute = true;
        note_no_cache(context);
    }
    code = code == GA_EXIT_OK ? read_numbers(context, values, &added, &walk.stop) : code;
    code = code == GA_EXIT_OK ? ga_read_threads(context, values[THREADS], &choice.threads) : code;
    code = code == GA_EXIT_OK ? ga_load_model(context, &choice, &instance) : code;
    code = code == GA_EXIT_OK ? ga_model_call_open(context, values[INPUT], &call) : code;
    code = code == GA_EXIT_OK ? generate_from(&walk, added, values[OUTPUT]) : code;
    ga_model_call_close(&call);
    ga_model_instance_free(&instance);
    return code;
}

const struct ga_command ga_command_generate = {
    .name = "generate",
    .summary = "go on from tokens, each time with the most likely one",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = generate,
};
