// pack_file.c: the header of a file of packed weights: read, every field checked, and held against a model. Reads no
// weights (pack_read.c) and trusts no number of the file before it was compared with the file's size.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "pack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "pack_parts.h"

// -- Fields ---------------------------------------------------------------------------------------------------------

static bool is_zero(const unsigned char *at, size_t size)
{
    size_t set = 0;
    for (size_t i = 0; i < size; i++) {
        set += at[i] != 0;
    }
    return set == 0;
}

// A name of small letters, digits and underscores with zeros after it.
static bool is_name(const unsigned char *at, size_t size)
{
    size_t length = 0;
    while (length < size && ((at[length] >= 'a' && at[length] <= 'z') || (at[length] >= '0' && at[length] <= '9') ||
                             at[length] == '_')) {
        length++;
    }
    return length > 0 && length < size && is_zero(at + length, size - length);
}

static enum ga_status damaged(const struct ga_pack *pack, struct ga_error *error, const char *what, size_t offset)
{
    return ga_fail_at(error, GA_FORMAT, GA_FAULT_PACK_HEADER, offset,
                      "%s: byte %zu: %s: the file is damaged; pack the weights again", pack->label, offset, what);
}

// -- The header -----------------------------------------------------------------------------------------------------

bool ga_pack_is(const void *bytes, size_t size)
{
    return bytes != NULL && size >= GA_PACK_MAGIC_BYTES && memcmp(bytes, GA_PACK_MAGIC, GA_PACK_MAGIC_BYTES) == 0;
}

bool ga_pack_is_file(const char *path)
{
    unsigned char start[GA_PACK_MAGIC_BYTES];
    struct stat st;
    const int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    const bool is_pack =
        is_regular && pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start && ga_pack_is(start, sizeof start);
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_pack;
}

// What must be right before anything else of the header means something.
static enum ga_status check_whole(const struct ga_pack *pack, const unsigned char *header, size_t there,
                                  struct ga_error *error)
{
    if (!ga_pack_is(header, there)) {
        return ga_fail_at(error, GA_FORMAT, GA_FAULT_PACK_MAGIC, 0,
                          "%s: not a file of packed weights, which begins with the bytes 89 47 41 50", pack->label);
    }
    if (there < GA_PACK_HEADER) {
        return ga_fail_at(error, GA_FORMAT, GA_FAULT_PACK_SIZE, there,
                          "%s: cut off: %zu bytes long, and the header alone has %d", pack->label, there,
                          GA_PACK_HEADER);
    }
    const uint32_t version = ga_read_u32(header + GA_PACK_AT_VERSION);
    if (version != GA_PACK_VERSION) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_PACK_VERSION, GA_PACK_AT_VERSION,
                          "%s: packed weights of format version %u; expected version %d: " GA_PACK_AGAIN, pack->label,
                          (unsigned)version, GA_PACK_VERSION);
    }
    const uint64_t found = ga_checksum(header, GA_PACK_AT_CHECKSUM);
    const uint64_t expected = ga_read_u64(header + GA_PACK_AT_CHECKSUM);
    if (found != expected) {
        return ga_fail_at(
            error, GA_FORMAT, GA_FAULT_PACK_HEADER, GA_PACK_AT_CHECKSUM,
            "%s: the header's checksum is %016llx; expected %016llx: the file is damaged; pack the weights "
            "again",
            pack->label, (unsigned long long)found, (unsigned long long)expected);
    }
    const uint64_t size = ga_read_u64(header + GA_PACK_AT_SIZE);
    return size == pack->size
               ? GA_OK
               : ga_fail_at(error, GA_FORMAT, GA_FAULT_PACK_SIZE, pack->size,
                            "%s: %zu bytes long; its header says %llu: the file is %s", pack->label, pack->size,
                            (unsigned long long)size, size > pack->size ? "cut off" : "longer than it was written");
}

// A section of the table, which begins at or after `end`; on GA_OK it lies within the file.
static enum ga_status read_section(const struct ga_pack *pack, const unsigned char *at, size_t entry, size_t end,
                                   struct ga_pack_section *section_out, struct ga_error *error)
{
    const uint64_t offset = ga_read_u64(at + GA_PACK_ISA + 8), bytes = ga_read_u64(at + GA_PACK_ISA + 16);
    if (!is_name(at, GA_PACK_ISA)) {
        return damaged(pack, error, "no name of an instruction set", entry);
    }
    if (!is_zero(at + GA_PACK_ISA + 32, GA_PACK_ENTRY - GA_PACK_ISA - 32)) {
        return damaged(pack, error, "expected zeros after the section", entry);
    }
    if (offset != ga_pack_next(end)) {
        return damaged(pack, error, "the section is not where the one before ends", entry + GA_PACK_ISA + 8);
    }
    if (offset > pack->size || bytes > pack->size - offset) {
        return damaged(pack, error, "the section ends after the file", entry + GA_PACK_ISA + 16);
    }
    *section_out = (struct ga_pack_section){.packing = ga_read_u64(at + GA_PACK_ISA),
                                            .offset = (size_t)offset,
                                            .bytes = (size_t)bytes,
                                            .checksum = ga_read_u64(at + GA_PACK_ISA + 24)};
    memcpy(section_out->isa, at, GA_PACK_ISA);
    return GA_OK;
}

const struct ga_pack_section *ga_pack_find(const struct ga_pack *pack, const char *isa)
{
    for (size_t i = 0; i < pack->n_sections; i++) {
        if (strcmp(pack->sections[i].isa, isa) == 0) {
            return &pack->sections[i];
        }
    }
    return NULL;
}

static enum ga_status read_sections(struct ga_pack *pack, const unsigned char *header, size_t count,
                                    struct ga_error *error)
{
    size_t end = GA_PACK_HEADER;
    for (size_t i = 0; i < count; i++) {
        const size_t entry = GA_PACK_AT_SECTIONS + i * GA_PACK_ENTRY;
        struct ga_pack_section section;
        const enum ga_status status = read_section(pack, header + entry, entry, end, &section, error);
        if (status != GA_OK) {
            return status;
        }
        if (ga_pack_find(pack, section.isa) != NULL) {
            return damaged(pack, error, "a second section for one instruction set", entry);
        }
        end = section.offset + section.bytes;
        pack->sections[pack->n_sections++] = section;
    }
    return end == pack->size ? GA_OK : damaged(pack, error, "bytes that belong to no section", end);
}

// A header whose checksum is right: what is wrong with it now was written so.
static enum ga_status read_fields(struct ga_pack *pack, const unsigned char *header, struct ga_error *error)
{
    const uint32_t order = ga_read_u32(header + GA_PACK_AT_ORDER), count = ga_read_u32(header + GA_PACK_AT_COUNT);
    if (ga_read_u32(header + GA_PACK_AT_HEADER) != GA_PACK_HEADER) {
        return damaged(pack, error, "expected a header of 4096 bytes", GA_PACK_AT_HEADER);
    }
    if (order != GA_PACK_LITTLE && order != GA_PACK_BIG) {
        return damaged(pack, error, "the byte order is neither 1 nor 2", GA_PACK_AT_ORDER);
    }
    if (count == 0 || count > GA_PACK_SECTIONS) {
        return damaged(pack, error, "expected 1 to 16 sections", GA_PACK_AT_COUNT);
    }
    const size_t table_end = GA_PACK_AT_SECTIONS + count * GA_PACK_ENTRY;
    if (!is_zero(header + table_end, GA_PACK_AT_WEIGHTS - table_end)) {
        return damaged(pack, error, "expected zeros after the sections", table_end);
    }
    if (is_zero(header + GA_PACK_AT_WEIGHTS, GA_PACK_AT_CHECKSUM - GA_PACK_AT_WEIGHTS)) {
        return damaged(pack, error, "no number of the weights before packing", GA_PACK_AT_WEIGHTS);
    }
    if (!is_name(header + GA_PACK_AT_NAME, GA_PACK_NAME)) {
        return damaged(pack, error, "no name of a model", GA_PACK_AT_NAME);
    }
    pack->version = ga_read_u32(header + GA_PACK_AT_VERSION);
    pack->abi = ga_read_u32(header + GA_PACK_AT_ABI);
    pack->bits_revision = ga_read_u32(header + GA_PACK_AT_BITS);
    pack->is_native = order == ga_pack_native_order();
    pack->spec = ga_read_u64(header + GA_PACK_AT_SPEC);
    pack->weights = ga_read_u64(header + GA_PACK_AT_WEIGHTS);
    memcpy(pack->model, header + GA_PACK_AT_NAME, GA_PACK_NAME);
    return read_sections(pack, header, count, error);
}

// Reads the header of what pack's fd or bytes give; closes nothing.
static enum ga_status read_header(struct ga_pack *pack, struct ga_error *error)
{
    unsigned char header[GA_PACK_HEADER];
    const size_t there = pack->size < sizeof header ? pack->size : sizeof header;
    enum ga_status status = ga_pack_read_at(pack, 0, header, there, error);
    if (status == GA_OK) {
        status = check_whole(pack, header, there, error);
    }
    return status == GA_OK ? read_fields(pack, header, error) : status;
}

enum ga_status ga_pack_parse(const void *bytes, size_t size, const char *label, struct ga_pack *pack_out,
                             struct ga_error *error)
{
    if (bytes == NULL || label == NULL || pack_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_parse: %s is NULL",
                       bytes == NULL   ? "bytes"
                       : label == NULL ? "label"
                                       : "pack_out");
    }
    *pack_out = (struct ga_pack){.label = label, .fd = -1, .bytes = bytes, .size = size};
    return read_header(pack_out, error);
}

static enum ga_status read_file(struct ga_pack *pack, struct ga_error *error)
{
    struct stat st;
    if (fstat(pack->fd, &st) != 0) {
        return ga_pack_fail_errno(pack, error, GA_FAULT_READ, "look at the file");
    }
    if (!S_ISREG(st.st_mode)) {
        return ga_fail_at(error, GA_IO, GA_FAULT_NOT_REGULAR, GA_NO_OFFSET, "%s: %s; expected a regular file",
                          pack->label, S_ISDIR(st.st_mode) ? "a directory" : "a pipe or device");
    }
    if ((uintmax_t)st.st_size > SIZE_MAX) {
        return ga_fail_at(error, GA_OVERFLOW, GA_FAULT_FILE_HUGE, GA_NO_OFFSET,
                          "%s: larger than this machine's memory can be", pack->label);
    }
    pack->size = (size_t)st.st_size;
    return read_header(pack, error);
}

enum ga_status ga_pack_open(const char *path, struct ga_pack *pack_out, struct ga_error *error)
{
    if (path == NULL || pack_out == NULL) {
        return ga_fail(error, GA_ARGUMENT, "ga_pack_open: %s is NULL", path == NULL ? "path" : "pack_out");
    }
    // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
    *pack_out = (struct ga_pack){.label = path, .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (pack_out->fd < 0) {
        return ga_pack_fail_errno(pack_out, error, GA_FAULT_OPEN, "open");
    }
    const enum ga_status status = read_file(pack_out, error);
    if (status != GA_OK) {
        ga_pack_close(pack_out);
    }
    return status;
}

void ga_pack_close(struct ga_pack *pack)
{
    if (pack != NULL && pack->fd >= 0) {
        (void)close(pack->fd);
        pack->fd = -1;
    }
}
