// generate_text.c: `generate --text` and `--chat`: a text, and what comes after it, printed as it grows.
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

// What is gone on from: its tokens, and in a chat the one that ends an answer.
struct beginning {
    struct ga_text_encoding encoding;
    int32_t end; // -1: none
};

// Whether a token ends the text, as the spec, the tokenizer of a GGUF file or the form of a chat says.
static bool is_end(const struct ga_text_tools *tools, const struct ga_generated_text *text, int32_t end, int32_t token)
{
    size_t count;
    const int32_t *ends = ga_text_library.tokenizer_ends(tools->tokenizer, &count);
    bool found = end == token && !text->ignores_ends;
    for (size_t i = 0; i < count && !text->ignores_ends; i++) {
        found = found || ends[i] == token;
    }
    return found;
}

static enum ga_exit go_on(struct ga_token_walk *walk, struct ga_text_stream *stream,
                          const struct ga_generated_text *text, int32_t end, struct times *times)
{
    bool goes_on = true;
    enum ga_exit code = GA_EXIT_OK;
    times->begun = ga_seconds_now();
    for (size_t step = 0; code == GA_EXIT_OK && goes_on && step < walk->start.added; step++) {
        code = ga_token_walk_step(walk, &goes_on);
        times->last = ga_seconds_now();
        times->first = step == 0 ? times->last : times->first;
        const int32_t token = walk->tokens[walk->lengths[0] - 1];
        bool stopped = code == GA_EXIT_OK && is_end(stream->tools, text, end, token);
        if (code == GA_EXIT_OK && !stopped) {
            code = ga_text_stream_add(stream, token, &stopped);
        }
        goes_on = goes_on && !stopped;
    }
    return code == GA_EXIT_OK ? ga_text_stream_end(stream) : code;
}

static enum ga_exit generate_from(struct ga_generating *generating, const struct ga_text_tools *tools,
                                  const struct ga_generated_text *text, int32_t end)
{
    struct ga_token_walk walk = {0};
    struct ga_text_stream stream = {
        .context = generating->context, .tools = tools, .stops = text->stops, .n_stops = text->n_stops};
    struct times times = {0, 0, 0};
    const size_t given = generating->start.io->q_len;
    enum ga_exit code = ga_generating_begin(generating, &walk);
    code = code == GA_EXIT_OK ? ga_text_stream_begin(&stream, walk.tokens, given) : code;
    if (code == GA_EXIT_OK) {
        ga_put_text(text->text ? text->text : "", text->text ? strlen(text->text) : 0);
        fflush(stdout);
        code = go_on(&walk, &stream, text, end, &times);
        putchar('\n');
    }
    if (code == GA_EXIT_OK) {
        say_times(generating->context, given, (size_t)walk.lengths[0] - given, &times);
    }
    ga_text_stream_close(&stream);
    ga_token_walk_close(&walk);
    return code;
}

static enum ga_exit encode_text(const struct ga_context *context, const struct ga_text_tools *tools, const char *text,
                                struct ga_text_encoding *encoding)
{
    struct ga_error error;
    if (ga_text_library.encode(tools->context, text, strlen(text), NULL, 0, GA_TEXT_NO_TRUNCATION, encoding, &error) !=
        GA_OK) {
        return ga_failed(context, "--text: %s", error.text);
    }
    return encoding->count > 0 ? GA_EXIT_OK : ga_failed(context, "--text: the text has no tokens to go on from");
}

enum ga_exit ga_generate_text(struct ga_generating *generating, const struct ga_generated_text *text)
{
    const struct ga_context *context = generating->context;
    const char *option = text->chat ? "--chat" : "--text";
    struct ga_text_tools tools;
    struct beginning begin = {.end = -1};
    if (context->model->kind != GA_ENCODER) {
        return ga_failed(context, "%s: %s attends to a memory besides; expected --input", option, context->model->name);
    }
    enum ga_exit code = ga_text_tools_open(context, text->tokenizer, text->weights, &tools);
    if (code != GA_EXIT_OK) {
        return code;
    }
    code = text->chat ? ga_chat_encode(context, &tools, text, &begin.encoding, &begin.end)
                      : encode_text(context, &tools, text->text, &begin.encoding);
    if (code == GA_EXIT_OK) {
        const struct ga_io io = {.batch = 1, .q_len = begin.encoding.count, .tokens = begin.encoding.ids};
        generating->start.label = option;
        generating->start.io = &io;
        code = generate_from(generating, &tools, text, begin.end);
    }
    ga_text_tools_close(&tools);
    return code;
}
