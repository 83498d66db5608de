// status.c: the sentence for a status, and the one place that writes an error. Never prints, never allocates.
#include "status.h"

#include <stdarg.h>
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
