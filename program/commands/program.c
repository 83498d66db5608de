// program.c: finds the command argv names and runs it; prints what the program says of itself.
// Knows commands only by their table.
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "cpu.h"
#include "manual.h"
#include "standard_files.h"

static enum ga_exit print_version(const struct ga_context *context, const struct ga_self_option *table,
                                  const char *value)
{
    (void)table;
    (void)value;
    printf("genattn %s, model %s\n", GA_VERSION, context->model->name);
    return GA_EXIT_OK;
}

static const struct ga_self_option self_options[] = {
    {"version", 'V', NULL, "version and model", print_version},
    {"man", 0, NULL, "the manual page, for man", ga_print_manual},
    {"completion", 0, "SHELL", "completion for bash (the default), zsh or fish", ga_print_completion},
    {NULL, 0, NULL, NULL, NULL},
};

static const struct ga_self_option *find_self_option(const char *word)
{
    for (const struct ga_self_option *option = self_options; option->name; option++) {
        const bool is_long = strncmp(word, "--", 2) == 0 && strcmp(word + 2, option->name) == 0;
        const bool is_short = option->letter && word[0] == '-' && word[1] == option->letter && !word[2];
        if (is_long || is_short) {
            return option;
        }
    }
    return NULL;
}

static void print_self_option(FILE *stream, const char *program, const struct ga_self_option *option)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s%s", option->name, option->value ? " [" : "",
             option->value ? option->value : "", option->value ? "]" : "");
    if (option->letter) {
        snprintf(left + strlen(left), sizeof left - strlen(left), ", -%c", option->letter);
    }
    fprintf(stream, "  %s %-20s %s\n", program, left, option->help);
}

static void print_usage(FILE *stream, const struct ga_context *context)
{
    const char *program = context->program;
    fprintf(stream, "Usage: %s COMMAND [OPTION]...\n\nCommands:\n", program);
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            fprintf(stream, "  %-10s %s\n", ga_commands[i]->name, ga_commands[i]->summary);
        }
    }
    fprintf(stream, "\n  %s %-20s the command's options, defaults and examples\n", program, "help COMMAND");
    for (const struct ga_self_option *option = self_options; option->name; option++) {
        print_self_option(stream, program, option);
    }
}

static enum ga_exit refuse_command(const struct ga_context *context, const char *given)
{
    const char *names[GA_COMMANDS + 1] = {"help"};
    size_t count = 1;
    char list[GA_COMMANDS * 16] = "";
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(context->model, ga_commands[i])) {
            names[count++] = ga_commands[i]->name;
            strncat(list, *list ? ", " : "", sizeof list - strlen(list) - 1);
            strncat(list, ga_commands[i]->name, sizeof list - strlen(list) - 1);
        }
    }
    char hint[GA_PRINTABLE];
    return ga_misused(context, "unknown command \"%s\"%s (there are %s)", given,
                      ga_did_you_mean(ga_suggest_name(given, names, count), hint), list);
}

// A word with a dash where a command is expected.
static enum ga_exit refuse_option(const struct ga_context *context, const char *given)
{
    const char *names[sizeof self_options / sizeof *self_options] = {"help"};
    size_t count = 1;
    for (const struct ga_self_option *option = self_options; option->name; option++) {
        names[count++] = option->name;
    }
    char word[GA_PRINTABLE];
    snprintf(word, sizeof word, "%s", given + strspn(given, "-"));
    word[strcspn(word, "=")] = '\0';
    const struct ga_command *owner = ga_command_with(context->model, word);
    if (owner) {
        return ga_misused(context, "unknown option %s; --%s is an option of commands, as in %s %s --%s", given, word,
                          context->program, owner->name, word);
    }
    const char *nearest = ga_suggest_name(word, names, count);
    return nearest ? ga_misused(context, "unknown option %s, did you mean --%s?", given, nearest)
                   : ga_misused(context, "unknown option %s", given);
}

static enum ga_exit refuse(const struct ga_context *context, const char *given)
{
    return given[0] == '-' ? refuse_option(context, given) : refuse_command(context, given);
}

static enum ga_exit refuse_more(const struct ga_context *context, const char *word)
{
    return ga_misused(context, "unexpected argument \"%s\"; expected nothing more", word);
}

// `help COMMAND`, and `help` alone.
static enum ga_exit show_help(const struct ga_context *context, int argc, char **argv)
{
    const struct ga_command *command = argc > 2 ? ga_command_named(argv[2]) : NULL;
    if (argc > 3) {
        return refuse_more(context, argv[3]);
    }
    if (argc > 2 && !command) {
        return refuse(context, argv[2]);
    }
    if (command) {
        ga_options_help(context, command);
    } else {
        print_usage(stdout, context);
    }
    return GA_EXIT_OK;
}

static enum ga_exit print_self(const struct ga_context *context, const struct ga_self_option *option, int argc,
                               char **argv)
{
    const int most = option->value ? 3 : 2;
    return argc > most ? refuse_more(context, argv[most]) : option->print(context, self_options, argv[2]);
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
    const char *why = ga_command_refusal(context->model, command);
    return why ? ga_failed(context, "%s %s", context->model->name, why) : command->run(context, &arguments);
}

static enum ga_exit dispatch(struct ga_context *context, int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr, context);
        return GA_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return show_help(context, argc, argv);
    }
    if (strcmp(word, "--complete") == 0) {
        return ga_complete(context, self_options, (size_t)(argc - 2), argv + 2);
    }
    const struct ga_self_option *self = find_self_option(word);
    if (self) {
        return print_self(context, self, argc, argv);
    }
    const struct ga_command *command = ga_command_named(word);
    return command ? run_command(context, command, argc - 1, argv + 1) : refuse(context, word);
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
    (void)ga_cpu_allow_amx(); // a program's process is its own
    enum ga_exit code = dispatch(&context, argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == GA_EXIT_OK) { // a full disk must not look like success
        code = ga_failed(&context, "standard output could not be written");
    }
    return (int)code;
}
