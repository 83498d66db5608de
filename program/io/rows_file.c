// rows_file.c: leaves room for a header, appends rows, and writes the header when their number is known.
#define _POSIX_C_SOURCE 200809L
#include "rows_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PREFIX = 8 }; // bytes that say how long the header is

// Writes PREFIX bytes and the header's text, blanks after it.
static bool put_header(const struct ga_rows_file *file, const char *text)
{
    unsigned char bytes[PREFIX + GA_ROWS_LONG_HEADER];
    for (size_t i = 0; i < PREFIX; i++) {
        bytes[i] = (unsigned char)((uint64_t)file->header >> (8 * i));
    }
    memset(bytes + PREFIX, ' ', file->header);
    memcpy(bytes + PREFIX, text, strlen(text));
    return ga_atomic_file_put(&file->file, bytes, PREFIX + file->header);
}

enum ga_status ga_rows_file_new(const char *path, size_t width, size_t header, struct ga_rows_file *file_out,
                                struct ga_error *error)
{
    *file_out = (struct ga_rows_file){.width = width, .header = header};
    const enum ga_status status = ga_atomic_file_new(path, &file_out->file, error);
    if (status == GA_OK && !put_header(file_out, "")) {
        return ga_atomic_file_end(&file_out->file, false, error);
    }
    return status;
}

bool ga_rows_file_put(struct ga_rows_file *file, const float *rows, size_t count)
{
    file->rows += count;
    return ga_atomic_file_put(&file->file, rows, count * file->width * sizeof *rows);
}

// The header's text; false with errno set where it is longer than the room left for it.
static bool make_text(const struct ga_rows_file *file, const struct ga_rows_about *about, char *text)
{
    const size_t bytes = file->rows * file->width * sizeof(float), entries = file->rows * about->entry_size;
    const size_t room = file->header + 1;
    int used = snprintf(text, room, "{%s%s%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%zu,%zu],\"data_offsets\":[0,%zu]}",
                        about->metadata ? "\"__metadata__\":" : "", about->metadata ? about->metadata : "",
                        about->metadata ? "," : "", about->tensor, file->rows, file->width, bytes);
    if (about->entries && used >= 0 && (size_t)used < room) {
        used += snprintf(text + used, room - (size_t)used,
                         ",\"%s\":{\"dtype\":\"U8\",\"shape\":[%zu,%zu],\"data_offsets\":[%zu,%zu]}", about->entries,
                         file->rows, about->entry_size, bytes, bytes + entries);
    }
    if (used < 0 || (size_t)used + 1 >= room) {
        errno = EMSGSIZE;
        return false;
    }
    text[used] = '}';
    text[used + 1] = '\0';
    return true;
}

enum ga_status ga_rows_file_end(struct ga_rows_file *file, bool good, const struct ga_rows_about *about,
                                struct ga_error *error)
{
    char text[GA_ROWS_LONG_HEADER + 2];
    good = good && (!about->entries || ga_atomic_file_put(&file->file, about->bytes, file->rows * about->entry_size));
    good = good && make_text(file, about, text) && lseek(file->file.fd, 0, SEEK_SET) == 0 && put_header(file, text);
    return ga_atomic_file_end(&file->file, good, error);
}
