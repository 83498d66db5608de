// progress.h: how far long work has come and about how long it will take, on stderr: a line that the next one
// overwrites on a terminal, elsewhere a line a minute, or for other programs a line of JSON a second. Says nothing of
// work that is soon done, but in JSON.
#ifndef GA_PROGRESS_H
#define GA_PROGRESS_H

#include <stdbool.h>

#include "diagnostics.h"

struct ga_progress {
    const struct ga_context *context;
    const char *what; // is counted, in the plural
    double begun, said;
    bool is_terminal, is_shown;
    bool is_json; // set by the caller after ga_progress_begin
    size_t done;  // as last told, and share
    double share;
};

// Work that begins now. what: lives as long as the struct.
struct ga_progress ga_progress_begin(const struct ga_context *context, const char *what);

// done: of what is counted; share: of all the work, 0 to 1, where 0 says that it is not known.
void ga_progress_show(struct ga_progress *progress, size_t done, double share);

// Removes the line from the terminal; in JSON prints the last one.
void ga_progress_end(struct ga_progress *progress);

enum { GA_PROGRESS_TEXT = 128 };

// What is shown after so many seconds, in text; returns text.
char *ga_progress_text(const char *what, size_t done, double share, double seconds, char text[GA_PROGRESS_TEXT]);

#endif
