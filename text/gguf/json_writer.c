// json_writer.c: appends JSON; of a string it escapes quotes, backslashes and control characters.
#include "json_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void append(struct ga_text_json_writer *writer, const char *bytes, size_t length)
{
    const struct ga_text_span none = {0, 0};
    if (writer->status == GA_OK) {
        writer->status = ga_text_string_append(&writer->text, bytes, length, none);
    }
}

void ga_text_json_raw(struct ga_text_json_writer *writer, const char *text)
{
    append(writer, text, strlen(text));
}

void ga_text_json_string(struct ga_text_json_writer *writer, struct ga_text_bytes text)
{
    size_t done = 0;
    append(writer, "\"", 1);
    for (size_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (byte < 0x20 || byte == '"' || byte == '\\') {
            char escaped[8];
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)byte);
            append(writer, text.bytes + done, i - done);
            append(writer, escaped, 6);
            done = i + 1;
        }
    }
    append(writer, text.bytes + done, text.length - done);
    append(writer, "\"", 1);
}

void ga_text_json_integer(struct ga_text_json_writer *writer, int64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRId64, value);
    ga_text_json_raw(writer, digits);
}

static void write_real(struct ga_text_json_writer *writer, int precision, double value)
{
    char digits[40];
    (void)snprintf(digits, sizeof digits, "%.*g", precision, value);
    for (char *at = digits; *at; at++) {
        *at = *at == ',' ? '.' : *at; // the process's locale may have another point
    }
    ga_text_json_raw(writer, digits);
}

void ga_text_json_float(struct ga_text_json_writer *writer, float value)
{
    write_real(writer, 9, (double)value);
}

void ga_text_json_double(struct ga_text_json_writer *writer, double value)
{
    write_real(writer, 17, value);
}
