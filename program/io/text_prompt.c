// text_prompt.c: what a model's spec says of the texts of a task: which prompt comes before them, how long they may be,
// and which tokens are added to them. Reads no text.
#include <stdint.h>
#include <stdio.h>

#include "min_max.h"
#include "text_blocks.h"

enum { NAME = 64, NAMES = 512 }; // bytes of a name in a message, and of all of them

// The names of the model's prompts, "query, document"; what does not fit is left out.
static const char *list_names(const char *spec, char text[NAMES])
{
    size_t used = 0, length;
    char name[NAME];
    text[0] = '\0';
    for (size_t i = 0; (length = ga_text_library.prompt_name(spec, i, name, sizeof name)) != GA_TEXT_NO_PROMPT; i++) {
        const int shown = (int)(length < sizeof name ? length : sizeof name);
        const size_t left = NAMES - used;
        const int written = snprintf(text + used, left, "%s%.*s", i > 0 ? ", " : "", shown, name);
        if (written < 0 || (size_t)written >= left) {
            text[used] = '\0';
            break;
        }
        used += (size_t)written;
    }
    return text;
}

// Takes the prompt of a name; false where there is none.
static bool use(struct ga_text_reader *reader, const char *name)
{
    const char *spec = reader->context->model->spec;
    const size_t length = ga_text_library.named_prompt(spec, name, reader->prompt, sizeof reader->prompt);
    const bool is_there = length != GA_TEXT_NO_PROMPT && length <= sizeof reader->prompt;
    reader->n_prompt = is_there ? length : 0;
    return is_there;
}

enum ga_exit ga_text_reader_use_prompt(struct ga_text_reader *reader, const char *name)
{
    char names[NAMES];
    const struct ga_context *context = reader->context;
    if (use(reader, name)) {
        return GA_EXIT_OK;
    }
    (void)list_names(context->model->spec, names);
    return names[0] ? ga_misused(context, "--prompt %s: %s has no such prompt; expected one of %s", name,
                                 context->model->name, names)
                    : ga_misused(context,
                                 "--prompt %s: %s has no prompts by name; its spec would say text_input = { prompts = "
                                 "{ \"%s=...\" } }",
                                 name, context->model->name, name);
}

// Takes the first prompt of these names, NULL after the last; false where there is none.
static bool use_first(struct ga_text_reader *reader, const char *const *names)
{
    while (*names && !use(reader, *names)) {
        names++;
    }
    return *names != NULL;
}

// A number of text_input, or another where the spec has none.
static int32_t number_of(const struct ga_text_reader *reader, const char *field, int32_t otherwise)
{
    int32_t number;
    return ga_text_library.recorded_number(reader->context->model->spec, field, 0, &number) ? number : otherwise;
}

// Sets what vectors of tokens need: lengths, the marker of the task, and what fills a query.
static void use_tokens(struct ga_text_reader *reader, bool is_query)
{
    const int32_t most = number_of(reader, is_query ? "query_length" : "document_length", INT32_MAX);
    reader->marker = number_of(reader, is_query ? "query_marker" : "document_marker", -1);
    reader->filler = number_of(reader, "expansion", 0);
    reader->filled = is_query ? (size_t)number_of(reader, "expansion_length", 0) : 0;
    ga_text_library.set_limit(reader->tools.context,
                              ga_min(reader->context->model->q_len.max, (size_t)most) - (reader->marker >= 0));
}

enum ga_exit ga_text_reader_use_task(struct ga_text_reader *reader, enum ga_text_task task)
{
    use_tokens(reader, task == GA_TEXT_QUERY);
    static const char *const queries[] = {"query", NULL}, *const documents[] = {"document", "passage", "corpus", NULL};
    const char *const *own = task == GA_TEXT_QUERY ? queries : documents;
    const char *const *other = task == GA_TEXT_QUERY ? documents : queries;
    const char *spec = reader->context->model->spec;
    if (task != GA_TEXT_ANY && use_first(reader, own)) {
        return GA_EXIT_OK;
    }
    if (task != GA_TEXT_ANY && use_first(reader, other)) {
        reader->n_prompt = 0;
        return GA_EXIT_OK;
    }
    reader->n_prompt = ga_text_library.recorded_prompt(spec, reader->prompt, sizeof reader->prompt);
    return GA_EXIT_OK;
}
