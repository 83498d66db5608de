// program.c: finds the command argv names and runs it; prints what the program says of itself.
// Knows commands only by their table.
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "manual.h"
#include "standard_files.h"

static void print_version(const struct ga_context *context, const struct ga_self_option *table)
{
    (void)table;
    printf("genattn %s, model %s\n", GA_VERSION, context->model->name);
}

static const struct ga_self_option self_options[] = {
    {"version", "version and model", print_version},
    {"man", "the manual page, for man", ga_print_manual},
    {"completion", "completion for bash", ga_print_completion},
    {NULL, NULL, NULL},
};

static const struct ga_self_option *find_self_option(const char *word)
{
    for (const struct ga_self_option *option = self_options; option->name; option++) {
        if (strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0) {
            return option;
        }
    }
    return NULL;
}

static const struct ga_command *find_command(const char *name)
{
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (strcmp(ga_commands[i]->name, name) == 0) {
            return ga_commands[i];
        }
    }
    return NULL;
}

static void print_usage(FILE *stream, const char *program)
{
    fprintf(stream, "Usage: %s COMMAND [OPTION]...\n\nCommands:\n", program);
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        fprintf(stream, "  %-10s %s\n", ga_commands[i]->name, ga_commands[i]->summary);
    }
    fprintf(stream, "\n  %s %-16s the command's options, defaults and examples\n", program, "COMMAND --help");
    for (const struct ga_self_option *option = self_options; option->name; option++) {
        fprintf(stream, "  %s --%-14s %s\n", program, option->name, option->help);
    }
}

static enum ga_exit refuse_command(const struct ga_context *context, const char *given)
{
    const char *names[GA_COMMANDS];
    char list[160] = "";
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        names[i] = ga_commands[i]->name;
        strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, names[i], sizeof list - strlen(list) - 1);
    }
    char hint[GA_PRINTABLE];
    return ga_misused(context, "unknown command \"%s\"%s (there are %s)", given,
                      ga_did_you_mean(ga_suggest_name(given, names, GA_COMMANDS), hint), list);
}

static enum ga_exit run_command(struct ga_context *context, const struct ga_command *command, int argc, char **argv)
{
    struct ga_arguments arguments;
    bool help;
    context->command = command->name;
    enum ga_exit code = ga_options_read(context, command, argc, argv, &arguments, &help);
    if (code != GA_EXIT_OK) {
        return code;
    }
    if (help) {
        ga_options_help(context, command);
        return GA_EXIT_OK;
    }
    return command->run(context, &arguments);
}

static enum ga_exit dispatch(struct ga_context *context, int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr, context->program);
        return GA_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout, context->program);
        return GA_EXIT_OK;
    }
    const struct ga_self_option *self = find_self_option(argv[1]);
    if (self) {
        self->print(context, self_options);
        return GA_EXIT_OK;
    }
    const struct ga_command *command = find_command(argv[1]);
    return command ? run_command(context, command, argc - 1, argv + 1) : refuse_command(context, argv[1]);
}

int ga_program(const struct ga_model *model, int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    struct ga_context context = {.model = model, .program = model->name};
    char program[GA_PRINTABLE];
    ga_open_standard_files();
    if (argc > 0 && *argv[0]) {
        context.program = ga_printable(slash ? slash + 1 : argv[0], program);
    }
    if (model->abi != GA_ABI) {
        return (int)ga_failed(&context, "the model has ABI %u and this program %d: build both anew",
                              (unsigned)model->abi, GA_ABI);
    }
    enum ga_exit code = dispatch(&context, argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == GA_EXIT_OK) { // a full disk must not look like success
        code = ga_failed(&context, "standard output could not be written");
    }
    return (int)code;
}
