// say.c: messages on stderr, and the nearest of a set of names to a misspelt one.
// Decides nothing about exit codes beyond the two kinds of failure there are.
#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "utf8.h"

// Writes the character at *at, which moves behind it, so that it cannot steer a terminal: control characters, those of
// two bytes among them, and what is no UTF-8 come as \xNN, byte by byte. Returns how many bytes text holds.
enum { VISIBLE = 12 };
static size_t visible(const char **at, char text[VISIBLE])
{
    const char *const first = *at;
    const int32_t point = ga_utf8_next(at);
    const size_t bytes = (size_t)(*at - first);
    const bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0); // or GA_NOT_UTF8
    size_t used = 0;
    for (size_t i = 0; i < bytes; i++) {
        used += (size_t)snprintf(text + used, VISIBLE - used, is_control ? "\\x%02x" : "%c", (unsigned char)first[i]);
    }
    return used;
}

// What is said may hold names from files and words of the command line.
static void say(const struct ga_context *context, const char *format, va_list values)
{
    char said[8192], text[VISIBLE];
    vsnprintf(said, sizeof said, format, values);
    fprintf(stderr, "%s: ", context->program);
    for (const char *at = said; *at;) {
        const size_t bytes = visible(&at, text);
        fwrite(text, 1, bytes, stderr);
    }
    fputc('\n', stderr);
}

enum ga_exit ga_failed(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(context, format, values);
    va_end(values);
    return GA_EXIT_FAILED;
}

enum ga_exit ga_misused(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(context, format, values);
    va_end(values);
    fprintf(stderr, "Try '%s%s%s --help'.\n", context->program, context->command ? " " : "",
            context->command ? context->command : "");
    return GA_EXIT_USAGE;
}

void ga_note(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    say(context, format, values);
    va_end(values);
}

const char *ga_printable(const char *name, char text[GA_PRINTABLE])
{
    size_t used = 0;
    for (const char *at = name; *at && used + VISIBLE < GA_PRINTABLE;) {
        used += visible(&at, text + used);
    }
    text[used] = '\0';
    return text;
}

// -- The nearest name -----------------------------------------------------------------------------------------------

enum { LONGEST_NAME = 47 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Edit distance by rows, where two neighbouring letters swapped count as one slip.
static size_t edits(const char *a, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    size_t rows[LONGEST_NAME + 1][LONGEST_NAME + 1];
    for (size_t i = 0; i <= n_a; i++) {
        for (size_t j = 0; j <= n_b; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            size_t changed = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            rows[i][j] = least(changed, 1 + least(rows[i - 1][j], rows[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                rows[i][j] = least(rows[i][j], rows[i - 2][j - 2] + 1);
            }
        }
    }
    return rows[n_a][n_b];
}

const char *ga_nearest(const char *word, const char *const *names, size_t count)
{
    if (*word == '\0' || strlen(word) > LONGEST_NAME) {
        return NULL;
    }
    const char *nearest = NULL;
    size_t fewest = 2 + strlen(word) / 4; // more slips than this is another word
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST_NAME) {
            continue;
        }
        size_t slips = edits(word, names[i]);
        if (slips < fewest && slips < strlen(names[i])) {
            fewest = slips;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *ga_did_you_mean(const char *name, char text[GA_PRINTABLE])
{
    text[0] = '\0';
    if (name) {
        snprintf(text, GA_PRINTABLE, ", did you mean \"%s\"?", name);
    }
    return text;
}
