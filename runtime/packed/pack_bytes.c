// pack_bytes.c: bytes of a file of packed weights, from the file or from memory. Knows none of its fields.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "pack_parts.h"

uint32_t ga_pack_native_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1 ? GA_PACK_LITTLE : GA_PACK_BIG;
}

size_t ga_pack_next(size_t end)
{
    const size_t rest = end % GA_PACK_HEADER, missing = rest == 0 ? 0 : GA_PACK_HEADER - rest;
    return end > SIZE_MAX - missing ? SIZE_MAX : end + missing;
}

enum ga_status ga_pack_fail_errno(const struct ga_pack *pack, struct ga_error *error, enum ga_fault fault,
                                  const char *what)
{
    char why[128];
    return ga_fail_at(error, GA_IO, fault, GA_NO_OFFSET, "%s: cannot %s: %s", pack->label, what,
                      strerror_r(errno, why, sizeof why) == 0 ? why : "unknown error");
}

static enum ga_status read_file(const struct ga_pack *pack, size_t offset, unsigned char *to, size_t size,
                                struct ga_error *error)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(pack->fd, to + done, size - done, (off_t)(offset + done));
        if (got == 0) {
            return ga_fail_at(error, GA_IO, GA_FAULT_SHRUNK, offset + done,
                              "%s: the file ends %zu bytes early; it shrank while it was read", pack->label,
                              size - done);
        }
        if (got < 0 && errno != EINTR) {
            return ga_pack_fail_errno(pack, error, GA_FAULT_READ, "read");
        }
        done += got < 0 ? 0 : (size_t)got;
    }
    return GA_OK;
}

enum ga_status ga_pack_read_at(const struct ga_pack *pack, size_t offset, void *to, size_t size, struct ga_error *error)
{
    if (pack->bytes == NULL) {
        return read_file(pack, offset, to, size, error);
    }
    if (size > 0) {
        memcpy(to, pack->bytes + offset, size);
    }
    return GA_OK;
}
