// weights_source.c: where the bytes of a file of weights come from, a file or memory, and the words for what the
// machine refuses. Knows no format.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "weights_source.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- Words ----------------------------------------------------------------------------------------------------------

enum ga_status ga_weights_fail_errno(struct ga_error *error, enum ga_fault fault, const char *path, const char *what)
{
    char why[128];
    return ga_fail_at(error, GA_IO, fault, GA_NO_OFFSET, "%s: cannot %s: %s", path, what,
                      strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

enum ga_status ga_weights_fail_memory(struct ga_error *error, const char *path, const char *what)
{
    return ga_fail_at(error, GA_MEMORY, GA_FAULT_NO_MEMORY, GA_NO_OFFSET, "%s: no memory for %s", path, what);
}

char *ga_weights_copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

// -- Bytes ----------------------------------------------------------------------------------------------------------

enum { MAX_READ = 1 << 30 }; // bytes asked of the system at a time

static enum ga_status read_file(const struct ga_weights_source *source, uint64_t from, unsigned char *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const size_t left = size - done;
        const ssize_t got = read(source->fd, to + done, left < MAX_READ ? left : MAX_READ);
        if (got == 0) {
            return ga_fail_at(source->error, GA_IO, GA_FAULT_SHRUNK, from + done,
                              "%s: byte %llu: the file ends %zu bytes early; expected the %zu bytes it had when it was "
                              "opened: it shrank while it was read",
                              source->label, (unsigned long long)(from + done), left, source->size);
        }
        if (got < 0 && errno != EINTR) {
            enum ga_status status = ga_weights_fail_errno(source->error, GA_FAULT_READ, source->label, "read");
            if (source->error != NULL) {
                source->error->offset = from + done;
            }
            return status;
        }
        done += got < 0 ? 0 : (size_t)got;
    }
    return GA_OK;
}

enum ga_status ga_weights_source_read(struct ga_weights_source *source, uint64_t from, void *to, size_t size)
{
    if (source->at == NULL) {
        return read_file(source, from, to, size);
    }
    memcpy(to, source->at, size);
    source->at += size;
    return GA_OK;
}

// -- Files ----------------------------------------------------------------------------------------------------------

enum ga_status ga_weights_source_of(int fd, const char *path, const struct ga_weights_options *options,
                                    struct ga_weights_source *source_out, struct ga_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return ga_weights_fail_errno(error, GA_FAULT_OPEN, path, "look at the file");
    }
    if (!S_ISREG(st.st_mode)) {
        return ga_fail_at(error, GA_IO, GA_FAULT_NOT_REGULAR, GA_NO_OFFSET, "%s: %s; expected a regular file", path,
                          S_ISDIR(st.st_mode) ? "a directory" : "a pipe or device");
    }
    if ((uintmax_t)st.st_size > PTRDIFF_MAX) {
        return ga_fail_at(error, GA_OVERFLOW, GA_FAULT_FILE_HUGE, GA_NO_OFFSET,
                          "%s: larger than this machine's memory can be", path);
    }
    *source_out = (struct ga_weights_source){
        .fd = fd, .size = (size_t)st.st_size, .label = path, .options = *options, .error = error};
    return GA_OK;
}
