// embed.c: the command `embed`: one row for each of many sequences of any lengths, which it sorts by length and runs in
// batches. The order of the rows is that of the file.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "command.h"
#include "load_model.h"
#include "text_sequences.h"
#include "weights.h"
#include "weights_options.h"

enum { TOKENS = GA_OPTIONS_LOADING, TEXT, TOKENIZER, OUTPUT, ROWS, CUT, ISA, THREADS };
enum { USUAL_ROWS = 1024 };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [TOKENS] = {"tokens", "FILE", NULL, false, "the sequences as token ids: text, or safetensors"},
    [TEXT] = {"text", "FILE", NULL, false, "the sequences as texts, a line each; -: standard input"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "of --text"},
    [OUTPUT] = {"output", "FILE", NULL, true, "safetensors file to write"},
    [ROWS] = {"rows", "N", "1024", false, "rows of a batch, at most, where a sequence is no longer"},
    [CUT] = {"cut", NULL, NULL, false, "take the first ids of what is longer than the model's sequences"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "For a model that has an embedding and pools. Text has one sequence a line, its token ids separated by",
    "blanks or commas. A file whose name ends in .safetensors holds tokens I32 or I64 [sequences, len],",
    "lengths [sequences], and token_types as tokens where the model adds them.",
    "Writes embedding F32 [sequences, d_model], in the file's order; that of an empty sequence is zeros.",
    "Texts are tokenized by Hugging Face's tokenizer.json; those longer than the model's sequences are cut, and "
    "counted.",
    "Sequences are sorted by length and run in batches: the numbers are the same whatever the batches.",
    NULL,
};

static const char *const examples[] = {
    "embed --weights w.safetensors --tokens ids.txt --output embeddings.safetensors",
    "embed --weights model/ --text sentences.txt --output embeddings.safetensors",
    "embed --weights w.safetensors --tokens ids.safetensors --output e.safetensors --threads all --cut",
    NULL,
};

// -- Batches --------------------------------------------------------------------------------------------------------

// All there is to do, and room for one batch at a time.
struct work {
    const struct ga_context *context;
    const struct ga_model_instance *instance;
    struct ga_sequences sequences;
    size_t *order; // places in sequences, the longest first
    size_t rows;   // of a batch
    float *embeddings;
    int32_t *tokens, *types, *lengths; // of a batch
    float *pooled;
    size_t room; // rows these hold
    void *scratch;
    size_t scratch_size;
};

struct place {
    size_t length, at;
};

static int longest_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->length != b->length ? (a->length < b->length) - (a->length > b->length)
                                  : (a->at > b->at) - (a->at < b->at);
}

static enum ga_exit sort_sequences(struct work *work)
{
    const size_t count = work->sequences.count;
    struct place *places = malloc(count * sizeof *places);
    work->order = malloc(count * sizeof *work->order);
    if (!places || !work->order) {
        free(places);
        return ga_failed(work->context, "no memory for %zu sequences", count);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct place){ga_sequence_length(&work->sequences, i), i};
    }
    qsort(places, count, sizeof *places, longest_first);
    for (size_t i = 0; i < count; i++) {
        work->order[i] = places[i].at;
    }
    free(places);
    return GA_EXIT_OK;
}

static size_t length_at(const struct work *work, size_t i)
{
    return ga_sequence_length(&work->sequences, work->order[i]);
}

// Rows a sequence of the batch from the first-th on has in the call.
static size_t call_length(const struct work *work, size_t first)
{
    const size_t length = length_at(work, first), least = work->context->model->q_len.min;
    return length > least ? length : least;
}

// How many sequences from the first-th on go together: those whose rows fit; without lengths, of one length.
static size_t batch_size(const struct work *work, size_t first)
{
    const struct ga_model *model = work->context->model;
    const size_t left = work->sequences.count - first, fit = work->rows / call_length(work, first);
    size_t count = fit < 1 ? 1 : fit < left ? fit : left;
    if (model->batch) {
        count = model->batch < left ? model->batch : left;
    }
    for (size_t i = 1; !model->lengths && i < count; i++) {
        count = length_at(work, first + i) == length_at(work, first) ? count : i;
    }
    return count;
}

// Room for a batch of so many rows and sequences, all zeros.
static enum ga_exit make_room(struct work *work, size_t batch, size_t rows)
{
    const size_t d_model = work->context->model->d_model;
    if (rows > work->room) {
        free(work->tokens);
        free(work->types);
        free(work->lengths);
        ga_block_free(work->pooled);
        work->room = rows;
        work->tokens = malloc(rows * sizeof *work->tokens);
        work->types = malloc(rows * sizeof *work->types);
        work->lengths = malloc(rows * sizeof *work->lengths);
        work->pooled = ga_block_new(rows * d_model * sizeof *work->pooled);
    }
    if (!work->tokens || !work->types || !work->lengths || !work->pooled) {
        return ga_failed(work->context, "no memory for a batch of %zu rows", rows);
    }
    memset(work->tokens, 0, rows * sizeof *work->tokens);
    memset(work->types, 0, rows * sizeof *work->types);
    memset(work->lengths, 0, batch * sizeof *work->lengths);
    return GA_EXIT_OK;
}

static enum ga_exit make_scratch(struct work *work, const struct ga_io *io)
{
    const size_t size = ga_model_scratch_size(work->context->model, work->instance->variant, io->batch, io->q_len, 0,
                                              io->parallel ? io->parallel->threads : 1);
    if (size > work->scratch_size) {
        ga_block_free(work->scratch);
        work->scratch = size == SIZE_MAX ? NULL : ga_block_new(size);
        work->scratch_size = size;
    }
    return work->scratch ? GA_EXIT_OK : ga_failed(work->context, "no memory for %zu bytes of scratch", size);
}

static void fill_batch(struct work *work, size_t first, size_t count, size_t q_len)
{
    const struct ga_sequences *sequences = &work->sequences;
    for (size_t b = 0; b < count; b++) {
        const size_t start = sequences->starts[work->order[first + b]], length = length_at(work, first + b);
        work->lengths[b] = (int32_t)length;
        if (length > 0) {
            memcpy(work->tokens + b * q_len, sequences->ids + start, length * sizeof *work->tokens);
        }
        if (length > 0 && sequences->types) {
            memcpy(work->types + b * q_len, sequences->types + start, length * sizeof *work->types);
        }
    }
}

// Runs sequences from the first-th on as one batch, and puts their rows where they belong.
static enum ga_exit run_batch(struct work *work, size_t first, size_t count)
{
    const struct ga_model *model = work->context->model;
    const size_t batch = model->batch ? model->batch : count, q_len = call_length(work, first);
    enum ga_exit code = make_room(work, batch, batch * q_len);
    if (code != GA_EXIT_OK) {
        return code;
    }
    fill_batch(work, first, count, q_len);
    const struct ga_io io = {
        .batch = batch,
        .q_len = q_len,
        .tokens = work->tokens,
        .token_types = work->sequences.types ? work->types : NULL,
        .q_lengths = model->lengths ? work->lengths : NULL,
        .embedding = work->pooled,
        .parallel = work->instance->parallel,
    };
    struct ga_error error;
    code = make_scratch(work, &io);
    if (code == GA_EXIT_OK &&
        ga_model_run(work->instance->loaded, &io, work->scratch, work->scratch_size, &error) != GA_OK) {
        return ga_failed(work->context, "%s", error.text);
    }
    for (size_t b = 0; b < count && code == GA_EXIT_OK; b++) {
        memcpy(work->embeddings + work->order[first + b] * model->d_model, work->pooled + b * model->d_model,
               model->d_model * sizeof *work->pooled);
    }
    return code;
}

// A line on a terminal that the next one overwrites; nothing where stderr is no terminal.
static void show_progress(size_t done, size_t count)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, done < count ? "\r%zu of %zu sequences ...\033[K" : "\r\033[K", done, count);
    }
}

static enum ga_exit run_batches(struct work *work)
{
    const size_t count = work->sequences.count;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t first = 0, size = 0; first < count && code == GA_EXIT_OK; first += size) {
        show_progress(first, count);
        size = batch_size(work, first);
        code = run_batch(work, first, size);
    }
    show_progress(count, count);
    return code;
}

static void free_work(struct work *work)
{
    ga_sequences_free(&work->sequences);
    free(work->order);
    ga_block_free(work->embeddings);
    free(work->tokens);
    free(work->types);
    free(work->lengths);
    ga_block_free(work->pooled);
    ga_block_free(work->scratch);
}

// -- The command ----------------------------------------------------------------------------------------------------

static enum ga_exit check_model(const struct ga_context *context)
{
    const struct ga_model *model = context->model;
    if (!model->stack || model->kind != GA_ENCODER) {
        return ga_failed(context, "%s is no encoder, so there is no embedding of a sequence", model->name);
    }
    if (model->stack->pool == GA_POOL_NONE) {
        return ga_failed(context, "%s does not pool; its spec would say pool = { kind = \"mean\" }", model->name);
    }
    if (model->vocab_size == 0) {
        return ga_failed(context, "%s takes no token ids; its spec would say vocab_size = 30522", model->name);
    }
    return model->cache ? ga_failed(context, "%s has a cache, which calls that embed do without", model->name)
                        : GA_EXIT_OK;
}

// Sequences that the model has no call for: too short ones where it takes no lengths.
static enum ga_exit check_lengths(const struct work *work)
{
    const struct ga_model *model = work->context->model;
    for (size_t i = 0; !model->lengths && i < work->sequences.count; i++) {
        if (ga_sequence_length(&work->sequences, i) < model->q_len.min) {
            return ga_failed(work->context,
                             "sequence %zu has %zu ids; expected at least %zu, as the model takes no lengths", i,
                             ga_sequence_length(&work->sequences, i), model->q_len.min);
        }
    }
    return GA_EXIT_OK;
}

static enum ga_exit write_embeddings(const struct work *work, const char *path)
{
    const struct ga_tensor tensor = {
        .name = "embedding",
        .dtype = GA_F32,
        .rank = 2,
        .shape = {work->sequences.count, work->context->model->d_model},
        .data = work->embeddings,
    };
    struct ga_error error;
    if (ga_weights_write(path, &tensor, 1, &error) != GA_OK) {
        return ga_failed(work->context, "%s", error.text);
    }
    ga_print_line("%s: embedding F32 [%zu, %zu]", path, tensor.shape[0], tensor.shape[1]);
    return GA_EXIT_OK;
}

static enum ga_exit embed(struct work *work, const char *output)
{
    const size_t shape[] = {work->sequences.count, work->context->model->d_model, sizeof(float)};
    size_t bytes;
    work->embeddings = ga_shape_elements(3, shape, &bytes) ? ga_block_new(bytes) : NULL;
    if (!work->embeddings) {
        return ga_failed(work->context, "no memory for %zu embeddings", work->sequences.count);
    }
    enum ga_exit code = check_lengths(work);
    code = code == GA_EXIT_OK ? sort_sequences(work) : code;
    code = code == GA_EXIT_OK ? run_batches(work) : code;
    return code == GA_EXIT_OK ? write_embeddings(work, output) : code;
}

static enum ga_exit read_arguments(const struct ga_context *context, const char *const *values, struct work *work,
                                   size_t *threads_out)
{
    const struct ga_range range = {1, 1 << 24};
    work->rows = USUAL_ROWS;
    enum ga_exit code = ga_read_threads(context, values[THREADS], threads_out);
    if (code == GA_EXIT_OK && values[ROWS]) {
        code = ga_read_size(context, "rows", values[ROWS], range, &work->rows);
    }
    return code == GA_EXIT_OK ? check_model(context) : code;
}

static enum ga_exit read_texts(const struct ga_context *context, const char *const *values, const char *weights,
                               struct ga_sequences *sequences)
{
    struct ga_text_tools tools;
    size_t n_cut = 0;
    enum ga_exit code = ga_text_tools_open(context, values[TOKENIZER], weights, &tools);
    if (code == GA_EXIT_OK) {
        code = ga_sequences_of_texts(context, &tools, values[TEXT], sequences, &n_cut);
        ga_text_tools_close(&tools);
    }
    if (code == GA_EXIT_OK && n_cut > 0) {
        ga_note(context, "%zu of %zu texts were cut to %zu tokens", n_cut, sequences->count, context->model->q_len.max);
    }
    return code;
}

// The sequences by whichever option gives them.
static enum ga_exit read_sequences(const struct ga_context *context, const char *const *values, const char *weights,
                                   struct ga_sequences *sequences)
{
    if (!values[TOKENS] == !values[TEXT]) {
        return ga_misused(context, values[TEXT] ? "--tokens and --text are given both; expected one of them"
                                                : "embed: --tokens FILE or --text FILE is missing");
    }
    return values[TEXT] ? read_texts(context, values, weights, sequences)
                        : ga_sequences_read(context, values[TOKENS], values[CUT] != NULL, sequences);
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct work work = {.context = context, .instance = &instance};
    enum ga_exit code = read_arguments(context, values, &work, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = read_sequences(context, values, values[GA_OPTION_WEIGHTS], &work.sequences);
    }
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    if (code == GA_EXIT_OK) {
        code = embed(&work, values[OUTPUT]);
    }
    free_work(&work);
    ga_model_instance_free(&instance);
    return code;
}

const struct ga_command ga_command_embed = {
    .name = "embed",
    .summary = "give one row for each of many sequences of token ids",
    .options = options,
    .notes = notes,
    .examples = examples,
    .run = run,
};
