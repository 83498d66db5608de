// unnamed_file.c: a file without a name by Linux's O_TMPFILE, which linkat names through /proc. Elsewhere: none.
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE // O_TMPFILE
#include "unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#if defined(O_TMPFILE)
enum { PROC_NAME = 40 };

// The name that /proc has for an open file: linkat takes it from everyone, and the descriptor only from root.
static const char *name_in_proc(int fd, char text[PROC_NAME])
{
    (void)snprintf(text, PROC_NAME, "/proc/self/fd/%d", fd);
    return text;
}

int ga_unnamed_file_open(const char *folder, mode_t mode)
{
    char name[PROC_NAME];
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (fd >= 0 && access(name_in_proc(fd, name), F_OK) != 0) { // /proc is not there
        (void)close(fd);
        return -1;
    }
    return fd;
}

int ga_unnamed_file_name(int fd, const char *path)
{
    char name[PROC_NAME];
    return linkat(AT_FDCWD, name_in_proc(fd, name), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}
#else
int ga_unnamed_file_open(const char *folder, mode_t mode)
{
    (void)folder;
    (void)mode;
    return -1;
}

int ga_unnamed_file_name(int fd, const char *path)
{
    (void)fd;
    (void)path;
    errno = ENOTSUP;
    return -1;
}
#endif
