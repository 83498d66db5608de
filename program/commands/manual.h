// manual.h: what a program prints of itself as a whole, for what is installed beside it: a page for `man`, completion
// for bash. Both are of the table of commands; knows none by name.
#ifndef GA_MANUAL_H
#define GA_MANUAL_H

#include "command.h"

// What the program takes in place of a command, beside --help: a row of a table.
struct ga_self_option {
    const char *name; // without dashes; NULL ends a table
    const char *help; // one line
    // Does it; table: the one that this row is in.
    void (*print)(const struct ga_context *context, const struct ga_self_option *table);
};

// Prints the manual page on stdout.
void ga_print_manual(const struct ga_context *context, const struct ga_self_option *table);

// Prints the completion for bash on stdout.
void ga_print_completion(const struct ga_context *context, const struct ga_self_option *table);

#endif
