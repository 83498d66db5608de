// completion_fish.c: the program's completion for fish, with the lines of --help next to the names: a `complete` for
// each command and each option.
#include <stdio.h>

#include "completion.h"

static void print_text(const char *text)
{
    ga_complete_text(text, "\\", "\\'");
}

static void print_help(const char *help)
{
    fputs(" -d '", stdout);
    print_text(help);
    puts("'");
}

// What may stand in the first place.
static void print_first(const char *model, const char *dashes, const char *name, const char *help)
{
    printf("complete -c %s -n __fish_use_subcommand -a '%s%s'", model, dashes, name);
    print_help(help);
}

static void print_option(const struct ga_context *context, const struct ga_command *command,
                         const struct ga_option *option)
{
    const bool is_path = ga_is_path_value(option->value);
    printf("complete -c %s -n '__fish_seen_subcommand_from %s' -%c %s%s", context->model->name, command->name,
           option->name[1] ? 'l' : 's', option->name,
           !option->value ? ""
           : is_path      ? " -r -F"
                          : " -x");
    if (ga_has_known_values(option)) {
        fputs(" -a '", stdout);
        ga_complete_values(context->model, option);
        putchar('\'');
    }
    print_help(option->help);
}

static void print_command(const struct ga_context *context, const struct ga_command *command)
{
    const char *model = context->model->name;
    for (const struct ga_option *option = command->options; option->name; option++) {
        print_option(context, command, option);
    }
    printf("complete -c %s -n '__fish_seen_subcommand_from %s' -s h -l help", model, command->name);
    print_help("print this help and exit");
    if (ga_is_path_value(command->operand)) {
        printf("complete -c %s -n '__fish_seen_subcommand_from %s' -F\n", model, command->name);
    }
    print_first(model, "", command->name, command->summary);
    printf("complete -c %s -n '__fish_seen_subcommand_from help' -a %s", model, command->name);
    print_help(command->summary);
}

void ga_complete_fish(const struct ga_context *context, const struct ga_self_option *table)
{
    const char *model = context->model->name;
    printf("# Completion of %s for fish: what %s --completion fish prints.\ncomplete -c %s -f\n", model, model, model);
    print_first(model, "", "help", "the commands, or the options of one");
    for (const struct ga_self_option *option = table; option->name; option++) {
        print_first(model, "--", option->name, option->help);
    }
    printf("complete -c %s -n '__fish_seen_subcommand_from --completion' -a 'bash zsh fish'\n", model);
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            print_command(context, ga_commands[i]);
        }
    }
}
