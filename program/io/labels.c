// labels.c: reads labels a byte at a time, so that no file, however long its lines, takes more memory than the labels
// that were asked for.
#include "labels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"
#include "utf8.h"

enum line { LINE, NO_LINE, TOO_LONG, CONTROL };

// One line without its end. CONTROL: *control_out is a byte that no label holds.
static enum line read_line(FILE *file, char text[GA_LABEL_BYTES + 1], unsigned *control_out)
{
    size_t length = 0;
    int byte = getc(file), next = EOF;
    if (byte == EOF) {
        return NO_LINE;
    }
    for (; byte != EOF && byte != '\n'; byte = next) {
        next = getc(file);
        if (byte == '\r' && next == '\n') {
            break;
        }
        if (byte < 0x20 || byte == 0x7f) {
            *control_out = (unsigned)byte;
            return CONTROL;
        }
        if (length == GA_LABEL_BYTES) {
            return TOO_LONG;
        }
        text[length++] = (char)byte;
    }
    text[length] = '\0';
    return LINE;
}

// Beyond what bytes alone show: sequences that are no UTF-8, and control characters of two bytes.
static enum ga_exit check_points(const struct ga_context *context, const char *path, size_t number, const char *text)
{
    while (*text) {
        int32_t point = ga_utf8_next(&text);
        if (point == GA_NOT_UTF8) {
            return ga_failed(context, "%s: line %zu is not UTF-8", path, number);
        }
        if (point >= 0x80 && point <= 0x9f) {
            return ga_failed(context, "%s: line %zu holds the control character U+%04X", path, number, (unsigned)point);
        }
    }
    return GA_EXIT_OK;
}

static enum ga_exit refuse_count(const struct ga_context *context, const char *path, size_t sequence, size_t count,
                                 const char *found, size_t lines)
{
    return ga_failed(context, "%s: %s%zu line%s; expected %zu, one label for each place of sequence %zu", path, found,
                     lines, lines == 1 ? "" : "s", count, sequence);
}

static enum ga_exit read_labels(const struct ga_context *context, const char *path, size_t sequence, size_t count,
                                FILE *file, struct ga_labels *labels)
{
    for (size_t i = 0; i < count; i++) {
        unsigned control = 0;
        enum line line = read_line(file, labels->text[i], &control);
        if (line == CONTROL) {
            return ga_failed(context, "%s: line %zu holds the control character U+%04X", path, i + 1, control);
        }
        if (line == TOO_LONG) {
            return ga_failed(context, "%s: line %zu is longer than %d bytes", path, i + 1, GA_LABEL_BYTES);
        }
        if (ferror(file)) {
            return ga_failed(context, "%s: cannot be read: %s", path, strerror(errno));
        }
        if (line == NO_LINE) {
            return refuse_count(context, path, sequence, count, "", i);
        }
        labels->lines[i] = labels->text[i];
        if (check_points(context, path, i + 1, labels->text[i]) != GA_EXIT_OK) {
            return GA_EXIT_FAILED;
        }
    }
    return getc(file) == EOF ? GA_EXIT_OK : refuse_count(context, path, sequence, count, "more than ", count);
}

enum ga_exit ga_labels_read(const struct ga_context *context, const char *path, size_t sequence, size_t count,
                            struct ga_labels *labels_out)
{
    *labels_out =
        (struct ga_labels){calloc(count + 1, sizeof *labels_out->text), calloc(count + 1, sizeof *labels_out->lines)};
    if (!labels_out->text || !labels_out->lines) {
        return ga_failed(context, "%s: no memory for %zu labels", path, count);
    }
    FILE *file = ga_text_open(context, path);
    if (!file) {
        return GA_EXIT_FAILED;
    }
    enum ga_exit code = read_labels(context, path, sequence, count, file, labels_out);
    fclose(file);
    return code;
}

void ga_labels_free(struct ga_labels *labels)
{
    free(labels->text);
    free(labels->lines);
    *labels = (struct ga_labels){0};
}
