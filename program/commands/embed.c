// embed.c: the command `embed`: one row for each of many texts or sequences of token ids, a block of them at a time.
// The order of the rows is that of the file.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "output_name.h"
#include "pooling.h"
#include "rows_file.h"
#include "text_ahead.h"
#include "utf8.h"
#include "weights_options.h"

enum { TOKENS = GA_OPTIONS_LOADING, TEXT, NUL, TOKENIZER, OUTPUT, FORMAT, REPLACE, ROWS, CUT, ISA, THREADS };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [TOKENS] = {"tokens", "FILE", NULL, false, "the sequences as token ids: text, or safetensors"},
    [TEXT] = {"text", "FILE", NULL, false, "the sequences as texts, a line each; -: standard input"},
    [NUL] = {"0", NULL, NULL, false, "each text of --text ends with NUL instead of a newline"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "tokenizer for --text"},
    [OUTPUT] = {"output", "FILE", "json: standard output", false, "file to write"},
    [FORMAT] = {"format", "FORMAT", "as --output ends, .npy or .safetensors", false,
                "safetensors, npy, or json: an object a line"},
    [REPLACE] = {"replace-invalid", NULL, NULL, false, "read bytes of --text that are not UTF-8 as U+FFFD"},
    [ROWS] = {"rows", "N", "1024", false, "most rows in a batch, unless one sequence is longer"},
    [CUT] = {"cut", NULL, NULL, false, "cut sequences of ids that are longer than the model's"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "For a model that has an embedding and pools. A text file has one sequence a line, its token ids separated by",
    "blanks or commas. A file whose name ends in .safetensors has tokens I32 or I64 [sequences, len],",
    "lengths [sequences], and token_types in the shape of tokens if the model adds them.",
    "safetensors: embedding F32 [sequences, d_model], in the file's order; an empty sequence gives zeros.",
    "npy: the same rows as one array, which numpy.load reads.",
    "json: {\"text\": ..., \"embedding\": [...]} for each, without \"text\" for token ids; its numbers read back as",
    "the same floats.",
    "Texts are tokenized with Hugging Face's tokenizer.json. Those longer than the model's sequences are cut and "
    "counted.",
    "Sequences are sorted by length and run in batches. The numbers do not depend on the batches.",
    "Texts are read and written in blocks of some thousands, so that memory does not grow with the file.",
    NULL,
};

static const char *const examples[] = {
    "embed --weights w.safetensors --tokens ids.txt --output embeddings.safetensors",
    "embed --weights model/ --text sentences.txt --output embeddings.npy",
    "embed --weights w.gap --tokenizer tokenizer.json --text - --format json",
    "embed --weights w.safetensors --tokens ids.safetensors --output e.safetensors --threads all --cut",
    NULL,
};

// -- What is written ------------------------------------------------------------------------------------------------

// Where rows go: a file of rows, or JSON on a file or standard output.
struct sink {
    const struct ga_context *context;
    const char *path; // of the output; NULL: standard output
    bool is_json;
    enum ga_rows_format format; // else
    struct ga_rows_file rows;
    struct ga_atomic_file file; // of JSON
    FILE *json;
};

static enum ga_exit open_json(struct sink *sink)
{
    struct ga_error error;
    sink->json = stdout;
    if (!sink->path) {
        return GA_EXIT_OK;
    }
    if (ga_atomic_file_new(sink->path, &sink->file, &error) != GA_OK) {
        return ga_failed(sink->context, "%s", error.text);
    }
    const int fd = dup(sink->file.fd);
    sink->json = fd < 0 ? NULL : fdopen(fd, "w");
    if (!sink->json) {
        (void)ga_atomic_file_end(&sink->file, false, &error);
        return ga_failed(sink->context, "%s", error.text);
    }
    return GA_EXIT_OK;
}

static enum ga_exit open_sink(struct sink *sink)
{
    struct ga_error error;
    if (sink->is_json) {
        return open_json(sink);
    }
    return ga_rows_file_new(sink->path, sink->context->model->d_model, sink->format, &sink->rows, &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s", error.text);
}

// Nine digits are read back to the same float.
static void put_vector(FILE *json, const float *vector, size_t width)
{
    fputs("\"embedding\": [", json);
    for (size_t i = 0; i < width; i++) {
        fputs(i > 0 ? ", " : "", json);
        if (isfinite(vector[i])) {
            fprintf(json, "%.9g", (double)vector[i]);
        } else {
            fputs("null", json); // JSON has no word for them
        }
    }
    fputs("]}\n", json);
}

// block: the texts of the rows, or NULL.
static void put_objects(const struct sink *sink, const struct ga_text_block *block, const float *rows, size_t count)
{
    const size_t width = sink->context->model->d_model;
    for (size_t i = 0, from = 0; i < count; i++) {
        fputs("{", sink->json);
        if (block) {
            fputs("\"text\": ", sink->json);
            ga_put_json_text(sink->json, block->bytes + from, block->ends[i] - from);
            fputs(", ", sink->json);
            from = block->ends[i] + 1;
        }
        put_vector(sink->json, rows + i * width, width);
    }
}

static enum ga_exit put_rows(struct sink *sink, const struct ga_text_block *block, const float *rows, size_t count)
{
    if (sink->is_json) {
        put_objects(sink, block, rows, count);
        return fflush(sink->json) == 0 ? GA_EXIT_OK
                                       : ga_failed(sink->context, "%s: could not be written: %s",
                                                   sink->path ? sink->path : "standard output", strerror(errno));
    }
    return ga_rows_file_put(&sink->rows, rows, count)
               ? GA_EXIT_OK
               : ga_failed(sink->context, "%s: could not be written: %s", sink->path, strerror(errno));
}

// code: of all there was to do.
static enum ga_exit close_sink(struct sink *sink, enum ga_exit code)
{
    static const struct ga_rows_about about = {.tensor = "embedding"};
    struct ga_error error;
    bool good = code == GA_EXIT_OK;
    enum ga_status status = GA_OK;
    if (sink->is_json && sink->path) {
        good = fclose(sink->json) == 0 && good;
        status = ga_atomic_file_end(&sink->file, good, &error);
    } else if (!sink->is_json) {
        status = ga_rows_file_end(&sink->rows, good, &about, &error);
    }
    if (code != GA_EXIT_OK || status == GA_OK) {
        return code;
    }
    return ga_failed(sink->context, "%s", error.text);
}

// -- Blocks ---------------------------------------------------------------------------------------------------------

// All there is to do.
struct work {
    const struct ga_context *context;
    struct ga_pooling pooling;
    struct ga_sequences sequences; // of --tokens
    struct ga_text_reader reader;  // of --text, as are the two below
    struct ga_texts texts;
    struct ga_text_ahead ahead;
    size_t n_cut;
    struct sink sink;
    float *rows; // of a block
};

// Sequences and, of texts, the block that they are of, to rows.
static enum ga_exit embed_block(struct work *work, const struct ga_sequences *sequences,
                                const struct ga_text_block *block)
{
    enum ga_exit code = ga_pool_sequences(&work->pooling, sequences, work->rows);
    return code == GA_EXIT_OK ? put_rows(&work->sink, block, work->rows, sequences->count) : code;
}

static enum ga_exit embed_tokens(struct work *work)
{
    const struct ga_sequences *all = &work->sequences;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t first = 0; first < all->count && code == GA_EXIT_OK; first += GA_BLOCK_TEXTS) {
        const size_t left = all->count - first, count = left < GA_BLOCK_TEXTS ? left : GA_BLOCK_TEXTS;
        const struct ga_sequences part = {count, all->starts + first, all->ids, all->types};
        work->pooling.begin = work->pooling.end;
        work->pooling.end = (double)(first + count) / (double)all->count;
        code = embed_block(work, &part, NULL);
    }
    return code;
}

// struct ga_text_ahead's read.
static enum ga_exit read_block(void *context, struct ga_text_block *block)
{
    struct work *work = context;
    return ga_text_block_read(&work->reader, &work->texts, block);
}

static enum ga_exit embed_texts(struct work *work)
{
    const struct ga_text_block *block;
    enum ga_exit code;
    work->ahead = (struct ga_text_ahead){.read = read_block, .context = work};
    work->pooling.meanwhile = ga_text_ahead_read;
    work->pooling.meanwhile_context = &work->ahead;
    while ((code = ga_text_ahead_next(&work->ahead, &block)) == GA_EXIT_OK && block->sequences.count > 0) {
        work->pooling.begin = work->pooling.end;
        work->pooling.end = block->share;
        work->n_cut += block->n_cut;
        code = embed_block(work, &block->sequences, work->reader.keeps ? block : NULL);
        if (code != GA_EXIT_OK) {
            return code;
        }
    }
    if (code == GA_EXIT_OK && work->pooling.done == 0) {
        code = ga_failed(work->context, "%s: has no texts; expected one a line", work->texts.path);
    }
    if (code == GA_EXIT_OK && work->n_cut > 0) {
        ga_note(work->context, "%zu of %zu texts were cut to %zu tokens", work->n_cut, work->pooling.done,
                work->context->model->q_len.max);
    }
    return code;
}

static enum ga_exit embed(struct work *work, bool has_texts)
{
    struct ga_progress progress = ga_progress_begin(work->context, has_texts ? "texts" : "sequences");
    // Pages that no row comes to are never touched: a few texts take little of it.
    work->rows = malloc(GA_BLOCK_TEXTS * work->context->model->d_model * sizeof *work->rows);
    if (!work->rows) {
        return ga_failed(work->context, "no memory for %d embeddings", GA_BLOCK_TEXTS);
    }
    enum ga_exit code = open_sink(&work->sink);
    if (code != GA_EXIT_OK) {
        return code;
    }
    work->pooling.progress = &progress;
    code = close_sink(&work->sink, has_texts ? embed_texts(work) : embed_tokens(work));
    ga_progress_end(&progress);
    if (code == GA_EXIT_OK && work->sink.path) {
        ga_print_line("%s: embedding F32 [%zu, %zu]", work->sink.path, work->pooling.done,
                      work->context->model->d_model);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

static enum ga_exit read_format(struct work *work, const char *const *values)
{
    static const char *const names[] = {[GA_ROWS_SAFETENSORS] = "safetensors", [GA_ROWS_NUMPY] = "npy"};
    static const char *const endings[] = {GA_SAFETENSORS_ENDING, GA_NUMPY_ENDING, NULL};
    const bool is_numpy = values[OUTPUT] && ga_name_ends_in(values[OUTPUT], GA_NUMPY_ENDING);
    const enum ga_rows_format usual = is_numpy ? GA_ROWS_NUMPY : GA_ROWS_SAFETENSORS;
    const char *format = values[FORMAT] ? values[FORMAT] : names[usual];
    work->sink = (struct sink){.context = work->context,
                               .path = values[OUTPUT],
                               .is_json = strcmp(format, "json") == 0,
                               .format = strcmp(format, "npy") == 0 ? GA_ROWS_NUMPY : GA_ROWS_SAFETENSORS};
    if (!work->sink.is_json && strcmp(format, names[work->sink.format]) != 0) {
        return ga_misused(work->context, "--format %s: expected safetensors, npy or json", format);
    }
    if (!work->sink.is_json && !values[OUTPUT]) {
        return ga_misused(work->context, "embed: --output FILE is missing (or --format json, which is printed)");
    }
    return values[FORMAT]
               ? GA_EXIT_OK
               : ga_check_output_name(work->context, values[OUTPUT], endings, "; with --format, any name is taken");
}

static enum ga_exit read_arguments(struct work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_context *context = work->context;
    const struct ga_range range = {1, 1 << 24};
    enum ga_exit code = ga_read_threads(context, values[THREADS], threads_out);
    if (code == GA_EXIT_OK && values[ROWS]) {
        code = ga_read_size(context, "rows", values[ROWS], range, &work->pooling.rows);
    }
    if (code == GA_EXIT_OK) {
        code = read_format(work, values);
    }
    if (code == GA_EXIT_OK && !values[TOKENS] == !values[TEXT]) {
        code = ga_misused(context, values[TEXT] ? "--tokens and --text are given both; expected one of them"
                                                : "embed: --tokens FILE or --text FILE is missing");
    }
    if (code == GA_EXIT_OK && values[NUL] && !values[TEXT]) {
        code = ga_misused(context, "-0 needs --text; token ids are lines, or safetensors");
    }
    return code;
}

// The file by whichever option names it.
static enum ga_exit open_input(struct work *work, const char *const *values)
{
    const struct ga_context *context = work->context;
    if (values[TOKENS]) {
        return ga_sequences_read(context, values[TOKENS], values[CUT] != NULL, &work->sequences);
    }
    const enum ga_exit code = ga_text_reader_open(context, values[TOKENIZER], values[GA_OPTION_WEIGHTS],
                                                  values[REPLACE] != NULL, &work->reader);
    work->reader.keeps = work->sink.is_json;
    return code == GA_EXIT_OK ? ga_texts_open(context, values[TEXT], values[NUL] != NULL, &work->texts) : code;
}

static void free_work(struct work *work)
{
    ga_text_ahead_close(&work->ahead);
    ga_texts_close(&work->texts);
    ga_text_reader_close(&work->reader);
    ga_sequences_free(&work->sequences);
    ga_pooling_free(&work->pooling);
    free(work->rows);
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct ga_model_instance instance = {0};
    struct work work = {.context = context, .pooling = ga_pooling_of(context, &instance)};
    enum ga_exit code = read_arguments(&work, values, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = open_input(&work, values);
    }
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, &choice, &instance);
    }
    if (code == GA_EXIT_OK) {
        code = embed(&work, values[TEXT] != NULL);
    }
    free_work(&work);
    ga_model_instance_free(&instance);
    return code;
}

const struct ga_command ga_command_embed = {
    .name = "embed",
    .summary = "give one row for each of many texts, or sequences of token ids",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = ga_pooling_refusal,
    .run = run,
};
