// detokenize.c: the command `detokenize`: the texts that sequences of token ids stand for.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "texts.h"

enum { IDS, NUL, TOKENIZER, WEIGHTS };

static const struct ga_option options[] = {
    [IDS] = {"ids", "FILE", NULL, true, "token ids, a line for each text; -: standard input"},
    [NUL] = {"0", NULL, NULL, false, "end each text with NUL instead of a newline"},
    [TOKENIZER] = {"tokenizer", "FILE", "that of the weights", false, "Hugging Face's tokenizer.json"},
    [WEIGHTS] = {"weights", "PATH", NULL, false, "weights that hold the tokenizer, or have it in their folder"},
    {NULL, NULL, NULL, false, NULL},
};

static const char *const notes[] = {
    "Ids are separated by blanks or commas. Gives what decode(ids, skip_special_tokens=True) of the tokenizers",
    "package gives: it leaves out special tokens and ids that the tokenizer does not know.",
    NULL,
};

static const char *const examples[] = {
    "detokenize --tokenizer tokenizer.json --ids ids.txt",
    NULL,
};

struct work {
    const struct ga_context *context;
    struct ga_text_tools tools;
    struct ga_texts lines;
    int32_t *ids; // of one line
    size_t count, room;
    char end;
};

static enum ga_exit add_id(struct work *work, long long id)
{
    if (work->count == work->room) {
        const size_t room = work->room ? work->room * 2 : 1024;
        int32_t *ids = realloc(work->ids, room * sizeof *ids);
        if (!ids) {
            return ga_failed(work->context, "no memory for the ids of a line");
        }
        work->ids = ids;
        work->room = room;
    }
    work->ids[work->count++] = (int32_t)id;
    return GA_EXIT_OK;
}

static enum ga_exit read_ids(struct work *work)
{
    const char *at = work->lines.text, *end = at + work->lines.length;
    enum ga_exit code = GA_EXIT_OK;
    work->count = 0;
    while (code == GA_EXIT_OK && (at += strspn(at, " \t\r,\n")) < end) {
        char *after;
        errno = 0;
        const long long id = strtoll(at, &after, 10);
        if (after == at || errno || id < 0 || id > INT32_MAX || !strchr(" \t\r,\n", *after)) {
            return ga_failed(work->context, "%s: line %zu: found \"%.20s\", expected a token id", work->lines.path,
                             work->lines.count, at);
        }
        at = after;
        code = add_id(work, id);
    }
    return code;
}

static enum ga_exit print_text(const struct work *work)
{
    struct ga_text_view text;
    struct ga_error error;
    if (ga_text_library.decode(work->tools.context, work->ids, work->count, true, &text, &error) != GA_OK) {
        return ga_failed(work->context, "%s: line %zu: %s", work->lines.path, work->lines.count, error.text);
    }
    ga_put_text(text.bytes, text.length);
    putchar(work->end);
    return GA_EXIT_OK;
}

static enum ga_exit detokenize(struct work *work)
{
    bool found = true;
    enum ga_exit code = GA_EXIT_OK;
    while (code == GA_EXIT_OK && found) {
        code = ga_texts_next(work->context, &work->lines, &found);
        if (code == GA_EXIT_OK && found) {
            code = read_ids(work);
            code = code == GA_EXIT_OK ? print_text(work) : code;
        }
    }
    return code;
}

static enum ga_exit run(const struct ga_context *context, const struct ga_arguments *arguments)
{
    const char *const *values = arguments->values;
    struct work work = {.context = context, .end = values[NUL] ? '\0' : '\n'};
    enum ga_exit code = ga_text_tools_open(context, values[TOKENIZER], values[WEIGHTS], &work.tools);
    if (code == GA_EXIT_OK) {
        code = ga_texts_open(context, values[IDS], false, &work.lines);
    }
    if (code == GA_EXIT_OK) {
        code = detokenize(&work);
    }
    free(work.ids);
    ga_texts_close(&work.lines);
    ga_text_tools_close(&work.tools);
    return code;
}

const struct ga_command ga_command_detokenize = {
    .name = "detokenize",
    .summary = "give the texts of token ids",
    .options = options,
    .notes = notes,
    .examples = examples,
    .refusal = ga_text_refusal,
    .run = run,
};
