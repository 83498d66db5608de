// atomic_file.c: a file without a name or under a temporary one, flush, its name, flush of the folder.
// Buffers nothing: a put is a write.
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

#include "on_linux.h"

static enum ga_status fail_errno(const struct ga_atomic_file *file, struct ga_error *error, const char *what)
{
    char why[128];
    return ga_fail(error, GA_IO, "%s: cannot %s: %s", file->path, what,
                   strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

// What no file may take the place of: /dev/null is no longer there for others once one was renamed over it, nor is
// /dev/stdout, a link to what may well be a file.
static bool is_replaceable(const char *path, const struct stat *st)
{
    struct stat link;
    return S_ISREG(st->st_mode) &&
           (strncmp(path, "/dev/", 5) != 0 || lstat(path, &link) != 0 || !S_ISLNK(link.st_mode));
}

// -- Names ----------------------------------------------------------------------------------------------------------

// Bytes of path that name its folder, the last slash among them.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

// The folder of path, in the room of the temporary name, which is longer than path.
static const char *put_folder(const struct ga_atomic_file *file)
{
    const size_t length = folder_length(file->path);
    memcpy(file->temporary, length == 0 ? "." : file->path, length == 0 ? 1 : length);
    file->temporary[length == 0 ? 1 : length] = '\0';
    return file->temporary;
}

static bool open_temporary(struct ga_atomic_file *file)
{
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file->mode);
    return file->fd >= 0;
}

static bool link_temporary(struct ga_atomic_file *file)
{
    return ga_unnamed_file_name(file->fd, file->temporary) == 0;
}

// Tries names in the folder of path until `take` has one that nothing has; false with errno set.
static bool take_temporary(struct ga_atomic_file *file, bool (*take)(struct ga_atomic_file *file))
{
    enum { TRIES = 100, MOST = 200 }; // MOST: bytes of the file's own name, as a longer one would leave no room
    const size_t folder = folder_length(file->path), own = strlen(file->path + folder);
    for (int i = 0; i < TRIES && !file->has_temporary; i++) {
        (void)snprintf(file->temporary, file->room, "%.*s.%ld-%d.tmp", (int)(folder + (own < MOST ? own : MOST)),
                       file->path, (long)getpid(), i);
        file->has_temporary = take(file);
        if (!file->has_temporary && errno != EEXIST) {
            break;
        }
    }
    return file->has_temporary;
}

// -- One file -------------------------------------------------------------------------------------------------------

// What is replaced keeps its owner and mode. Where its group cannot be kept, another may do only what everyone may.
static void keep_rights(int fd, const struct stat *st)
{
    mode_t mode = st->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (fchown(fd, st->st_uid, st->st_gid) != 0 && fchown(fd, (uid_t)-1, st->st_gid) != 0) {
        mode &= S_IRWXU | S_IRWXO | (mode & S_IRWXO) << 3;
    }
    (void)fchmod(fd, mode); // without it the file is ours alone
}

enum ga_status ga_atomic_file_new(const char *path, struct ga_atomic_file *file_out, struct ga_error *error)
{
    enum { SUFFIX = 40, OURS = S_IRUSR | S_IWUSR, USUAL = OURS | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH };
    struct stat st;
    const bool replaces = stat(path, &st) == 0;
    if (replaces && !is_replaceable(path, &st)) {
        return ga_fail(error, GA_IO, "%s: is not a regular file, and only such a one is replaced", path);
    }
    const size_t room = strlen(path) + SUFFIX;
    struct ga_atomic_file file = {
        .path = path, .room = room, .mode = replaces ? OURS : USUAL, .temporary = malloc(room)};
    if (file.temporary == NULL) {
        return ga_fail(error, GA_MEMORY, "%s: no memory for its name", path);
    }
    file.fd = ga_unnamed_file_open(put_folder(&file), file.mode);
    if (file.fd < 0 && !take_temporary(&file, open_temporary)) {
        const enum ga_status status = fail_errno(&file, error, "make a temporary file in its folder");
        free(file.temporary);
        return status;
    }
    if (replaces) {
        keep_rights(file.fd, &st);
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

// Makes the name itself last through a crash. A folder that cannot be flushed takes nothing from the file's content.
static void flush_folder(const struct ga_atomic_file *file)
{
    const int fd = open(put_folder(file), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

// A file without a name gets that of path where nothing has it, else a temporary one.
static bool give_name(struct ga_atomic_file *file)
{
    return file->has_temporary || ga_unnamed_file_name(file->fd, file->path) == 0 ||
           (errno == EEXIST && take_temporary(file, link_temporary));
}

enum ga_status ga_atomic_file_end(struct ga_atomic_file *file, bool good, struct ga_error *error)
{
    enum ga_status status = GA_OK;
    if (!good || fsync(file->fd) != 0) {
        status = fail_errno(file, error, "write");
    } else if (!give_name(file)) {
        status = fail_errno(file, error, "give the finished file a name");
    }
    if (close(file->fd) != 0 && status == GA_OK) {
        status = fail_errno(file, error, "write");
    }
    if (status == GA_OK && file->has_temporary && rename(file->temporary, file->path) != 0) {
        status = fail_errno(file, error, "rename the finished file to this name");
    }
    if (status == GA_OK) {
        flush_folder(file);
    } else if (file->has_temporary) {
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
