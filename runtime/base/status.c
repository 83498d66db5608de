// status.c: the sentence for a status, and the one place that writes an error. Never prints, never allocates.
#include "status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *ga_status_text(enum ga_status status)
{
    static const char *const sentences[] = {
#define GA_STATUS_SENTENCE(name, sentence) [GA_##name] = sentence,
        GA_STATUS_LIST(GA_STATUS_SENTENCE)
#undef GA_STATUS_SENTENCE
    };
    const size_t i = (size_t)status;
    return i < sizeof sentences / sizeof *sentences ? sentences[i] : "no such status";
}

const char *ga_fault_text(enum ga_fault fault)
{
    switch (fault) {
#define GA_FAULT_SENTENCE(name, number, sentence) \
    case GA_FAULT_##name:                         \
        return sentence;
        GA_FAULT_LIST(GA_FAULT_SENTENCE)
#undef GA_FAULT_SENTENCE
    }
    return "no such fault";
}

// Takes away the character that a cut at `length` left half, so that the text stays UTF-8.
static void trim_half_character(char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && length - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) {
        start--;
    }
    if (start == 0 || ((unsigned char)text[start - 1] & 0xC0) != 0xC0) {
        return;
    }
    const unsigned char lead = (unsigned char)text[start - 1];
    const size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (length - (start - 1) < needed) {
        text[start - 1] = '\0';
    }
}

// The bytes of a character that would steer a terminal, or turn the direction of a line, where one begins; else 0.
static size_t steering(const char *text)
{
    const unsigned char a = (unsigned char)text[0];
    if (a < 0x20 || a == 0x7F) {
        return a != 0;
    }
    const unsigned char b = a >= 0xC0 ? (unsigned char)text[1] : 0, c = b ? (unsigned char)text[2] : 0;
    const bool is_control = a == 0xC2 && b >= 0x80 && b <= 0x9F;
    const bool is_mark = (a == 0xD8 && b == 0x9C) || (a == 0xE2 && b == 0x80 && (c == 0x8E || c == 0x8F));
    const bool is_embedding = a == 0xE2 && b == 0x80 && c >= 0xAA && c <= 0xAE;
    const bool is_isolate = a == 0xE2 && b == 0x81 && c >= 0xA6 && c <= 0xA9;
    return is_control || (is_mark && a == 0xD8) ? 2 : is_mark || is_embedding || is_isolate ? 3 : 0;
}

// Messages quote files, which are not trusted: such characters become \xNN, byte by byte. What no longer fits is cut.
static void escape(struct ga_error *error)
{
    char shown[sizeof error->text];
    size_t used = 0;
    bool is_clean = true;
    const char *at = error->text;
    while (*at != '\0' && used + sizeof "\\xNN\\xNN\\xNN" < sizeof shown) {
        const size_t bytes = steering(at);
        for (size_t i = 0; i < bytes; i++) {
            used += (size_t)snprintf(shown + used, sizeof shown - used, "\\x%02x", (unsigned char)at[i]);
        }
        if (bytes == 0) {
            shown[used++] = *at;
        }
        is_clean = is_clean && bytes == 0;
        at += bytes > 0 ? bytes : 1;
    }
    if (!is_clean || steering(at)) {
        memcpy(error->text, shown, used);
        error->text[used] = '\0';
        trim_half_character(error->text, used);
    }
}

static void fill(struct ga_error *error, enum ga_status status, const char *format, va_list arguments)
{
    error->status = status;
    error->fault = GA_FAULT_NONE;
    error->offset = GA_NO_OFFSET;
    const int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    if (length < 0) {
        (void)snprintf(error->text, sizeof error->text, "%s", ga_status_text(status));
    } else if ((size_t)length >= sizeof error->text) {
        trim_half_character(error->text, strlen(error->text));
    }
    escape(error);
}

enum ga_status ga_fail(struct ga_error *error, enum ga_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, format, arguments);
        va_end(arguments);
    }
    return status;
}

enum ga_status ga_fail_at(struct ga_error *error, enum ga_status status, enum ga_fault fault, uint64_t offset,
                          const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        fill(error, status, format, arguments);
        va_end(arguments);
        error->fault = fault;
        error->offset = offset;
    }
    return status;
}
