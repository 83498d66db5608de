// manual.h: what a program prints of itself as a whole, for what is installed beside it: a page for `man`, completion
// for bash. Both are of the table of commands; knows none by name.
#ifndef GA_MANUAL_H
#define GA_MANUAL_H

#include "command.h"

// What the program takes in place of a command, beside --help.
struct ga_self_option {
    const char *name; // without dashes
    const char *help; // one line
    void (*print)(const struct ga_context *context);
};

enum { GA_SELF_OPTIONS = 3 };
extern const struct ga_self_option ga_self_options[GA_SELF_OPTIONS]; // program.c

// Prints the manual page on stdout.
void ga_print_manual(const struct ga_context *context);

// Prints the completion for bash on stdout.
void ga_print_completion(const struct ga_context *context);

#endif
