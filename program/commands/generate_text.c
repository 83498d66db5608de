// generate_text.c: `generate --text`: a text, and what comes after it, printed as it grows.
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "generate.h"
#include "text_stream.h"

// Times of a walk, in seconds on a clock that never jumps.
struct times {
    double begun, first, last; // before the first token, after it, after the last
};

// The first token takes the whole text, those after it a row each.
static void say_times(const struct ga_context *context, size_t given, size_t added, const struct times *times)
{
    const double rest = times->last - times->first;
    if (added > 1 && rest > 0) {
        ga_note(context, "%zu tokens of text, the first after it in %.3g s; %zu more in %.3g s, %.1f tokens a second",
                given, times->first - times->begun, added - 1, rest, (double)(added - 1) / rest);
    } else {
        ga_note(context, "%zu tokens of text, %zu more in %.3g s", given, added, times->last - times->begun);
    }
}

// Whether a token ends the text, as the spec or the tokenizer of a GGUF file says.
static bool is_end(const struct ga_text_tools *tools, const struct ga_generated_text *text, int32_t token)
{
    size_t count;
    const int32_t *ends = ga_text_library.tokenizer_ends(tools->tokenizer, &count);
    bool found = false;
    for (size_t i = 0; i < count && !text->ignores_ends; i++) {
        found = found || ends[i] == token;
    }
    return found;
}

static enum ga_exit go_on(struct ga_token_walk *walk, struct ga_text_stream *stream,
                          const struct ga_generated_text *text, struct times *times)
{
    bool goes_on = true;
    enum ga_exit code = GA_EXIT_OK;
    times->begun = ga_seconds_now();
    for (size_t step = 0; code == GA_EXIT_OK && goes_on && step < walk->start.added; step++) {
        code = ga_token_walk_step(walk, &goes_on);
        times->last = ga_seconds_now();
        times->first = step == 0 ? times->last : times->first;
        const int32_t token = walk->tokens[walk->lengths[0] - 1];
        bool stopped = code == GA_EXIT_OK && is_end(stream->tools, text, token);
        if (code == GA_EXIT_OK && !stopped) {
            code = ga_text_stream_add(stream, token, &stopped);
        }
        goes_on = goes_on && !stopped;
    }
    return code == GA_EXIT_OK ? ga_text_stream_end(stream) : code;
}

static enum ga_exit generate_from(struct ga_generating *generating, const struct ga_text_tools *tools,
                                  const struct ga_generated_text *text)
{
    struct ga_token_walk walk = {0};
    struct ga_text_stream stream = {
        .context = generating->context, .tools = tools, .stops = text->stops, .n_stops = text->n_stops};
    struct times times = {0, 0, 0};
    const size_t given = generating->start.io->q_len;
    enum ga_exit code = ga_token_walk_open(generating->context, generating->instance, &generating->start, &walk);
    code = code == GA_EXIT_OK ? ga_text_stream_begin(&stream, walk.tokens, given) : code;
    if (code == GA_EXIT_OK) {
        ga_put_text(text->text, strlen(text->text));
        fflush(stdout);
        code = go_on(&walk, &stream, text, &times);
        putchar('\n');
    }
    if (code == GA_EXIT_OK) {
        say_times(generating->context, given, (size_t)walk.lengths[0] - given, &times);
    }
    ga_text_stream_close(&stream);
    ga_token_walk_close(&walk);
    return code;
}

enum ga_exit ga_generate_text(struct ga_generating *generating, const struct ga_generated_text *text)
{
    const struct ga_context *context = generating->context;
    struct ga_text_tools tools;
    struct ga_text_encoding encoding;
    struct ga_error error;
    if (context->model->kind != GA_ENCODER) {
        return ga_failed(context, "--text: %s attends to a memory besides; expected --input", context->model->name);
    }
    enum ga_exit code = ga_text_tools_open(context, text->tokenizer, text->weights, &tools);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if (ga_text_library.encode(tools.context, text->text, strlen(text->text), NULL, 0, GA_TEXT_NO_TRUNCATION, &encoding,
                               &error) != GA_OK) {
        code = ga_failed(context, "--text: %s", error.text);
    } else if (encoding.count == 0) {
        code = ga_failed(context, "--text: the text has no tokens to go on from");
    } else {
        const struct ga_io io = {.batch = 1, .q_len = encoding.count, .tokens = encoding.ids};
        generating->start.label = "--text";
        generating->start.io = &io;
        code = generate_from(generating, &tools, text);
    }
    ga_text_tools_close(&tools);
    return code;
}
