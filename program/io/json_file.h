// json_file.h: JSON printed or written, in one style.
// Builds none; that is each command's own with jansson.
#ifndef GA_JSON_FILE_H
#define GA_JSON_FILE_H

#include <jansson.h>

#include "diagnostics.h"

// Prints value (released here; NULL stands for a build that ran out of memory) on stdout.
enum ga_exit ga_json_print(const struct ga_context *context, json_t *value);

// The same to a file, whole or not at all, in the place of whatever file has that name.
enum ga_exit ga_json_write(const struct ga_context *context, const char *path, json_t *value);

// Text as a JSON string; invalid UTF-8, which a path may have, as ga_printable escapes it.
json_t *ga_json_label(const char *text);

// A size as a JSON integer.
json_t *ga_json_size(size_t size);

// A shape as an array.
json_t *ga_json_shape(size_t rank, const size_t *shape);

#endif
