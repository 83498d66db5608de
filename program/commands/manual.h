// manual.h: what a program prints of itself as a whole, for what is installed with it: a page for `man`, completion
// for shells. All are of the table of commands; knows none by name.
#ifndef GA_MANUAL_H
#define GA_MANUAL_H

#include "command.h"

// What the program takes in place of a command, in addition to --help: a row of a table.
struct ga_self_option {
    const char *name;  // without dashes; NULL ends a table
    char letter;       // with a single dash, or 0
    const char *value; // what stands in --help for the value that may follow; NULL: none may
    const char *help;  // one line
    // Does it; table: the one that this row is in; value: what was given, or NULL.
    enum ga_exit (*print)(const struct ga_context *context, const struct ga_self_option *table, const char *value);
};

// Prints the manual page on stdout.
enum ga_exit ga_print_manual(const struct ga_context *context, const struct ga_self_option *table, const char *value);

// Prints the completion for a shell on stdout: bash where value is NULL. GA_EXIT_USAGE after a message where there is
// none for it.
enum ga_exit ga_print_completion(const struct ga_context *context, const struct ga_self_option *table,
                                 const char *value);

// Prints what may come next after these words, the last of which is being typed: a candidate, a tab and its help a
// line. GA_EXIT_FAILED, without a message, where the name of a file or a folder is next. The scripts call it.
enum ga_exit ga_complete(const struct ga_context *context, const struct ga_self_option *table, size_t count,
                         char **words);

#endif
