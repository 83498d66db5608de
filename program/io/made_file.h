// made_file.h: a file whose text is made in memory first: it is whole, or not there.
#ifndef GA_MADE_FILE_H
#define GA_MADE_FILE_H

#include <stdio.h>

#include "diagnostics.h"

// Writes what put(file, data) puts, in the place of whatever file is at path. If it is false, or there is no memory,
// says `lacking` of the path and returns GA_EXIT_FAILED.
enum ga_exit ga_made_file_write(const struct ga_context *context, const char *path, const char *lacking,
                                bool (*put)(FILE *file, const void *data), const void *data);

#endif
