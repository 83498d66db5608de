// labels.h: a text file of one label a line, for the places of a sequence. Draws nothing.
#ifndef GA_LABELS_H
#define GA_LABELS_H

#include "diagnostics.h"

enum { GA_LABEL_BYTES = 256 }; // the longest

struct ga_labels {
    char (*text)[GA_LABEL_BYTES + 1];
    const char **lines; // [count], into text; NULL: none were read
};

// Reads exactly `count` labels, UTF-8 without control characters; lines end with a line feed or with carriage return
// and line feed. sequence: whose places they name, for messages. The caller frees with ga_labels_free either way.
enum ga_exit ga_labels_read(const struct ga_context *context, const char *path, size_t sequence, size_t count,
                            struct ga_labels *labels_out);

void ga_labels_free(struct ga_labels *labels);

#endif
