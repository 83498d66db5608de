// rows_file.c: leaves room for a header, appends rows, and writes the header when their number is known.
#define _POSIX_C_SOURCE 200809L
#include "rows_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "numpy_file.h"

enum {
    PREFIX = 8,
    MOST_HEADER = GA_ROWS_HEADER
}; // PREFIX: bytes of a safetensors file that say how long its header is

// Bytes before the rows, which their number does not change: it is known when they are written.
static const size_t header_sizes[] = {
    [GA_ROWS_SAFETENSORS] = 128, [GA_ROWS_DESCRIBED] = MOST_HEADER, [GA_ROWS_NUMPY] = 128};

enum ga_status ga_rows_file_new(const char *path, size_t width, enum ga_rows_format format,
                                struct ga_rows_file *file_out, struct ga_error *error)
{
    static const char blank[MOST_HEADER] = "";
    *file_out = (struct ga_rows_file){.format = format, .width = width};
    const enum ga_status status = ga_atomic_file_new(path, &file_out->file, error);
    if (status == GA_OK && !ga_atomic_file_put(&file_out->file, blank, header_sizes[format])) {
        return ga_atomic_file_end(&file_out->file, false, error);
    }
    return status;
}

bool ga_rows_file_put(struct ga_rows_file *file, const float *rows, size_t count)
{
    file->rows += count;
    return ga_atomic_file_put(&file->file, rows, count * file->width * sizeof *rows);
}

bool ga_rows_file_put_at(struct ga_rows_file *file, size_t first, const float *rows, size_t count)
{
    const size_t bytes = file->width * sizeof *rows;
    file->rows = first + count > file->rows ? first + count : file->rows;
    return lseek(file->file.fd, (off_t)(header_sizes[file->format] + first * bytes), SEEK_SET) >= 0 &&
           ga_atomic_file_put(&file->file, rows, count * bytes);
}

// The text of a safetensors header, in room bytes; false with errno set where it is longer.
static bool make_text(const struct ga_rows_file *file, const struct ga_rows_about *about, char *text, size_t room)
{
    const size_t bytes = file->rows * file->width * sizeof(float), entries = file->rows * about->entry_size;
    int used = snprintf(text, room, "{%s%s%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}",
                        about->metadata ? "\"__metadata__\":" : "", about->metadata ? about->metadata : "",
                        about->metadata ? "," : "", about->tensor, file->rows, file->width, bytes);
    if (about->entries && used >= 0 && (size_t)used < room) {
        used += snprintf(text + used, room - (size_t)used,
                         ",\"%s\":{\"dtype\":\"U8\",\"shape\":[%zu,%zu],\"data_offsets\":[%zu,%zu]}", about->entries,
                         file->rows, about->entry_size, bytes, bytes + entries);
    }
    if (about->starts && used >= 0 && (size_t)used < room) {
        used += snprintf(text + used, room - (size_t)used,
                         ",\"starts\":{\"dtype\":\"I64\",\"shape\":[%zu],\"data_offsets\":[%zu,%zu]}", about->n_starts,
                         bytes, bytes + about->n_starts * sizeof *about->starts);
    }
    if (used < 0 || (size_t)used + 1 >= room) {
        errno = EMSGSIZE;
        return false;
    }
    text[used] = '}';
    text[used + 1] = '\0';
    return true;
}

// The length of the text, the text, and blanks.
static bool make_safetensors(const struct ga_rows_file *file, const struct ga_rows_about *about, char *bytes)
{
    char text[MOST_HEADER];
    const size_t room = header_sizes[file->format] - PREFIX;
    const bool fits = make_text(file, about, text, room + 1);
    for (size_t i = 0; i < PREFIX; i++) {
        bytes[i] = (char)(((uint64_t)room >> (8 * i)) & 0xff);
    }
    memset(bytes + PREFIX, ' ', room);
    if (fits) {
        memcpy(bytes + PREFIX, text, strlen(text));
    }
    return fits;
}

size_t ga_rows_header(enum ga_rows_format format, size_t rows, size_t width, const struct ga_rows_about *about,
                      char bytes_out[GA_ROWS_HEADER])
{
    const struct ga_rows_file file = {.format = format, .rows = rows, .width = width};
    if (format == GA_ROWS_NUMPY) {
        return ga_numpy_header("<f4", (const size_t[]){rows, width}, 2, bytes_out);
    }
    return make_safetensors(&file, about, bytes_out) ? header_sizes[format] : 0;
}

static bool put_header(const struct ga_rows_file *file, const struct ga_rows_about *about)
{
    char bytes[MOST_HEADER];
    const size_t size = ga_rows_header(file->format, file->rows, file->width, about, bytes);
    return size > 0 && lseek(file->file.fd, 0, SEEK_SET) == 0 && ga_atomic_file_put(&file->file, bytes, size);
}

enum ga_status ga_rows_file_end(struct ga_rows_file *file, bool good, const struct ga_rows_about *about,
                                struct ga_error *error)
{
    good = good && (!about->entries || ga_atomic_file_put(&file->file, about->bytes, file->rows * about->entry_size));
    good = good && (!about->starts || file->format == GA_ROWS_NUMPY ||
                    ga_atomic_file_put(&file->file, about->starts, about->n_starts * sizeof *about->starts));
    return ga_atomic_file_end(&file->file, good && put_header(file, about), error);
}
