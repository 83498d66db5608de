// completion_bash.c: the program's completion for bash. Completes names of commands, of options, and of values that are
// in the model; file names are bash's part.
#include <stdio.h>

#include "completion.h"

// A case for an option whose values are known, and one that leaves the others to bash.
static void print_values(const struct ga_model *model, const struct ga_command *command)
{
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (option->value) {
            printf("        '%s --%s') words='", command->name, option->name);
            ga_complete_values(model, option);
            puts("' ;;");
        }
    }
}

static void print_options(const struct ga_command *command)
{
    printf("        '%s '*) words='--help", command->name);
    for (const struct ga_option *option = command->options; option->name; option++) {
        printf(" %s%s", option->name[1] ? "--" : "-", option->name);
    }
    puts("' ;;");
}

static void print_commands(const struct ga_model *model)
{
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(model, ga_commands[i])) {
            printf(" %s", ga_commands[i]->name);
        }
    }
}

void ga_complete_bash(const struct ga_context *context, const struct ga_self_option *table)
{
    const char *model = context->model->name;
    printf("# Completion of %s for bash: what %s --completion bash prints.\n_%s()\n{\n", model, model, model);
    puts("    local word=${COMP_WORDS[COMP_CWORD]} words=");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='help --help");
    for (const struct ga_self_option *option = table; option->name; option++) {
        printf(" --%s", option->name);
    }
    print_commands(context->model);
    puts("'\n    else\n        case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in");
    printf("        'help '*) words='");
    print_commands(context->model);
    puts("' ;;\n        '--completion '*) words='bash zsh fish' ;;");
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            print_values(context->model, ga_commands[i]);
            print_options(ga_commands[i]);
        }
    }
    puts("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}");
    printf("complete -o default -F _%s %s\n", model, model);
}
