// chat_forms.c: the table of the forms of chat templates, and how a template is told by its words. Reads no Jinja.
#include "chat_forms.h"

#include <string.h>

#define IM(role) "<|im_start|>" role "\n"
#define HEADER(role) "<|start_header_id|>" role "<|end_header_id|>\n\n"

// A template has the first form of which it has all words and lacks all others.
static const struct ga_text_chat_form forms[] = {
    {.name = "chatml",
     .bos = "",
     .lead = "",
     .before_system = IM("system"),
     .after_system = "<|im_end|>\n",
     .before_user = IM("user"),
     .after_user = "<|im_end|>\n" IM("assistant"),
     .end = "<|im_end|>",
     .has = {"<|im_start|>", "<|im_end|>"},
     .lacks = {"<|im_sep|>", "<end_of_utterance>", "assistant\\n<think>", "'<think>\\n'", "## Metadata",
               "You are a function calling AI model"},
     .default_system = "<|im_start|>system"},
    {.name = "llama3.1",
     .bos = "<|begin_of_text|>",
     .lead = HEADER("system") "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n",
     .before_system = "",
     .after_system = "",
     .before_user = "<|eot_id|>" HEADER("user"),
     .after_user = "<|eot_id|>" HEADER("assistant"),
     .end = "<|eot_id|>",
     .trim = GA_TEXT_CHAT_EACH,
     .has = {"<|start_header_id|>", "<|eot_id|>", "Cutting Knowledge Date: December 2023", "26 Jul 2024"}},
    {.name = "llama3",
     .bos = "<|begin_of_text|>",
     .lead = "",
     .before_system = HEADER("system"),
     .after_system = "<|eot_id|>",
     .before_user = HEADER("user"),
     .after_user = "<|eot_id|>" HEADER("assistant"),
     .end = "<|eot_id|>",
     .trim = GA_TEXT_CHAT_EACH,
     .has = {"<|start_header_id|>", "<|eot_id|>", "trim"},
     .lacks = {"Cutting Knowledge", "functions", "recipient"}},
    {.name = "llama2",
     .bos = "<s>",
     .lead = "[INST] ",
     .before_system = "<<SYS>>\n",
     .after_system = "\n<</SYS>>\n\n",
     .before_user = "",
     .after_user = " [/INST]",
     .end = "</s>",
     .trim = GA_TEXT_CHAT_WHOLE,
     .has = {"[INST] ", " [/INST]", "<<SYS>>", "content.strip()"}},
    {.name = "mistral-tekken",
     .bos = "<s>",
     .lead = "[INST]",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "",
     .after_user = "[/INST]",
     .end = "</s>",
     .has = {"\"[INST]\" + system_message", "\"[/INST]\""},
     .lacks = {"<<SYS>>", "[SYSTEM_PROMPT]"}},
    {.name = "mistral-v3",
     .bos = "<s>",
     .lead = "[INST] ",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "",
     .after_user = "[/INST]",
     .end = "</s>",
     .has = {"\"[INST] \" + system_message", "\"[/INST]\""},
     .lacks = {"<<SYS>>", "[SYSTEM_PROMPT]"}},
    {.name = "mistral-v1",
     .bos = "<s>",
     .lead = " [INST] ",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "",
     .after_user = " [/INST]",
     .end = "</s>",
     .has = {" [INST] ", " + system_message", " [/INST]"},
     .lacks = {"<<SYS>>", "[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]"}},
    {.name = "mistral",
     .bos = "<s>",
     .lead = "[INST] ",
     .before_system = "",
     .after_system = "",
     .before_user = "",
     .after_user = " [/INST]",
     .end = "</s>",
     .takes_no_system = true,
     .has = {"'[INST] ' + message['content'] + ' [/INST]'"},
     .lacks = {"<<SYS>>", "[SYSTEM_PROMPT]", "system_message", " [INST]"}},
    {.name = "gemma",
     .bos = "<bos>",
     .lead = "<start_of_turn>user\n",
     .before_system = "",
     .after_system = "",
     .before_user = "",
     .after_user = "<end_of_turn>\n<start_of_turn>model\n",
     .end = "<end_of_turn>",
     .trim = GA_TEXT_CHAT_USER,
     .takes_no_system = true,
     .has = {"<start_of_turn>", "<end_of_turn>", "trim", "System role not supported"}},
    {.name = "gemma3",
     .bos = "<bos>",
     .lead = "<start_of_turn>user\n",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "",
     .after_user = "<end_of_turn>\n<start_of_turn>model\n",
     .end = "<end_of_turn>",
     .trim = GA_TEXT_CHAT_USER,
     .has = {"<start_of_turn>", "<end_of_turn>", "trim", "first_user_prefix"}},
    {.name = "phi3",
     .bos = "",
     .lead = "",
     .before_system = "<|system|>\n",
     .after_system = "<|end|>\n",
     .before_user = "<|user|>\n",
     .after_user = "<|end|>\n<|assistant|>\n",
     .end = "<|end|>",
     .has = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"},
     .lacks = {"<|channel|>", "<think>", "<|begin|>", "<|content|>"}},
    {.name = "zephyr",
     .bos = "",
     .lead = "",
     .before_system = "<|system|>\n",
     .after_system = GA_TEXT_CHAT_EOS "\n",
     .before_user = "<|user|>\n",
     .after_user = GA_TEXT_CHAT_EOS "\n<|assistant|>\n",
     .end = GA_TEXT_CHAT_EOS,
     .has = {"<|system|>", "<|user|>", "<|assistant|>", "message['content'] + eos_token"},
     .lacks = {"<|end|>"}},
};

enum { FORMS = sizeof(forms) / sizeof(*forms) };

static bool has_words(struct ga_text_bytes template, const char *words)
{
    return ga_text_contains(template, (struct ga_text_bytes){words, strlen(words)});
}

static bool is_of(const struct ga_text_chat_form *form, struct ga_text_bytes template)
{
    bool is = true;
    for (size_t i = 0; i < GA_TEXT_CHAT_MARKERS && is; i++) {
        is = (form->has[i] == NULL || has_words(template, form->has[i])) &&
             (form->lacks[i] == NULL || !has_words(template, form->lacks[i]));
    }
    return is;
}

const struct ga_text_chat_form *ga_text_chat_form_named(const char *name)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

const struct ga_text_chat_form *ga_text_chat_form_of(struct ga_text_bytes template)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (is_of(&forms[i], template)) {
            return &forms[i];
        }
    }
    return NULL;
}

const char *ga_text_chat_name(size_t i)
{
    return i < FORMS ? forms[i].name : NULL;
}
