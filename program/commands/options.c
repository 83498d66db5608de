// options.c: a command's table of options turned into getopt_long's, its messages and its --help.
// Understands no values, which is the command's; only that what is written must not be what is read.
#define _GNU_SOURCE // getopt_long
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"

enum { HELP = 'h', FIRST = 256, SHORT = 8 }; // getopt's answers: an option of the table is FIRST + its place

static size_t count_options(const struct ga_command *command)
{
    size_t count = 0;
    while (command->options[count].name) {
        count++;
    }
    return count;
}

static void make_longs(const struct ga_command *command, struct option longs[GA_MAX_OPTIONS + 2])
{
    size_t count = count_options(command);
    for (size_t i = 0; i < count; i++) {
        const struct ga_option *option = &command->options[i];
        longs[i] = (struct option){option->name, option->value ? required_argument : no_argument, NULL, FIRST + (int)i};
    }
    longs[count] = (struct option){"help", no_argument, NULL, HELP};
    longs[count + 1] = (struct option){NULL, 0, NULL, 0};
}

// Letters of the options that have a single one, none of which takes a value, in getopt's words.
static void make_shorts(const struct ga_command *command, char shorts[SHORT])
{
    size_t used = 2;
    memcpy(shorts, ":h", used);
    for (const struct ga_option *option = command->options; option->name && used < SHORT - 1; option++) {
        if (!option->name[1]) {
            shorts[used++] = option->name[0];
        }
    }
    shorts[used] = '\0';
}

// The place of an option that getopt found: by FIRST + its place, or by its letter.
static size_t place_of(const struct ga_command *command, int answer)
{
    size_t place = 0;
    while (answer < FIRST && (command->options[place].name[0] != answer || command->options[place].name[1])) {
        place++;
    }
    return answer < FIRST ? place : (size_t)(answer - FIRST);
}

// Says which options a shortened one could stand for; false where it is the start of none.
static bool refuse_ambiguous(const struct ga_context *context, const struct ga_command *command, const char *word)
{
    char list[256] = "";
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (*word && strncmp(option->name, word, strlen(word)) == 0) {
            strncat(list, *list ? ", --" : "--", sizeof list - strlen(list) - 1);
            strncat(list, option->name, sizeof list - strlen(list) - 1);
        }
    }
    if (*list) {
        ga_misused(context, "%s: --%s could be any of %s", command->name, word, list);
    }
    return *list != '\0';
}

static enum ga_exit refuse_unknown(const struct ga_context *context, const struct ga_command *command,
                                   const char *given)
{
    const char *names[GA_MAX_OPTIONS + 1] = {"help"};
    size_t count = count_options(command);
    for (size_t i = 0; i < count; i++) {
        names[i + 1] = command->options[i].name;
    }
    char word[GA_PRINTABLE];
    snprintf(word, sizeof word, "%s", given + strspn(given, "-"));
    word[strcspn(word, "=")] = '\0';
    if (refuse_ambiguous(context, command, word)) {
        return GA_EXIT_USAGE;
    }
    const struct ga_command *other = ga_command_with(context->model, word);
    if (other) {
        return ga_misused(context, "%s: --%s is an option of %s", command->name, word, other->name);
    }
    const char *nearest = ga_suggest_name(word, names, count + 1);
    if (!nearest) {
        return ga_misused(context, "%s: unknown option %s", command->name, given);
    }
    return ga_misused(context, "%s: unknown option %s, did you mean --%s?", command->name, given, nearest);
}

// What getopt answered '?' or ':' to.
static enum ga_exit refuse(const struct ga_context *context, const struct ga_command *command, int answer, char **argv)
{
    if (optopt < FIRST && optopt != HELP) { // an unknown short option, or none: then a long one
        char letter[] = {'-', (char)optopt, '\0'};
        return refuse_unknown(context, command, optopt ? letter : argv[optind - 1]);
    }
    if (optopt == HELP) {
        return ga_misused(context, "%s: --help takes no value", command->name);
    }
    const struct ga_option *option = &command->options[optopt - FIRST];
    if (answer == ':') {
        return ga_misused(context, "%s: --%s needs a value: --%s %s", command->name, option->name, option->name,
                          option->value);
    }
    return ga_misused(context, "%s: --%s takes no value", command->name, option->name);
}

// Whether a word that was taken for a value is an option of the command that stands alone, its value forgotten.
static bool is_forgotten(const struct ga_command *command, const char *value, char **argv)
{
    bool is_option = false;
    for (const struct ga_option *option = command->options; option->name; option++) {
        is_option = is_option || (strncmp(value, "--", 2) == 0 && strcmp(value + 2, option->name) == 0);
    }
    return is_option && value == argv[optind - 1];
}

// Of numbers and lists their readers say more.
static bool may_be_empty(const struct ga_option *option)
{
    static const char *const names[] = {"FILE", "FILE.svg", "PATH", "NAME", GA_LAYOUT_VALUE};
    bool is_name = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        is_name = is_name || strcmp(option->value, names[i]) == 0;
    }
    return !is_name;
}

bool ga_option_repeats(const struct ga_option *option)
{
    const size_t length = option->value ? strlen(option->value) : 0;
    return length > 3 && strcmp(option->value + length - 3, "...") == 0;
}

// Keeps one more value of an option that may be given several times.
static enum ga_exit take_repeated(const struct ga_context *context, const struct ga_command *command,
                                  const struct ga_option *option, struct ga_arguments *arguments)
{
    if (arguments->n_repeated == GA_MAX_REPEATED) {
        return ga_misused(context, "%s: --%s is given more than %d times", command->name, option->name,
                          GA_MAX_REPEATED);
    }
    arguments->repeated[arguments->n_repeated++] = optarg;
    return GA_EXIT_OK;
}

// Keeps what getopt found for option i.
static enum ga_exit take_value(const struct ga_context *context, const struct ga_command *command, size_t i,
                               char **argv, struct ga_arguments *arguments)
{
    const struct ga_option *option = &command->options[i];
    const char *before = arguments->values[i];
    if (before && !optarg) {
        return ga_misused(context, "%s: --%s is given twice; expected it once", command->name, option->name);
    }
    if (before && !ga_option_repeats(option)) {
        return ga_misused(context, "%s: --%s is given twice, \"%s\" and \"%s\"; expected one of them", command->name,
                          option->name, before, optarg);
    }
    if (optarg && is_forgotten(command, optarg, argv)) {
        return ga_misused(context, "%s: --%s needs a value, found the option %s: --%s %s", command->name, option->name,
                          optarg, option->name, option->value);
    }
    if (optarg && !*optarg && !may_be_empty(option)) {
        return ga_misused(context, "%s: --%s needs a value, found an empty one: --%s %s", command->name, option->name,
                          option->name, option->value);
    }
    arguments->values[i] = optarg ? optarg : "";
    return ga_option_repeats(option) ? take_repeated(context, command, option, arguments) : GA_EXIT_OK;
}

static enum ga_exit check_operands(const struct ga_context *context, const struct ga_command *command, int count,
                                   char **operands)
{
    int wanted = command->operand != NULL;
    if (command->any_operands) {
        return GA_EXIT_OK;
    }
    if (count < wanted) {
        return ga_misused(context, "%s: %s is missing", command->name, command->operand);
    }
    if (count > wanted) {
        return ga_misused(context, "%s: unexpected argument \"%s\"; expected %s", command->name, operands[wanted],
                          wanted ? "one alone" : "only options, and their values");
    }
    return GA_EXIT_OK;
}

static enum ga_exit check_required(const struct ga_context *context, const struct ga_command *command,
                                   const struct ga_arguments *arguments)
{
    for (size_t i = 0; command->options[i].name; i++) {
        const struct ga_option *option = &command->options[i];
        if (option->required && !arguments->values[i]) {
            return ga_misused(context, "%s: --%s %s is missing", command->name, option->name, option->value);
        }
    }
    return GA_EXIT_OK;
}

// -- What would be lost ---------------------------------------------------------------------------------------------

static bool is_same_file(const char *path, const char *other)
{
    struct stat st, others;
    return stat(path, &st) == 0 && stat(other, &others) == 0 && S_ISREG(st.st_mode) && st.st_dev == others.st_dev &&
           st.st_ino == others.st_ino;
}

// Whether the output is what an option names: that file, or the weights in that folder.
static bool would_replace(const char *output, const char *path)
{
    char inside[PATH_MAX];
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    snprintf(inside, sizeof inside, "%s/%s", path, name);
    const bool is_weights = strncmp(name, "model", strlen("model")) == 0 && strstr(name, ".safetensors");
    return is_same_file(output, path) || (is_weights && is_same_file(output, inside));
}

static bool is_output(const struct ga_option *option)
{
    return strcmp(option->name, "output") == 0;
}

static bool is_read(const struct ga_option *option)
{
    return option->value && (strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0) &&
           !is_output(option);
}

// A file that the command reads would be gone when it has written.
static enum ga_exit check_output(const struct ga_context *context, const struct ga_command *command,
                                 const struct ga_arguments *arguments)
{
    const struct ga_option *options = command->options;
    const char *output = NULL;
    for (size_t i = 0; options[i].name; i++) {
        output = is_output(&options[i]) ? arguments->values[i] : output;
    }
    for (size_t i = 0; output && i < arguments->n_operands; i++) {
        if (is_same_file(output, arguments->operands[i])) {
            return ga_misused(context, "--output %s: would replace a file that is read; give it another name", output);
        }
    }
    for (size_t i = 0; output && options[i].name; i++) {
        const char *path = arguments->values[i];
        if (path && is_read(&options[i]) && would_replace(output, path)) {
            return ga_misused(context, "--output %s: would replace what --%s %s names; give it another name", output,
                              options[i].name, path);
        }
    }
    return GA_EXIT_OK;
}

enum ga_exit ga_options_read(const struct ga_context *context, const struct ga_command *command, int argc, char **argv,
                             struct ga_arguments *arguments_out, bool *help_out)
{
    struct option longs[GA_MAX_OPTIONS + 2];
    char shorts[SHORT];
    make_longs(command, longs);
    make_shorts(command, shorts);
    *arguments_out = (struct ga_arguments){0};
    *help_out = false;
    opterr = 0; // the messages are ours
    optind = 0; // glibc: start afresh, also on a second call in one process
    int answer;
    while ((answer = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (answer == HELP) {
            *help_out = true;
            return GA_EXIT_OK;
        }
        if (answer == '?' || answer == ':') {
            return refuse(context, command, answer, argv);
        }
        enum ga_exit code = take_value(context, command, place_of(command, answer), argv, arguments_out);
        if (code != GA_EXIT_OK) {
            return code;
        }
    }
    arguments_out->operands = argv + optind;
    arguments_out->n_operands = (size_t)(argc - optind);
    enum ga_exit code = check_operands(context, command, argc - optind, argv + optind);
    code = code ? code : check_required(context, command, arguments_out);
    return code ? code : check_output(context, command, arguments_out);
}

// -- Help -----------------------------------------------------------------------------------------------------------

static const char *dashes_of(const struct ga_option *option)
{
    return option->name[1] ? "--" : "-";
}

static void print_option(const struct ga_option *option)
{
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s", dashes_of(option), option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %-25s %s%s", left, option->help, option->required ? " (required)" : "");
    if (option->fallback) {
        printf(" [%s]", option->fallback);
    }
    putchar('\n');
}

// The names that a file's layout may have, under the option that takes one of them.
static void print_layouts(const struct ga_model *model)
{
    printf("  %-25s one of:", "");
    for (size_t i = 0; i < model->n_maps; i++) {
        printf(" %s", model->maps[i].name);
    }
    putchar('\n');
}

void ga_options_help(const struct ga_context *context, const struct ga_command *command)
{
    printf("Usage: %s %s%s%s [OPTION]...\n%s.\n", context->program, command->name, command->operand ? " " : "",
           command->operand ? command->operand : "", command->summary);
    const char *why = ga_command_refusal(context->model, command);
    if (why) {
        printf("Not for this model: %s %s.\n", context->model->name, why);
    }
    printf("\nOptions:\n");
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (!ga_option_is_shown(option)) {
            continue;
        }
        print_option(option);
        if (option->value && strcmp(option->value, GA_LAYOUT_VALUE) == 0) {
            print_layouts(context->model);
        }
    }
    printf("  %-25s %s\n", "-h, --help", "print this help and exit");
    if (command->notes[0]) {
        putchar('\n');
    }
    for (const char *const *note = command->notes; *note; note++) {
        printf("%s\n", *note);
    }
    printf("\nExamples:\n");
    for (const char *const *example = command->examples; *example; example++) {
        printf("  %s %s\n", context->program, *example);
    }
    printf("\nExit status: 0 done, 1 failed, 2 wrong usage.\n");
}
