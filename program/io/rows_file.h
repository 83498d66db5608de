// rows_file.h: a safetensors or NumPy file of rows of floats that come a block at a time, so that they need not be in
// memory together, nor their number be known. Computes none.
#ifndef GA_ROWS_FILE_H
#define GA_ROWS_FILE_H

#include <stdint.h>

#include "atomic_file.h"

enum ga_rows_format {
    GA_ROWS_SAFETENSORS,
    GA_ROWS_DESCRIBED, // safetensors with room for metadata and entries
    GA_ROWS_NUMPY,     // the rows alone
};

// The file while it is written.
struct ga_rows_file {
    struct ga_atomic_file file;
    enum ga_rows_format format;
    size_t width; // floats of a row
    size_t rows;  // so far
};

// What the file holds in addition to the rows, where its format says so.
struct ga_rows_about {
    const char *tensor;   // name of the rows F32 [rows][width]
    const char *metadata; // a JSON object of strings, or NULL
    const char *entries;  // name of a tensor U8 [rows][entry_size] after them, or NULL
    const void *bytes;    // of the entries
    size_t entry_size;
    const int64_t *starts; // [n_starts], a tensor I64 of this name after the rows, in the place of entries; or NULL
    size_t n_starts;
};

// Begins a file at path, which lives as long as the struct, in the place of whatever file has that name. On GA_OK the
// caller ends it with ga_rows_file_end.
enum ga_status ga_rows_file_new(const char *path, size_t width, enum ga_rows_format format,
                                struct ga_rows_file *file_out, struct ga_error *error);

// Appends rows[count][width]; false where they could not be written, with errno set.
bool ga_rows_file_put(struct ga_rows_file *file, const float *rows, size_t count);

// Writes rows[count][width] from the first-th row on; the file then has at least so many.
bool ga_rows_file_put_at(struct ga_rows_file *file, size_t first, const float *rows, size_t count);

enum { GA_ROWS_HEADER = 1024 }; // bytes before the rows, at most

// The bytes before so many rows, which GA_ROWS_DESCRIBED alone pads to GA_ROWS_HEADER; returns their number, which the
// number of rows does not change, and 0 with errno set where what about says does not fit.
size_t ga_rows_header(enum ga_rows_format format, size_t rows, size_t width, const struct ga_rows_about *about,
                      char bytes_out[GA_ROWS_HEADER]);

// good: every put succeeded, and so did what made the rows. Gives the file its name where it did, else removes it and
// returns the status of the failed put.
enum ga_status ga_rows_file_end(struct ga_rows_file *file, bool good, const struct ga_rows_about *about,
                                struct ga_error *error);

#endif
