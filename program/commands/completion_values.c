// completion_values.c: what the completions for the shells share: the values of options that are names in the model,
// and text within quotes. Prints no script; names of files are the shells' part.
#include "completion.h"

#include <stdio.h>
#include <string.h>

static void print_isas(const struct ga_model *model)
{
    for (size_t i = 0; i < model->n_variants; i++) {
        printf("%s%s", i ? " " : "", model->variants[i].isa);
    }
}

static void print_layouts(const struct ga_model *model)
{
    for (size_t i = 0; i < model->n_maps; i++) {
        printf("%s%s", i ? " " : "", model->maps[i].name);
    }
}

// Values that are names of something in the model, by the option or by what stands for its value.
static const struct known {
    const char *name, *value;
    void (*print)(const struct ga_model *model);
} KNOWN[] = {
    {"isa", "NAME", print_isas},
    {"weights-layout", GA_LAYOUT_VALUE, print_layouts},
};

static const struct known *find_known(const struct ga_option *option)
{
    for (size_t i = 0; option->value && i < sizeof KNOWN / sizeof *KNOWN; i++) {
        if (strcmp(KNOWN[i].name, option->name) == 0 && strcmp(KNOWN[i].value, option->value) == 0) {
            return &KNOWN[i];
        }
    }
    return NULL;
}

void ga_complete_values(const struct ga_model *model, const struct ga_option *option)
{
    const struct known *known = find_known(option);
    if (known) {
        known->print(model);
    }
}

bool ga_has_known_values(const struct ga_option *option)
{
    return find_known(option) != NULL;
}

bool ga_is_path_value(const char *value)
{
    return value && (strncmp(value, "FILE", strlen("FILE")) == 0 || strcmp(value, "PATH") == 0);
}

void ga_complete_text(const char *text, const char *escaped, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, stdout);
            continue;
        }
        if (strchr(escaped, *text)) {
            putchar('\\');
        }
        putchar(*text);
    }
}
