// inspect.h: the part of `inspect` that looks at a file of packed weights. Others are inspect.c's.
#ifndef GA_INSPECT_H
#define GA_INSPECT_H

#include <stdbool.h>

#include "diagnostics.h"
#include "pack_file.h"

// Prints what the file at path holds, after all of it was checked; as JSON where asked.
enum ga_exit ga_inspect_packed(const struct ga_context *context, const char *path, bool json);

#endif
