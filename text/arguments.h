// arguments.h: pointers that a caller gave, looked at before anything is done with them. Internal to libga_text.
#ifndef GA_TEXT_ARGUMENTS_H
#define GA_TEXT_ARGUMENTS_H

#include <stddef.h>

#include "status.h"

// An argument of a public function that may not be NULL, and its name in ga_text.h.
struct ga_text_argument {
    const char *name;
    const void *pointer;
};

// GA_OK, or GA_ARGUMENT after an entry in error that names the function and the first of arguments[count] that is NULL.
enum ga_status ga_text_check_arguments(const char *function, const struct ga_text_argument *arguments, size_t count,
                                       struct ga_error *error);

// The same of arguments in braces: GA_TEXT_CHECK("ga_text_decode", error, {"context", context}, {"ids", ids}).
#define GA_TEXT_CHECK(function, error, ...)                                                                           \
    ga_text_check_arguments(function, (const struct ga_text_argument[]){__VA_ARGS__},                                 \
                            sizeof((const struct ga_text_argument[]){__VA_ARGS__}) / sizeof(struct ga_text_argument), \
                            error)

#endif
