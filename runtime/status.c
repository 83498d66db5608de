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

enum ga_status ga_fail(struct ga_error *error, enum ga_status status, const char *format, ...)
{
    if (error == NULL) {
        return status;
    }
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        (void)snprintf(error->text, sizeof error->text, "%s", ga_status_text(status));
    } else if ((size_t)length >= sizeof error->text) {
        trim_half_character(error->text, strlen(error->text));
    }
    return status;
}
