// completion_zsh.c: the program's completion for zsh, with the lines of --help next to the names; zsh's _arguments and
// _describe do the work.
#include <stdio.h>
#include <string.h>

#include "completion.h"

// Within quotes, where a spec of _arguments or _describe has brackets and colons of its own.
static void print_text(const char *text)
{
    ga_complete_text(text, "\\[]:", "'\\''");
}

static bool may_repeat(const struct ga_option *option)
{
    return option->value && strstr(option->value, "...");
}

// What zsh offers as the value: a list, files, or nothing but the word that stands for it.
static void print_value(const struct ga_model *model, const struct ga_option *option)
{
    putchar(':');
    print_text(option->value);
    putchar(':');
    if (ga_has_known_values(option)) {
        putchar('(');
        ga_complete_values(model, option);
        putchar(')');
    } else {
        fputs(ga_is_path_value(option->value) ? "_files" : " ", stdout);
    }
}

static void print_option(const struct ga_model *model, const struct ga_option *option)
{
    const bool is_long = option->name[1] != '\0';
    printf(" \\\n            '%s%s%s%s[", may_repeat(option) ? "*" : "", is_long ? "--" : "-", option->name,
           option->value ? "=" : "");
    print_text(option->help);
    putchar(']');
    if (option->value) {
        print_value(model, option);
    }
    putchar('\'');
}

static void print_command(const struct ga_model *model, const struct ga_command *command)
{
    printf("    %s)\n        _arguments '(- *)'{-h,--help}'[print this help and exit]'", command->name);
    for (const struct ga_option *option = command->options; option->name; option++) {
        print_option(model, option);
    }
    if (command->operand) {
        printf(" \\\n            '*:");
        print_text(command->operand);
        printf(":%s'", ga_is_path_value(command->operand) ? "_files" : " ");
    }
    puts(" ;;");
}

// A line of an array for _describe.
static void print_row(const char *dashes, const char *name, const char *help)
{
    printf("        '%s%s:", dashes, name);
    print_text(help);
    puts("'");
}

static void print_lists(const struct ga_model *model, const struct ga_self_option *table)
{
    puts("    local -a commands=(");
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(model, ga_commands[i])) {
            print_row("", ga_commands[i]->name, ga_commands[i]->summary);
        }
    }
    puts("    )\n    local -a about=(");
    print_row("", "help", "the commands, or the options of one");
    for (const struct ga_self_option *option = table; option->name; option++) {
        print_row("--", option->name, option->help);
    }
    puts("    )");
}

void ga_complete_zsh(const struct ga_context *context, const struct ga_self_option *table)
{
    const char *model = context->model->name;
    printf("#compdef %s\n# Completion of %s for zsh: what %s --completion zsh prints.\n_%s()\n{\n", model, model, model,
           model);
    print_lists(context->model, table);
    puts("    if (( CURRENT == 2 )); then\n        _describe -t commands command commands\n"
         "        _describe -t about about about\n        return\n    fi\n"
         "    shift words\n    (( CURRENT-- ))\n    case $words[1] in\n"
         "    help) _describe -t commands command commands ;;\n    --completion) compadd bash zsh fish ;;");
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            print_command(context->model, ga_commands[i]);
        }
    }
    printf("    esac\n}\n_%s \"$@\"\n", model);
}
