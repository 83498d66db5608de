// atomic_file.h: a file that is whole under its name or not there: made without a name, or under another one where the
// file system has no such files, flushed, then put in the place of what had the name.
// Knows nothing of what the bytes say; weights and pictures are written with it. Not a header users include.
#ifndef GA_ATOMIC_FILE_H
#define GA_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "status.h"

// One file being written. path stays the caller's, and lives as long as the struct is in use.
struct ga_atomic_file {
    const char *path;
    char *temporary;    // room for the name of a file in the folder of path
    size_t room;        // of it, in bytes
    bool has_temporary; // whether the file has that name; else it has none
    mode_t mode;        // it was made with
    int fd;             // of the file
};

// Makes a file for path that no one else has. One that is replaced gives it its mode and, where that can be, its owner;
// else it gets what any new file gets. It is never open to more than it is in the end. A process that is killed leaves
// nothing of it, where the file system has files without names, as most of Linux have. A symbolic link at path will be
// replaced, not followed; a device, a pipe or a folder there, or at the end of the link, is refused, and so are
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
