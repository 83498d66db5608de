// completion.c: the program's completion for bash, from the table of commands that --help is printed from.
// Completes names of commands, of options, and of values that are in the model; file names are bash's part.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "manual.h"

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
static const struct {
    const char *name, *value;
    void (*print)(const struct ga_model *model);
} VALUES[] = {
    {"isa", "NAME", print_isas},
    {"weights-layout", GA_LAYOUT_VALUE, print_layouts},
};

// A case for an option whose values are known, and one that leaves the others to bash.
static void print_values(const struct ga_context *context, const struct ga_command *command)
{
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (!option->value) {
            continue;
        }
        printf("        '%s --%s') words='", command->name, option->name);
        for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
            if (strcmp(VALUES[i].name, option->name) == 0 && strcmp(VALUES[i].value, option->value) == 0) {
                VALUES[i].print(context->model);
            }
        }
        puts("' ;;");
    }
}

static void print_options(const struct ga_command *command)
{
    printf("        '%s '*) words='--help", command->name);
    for (const struct ga_option *option = command->options; option->name; option++) {
        printf(" --%s", option->name);
    }
    puts("' ;;");
}

void ga_print_completion(const struct ga_context *context, const struct ga_self_option *table)
{
    const char *model = context->model->name;
    printf("# Completion of %s for bash: what %s --completion prints.\n_%s()\n{\n", model, model, model);
    puts("    local word=${COMP_WORDS[COMP_CWORD]} words=");
    printf("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='--help");
    for (const struct ga_self_option *option = table; option->name; option++) {
        printf(" --%s", option->name);
    }
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        printf(" %s", ga_commands[i]->name);
    }
    puts("'\n    else\n        case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}\" in");
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        print_values(context, ga_commands[i]);
        print_options(ga_commands[i]);
    }
    puts("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}");
    printf("complete -o default -F _%s %s\n", model, model);
}
