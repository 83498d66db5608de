// diagnostics.h: what a command knows of the program around it, and how it speaks to the user on stderr.
// Decides nothing of results; those are each command's own and go to stdout.
#ifndef GA_DIAGNOSTICS_H
#define GA_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "model.h"
#include "name_suggestion.h" // ga_suggest_name

#if defined(__GNUC__)
#define GA_PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define GA_PRINTF_LIKE
#endif

enum ga_exit { GA_EXIT_OK = 0, GA_EXIT_FAILED = 1, GA_EXIT_USAGE = 2 };

struct ga_context {
    const struct ga_model *model;
    const char *program; // last part of argv[0], printable; every message starts with it
    const char *command; // the command running, or NULL before one is known
    bool is_quiet;       // notes are another process's to say
};

// Says one line on stderr and returns GA_EXIT_FAILED.
enum ga_exit ga_failed(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

// Says one line and where the help is; returns GA_EXIT_USAGE.
enum ga_exit ga_misused(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

// Says one line the user should know though nothing is wrong.
void ga_note(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

// Prints a text on stdout, as it is. On a terminal, all but lines and tabs is made safe as ga_printable does.
void ga_put_text(const char *bytes, size_t length);

// Prints one line of results on stdout, which may hold names from files and of files: made safe as ga_printable does.
void ga_print_line(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

enum { GA_PRINTABLE = 128 };

// A name from a file made safe for a terminal: control characters, those that turn the direction of writing or are not
// seen, and invalid UTF-8 as \xNN, cut to fit GA_PRINTABLE bytes; returns text.
const char *ga_printable(const char *name, char text[GA_PRINTABLE]);

// ", did you mean \"NAME\"?" in text, or "" where name is NULL; returns text.
const char *ga_did_you_mean(const char *name, char text[GA_PRINTABLE]);

#endif
