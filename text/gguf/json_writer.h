// json_writer.h: JSON appended piece by piece to a growing text. Checks no grammar. Internal to libga_text.
#ifndef GA_TEXT_JSON_WRITER_H
#define GA_TEXT_JSON_WRITER_H

#include "bytes.h"

// Zeroed memory is an empty one. After a failure nothing more is written.
struct ga_text_json_writer {
    struct ga_text_string text;
    enum ga_status status; // GA_OK, GA_MEMORY or GA_OVERFLOW
};

// Appends text as it is.
void ga_text_json_raw(struct ga_text_json_writer *writer, const char *text);

// Appends valid UTF-8 as a string, in quotes.
void ga_text_json_string(struct ga_text_json_writer *writer, struct ga_text_bytes text);

// Appends a number: an integer, or a float or a double, which reads back to the same.
void ga_text_json_integer(struct ga_text_json_writer *writer, int64_t value);
void ga_text_json_float(struct ga_text_json_writer *writer, float value);
void ga_text_json_double(struct ga_text_json_writer *writer, double value);

#endif
