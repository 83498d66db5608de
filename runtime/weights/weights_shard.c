// weights_shard.c: bytes in, checked tensors out, for one file: read into memory, mapped, or left where the caller has
// them. Believes the file's size and nothing that the file says before it was held against that.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include "weights_shard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "gguf.h"
#include "safetensors_foreign.h"

// -- Header ---------------------------------------------------------------------------------------------------------

// Says which other format a file is of that announces no header it can have; GA_OK where none is known.
static enum ga_status refuse_foreign(const struct ga_weights_source *source, const unsigned char *prefix)
{
    unsigned char start[GA_FOREIGN_BYTES];
    size_t size = source->size < sizeof start ? source->size : sizeof start;
    if (source->at != NULL) {
        memcpy(start, source->at - GA_SAFETENSORS_PREFIX, size);
    } else if (pread(source->fd, start, size, 0) != (ssize_t)size) {
        size = GA_SAFETENSORS_PREFIX; // which were read
        memcpy(start, prefix, size);
    }
    const struct ga_foreign *foreign = ga_foreign_format(start, size);
    return foreign == NULL ? GA_OK
                           : ga_fail_at(source->error, GA_FORMAT, GA_FAULT_FOREIGN, 0,
                                        "%s: byte 0: this is %s; expected safetensors: %s", source->label,
                                        foreign->what, foreign->instead);
}

// Whether `length` can be a header's in this file, and may be by the options.
static enum ga_status check_length(const struct ga_weights_source *source, uint64_t length)
{
    const uint64_t room = source->size - GA_SAFETENSORS_PREFIX;
    const uint64_t most = room < source->options.header_max ? room : source->options.header_max;
    const enum ga_fault fault = length == 0                                            ? GA_FAULT_HEADER_EMPTY
                                : length > (uint64_t)INT64_MAX - GA_SAFETENSORS_PREFIX ? GA_FAULT_HEADER_HUGE
                                : length > room                                        ? GA_FAULT_HEADER_PAST_END
                                : length > most                                        ? GA_FAULT_HEADER_CAP
                                                                                       : GA_FAULT_NONE;
    if (fault == GA_FAULT_NONE) {
        return GA_OK;
    }
    return ga_fail_at(source->error, GA_FORMAT, fault, 0,
                      "%s: byte 0: announces a header of %llu bytes; expected at most %llu in a file of %zu bytes%s",
                      source->label, (unsigned long long)length, (unsigned long long)most, source->size,
                      fault == GA_FAULT_HEADER_CAP ? ": the limit can be set at opening"
                                                   : ", and at least 2: not a safetensors file, or a damaged one");
}

// Reads what the file begins with.
static enum ga_status read_prefix(struct ga_weights_source *source, unsigned char *prefix)
{
    if (source->size < GA_SAFETENSORS_PREFIX) {
        return ga_fail_at(source->error, GA_FORMAT, GA_FAULT_FILE_SHORT, source->size,
                          "%s: byte %zu: the file ends, %zu bytes long; expected a safetensors file, at least %d bytes",
                          source->label, source->size, source->size, GA_SAFETENSORS_PREFIX + 2);
    }
    return ga_weights_source_read(source, 0, prefix, GA_SAFETENSORS_PREFIX);
}

// The header's length that the prefix says; on GA_OK it lies within the file and under the limit.
static enum ga_status read_length(const struct ga_weights_source *source, const unsigned char *prefix,
                                  size_t *header_size_out)
{
    uint64_t length = 0;
    for (size_t i = GA_SAFETENSORS_PREFIX; i-- > 0;) {
        length = length << 8 | prefix[i];
    }
    enum ga_status status = check_length(source, length);
    if (status != GA_OK) {
        const enum ga_status foreign = refuse_foreign(source, prefix);
        status = foreign == GA_OK ? check_length(source, length) : foreign;
    }
    *header_size_out = status == GA_OK ? (size_t)length : 0;
    return status;
}

static enum ga_status read_safetensors(struct ga_weights_source *source, const unsigned char *prefix,
                                       struct ga_weights_shard *shard)
{
    size_t size = 0;
    enum ga_status status = read_length(source, prefix, &size);
    if (status != GA_OK) {
        return status;
    }
    char *header = malloc(size);
    if (header == NULL) {
        return ga_weights_fail_memory(source->error, source->label, "the header");
    }
    status = ga_weights_source_read(source, GA_SAFETENSORS_PREFIX, header, size);
    if (status == GA_OK) {
        const struct ga_safetensors_rules rules = {source->options.allow_leading_blank,
                                                   source->options.allow_unknown_fields};
        shard->data_start = GA_SAFETENSORS_PREFIX + size;
        status = ga_safetensors_read(header, size, source->size - shard->data_start, &rules, source->label,
                                     &shard->table, source->error);
    }
    free(header);
    return status;
}

// Leaves the source where the data begin.
static enum ga_status read_header(struct ga_weights_source *source, struct ga_weights_shard *shard)
{
    unsigned char prefix[GA_SAFETENSORS_PREFIX];
    const enum ga_status status = read_prefix(source, prefix);
    if (status != GA_OK) {
        return status;
    }
    return ga_gguf_begins(prefix, sizeof prefix) ? ga_weights_gguf_read(source, prefix, shard)
                                                 : read_safetensors(source, prefix, shard);
}

// -- Data -----------------------------------------------------------------------------------------------------------

static void point_into(struct ga_weights_shard *shard, const unsigned char *data)
{
    for (size_t i = 0; i < shard->table.count; i++) {
        struct ga_safetensors_entry *entry = &shard->table.entries[i];
        entry->tensor.data = entry->bytes == 0 ? NULL : data + entry->begin;
    }
}

// Offsets are multiples of the elements' widths, so that all depends on where the data begin.
static bool is_aligned(const struct ga_weights_shard *shard, uintptr_t data)
{
    for (size_t i = 0; i < shard->table.count; i++) {
        const size_t width = ga_dtype_size(shard->table.entries[i].tensor.dtype);
        if (width > 0 && data % width != 0) {
            return false;
        }
    }
    return true;
}

// Points the tensors to the caller's bytes, or to the file's where mapping works; false where they must be copied.
static bool use_in_place(struct ga_weights_source *source, struct ga_weights_shard *shard)
{
    if (!is_aligned(shard, source->at != NULL ? (uintptr_t)source->at : (uintptr_t)shard->data_start)) {
        return false;
    }
    if (source->at != NULL) {
        point_into(shard, source->at);
        return true;
    }
    void *mapped = mmap(NULL, source->size, PROT_READ, MAP_PRIVATE, source->fd, 0);
    if (mapped == MAP_FAILED) {
        return false;
    }
    shard->mapped = mapped;
    shard->mapped_size = source->size;
    point_into(shard, (const unsigned char *)mapped + shard->data_start);
    return true;
}

// Gives the tensors, whose offsets were found to lie within, their bytes.
static enum ga_status read_data(struct ga_weights_source *source, struct ga_weights_shard *shard)
{
    const size_t size = source->size - shard->data_start;
    if (source->options.in_place && use_in_place(source, shard)) {
        return GA_OK;
    }
    shard->owned = ga_block_room(size);
    if (shard->owned == NULL) {
        return ga_weights_fail_memory(source->error, source->label, "the tensors");
    }
    point_into(shard, shard->owned);
    return ga_weights_source_read(source, shard->data_start, shard->owned, size);
}

// -- A shard --------------------------------------------------------------------------------------------------------

enum ga_status ga_weights_check_host(const unsigned char *one, const char *label, struct ga_error *error)
{
    return one[0] == 1
               ? GA_OK
               : ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_BIG_ENDIAN, GA_NO_OFFSET,
                            "%s: this machine is big-endian; expected a little-endian one, as the file is", label);
}

enum ga_status ga_weights_shard_read(struct ga_weights_source *source, struct ga_weights_shard *shard)
{
    const uint16_t one = 1;
    enum ga_status status = ga_weights_check_host((const unsigned char *)&one, source->label, source->error);
    if (status != GA_OK) {
        return status;
    }
    shard->label = ga_weights_copy_text(source->label);
    if (shard->label == NULL) {
        return ga_weights_fail_memory(source->error, source->label, "its name");
    }
    status = read_header(source, shard);
    return status == GA_OK ? read_data(source, shard) : status;
}

enum ga_status ga_weights_shard_open(int fd, const char *path, const struct ga_weights_options *options,
                                     struct ga_weights_shard *shard, struct ga_error *error)
{
    struct ga_weights_source source;
    enum ga_status status = ga_weights_source_of(fd, path, options, &source, error);
    if (status == GA_OK) {
        status = ga_weights_shard_read(&source, shard);
    }
    (void)close(fd);
    return status;
}

void ga_weights_shard_free(struct ga_weights_shard *shard)
{
    ga_safetensors_free(&shard->table);
    ga_block_free(shard->owned);
    if (shard->mapped != NULL) {
        (void)munmap(shard->mapped, shard->mapped_size);
    }
    free(shard->label);
    *shard = (struct ga_weights_shard){0};
}
