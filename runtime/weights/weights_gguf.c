// weights_gguf.c: the header of a GGUF file, whose length nothing says, out of a source: from memory where it lies,
// from a file in pieces, each twice as long as the one before, until it is whole.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gguf.h"
#include "min_max.h"
#include "weights_shard.h"

enum { FIRST_PIECE = 65536 }; // bytes

static enum ga_status refuse_cap(const struct ga_weights_source *source, size_t needed)
{
    return ga_fail_at(source->error, GA_FORMAT, GA_FAULT_HEADER_CAP, 0,
                      "%s: byte 0: a header of at least %zu bytes; expected at most %zu: the limit can be set at "
                      "opening",
                      source->label, needed, source->options.header_max);
}

static enum ga_status read_table(const struct ga_weights_source *source, const unsigned char *bytes, size_t size,
                                 struct ga_weights_shard *shard, size_t *needed_out)
{
    return ga_gguf_read(bytes, size, source->size, source->label, &shard->table, &shard->split, &shard->data_start,
                        needed_out, source->error);
}

// From memory, where all of it is there to see; no more of it than the limit is looked at.
static enum ga_status read_memory(struct ga_weights_source *source, struct ga_weights_shard *shard)
{
    const unsigned char *bytes = source->at - GA_SAFETENSORS_PREFIX;
    size_t needed = 0;
    enum ga_status status = read_table(source, bytes, ga_min(source->size, source->options.header_max), shard, &needed);
    if (status == GA_OK && needed > 0) {
        status = refuse_cap(source, needed);
    }
    source->at = bytes + shard->data_start;
    return status;
}

// Reads on from `size` bytes of a file, in *bytes, to `wanted` of them.
static enum ga_status read_on(struct ga_weights_source *source, unsigned char **bytes, size_t size, size_t wanted)
{
    unsigned char *longer = realloc(*bytes, wanted);
    if (longer == NULL) {
        return ga_weights_fail_memory(source->error, source->label, "the header");
    }
    *bytes = longer;
    return ga_weights_source_read(source, size, longer + size, wanted - size);
}

// bytes: the prefix, in memory to be freed that becomes longer.
static enum ga_status read_file(struct ga_weights_source *source, unsigned char **bytes, struct ga_weights_shard *shard)
{
    size_t size = GA_SAFETENSORS_PREFIX, needed = size;
    enum ga_status status = GA_OK;
    while (status == GA_OK && needed > 0) {
        const size_t most = ga_min(source->size, source->options.header_max);
        const size_t wanted = ga_min(most, ga_max(needed, ga_max(2 * size, FIRST_PIECE)));
        if (needed > wanted) {
            return refuse_cap(source, needed);
        }
        status = read_on(source, bytes, size, wanted);
        size = wanted;
        status = status == GA_OK ? read_table(source, *bytes, size, shard, &needed) : status;
    }
    if (status == GA_OK && lseek(source->fd, (off_t)shard->data_start, SEEK_SET) < 0) {
        status = ga_weights_fail_errno(source->error, GA_FAULT_READ, source->label, "seek");
    }
    return status;
}

enum ga_status ga_weights_gguf_read(struct ga_weights_source *source, const unsigned char *prefix,
                                    struct ga_weights_shard *shard)
{
    if (source->at != NULL) {
        return read_memory(source, shard);
    }
    unsigned char *bytes = malloc(GA_SAFETENSORS_PREFIX);
    if (bytes == NULL) {
        return ga_weights_fail_memory(source->error, source->label, "the header");
    }
    memcpy(bytes, prefix, GA_SAFETENSORS_PREFIX);
    const enum ga_status status = read_file(source, &bytes, shard);
    free(bytes);
    return status;
}
