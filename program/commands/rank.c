// rank.c: the command `rank`: how well each of many documents answers a query, best first: by a model that reads both
// together (a cross-encoder), or one whose vectors of their tokens are compared (late interaction).
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "command.h"
#include "json_file.h"
#include "load_model.h"
#include "pooling.h"
#include "progress.h"
#include "rank_answers.h"
#include "rank_late.h"
#include "rank_scores.h"
#include "text_blocks.h"
#include "token_vectors.h"
#include "weights_options.h"

enum { QUERY = GA_OPTIONS_LOADING, DOCUMENTS, NUL, TOKENIZER, TOP, LABEL, ACTIVATION, FORMAT, ROWS, ISA, THREADS };
enum { USUAL_ROWS = 1024 };

static const struct ga_option options[] = {
    GA_LOADING_OPTIONS,
    [QUERY] = {"query", "TEXT", NULL, true, "the first text of each pair"},
    [DOCUMENTS] = {"documents", "FILE", NULL, true, "the second texts, a line each; -: standard input"},
    [NUL] = {"0", NULL, NULL, false,
             "each document, and each line that is printed, ends with NUL instead of a newline"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "Hugging Face's tokenizer.json"},
    [TOP] = {"top", "N", "all", false, "number of best documents to print"},
    [LABEL] = {"label", "N", NULL, false, "the label to rank by, from 0; required if the model has several"},
    [ACTIVATION] = {"activation", "NAME", "the spec's classifier.scores", false,
                    "how class_logits become scores: sigmoid, softmax, none"},
    [FORMAT] = {"format", "text|json", "text", false, "what to print for each document"},
    [ROWS] = {"rows", "N", "1024", false, "most rows in a batch, unless one pair is longer"},
    [ISA] = {"isa", GA_ISA_OPTION},
    [THREADS] = {"threads", GA_THREADS_OPTION},
    {NULL, NULL, NULL, false, NULL},
};
_Static_assert(sizeof options / sizeof *options <= GA_MAX_OPTIONS + 1, "more options than places for their values");

static const char *const notes[] = {
    "For an encoder of token ids that has a classifier: a cross-encoder, which reads query and document as one pair;",
    "or one of late interaction (ColBERT): the score is the sum over the query's tokens of the largest inner product",
    "with a token of the document; or a decoder that answers with a token (Qwen3-Reranker): the score is the logit of",
    "its yes less that of its no, after the text of the pair.",
    "Prints a line for each document, best first. text: the scores of all labels, separated by blanks, the number of",
    "the document from 1 on, and the document, separated by tabs. json: an object with score, line and text, and with",
    "scores if there are several labels.",
    "Pairs longer than the model's sequences are cut, the longer text first, and counted.",
    "sigmoid is 1 / (1 + exp(-logit)) and softmax is over the labels; none gives the logits themselves.",
    NULL,
};

static const char *const examples[] = {
    "rank --weights model/ --query 'what does a cello sound like' --documents lines.txt --top 5",
    "rank --weights model/ --query 'a wet day' --documents - --format json --activation none < lines.txt",
    NULL,
};

// What there is to do.
struct work {
    const struct ga_context *context;
    struct ga_model_instance instance;
    struct ga_text_block pairs; // the query with each document, or of late interaction the documents
    struct ga_text_block query; // of late interaction
    float *scores;              // [count][n_labels]
    size_t *order;              // the best first
    size_t top, label, rows;
    enum ga_class_scores activation;
    bool is_json, is_late, is_answered; // of late interaction; by a token
    char end;                           // of what is printed
};

// Models without a classifier give one score.
static size_t labels_of(const struct work *work)
{
    const size_t n_labels = work->context->model->stack->n_labels;
    return n_labels > 0 ? n_labels : 1;
}

// -- Scores ---------------------------------------------------------------------------------------------------------

struct place {
    float logit;
    size_t at;
};

// What is no number comes last; of equals the document that stands first.
static int best_first(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    const int by_nan = (isnan(a->logit) != 0) - (isnan(b->logit) != 0);
    const int by_logit = (a->logit < b->logit) - (a->logit > b->logit);
    return by_nan ? by_nan : by_logit ? by_logit : (a->at > b->at) - (a->at < b->at);
}

// Sorts documents by the label's numbers as they are: of sigmoids some are the same in a float.
static enum ga_exit sort_documents(struct work *work)
{
    const size_t count = work->pairs.sequences.count;
    struct place *places = malloc(count * sizeof *places);
    work->order = malloc(count * sizeof *work->order);
    if (!places || !work->order) {
        free(places);
        return ga_failed(work->context, "no memory for %zu documents", count);
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = (struct place){work->scores[i * labels_of(work) + work->label], i};
    }
    qsort(places, count, sizeof *places, best_first);
    for (size_t i = 0; i < count; i++) {
        work->order[i] = places[i].at;
    }
    free(places);
    return GA_EXIT_OK;
}

static enum ga_exit run_pairs(const struct work *work)
{
    struct ga_progress progress = ga_progress_begin(work->context, "documents");
    struct ga_pooling pooling = {
        .context = work->context,
        .instance = &work->instance,
        .rows = work->rows,
        .field = offsetof(struct ga_batches, class_logits),
        .progress = &progress,
        .end = 1,
    };
    const enum ga_exit code = ga_pool_sequences(&pooling, &work->pairs.sequences, work->scores);
    ga_progress_end(&progress);
    ga_pooling_free(&pooling);
    return code;
}

static enum ga_exit make_scores(struct work *work)
{
    const size_t shape[] = {work->pairs.sequences.count, labels_of(work), sizeof(float)};
    size_t bytes;
    work->scores = ga_shape_elements(3, shape, &bytes) ? malloc(bytes) : NULL;
    if (!work->scores) {
        return ga_failed(work->context, "no memory for the scores of %zu documents", shape[0]);
    }
    const struct ga_sequences *pairs = &work->pairs.sequences;
    enum ga_exit code =
        work->is_late
            ? ga_rank_late(work->context, &work->instance, &work->query.sequences, pairs, work->rows, work->scores)
        : work->is_answered ? ga_rank_answers(work->context, &work->instance, pairs, work->rows, work->scores)
                            : run_pairs(work);
    code = code == GA_EXIT_OK ? sort_documents(work) : code;
    if (code == GA_EXIT_OK) {
        ga_rank_activate(work->activation, work->scores, work->pairs.sequences.count, labels_of(work));
    }
    return code;
}

// -- What is printed ------------------------------------------------------------------------------------------------

static void print_text(const struct work *work, const float *scores, size_t at)
{
    const struct ga_text_view document = ga_text_block_text(&work->pairs, at);
    for (size_t i = 0; i < labels_of(work); i++) {
        printf("%s%.9g", i > 0 ? " " : "", (double)scores[i]);
    }
    printf("\t%zu\t", at + 1);
    ga_put_text(document.bytes, document.length);
    putchar(work->end);
}

// JSON cannot spell infinities and NaN.
static json_t *json_score(float score)
{
    return isfinite(score) ? json_real((double)score) : json_null();
}

static enum ga_exit print_json(const struct work *work, const float *scores, size_t at)
{
    const struct ga_text_view document = ga_text_block_text(&work->pairs, at);
    json_t *object = json_pack("{s:o, s:o, s:s%}", "score", json_score(scores[work->label]), "line",
                               ga_json_size(at + 1), "text", document.bytes, document.length);
    json_t *all = labels_of(work) > 1 ? json_array() : NULL;
    for (size_t i = 0; all && i < labels_of(work); i++) {
        json_array_append_new(all, json_score(scores[i]));
    }
    if (object && all) {
        json_object_set_new(object, "scores", all);
    }
    const bool ok = object && json_dumpf(object, stdout, JSON_REAL_PRECISION(9)) == 0;
    json_decref(object);
    putchar(work->end);
    return ok ? GA_EXIT_OK : ga_failed(work->context, "document %zu cannot be printed as JSON", at + 1);
}

static enum ga_exit print_best(const struct work *work)
{
    const size_t count = work->pairs.sequences.count;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t i = 0; i < count && i < work->top && code == GA_EXIT_OK; i++) {
        const size_t at = work->order[i];
        const float *scores = work->scores + at * labels_of(work);
        if (work->is_json) {
            code = print_json(work, scores, at);
        } else {
            print_text(work, scores, at);
        }
    }
    return code;
}

// -- The command ----------------------------------------------------------------------------------------------------

static const char *refusal(const struct ga_model *model)
{
    return !model->stack || model->kind != GA_ENCODER ? "is not an encoder, so it reads no pair of texts"
           : model->stack->n_labels == 0 && !ga_compares_tokens(model) && !ga_text_answers_pairs(model)
               ? "has no classifier; its spec would say classifier = { labels = 1 }"
           : !model->lengths ? "takes no lengths, and pairs are of any; its spec would say mask = { lengths = true }"
           : model->cache && !ga_text_answers_pairs(model)
               ? "has a cache, and scores of pairs take none; its spec would leave cache out"
               : ga_text_refusal(model);
}

static enum ga_exit read_activation(struct work *work, const char *activation)
{
    static const char *const words[] = {"sigmoid", "softmax", "none", NULL};
    static const enum ga_class_scores activations[] = {GA_CLASS_SCORES_SIGMOID, GA_CLASS_SCORES_SOFTMAX,
                                                       GA_CLASS_SCORES_NONE};
    size_t word;
    const enum ga_exit code = ga_read_word(work->context, "activation", activation, words, &word);
    work->activation = work->is_answered && ga_rank_answers_as_sigmoid(work->context->model)
                           ? GA_CLASS_SCORES_SIGMOID
                           : work->context->model->stack->class_scores;
    if (code == GA_EXIT_OK && activation) {
        work->activation = activations[word];
    }
    return code;
}

// --label, which only a model of one label may do without.
static enum ga_exit read_label(struct work *work, const char *label)
{
    const size_t n_labels = labels_of(work);
    const struct ga_range range = {0, n_labels - 1};
    if (label) {
        return ga_read_size(work->context, "label", label, range, &work->label);
    }
    return n_labels == 1 ? GA_EXIT_OK
                         : ga_misused(work->context, "%s has %zu labels; --label 0 to %zu says which one ranks",
                                      work->context->model->name, n_labels, n_labels - 1);
}

static enum ga_exit read_numbers(struct work *work, const char *const *values, size_t *threads_out)
{
    const struct ga_range rows = {1, 1 << 24}, top = {1, SIZE_MAX};
    work->rows = USUAL_ROWS;
    work->top = SIZE_MAX;
    enum ga_exit code = ga_read_threads(work->context, values[THREADS], threads_out);
    code = code == GA_EXIT_OK ? ga_read_size(work->context, "rows", values[ROWS], rows, &work->rows) : code;
    code = code == GA_EXIT_OK ? ga_read_size(work->context, "top", values[TOP], top, &work->top) : code;
    return code == GA_EXIT_OK ? read_label(work, values[LABEL]) : code;
}

// A query that no document can follow is said to be at fault, and not the first document.
static enum ga_exit check_query(const struct ga_text_reader *reader)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    return ga_text_library.encode(reader->tools.context, reader->query, strlen(reader->query), NULL, 0, 0, &encoding,
                                  &error) == GA_OK
               ? GA_EXIT_OK
               : ga_failed(reader->context, "--query: %s", error.text);
}

static enum ga_exit add_documents(struct work *work, struct ga_text_reader *reader, struct ga_texts *documents)
{
    enum ga_exit code = reader->query ? check_query(reader) : GA_EXIT_OK;
    for (bool found = true; code == GA_EXIT_OK && found;) {
        code = ga_texts_next(work->context, documents, &found);
        if (code == GA_EXIT_OK && found) {
            code = ga_text_block_add(reader, documents, &work->pairs);
        }
    }
    return code == GA_EXIT_OK && work->pairs.sequences.count == 0
               ? ga_failed(work->context, "%s: has no documents; expected one a line", documents->path)
               : code;
}

// A query whose vectors are compared is read alone, and documents follow it alone.
static enum ga_exit read_query(struct work *work, struct ga_text_reader *reader, const char *text)
{
    const struct ga_texts query = {.path = "--query", .text = (char *)text, .length = strlen(text), .count = 1};
    enum ga_exit code = ga_text_reader_use_task(reader, GA_TEXT_QUERY);
    code = code == GA_EXIT_OK ? ga_text_block_add(reader, &query, &work->query) : code;
    return code == GA_EXIT_OK ? ga_text_reader_use_task(reader, GA_TEXT_DOCUMENT) : code;
}

static enum ga_exit read_pairs(struct work *work, const char *const *values)
{
    const struct ga_context *context = work->context;
    struct ga_text_reader reader;
    struct ga_texts documents = {0};
    enum ga_exit code = ga_text_reader_open(context, values[TOKENIZER], values[GA_OPTION_WEIGHTS], false, &reader);
    if (code == GA_EXIT_OK && work->is_late) {
        code = read_query(work, &reader, values[QUERY]);
    }
    if (code == GA_EXIT_OK && work->is_answered) {
        code = ga_text_reader_use_pair(&reader);
    }
    reader.query = work->is_late ? NULL : values[QUERY];
    reader.keeps = true;
    if (code == GA_EXIT_OK) {
        code = ga_texts_open(context, values[DOCUMENTS], values[NUL] != NULL, &documents);
    }
    if (code == GA_EXIT_OK) {
        code = add_documents(work, &reader, &documents);
    }
    ga_texts_close(&documents);
    ga_text_reader_close(&reader);
    if (code == GA_EXIT_OK && work->pairs.n_cut > 0) {
        ga_note(context,
                work->is_late ? "%zu of %zu documents were cut to %zu tokens"
                              : "%zu of %zu pairs were cut to %zu tokens",
                work->pairs.n_cut, work->pairs.sequences.count, context->model->q_len.max);
    }
    return code;
}

static void free_work(struct work *work)
{
    ga_model_instance_free(&work->instance);
    ga_text_block_free(&work->pairs);
    ga_text_block_free(&work->query);
    free(work->scores);
    free(work->order);
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct ga_weight_choice choice = ga_loading_chosen(values, values[ISA]);
    struct work work = {.context = context,
                        .is_late = ga_compares_tokens(context->model),
                        .is_answered = ga_text_answers_pairs(context->model),
                        .end = values[NUL] ? '\0' : '\n'};
    enum ga_exit code = ga_read_format(context, "format", values[FORMAT], "text", &work.is_json);
    code = code == GA_EXIT_OK ? read_activation(&work, values[ACTIVATION]) : code;
    code = code == GA_EXIT_OK ? read_numbers(&work, values, &choice.threads) : code;
    code = code == GA_EXIT_OK ? read_pairs(&work, values) : code;
    code = code == GA_EXIT_OK ? ga_load_model(context, &choice, &work.instance) : code;
    code = code == GA_EXIT_OK ? make_scores(&work) : code;
    code = code == GA_EXIT_OK ? print_best(&work) : code;
    free_work(&work);
    return code;
}

const struct ga_command ga_command_rank = {
    .name = "rank",
    .summary = "rank documents by how well they answer a query",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = refusal,
    .run = run,
};
