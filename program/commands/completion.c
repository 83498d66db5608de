// completion.c: what may come next on the command line, a candidate and its help a line, and the scripts by which three
// shells ask for it. Completes no names of files, which is the shells' part.
#include <stdio.h>
#include <string.h>

#include "manual.h"

// -- Candidates -----------------------------------------------------------------------------------------------------

static void offer(const char *dashes, const char *name, const char *help)
{
    printf("%s%s\t%s\n", dashes, name, help);
}

static void offer_commands(const struct ga_model *model)
{
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (!ga_command_refusal(model, ga_commands[i])) {
            offer("", ga_commands[i]->name, ga_commands[i]->summary);
        }
    }
}

static void offer_first(const struct ga_model *model, const struct ga_self_option *table)
{
    offer_commands(model);
    offer("", "help", "the commands, or the options of one");
    offer("--", "help", "the commands");
    for (const struct ga_self_option *option = table; option->name; option++) {
        offer("--", option->name, option->help);
    }
}

static bool is_path(const char *value)
{
    return value && (strncmp(value, "FILE", strlen("FILE")) == 0 || strcmp(value, "PATH") == 0);
}

// Values that are names of something in the model.
static enum ga_exit offer_values(const struct ga_model *model, const struct ga_option *option)
{
    const bool is_isa = strcmp(option->name, "isa") == 0, is_layout = strcmp(option->value, GA_LAYOUT_VALUE) == 0;
    for (size_t i = 0; is_isa && i < model->n_variants; i++) {
        offer("", model->variants[i].isa, option->help);
    }
    for (size_t i = 0; is_layout && i < model->n_maps; i++) {
        offer("", model->maps[i].name, option->help);
    }
    return is_path(option->value) ? GA_EXIT_FAILED : GA_EXIT_OK;
}

static const char *dashes_of(const struct ga_option *option)
{
    return option->name[1] ? "--" : "-";
}

static bool is_option(const struct ga_option *option, const char *word)
{
    const size_t dashes = strlen(dashes_of(option));
    return strncmp(word, dashes_of(option), dashes) == 0 && strcmp(word + dashes, option->name) == 0;
}

static bool is_given(const struct ga_option *option, size_t count, char **words)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || is_option(option, words[i]);
    }
    return found && !ga_option_repeats(option);
}

// Of a command: values where an option stands before, else the options that are not given yet. words: before the last.
static enum ga_exit offer_of_command(const struct ga_model *model, const struct ga_command *command, size_t count,
                                     char **words, const char *last)
{
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (option->value && is_option(option, words[count - 1])) {
            return offer_values(model, option);
        }
    }
    if (is_path(command->operand) && last[0] != '-') {
        return GA_EXIT_FAILED;
    }
    for (const struct ga_option *option = command->options; option->name; option++) {
        if (ga_option_is_shown(option) && !is_given(option, count, words)) {
            offer(dashes_of(option), option->name, option->help);
        }
    }
    offer("--", "help", "print this help and exit");
    return GA_EXIT_OK;
}

// -- Scripts --------------------------------------------------------------------------------------------------------

// For % the model's name. Each asks the very program that is being typed, and leaves file names to the shell where that
// fails.
static const struct {
    const char *name, *script;
} shells[] = {
    // clang-format off
    {"bash",
     "_%()\n"
     "{\n"
     "    local IFS=$'\\n' program=${COMP_WORDS[0]/#\\~/$HOME}\n"
     "    local offered=$(\"$program\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null | cut -f 1)\n"
     "    COMPREPLY=($(compgen -W \"$offered\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
     "}\n"
     "complete -o default -F _% %\n"},
    {"zsh",
     "#compdef %\n"
     "_%()\n"
     "{\n"
     "    local offered\n"
     "    local -a rows\n"
     "    if offered=$(\"${words[1]/#\\~/$HOME}\" --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null); then\n"
     "        rows=(${(f)offered})\n"
     "        rows=(${rows//:/\\\\:})\n"
     "        rows=(${rows/$'\\t'/:})\n"
     "        _describe -t words word rows\n"
     "    else\n"
     "        _files\n"
     "    fi\n"
     "}\n"
     "_% \"$@\"\n"},
    {"fish",
     "function __complete_%\n"
     "    set -l words (commandline -opc)\n"
     "    set -l last (commandline -ct)\n"
     "    set -l program (string replace -r '^~' $HOME -- $words[1])\n"
     "    $program --complete $words[2..] \"$last\" 2>/dev/null\n"
     "end\n"
     "complete -c % -f -a '(__complete_%)'\n"
     "complete -c % -n 'not __complete_% >/dev/null' -F\n"},
    // clang-format on
};
enum { SHELLS = sizeof shells / sizeof *shells };

enum ga_exit ga_print_completion(const struct ga_context *context, const struct ga_self_option *table,
                                 const char *value)
{
    (void)table;
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(value ? value : "bash", shells[i].name) != 0) {
            continue;
        }
        for (const char *c = shells[i].script; *c; c++) {
            printf("%.*s", *c == '%' ? (int)strlen(context->model->name) : 1, *c == '%' ? context->model->name : c);
        }
        return GA_EXIT_OK;
    }
    return ga_misused(context, "--completion %s: expected bash, zsh or fish", value);
}

enum ga_exit ga_complete(const struct ga_context *context, const struct ga_self_option *table, size_t count,
                         char **words)
{
    const struct ga_command *command = count > 1 ? ga_command_named(words[0]) : NULL;
    if (count < 2) {
        offer_first(context->model, table);
    } else if (strcmp(words[0], "help") == 0) {
        offer_commands(context->model);
    } else if (strcmp(words[0], "--completion") == 0) {
        for (size_t i = 0; i < SHELLS; i++) {
            offer("", shells[i].name, "a shell");
        }
    }
    const bool has_options = command && !ga_command_refusal(context->model, command);
    return has_options ? offer_of_command(context->model, command, count - 1, words, words[count - 1]) : GA_EXIT_OK;
}
