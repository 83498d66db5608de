// output_name.h: whether the name of a file of arrays says a format that a command writes. Opens no file.
#ifndef GA_OUTPUT_NAME_H
#define GA_OUTPUT_NAME_H

#include <stdbool.h>

#include "diagnostics.h"

#define GA_SAFETENSORS_ENDING ".safetensors"
#define GA_NUMPY_ENDING ".npy"

// Whether a path ends so, and has a name before that.
bool ga_name_ends_in(const char *path, const char *ending);

// Refuses an --output whose name has another ending than these, NULL-ended, the first of which is the format of a name
// without any. advice: what else the user may do, which ends the message.
enum ga_exit ga_check_output_name(const struct ga_context *context, const char *path, const char *const *endings,
                                  const char *advice);

#endif
