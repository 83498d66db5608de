// commands.c: the table of all commands, in the order in which --help has them. Runs none.
#include <string.h>

#include "command.h"
#include "placement.h"
#include "ranks.h"

const struct ga_command *const ga_commands[GA_COMMANDS] = {
    &ga_command_info,     &ga_command_inspect,    &ga_command_pack,   &ga_command_run,       &ga_command_check,
    &ga_command_draw,     &ga_command_embed,      &ga_command_search, &ga_command_generate,  &ga_command_rank,
    &ga_command_tokenize, &ga_command_detokenize, &ga_command_bench,  &ga_command_precision,
};

const char *ga_command_refusal(const struct ga_model *model, const struct ga_command *command)
{
    return command->refusal ? command->refusal(model) : NULL;
}

const struct ga_command *ga_command_named(const char *name)
{
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (strcmp(ga_commands[i]->name, name) == 0) {
            return ga_commands[i];
        }
    }
    return NULL;
}

const struct ga_command *ga_command_with(const struct ga_model *model, const char *option)
{
    for (size_t i = 0; i < GA_COMMANDS; i++) {
        if (ga_command_refusal(model, ga_commands[i])) {
            continue;
        }
        for (const struct ga_option *row = ga_commands[i]->options; row->name; row++) {
            if (strcmp(row->name, option) == 0) {
                return ga_commands[i];
            }
        }
    }
    return NULL;
}

bool ga_option_is_shown(const struct ga_option *option)
{
    const struct {
        const char *name;
        bool is_linked; // what it is for
    } optional[] = {{"timeout", ga_rank_library.begin != NULL}, {"ranks", ga_placement_library.plan != NULL}};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        if (strcmp(optional[i].name, option->name) == 0) {
            return optional[i].is_linked;
        }
    }
    return true;
}
