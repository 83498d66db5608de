// text_file.c: opens without waiting, looks at what it is, and only then lets reads wait. Knows no lines.
#define _POSIX_C_SOURCE 200809L
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether a pipe holds bytes or gets some, or has had a writer that closed it. A writer that opens it and is silent has
// no end that could be told; one that never comes has.
static bool has_writer(int fd)
{
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    int found;
    do {
        found = poll(&pipe, 1, GA_PIPE_SECONDS * 1000);
    } while (found < 0 && errno == EINTR);
    return found > 0;
}

// Why the file is not read, or NULL.
static const char *problem_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return strerror(errno);
    }
    if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)) {
        return S_ISDIR(st.st_mode) ? "a directory; expected a file of text" : "a block device; expected a file";
    }
    if (S_ISFIFO(st.st_mode) && !has_writer(fd)) {
        return "a pipe that nobody writes to; expected a file, or a pipe with a writer";
    }
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 ? NULL : strerror(errno);
}

FILE *ga_text_open(const struct ga_context *context, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *problem = fd < 0 ? strerror(errno) : problem_of(fd);
    FILE *file = problem ? NULL : fdopen(fd, "rb");
    if (!file) {
        ga_failed(context, "%s: cannot be read: %s", path, problem ? problem : strerror(errno));
    }
    if (!file && fd >= 0) {
        (void)close(fd);
    }
    return file;
}
