// read.c: a tokenizer.json from its file, whole, or the one that a GGUF file's header becomes. Opens
// regular files alone, and waits for none.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "ga_text.h"
#include "gguf_tokenizer.h"
#include "text_limits.h"

// A file on its way into memory.
struct reading {
    const char *path;
    int fd;
    char *bytes; // [length]
    size_t length;
    struct ga_error *error;
};

static enum ga_status fail_errno(const struct reading *r, const char *what)
{
    char why[96];
    return ga_fail(r->error, GA_IO, "%s: cannot be %s: %s", r->path, what,
                   strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

// Of a GGUF file the header alone is read, however many bytes the weights after it have.
static bool is_gguf(const struct reading *r)
{
    char begin[4];
    return pread(r->fd, begin, sizeof begin, 0) == (ssize_t)sizeof begin && ga_text_gguf_begins(begin, sizeof begin);
}

// What the file is, and *size_out, its bytes.
static enum ga_status look_at(const struct reading *r, size_t *size_out)
{
    struct stat st;
    if (fstat(r->fd, &st) != 0) {
        return fail_errno(r, "read");
    }
    if (!S_ISREG(st.st_mode)) {
        return ga_fail(r->error, GA_IO, "%s: %s; expected a regular file", r->path,
                       S_ISDIR(st.st_mode) ? "a directory" : "a pipe or device");
    }
    *size_out = (size_t)st.st_size;
    return st.st_size <= GA_TEXT_LARGEST_FILE || is_gguf(r)
               ? GA_OK
               : ga_fail(r->error, GA_FORMAT, "%s: has more than %d bytes", r->path, GA_TEXT_LARGEST_FILE);
}

// Reads as many bytes as the file had; one that shrinks meanwhile is as long as it is then.
static enum ga_status read_bytes(struct reading *r, size_t size)
{
    r->bytes = malloc(size + 1);
    if (!r->bytes) {
        return ga_fail(r->error, GA_MEMORY, "%s: no memory for the file", r->path);
    }
    for (ssize_t got = 1; r->length < size && got != 0;) {
        got = read(r->fd, r->bytes + r->length, size - r->length);
        if (got < 0 && errno != EINTR) {
            return fail_errno(r, "read");
        }
        r->length += got > 0 ? (size_t)got : 0;
    }
    return GA_OK;
}

enum ga_status ga_text_tokenizer_read(const char *path, char **bytes_out, size_t *length_out, struct ga_error *error)
{
    enum ga_status status = GA_TEXT_CHECK("ga_text_tokenizer_read", error, {"path", path}, {"bytes_out", bytes_out},
                                          {"length_out", length_out});
    if (status != GA_OK) {
        return status;
    }
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
    struct reading r = {.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), .error = error};
    size_t size = 0;
    *bytes_out = NULL;
    *length_out = 0;
    if (r.fd < 0) {
        return fail_errno(&r, "opened");
    }
    status = look_at(&r, &size);
    if (status == GA_OK) {
        status = is_gguf(&r) ? ga_text_gguf_tokenizer(r.fd, path, &r.bytes, &r.length, error) : read_bytes(&r, size);
    }
    (void)close(r.fd);
    if (status != GA_OK) {
        free(r.bytes);
        return status;
    }
    *bytes_out = r.bytes;
    *length_out = r.length;
    return GA_OK;
}
