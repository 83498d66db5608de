// tokenize.c: the command `tokenize`: the token ids of each text of a file, as text or as JSON.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "texts.h"
#include "utf8.h"

enum { TEXT, NUL, PAIR, TOKENIZER, WEIGHTS, FORMAT, REPLACE };

static const struct ga_option options[] = {
    [TEXT] = {"text", "FILE", NULL, true, "texts, a line each; -: standard input"},
    [NUL] = {"0", NULL, NULL, false, "each text ends with NUL instead of a newline"},
    [PAIR] = {"pair", "FILE", NULL, false, "second texts of pairs, one for each text"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "Hugging Face's tokenizer.json"},
    [WEIGHTS] = {"weights", "PATH", NULL, false, "weights that hold the tokenizer, or have it in their folder"},
    [FORMAT] = {"format", "ids|json", "ids", false, "what to print for each text"},
    [REPLACE] = {"replace-invalid", NULL, NULL, false, "read bytes that are not UTF-8 as U+FFFD, instead of failing"},
    {NULL, NULL, NULL, false, NULL},
};

static const char *const notes[] = {
    "Prints a line for each text. ids: token ids separated by blanks, as --tokens takes them.",
    "json: an object with ids, tokens, offsets (code points of the text), type_ids and special (1: a token that",
    "was added). The values are those of the tokenizers package; padding in the file is not applied.",
    NULL,
};

static const char *const examples[] = {
    "tokenize --tokenizer tokenizer.json --text sentences.txt",
    "tokenize --weights model/ --text questions.txt --pair answers.txt --format json",
    NULL,
};

// What there is to do.
struct work {
    const struct ga_context *context;
    struct ga_text_tools tools;
    struct ga_texts texts, pairs;
    bool has_pairs, is_json;
    unsigned flags;
};

// -- What is printed ------------------------------------------------------------------------------------------------

static void print_number(long long number, char before)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%c%lld", before, number);
    fwrite(digits + (before == '\0'), 1, (size_t)length - (before == '\0'), stdout);
}

// The ids alone are printed without printf: they are what corpora are made into.
static void print_ids(const struct ga_text_encoding *encoding)
{
    char buffer[4096];
    size_t used = 0;
    for (size_t i = 0; i < encoding->count; i++) {
        char digits[12];
        size_t length = 0;
        for (uint32_t id = (uint32_t)encoding->ids[i]; id > 0 || length == 0; id /= 10) {
            digits[length++] = (char)('0' + id % 10);
        }
        if (used + length + 1 > sizeof buffer) {
            fwrite(buffer, 1, used, stdout);
            used = 0;
        }
        if (i > 0) {
            buffer[used++] = ' ';
        }
        while (length > 0) {
            buffer[used++] = digits[--length];
        }
    }
    fwrite(buffer, 1, used, stdout);
    putchar('\n');
}

static void print_tokens(const struct ga_text_encoding *encoding)
{
    for (size_t i = 0; i < encoding->count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        ga_put_json_text(stdout, encoding->tokens[i].bytes, encoding->tokens[i].length);
    }
}

static void print_json(const struct ga_text_encoding *encoding)
{
    fputs("{\"ids\": [", stdout);
    for (size_t i = 0; i < encoding->count; i++) {
        print_number(encoding->ids[i], i > 0 ? ',' : '\0');
    }
    fputs("], \"tokens\": [", stdout);
    print_tokens(encoding);
    fputs("], \"offsets\": [", stdout);
    for (size_t i = 0; i < encoding->count; i++) {
        printf("%s[%u, %u]", i > 0 ? ", " : "", (unsigned)encoding->offsets[i].begin,
               (unsigned)encoding->offsets[i].end);
    }
    fputs("], \"type_ids\": [", stdout);
    for (size_t i = 0; i < encoding->count; i++) {
        print_number(encoding->type_ids[i], i > 0 ? ',' : '\0');
    }
    fputs("], \"special\": [", stdout);
    for (size_t i = 0; i < encoding->count; i++) {
        print_number(encoding->special[i], i > 0 ? ',' : '\0');
    }
    fputs("]}\n", stdout);
}

// -- The command ----------------------------------------------------------------------------------------------------

// Reads a text and its pair; *found_out: whether there was one.
static enum ga_exit next_texts(struct work *work, bool *found_out)
{
    bool has_pair = false;
    enum ga_exit code = ga_texts_next(work->context, &work->texts, found_out);
    if (code == GA_EXIT_OK && work->has_pairs) {
        code = ga_texts_next(work->context, &work->pairs, &has_pair);
    }
    if (code == GA_EXIT_OK && work->has_pairs && *found_out != has_pair) {
        return ga_failed(work->context, "%s has %zu texts, and %s %s; expected as many",
                         *found_out ? work->pairs.path : work->texts.path,
                         *found_out ? work->pairs.count : work->texts.count,
                         *found_out ? work->texts.path : work->pairs.path, "more");
    }
    return code;
}

static enum ga_exit tokenize_one(struct work *work)
{
    struct ga_text_encoding encoding;
    struct ga_error error;
    const enum ga_status status = ga_text_library.encode(work->tools.context, work->texts.text, work->texts.length,
                                                         work->has_pairs ? work->pairs.text : NULL, work->pairs.length,
                                                         work->flags, &encoding, &error);
    if (status != GA_OK) {
        return ga_failed(work->context, "%s: %s %zu: %s", work->texts.path, work->texts.end ? "line" : "text",
                         work->texts.count, error.text);
    }
    if (work->is_json) {
        print_json(&encoding);
    } else {
        print_ids(&encoding);
    }
    return GA_EXIT_OK;
}

static enum ga_exit tokenize(struct work *work)
{
    bool found = true;
    enum ga_exit code = GA_EXIT_OK;
    while (code == GA_EXIT_OK && found) {
        code = next_texts(work, &found);
        if (code == GA_EXIT_OK && found) {
            code = tokenize_one(work);
        }
    }
    return code;
}

static enum ga_exit open_texts(struct work *work, const char *const *values)
{
    const bool nul = values[NUL] != NULL;
    work->has_pairs = values[PAIR] != NULL;
    if (work->has_pairs && strcmp(values[TEXT], "-") == 0 && strcmp(values[PAIR], "-") == 0) {
        return ga_misused(work->context, "--text and --pair cannot both be standard input");
    }
    const enum ga_exit code = ga_texts_open(work->context, values[TEXT], nul, &work->texts);
    return code == GA_EXIT_OK && work->has_pairs ? ga_texts_open(work->context, values[PAIR], nul, &work->pairs) : code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct work work = {.context = context, .flags = values[REPLACE] ? GA_TEXT_REPLACE_INVALID : 0};
    enum ga_exit code = ga_read_format(context, "format", values[FORMAT], "ids", &work.is_json);
    work.flags |= work.is_json ? GA_TEXT_OFFSETS : 0;
    if (code == GA_EXIT_OK) {
        code = ga_text_tools_open(context, values[TOKENIZER], values[WEIGHTS], &work.tools);
    }
    if (code == GA_EXIT_OK) {
        code = open_texts(&work, values);
    }
    if (code == GA_EXIT_OK) {
        code = tokenize(&work);
    }
    ga_texts_close(&work.texts);
    ga_texts_close(&work.pairs);
    ga_text_tools_close(&work.tools);
    return code;
}

const struct ga_command ga_command_tokenize = {
    .name = "tokenize",
    .summary = "give the token ids of texts",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = ga_text_refusal,
    .run = run,
};
