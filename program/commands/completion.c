// completion.c: which shells there is a completion for. Each has a file of its own, which knows its language.
#include "completion.h"

#include <string.h>

enum ga_exit ga_print_completion(const struct ga_context *context, const struct ga_self_option *table,
                                 const char *value)
{
    static const struct {
        const char *name;
        void (*print)(const struct ga_context *context, const struct ga_self_option *table);
    } shells[] = {{"bash", ga_complete_bash}, {"zsh", ga_complete_zsh}, {"fish", ga_complete_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(value ? value : "bash", shells[i].name) == 0) {
            shells[i].print(context, table);
            return GA_EXIT_OK;
        }
    }
    return ga_misused(context, "--completion %s: expected bash, zsh or fish", value);
}
