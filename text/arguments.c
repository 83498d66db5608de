// arguments.c: which argument of a call is NULL. Knows no function of libga_text.
#include "arguments.h"

enum ga_status ga_text_check_arguments(const char *function, const struct ga_text_argument *arguments, size_t count,
                                       struct ga_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].pointer) {
            return ga_fail(error, GA_ARGUMENT, "%s: %s is NULL", function, arguments[i].name);
        }
    }
    return GA_OK;
}
