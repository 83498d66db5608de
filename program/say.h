// say.h: what a command knows of the program around it, and how it speaks to the user on stderr.
// Prints no results; those are each command's own and go to stdout.
#ifndef GA_SAY_H
#define GA_SAY_H

#include <stddef.h>

#include "model.h"

#if defined(__GNUC__)
#define GA_PRINTF_LIKE __attribute__((format(printf, 2, 3)))
#else
#define GA_PRINTF_LIKE
#endif

enum ga_exit { GA_EXIT_OK = 0, GA_EXIT_FAILED = 1, GA_EXIT_USAGE = 2 };

struct ga_context {
    const struct ga_model *model;
    const char *program; // last part of argv[0]; every message starts with it
    const char *command; // the command running, or NULL before one is known
};

// Says one line on stderr and returns GA_EXIT_FAILED.
enum ga_exit ga_failed(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

// Says one line and where the help is; returns GA_EXIT_USAGE.
enum ga_exit ga_misused(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

// Says one line the user should know though nothing is wrong.
void ga_note(const struct ga_context *context, const char *format, ...) GA_PRINTF_LIKE;

enum { GA_PRINTABLE = 128 };

// A name from a file made safe for a terminal: control characters and what is no UTF-8 as \xNN, cut to fit GA_PRINTABLE
// bytes; returns text.
const char *ga_printable(const char *name, char text[GA_PRINTABLE]);

// The one of names[count] that word is most likely a slip of, or NULL where none is near.
const char *ga_nearest(const char *word, const char *const *names, size_t count);

// ", did you mean \"NAME\"?" in text, or "" where name is NULL; returns text.
const char *ga_did_you_mean(const char *name, char text[GA_PRINTABLE]);

#endif
