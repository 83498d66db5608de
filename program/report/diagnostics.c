// diagnostics.c: lines that hold names of files and words of users, put so that they cannot steer a terminal.
// Decides nothing about exit codes beyond the two kinds of failure there are.
#define _POSIX_C_SOURCE 200809L
#include "diagnostics.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

// Characters that no terminal shows as themselves: controls, what turns the direction of writing, and what has no
// width.
static const struct {
    int32_t first, last;
} unseen[] = {
    {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},   {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

static bool is_unseen(int32_t point)
{
    bool is = point == GA_NOT_UTF8;
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        is = is || (point >= unseen[i].first && point <= unseen[i].last);
    }
    return is;
}

// Writes the character at *at, which moves after it, so that it cannot steer a terminal: those that are not seen and
// invalid UTF-8 become \xNN, byte by byte. Returns how many bytes text holds.
enum { VISIBLE = 4 * 4 + 1 };
static size_t visible(const char **at, char text[VISIBLE])
{
    const char *const first = *at;
    const bool is_escaped = is_unseen(ga_utf8_next(at));
    const size_t bytes = (size_t)(*at - first);
    size_t used = 0;
    for (size_t i = 0; i < bytes; i++) {
        used += (size_t)snprintf(text + used, VISIBLE - used, is_escaped ? "\\x%02x" : "%c", (unsigned char)first[i]);
    }
    return used;
}

static void put_visible(FILE *stream, const char *text)
{
    char shown[VISIBLE];
    while (*text) {
        const size_t bytes = visible(&text, shown);
        fwrite(shown, 1, bytes, stream);
    }
}

// Messages may contain names from files and words of the command line.
static void put_line(FILE *stream, const char *format, va_list values)
{
    char said[8192];
    vsnprintf(said, sizeof said, format, values);
    put_visible(stream, said);
    fputc('\n', stream);
}

// One character of bytes[length], at least one byte of it, as visible() shows it; lines and tabs stay as they are.
static size_t put_visible_character(const char *bytes, size_t length)
{
    char character[5] = "", shown[VISIBLE];
    memcpy(character, bytes, length < 4 ? length : 4);
    const char *at = character;
    const size_t used = visible(&at, shown);
    if (*bytes == '\n' || *bytes == '\t') {
        putchar(*bytes);
    } else {
        fwrite(shown, 1, used, stdout);
    }
    return (size_t)(at - character);
}

void ga_put_text(const char *bytes, size_t length)
{
    if (!isatty(STDOUT_FILENO)) {
        fwrite(bytes, 1, length, stdout);
        return;
    }
    for (size_t at = 0; at < length;) {
        at += put_visible_character(bytes + at, length - at);
    }
}

static void print_message(const struct ga_context *context, const char *format, va_list values)
{
    fprintf(stderr, "%s: ", context->program);
    put_line(stderr, format, values);
}

void ga_print_line(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_line(stdout, format, values);
    va_end(values);
}

enum ga_exit ga_failed(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(context, format, values);
    va_end(values);
    return GA_EXIT_FAILED;
}

enum ga_exit ga_misused(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    print_message(context, format, values);
    va_end(values);
    fprintf(stderr, "Try '%s%s%s --help'.\n", context->program, context->command ? " " : "",
            context->command ? context->command : "");
    return GA_EXIT_USAGE;
}

void ga_note(const struct ga_context *context, const char *format, ...)
{
    va_list values;
    if (!context->is_quiet) {
        va_start(values, format);
        print_message(context, format, values);
        va_end(values);
    }
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

const char *ga_did_you_mean(const char *name, char text[GA_PRINTABLE])
{
    text[0] = '\0';
    if (name) {
        snprintf(text, GA_PRINTABLE, ", did you mean \"%s\"?", name);
    }
    return text;
}
