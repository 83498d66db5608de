// generate_chat.c: `generate --chat`: a message as the tokens of a chat, in the form of the model's chat template.
#include <stdlib.h>
#include <string.h>

#include "chat_template.h"
#include "generate.h"

enum { SHOWN = 60 };

// The names of all forms, "a, b, c", in room for them.
static const char *names_of_forms(char *names, size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; ga_text_library.chat_name(i) && used < size; i++) {
        used += (size_t)snprintf(names + used, size - used, "%s%s", i > 0 ? ", " : "", ga_text_library.chat_name(i));
    }
    return names;
}

// Refuses a template by the beginning of its first line, or says that there is none.
static enum ga_exit refuse(const struct ga_context *context, const struct ga_chat_template *template,
                           const char *problem)
{
    char names[256], line[SHOWN + 1], shown[GA_PRINTABLE];
    const size_t length = template->length < SHOWN ? template->length : SHOWN;
    memcpy(line, template->bytes ? template->bytes : "", template->bytes ? length : 0);
    line[template->bytes ? length : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return ga_failed(context, "%s: %s%s%s; --chat-template NAME chooses a form: %s", template->label, problem,
                     template->bytes ? ": " : "", ga_printable(line, shown), names_of_forms(names, sizeof names));
}

static enum ga_exit choose_form(const struct ga_context *context, const char *name, struct ga_text_chat *chat_out)
{
    char names[256];
    return ga_text_library.chat_named(name, chat_out) ? GA_EXIT_OK
                                                      : ga_misused(context, "--chat-template %s: expected one of %s",
                                                                   name, names_of_forms(names, sizeof names));
}

static enum ga_exit find_form(const struct ga_context *context, const struct ga_text_tools *tools,
                              const struct ga_generated_text *text, struct ga_chat_template *template,
                              struct ga_text_chat *chat_out)
{
    const enum ga_exit code =
        ga_chat_template_find(context, tools->tokenizer, text->tokenizer, text->weights, template);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if (!template->bytes) {
        return refuse(context, template, "there is no chat template in it or beside it");
    }
    return ga_text_library.chat_recognise(template->bytes, template->length, chat_out)
               ? GA_EXIT_OK
               : refuse(context, template, "the chat template has a form that is not known");
}

enum ga_exit ga_chat_encode(const struct ga_context *context, const struct ga_text_tools *tools,
                            const struct ga_generated_text *text, struct ga_text_encoding *encoding_out,
                            int32_t *end_out)
{
    struct ga_chat_template template = {0};
    struct ga_text_chat chat;
    struct ga_error error;
    enum ga_exit code = text->chat_template ? choose_form(context, text->chat_template, &chat)
                                            : find_form(context, tools, text, &template, &chat);
    if (code == GA_EXIT_OK &&
        ga_text_library.encode_chat(tools->context, &chat, text->system, text->system ? strlen(text->system) : 0,
                                    text->chat, strlen(text->chat), encoding_out, end_out, &error) != GA_OK) {
        code = ga_failed(context, "--chat: %s", error.text);
    }
    ga_chat_template_free(&template);
    return code;
}
