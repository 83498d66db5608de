// text_file.h: a file of text that somebody named, opened so that nothing waits for a pipe that nobody writes to.
// Reads none of it.
#ifndef GA_TEXT_FILE_H
#define GA_TEXT_FILE_H

#include <stdio.h>

#include "diagnostics.h"

enum { GA_PIPE_SECONDS = 2 }; // that a pipe without a writer is given to get one

// Opens path for reading: a file, or a pipe or terminal that is read to its end, so that --tokens <(...) and /dev/stdin
// are files too. NULL, after a message, for what is none of these and for a pipe that gets no writer. The caller closes
// it.
FILE *ga_text_open(const struct ga_context *context, const char *path);

#endif
