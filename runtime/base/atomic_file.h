// atomic_file.h: a file that is whole under its name or not there: made beside it, flushed, then renamed over it.
// Knows nothing of what the bytes say; weights and pictures are written with it. Not a header users include.
#ifndef GA_ATOMIC_FILE_H
#define GA_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"

// One file being written. path stays the caller's, and lives as long as the struct is in use.
struct ga_atomic_file {
    const char *path;
    char *temporary; // name of the file beside path
    int fd;          // of that file
};

// Makes a file beside path that no one else has, with the permissions path would have got. A symbolic link at path will
// be replaced, not followed; a device, a pipe or a folder there, or at the end of the link, is refused, and so are
// links in /dev: they would be gone. On GA_OK the caller ends it with ga_atomic_file_end; on failure there is nothing
// to end, and error says why.
enum ga_status ga_atomic_file_new(const char *path, struct ga_atomic_file *file_out, struct ga_error *error);

// Appends size bytes; false where they could not be written, with errno set.
bool ga_atomic_file_put(const struct ga_atomic_file *file, const void *bytes, size_t size);

// good: every put succeeded. Gives the file its name where it did and the disk has it all; else removes it, says why
// (errno still that of the failed put) and leaves what was under the name before.
enum ga_status ga_atomic_file_end(struct ga_atomic_file *file, bool good, struct ga_error *error);

// All of it, for bytes that are in memory.
enum ga_status ga_atomic_file_write(const char *path, const void *bytes, size_t size, struct ga_error *error);

#endif
