// search.c: the command `search`: the texts of a file that are nearest to a query, by the vectors that the model gives
// of them, which are kept in a file next to it. Looks at all of them.
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "index_update.h"
#include "interrupt.h"
#include "nearest.h"
#include "utf8.h"
#include "weights_options.h"

enum { CORPUS = GA_OPTIONS_LOADING, NUL, INDEX, DIMS, TOP, FORMAT, TOKENIZER, REPLACE, ISA, THREADS };
enum { USUAL_TOP = 5, MOST_TOP = 100000 };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [CORPUS] = {"corpus", "FILE", NULL, true, "the texts to search, a line each"},
    [NUL] = {"0", NULL, NULL, false, "each text of the corpus ends with NUL instead of a newline"},
    [INDEX] = {"index", "FILE", "CORPUS.MODEL.safetensors", false, "file that stores the vectors of the texts"},
    [DIMS] = {"dims", "N", "all", false, "compare the first N numbers of each vector"},
    [TOP] = {"top", "N", "5", false, "texts to print for each query"},
    [FORMAT] = {"format", "FORMAT", "text", false, "text, or json: an object a line"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "Hugging Face's tokenizer.json"},
    [REPLACE] = {"replace-invalid", NULL, NULL, false, "read bytes that are not UTF-8 as U+FFFD, instead of failing"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "Prints the score and the text of those nearest to each query, best first. The score is the cosine of",
    "the angle between their vectors, or what pool.similarity of the model's spec says. Without a query it reads "
    "queries from standard input, a line each.",
    "Prompts of the model's spec by name come before the texts: `query` before queries, and `document`, `passage` or",
    "`corpus` before those of the corpus.",
    "json: {\"query\": ..., \"line\": ..., \"score\": ..., \"text\": ...} for each text that is found.",
    "The index is a safetensors file with one vector for each text. If the corpus changes, only vectors of new texts",
    "are computed, and the file is replaced. With another model, weights or tokenizer all are computed again; a",
    "machine with another CPU takes the index as it is. `search` never overwrites a file that is not an index.",
    NULL,
};

static const char *const examples[] = {
    "search --weights model/ --corpus sentences.txt \"a musical instrument\"",
    "search --weights w.gap --tokenizer tokenizer.json --corpus sentences.txt --top 20 --threads all < queries.txt",
    NULL,
};

// All there is to do.
struct work {
    const struct ga_context *context;
    struct ga_model_instance instance;
    struct ga_text_reader reader;
    struct ga_pooling pooling;
    struct ga_corpus corpus;
    struct ga_texts texts; // the corpus, of which those found are read again
    struct ga_index_maker maker;
    struct ga_search_index index;
    char *index_path;           // its own
    struct ga_text_block block; // a query
    float *wanted;              // its vector, as wide as those of the index
    size_t top;
    struct ga_hit *hits;     // [top]
    bool is_json, is_titled; // titled: each query stands above what is found
};

// -- Answers --------------------------------------------------------------------------------------------------------

static void print_hit(const struct work *work, const struct ga_texts *query, const struct ga_hit *hit)
{
    const struct ga_texts *texts = &work->texts;
    if (!work->is_json) {
        printf("%s%.3f  ", work->is_titled ? "  " : "", hit->score);
        ga_put_text(texts->text, texts->length);
        putchar('\n');
        return;
    }
    fputs("{\"query\": ", stdout);
    ga_put_json_text(stdout, query->text, query->length);
    printf(", \"line\": %zu, \"score\": %.9g, \"text\": ", hit->row + 1, hit->score);
    ga_put_json_text(stdout, texts->text, texts->length);
    fputs("}\n", stdout);
}

static void print_title(const struct work *work, const struct ga_texts *query)
{
    if (work->is_titled && !work->is_json) {
        fputs(query->count > 1 ? "\n" : "", stdout);
        ga_put_text(query->text, query->length);
        putchar('\n');
    }
}

static enum ga_exit print_hits(struct work *work, const struct ga_texts *query, size_t count)
{
    enum ga_exit code = GA_EXIT_OK;
    print_title(work, query);
    for (size_t i = 0; i < count && code == GA_EXIT_OK; i++) {
        code = ga_corpus_text(work->context, &work->corpus, work->hits[i].row, &work->texts);
        if (code == GA_EXIT_OK) {
            print_hit(work, query, &work->hits[i]);
        }
    }
    fflush(stdout); // whoever writes queries to a pipe waits for the answer
    return code;
}

static enum ga_exit answer(struct work *work, const struct ga_texts *query)
{
    const struct ga_vectors vectors = {work->index.vectors, work->index.count, work->index.width,
                                       work->instance.parallel, work->context->model->stack->similarity};
    ga_text_block_clear(&work->block);
    enum ga_exit code = ga_text_block_add(&work->reader, query, &work->block);
    if (code == GA_EXIT_OK && work->block.n_cut > 0) {
        ga_note(work->context, "%s: text %zu was cut to %zu tokens", query->path, query->count,
                work->context->model->q_len.max);
    }
    if (code == GA_EXIT_OK) {
        code = ga_pool_sequences(&work->pooling, &work->block.sequences, work->wanted);
    }
    if (code != GA_EXIT_OK) {
        return code;
    }
    const size_t count = ga_nearest(&vectors, work->wanted, work->top, work->hits);
    return count == SIZE_MAX ? ga_failed(work->context, "no memory for %zu texts", work->top)
                             : print_hits(work, query, count);
}

static enum ga_exit answer_operands(struct work *work, const struct ga_arguments *arguments)
{
    enum ga_exit code = GA_EXIT_OK;
    work->is_titled = arguments->n_operands > 1;
    for (size_t i = 0; i < arguments->n_operands && code == GA_EXIT_OK; i++) {
        char *text = arguments->operands[i];
        const struct ga_texts query = {.path = "QUERY", .text = text, .length = strlen(text), .count = i + 1};
        code = answer(work, &query);
    }
    return code;
}

static enum ga_exit answer_lines(struct work *work)
{
    struct ga_texts queries;
    enum ga_exit code = ga_texts_open(work->context, "-", false, &queries);
    bool found = code == GA_EXIT_OK;
    work->is_titled = true;
    while (code == GA_EXIT_OK && found) {
        code = ga_texts_next(work->context, &queries, &found);
        if (code == GA_EXIT_OK && found) {
            code = answer(work, &queries);
        }
    }
    ga_texts_close(&queries);
    return code;
}

// -- The index ------------------------------------------------------------------------------------------------------

// CORPUS.MODEL.safetensors where no other is given.
static enum ga_exit name_index(struct work *work, const char *const *values)
{
    const char *const parts[] = {values[CORPUS], ".", work->context->model->name, ".safetensors"};
    const size_t room = strlen(parts[0]) + strlen(parts[2]) + sizeof "..safetensors";
    work->index_path = values[INDEX] ? strdup(values[INDEX]) : malloc(room);
    if (!work->index_path) {
        return ga_failed(work->context, "no memory for a file's name");
    }
    if (!values[INDEX]) {
        snprintf(work->index_path, room, "%s%s%s%s", parts[0], parts[1], parts[2], parts[3]);
    }
    return GA_EXIT_OK;
}

static void say_update(const struct work *work, const struct ga_index_update *update, double seconds)
{
    if (update->n_cut > 0) {
        ga_note(work->context, "%zu of %zu texts were cut to %zu tokens", update->n_cut, update->n_new,
                work->context->model->q_len.max);
    }
    ga_note(work->context, "%s: %zu texts, %zu new, %.3g s", work->index_path, work->index.count, update->n_new,
            seconds);
}

static enum ga_exit make_index(struct work *work)
{
    const double begun = ga_seconds_now();
    struct ga_progress progress = ga_progress_begin(work->context, "new texts");
    struct ga_index_update update = {.context = work->context,
                                     .corpus = &work->corpus,
                                     .maker = &work->maker,
                                     .reader = &work->reader,
                                     .pooling = &work->pooling};
    work->maker = ga_index_maker_of(work->context->model, &work->instance,
                                    ga_text_library.tokenizer_hash(work->reader.tools.tokenizer));
    work->maker.width = ga_pooling_width(&work->pooling);
    enum ga_exit code = ga_search_index_open(work->context, work->index_path, &work->maker, &work->index);
    if (code == GA_EXIT_OK) {
        work->pooling.progress = &progress;
        work->pooling.is_stopped = ga_interrupted;
        ga_interrupt_watch(); // hours of computing are not lost
        code = ga_search_index_update(&update, &work->index);
        ga_interrupt_end();
        work->pooling.progress = NULL;
        work->pooling.is_stopped = NULL;
        ga_progress_end(&progress);
    }
    if (code == GA_EXIT_OK) {
        say_update(work, &update, ga_seconds_now() - begun);
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

static enum ga_exit read_arguments(struct work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_context *context = work->context;
    const struct ga_range range = {1, MOST_TOP}, widths = {1, context->model->stack->d_embedding};
    work->top = USUAL_TOP;
    enum ga_exit code = ga_read_format(context, "format", values[FORMAT], "text", &work->is_json);
    code = code == GA_EXIT_OK ? ga_read_threads(context, values[THREADS], threads_out) : code;
    code = code == GA_EXIT_OK ? ga_read_size(context, "dims", values[DIMS], widths, &work->pooling.dims) : code;
    return code == GA_EXIT_OK ? ga_read_size(context, "top", values[TOP], range, &work->top) : code;
}

// Reads the files that are small, and fail soonest, first.
static enum ga_exit open_files(struct work *work, const char *const *values, const struct ga_weight_choice *choice)
{
    const struct ga_context *context = work->context;
    enum ga_exit code =
        ga_text_reader_open(context, values[TOKENIZER], choice->weights, values[REPLACE] != NULL, &work->reader);
    if (code == GA_EXIT_OK) {
        code = ga_text_reader_use_task(&work->reader, GA_TEXT_DOCUMENT);
    }
    if (code == GA_EXIT_OK) {
        code = ga_corpus_read(context, values[CORPUS], values[NUL] != NULL, &work->corpus);
    }
    if (code == GA_EXIT_OK) {
        code = ga_texts_open(context, values[CORPUS], values[NUL] != NULL, &work->texts);
    }
    if (code == GA_EXIT_OK) {
        code = name_index(work, values);
    }
    if (code == GA_EXIT_OK) {
        code = ga_load_model(context, choice, &work->instance);
    }
    return code;
}

static enum ga_exit make_room(struct work *work)
{
    work->top = work->top < work->corpus.count ? work->top : work->corpus.count;
    work->hits = malloc((work->top + 1) * sizeof *work->hits);
    work->wanted = malloc(ga_pooling_width(&work->pooling) * sizeof *work->wanted);
    return work->hits && work->wanted ? GA_EXIT_OK
                                      : ga_failed(work->context, "no memory for the %zu best texts", work->top);
}

static void free_work(struct work *work)
{
    ga_search_index_close(&work->index);
    ga_text_block_free(&work->block);
    ga_texts_close(&work->texts);
    ga_text_reader_close(&work->reader);
    ga_corpus_free(&work->corpus);
    ga_pooling_free(&work->pooling);
    ga_model_instance_free(&work->instance);
    free(work->index_path);
    free(work->hits);
    free(work->wanted);
}

static const char *refusal(const struct ga_model *model)
{
    const char *why = ga_pooling_refusal(model);
    return why ? why : ga_text_refusal(model);
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct work work = {.context = context};
    choice.wants_checksum = true;
    work.pooling = ga_pooling_of(context, &work.instance);
    enum ga_exit code = read_arguments(&work, values, &choice.threads);
    if (code == GA_EXIT_OK) {
        code = open_files(&work, values, &choice);
    }
    if (code == GA_EXIT_OK) {
        code = make_room(&work);
    }
    if (code == GA_EXIT_OK) {
        code = make_index(&work);
    }
    if (code == GA_EXIT_OK) {
        code = ga_text_reader_use_task(&work.reader, GA_TEXT_QUERY);
    }
    if (code == GA_EXIT_OK) {
        code = arguments->n_operands > 0 ? answer_operands(&work, arguments) : answer_lines(&work);
    }
    free_work(&work);
    return code;
}

const struct ga_command ga_command_search = {
    .name = "search",
    .summary = "print the texts of a file that are nearest in meaning to a query",
    .operand = "[QUERY]...",
    .any_operands = true,
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = refusal,
    .run = run,
};
