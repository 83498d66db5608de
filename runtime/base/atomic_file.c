// atomic_file.c: temporary file, flush, rename, flush of the folder. Buffers nothing: a put is a write.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ga_status fail_errno(const struct ga_atomic_file *file, struct ga_error *error, const char *what)
{
    char why[128];
    return ga_fail(error, GA_IO, "%s: cannot %s: %s", file->path, what,
                   strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

// What no file may take the place of: /dev/null is no longer there for others once one was renamed over it, nor is
// /dev/stdout, a link to what may well be a file.
static bool is_replaceable(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        return false;
    }
    return strncmp(path, "/dev/", 5) != 0 || lstat(path, &facts) != 0 || !S_ISLNK(facts.st_mode);
}

enum ga_status ga_atomic_file_new(const char *path, struct ga_atomic_file *file_out, struct ga_error *error)
{
    enum { TRIES = 100, SUFFIX = 40 };
    if (!is_replaceable(path)) {
        return ga_fail(error, GA_IO, "%s: is not a regular file, and only such a one is replaced", path);
    }
    const size_t size = strlen(path) + SUFFIX;
    struct ga_atomic_file file = {.path = path, .temporary = malloc(size), .fd = -1};
    if (file.temporary == NULL) {
        return ga_fail(error, GA_MEMORY, "%s: no memory for its name", path);
    }
    for (int i = 0; i < TRIES && file.fd < 0; i++) {
        (void)snprintf(file.temporary, size, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        file.fd = open(file.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file.fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (file.fd < 0) {
        const enum ga_status status = fail_errno(&file, error, "make a temporary file beside it");
        free(file.temporary);
        return status;
    }
    *file_out = file;
    return GA_OK;
}

bool ga_atomic_file_put(const struct ga_atomic_file *file, const void *bytes, size_t size)
{
    enum { MAX_WRITE = 1 << 30 };
    const unsigned char *at = bytes;
    while (size > 0) {
        const ssize_t done = write(file->fd, at, size < MAX_WRITE ? size : MAX_WRITE);
        if (done == 0) {
            errno = EIO;
        }
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        at += done < 0 ? 0 : done;
        size -= done < 0 ? 0 : (size_t)done;
    }
    return true;
}

// Makes the rename itself last through a crash. A folder that cannot be flushed takes nothing from the file's content.
static void flush_folder(const struct ga_atomic_file *file)
{
    const char *slash = strrchr(file->path, '/');
    char *folder = file->temporary; // renamed by now, so its room is free, and longer than path
    const size_t length = slash == NULL ? 0 : (size_t)(slash - file->path) + 1;
    memcpy(folder, length == 0 ? "." : file->path, length == 0 ? 1 : length);
    folder[length == 0 ? 1 : length] = '\0';
    const int fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

enum ga_status ga_atomic_file_end(struct ga_atomic_file *file, bool good, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    if (!good || fsync(file->fd) != 0) {
        status = fail_errno(file, error, "write");
    }
    if (close(file->fd) != 0 && status == GA_OK) {
        status = fail_errno(file, error, "write");
    }
    if (status == GA_OK && rename(file->temporary, file->path) != 0) {
        status = fail_errno(file, error, "rename the finished file to this name");
    }
    if (status == GA_OK) {
        flush_folder(file);
    } else {
        (void)unlink(file->temporary);
    }
    free(file->temporary);
    return status;
}

enum ga_status ga_atomic_file_write(const char *path, const void *bytes, size_t size, struct ga_error *error)
{
    struct ga_atomic_file file;
    const enum ga_status status = ga_atomic_file_new(path, &file, error);
    return status == GA_OK ? ga_atomic_file_end(&file, ga_atomic_file_put(&file, bytes, size), error) : status;
}
