// chat_template.h: the chat template that goes with a tokenizer: its own, or one in a file next to it. Knows no form.
#ifndef GA_CHAT_TEMPLATE_H
#define GA_CHAT_TEMPLATE_H

#include "texts.h"

// Zeroed memory is none.
struct ga_chat_template {
    char *bytes; // [length], NULL: there is none
    size_t length;
    char label[GA_TOKENIZER_LABEL]; // where it is, for messages
};

// The chat template of a tokenizer, which is at path, or where that is NULL in weights or in their folder: the one that
// it holds, else chat_template.jinja in the same folder, else chat_template of tokenizer_config.json there.
// GA_EXIT_FAILED after a message where a file cannot be read. The caller frees it, also then.
enum ga_exit ga_chat_template_find(const struct ga_context *context, const struct ga_text_tokenizer *tokenizer,
                                   const char *path, const char *weights, struct ga_chat_template *template_out);

void ga_chat_template_free(struct ga_chat_template *template);

#endif
