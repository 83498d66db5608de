// packed.c: the places of a packed tokenizer's parts. Trusts no number of it before it was compared with its length.
#include "packed.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"

#define MAGIC "\x89GAT\r\n\x1a\n"

enum {
    MAGIC_BYTES = sizeof MAGIC - 1,
    AT_VERSION = 8,
    AT_COUNT = 12,
    AT_HASH = 16,
    AT_JSON = 24,
    AT_SIZES = 32,
    HEADER = AT_SIZES + 8 * GA_TEXT_TABLES,
};

bool ga_text_is_packed(const char *bytes, size_t length)
{
    return length >= MAGIC_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0;
}

static enum ga_status damaged(const char *name, const char *what, size_t offset, struct ga_error *error)
{
    return ga_fail_at(error, GA_FORMAT, GA_FAULT_NONE, offset,
                      "%s: a packed tokenizer: byte %zu: %s: it is damaged; pack it again", name, offset, what);
}

static enum ga_status check_header(const char *name, const unsigned char *bytes, size_t length, struct ga_error *error)
{
    if (length < HEADER) {
        return damaged(name, "it ends within its header", length, error);
    }
    const uint32_t version = ga_read_u32(bytes + AT_VERSION);
    if (version != GA_TEXT_PACKED_VERSION) {
        return ga_fail_at(error, GA_UNSUPPORTED, GA_FAULT_NONE, AT_VERSION,
                          "%s: a packed tokenizer of version %u; expected version %d: pack it again with this build",
                          name, (unsigned)version, GA_TEXT_PACKED_VERSION);
    }
    return ga_read_u32(bytes + AT_COUNT) == GA_TEXT_TABLES
               ? GA_OK
               : damaged(name, "another number of tables than it can have", AT_COUNT, error);
}

enum ga_status ga_text_packed_read(const char *name, const char *bytes, size_t length,
                                   struct ga_text_packed *packed_out, struct ga_error *error)
{
    unsigned char *at = (unsigned char *)bytes; // tables that are read are not written
    *packed_out = (struct ga_text_packed){.hash = 0};
    const enum ga_status status = check_header(name, at, length, error);
    if (status != GA_OK) {
        return status;
    }
    size_t left = length - HEADER;
    for (size_t i = 0; i <= GA_TEXT_TABLES; i++) { // the JSON is the first part
        const uint64_t size = ga_read_u64(at + AT_JSON + 8 * i);
        struct ga_text_table *table = i > 0 ? &packed_out->tables.of[i - 1] : NULL;
        if (size > left) {
            return damaged(name, "a part that ends after it", AT_JSON + 8 * i, error);
        }
        if (table) {
            *table = (struct ga_text_table){at + (length - left), (size_t)size};
        } else {
            packed_out->json = (struct ga_text_bytes){bytes + HEADER, (size_t)size};
        }
        left -= (size_t)size;
    }
    packed_out->hash = ga_read_u64(at + AT_HASH);
    return left == 0 ? GA_OK : damaged(name, "bytes that belong to no table", length - left, error);
}

// Writes what is before the JSON; returns how many bytes there are in all.
static size_t write_header(const struct ga_text_packed *packed, unsigned char header[HEADER])
{
    size_t length = HEADER + packed->json.length;
    memcpy(header, MAGIC, MAGIC_BYTES);
    ga_write_u32(header + AT_VERSION, GA_TEXT_PACKED_VERSION);
    ga_write_u32(header + AT_COUNT, GA_TEXT_TABLES);
    ga_write_u64(header + AT_HASH, packed->hash);
    ga_write_u64(header + AT_JSON, packed->json.length);
    for (size_t i = 0; i < GA_TEXT_TABLES; i++) {
        ga_write_u64(header + AT_SIZES + 8 * i, packed->tables.of[i].size);
        length += packed->tables.of[i].size;
    }
    return length;
}

static char *append(char *to, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(to, bytes, size);
    }
    return to + size;
}

enum ga_status ga_text_packed_write(const struct ga_text_packed *packed, char **bytes_out, size_t *length_out)
{
    unsigned char header[HEADER];
    *length_out = write_header(packed, header);
    *bytes_out = malloc(*length_out);
    if (!*bytes_out) {
        return GA_MEMORY;
    }
    char *at = append(*bytes_out, header, HEADER);
    at = append(at, packed->json.bytes, packed->json.length);
    for (size_t i = 0; i < GA_TEXT_TABLES; i++) {
        at = append(at, packed->tables.of[i].bytes, packed->tables.of[i].size);
    }
    return GA_OK;
}

enum ga_status ga_text_table_make(struct ga_text_table *table, size_t size)
{
    *table = (struct ga_text_table){malloc(size + 1), size};
    return table->bytes ? GA_OK : GA_MEMORY;
}

void ga_text_tables_free(struct ga_text_tables *tables)
{
    for (size_t i = 0; i < GA_TEXT_TABLES; i++) {
        free(tables->of[i].bytes);
    }
    *tables = (struct ga_text_tables){0};
}

void ga_text_table_read(const unsigned char *from, uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = ga_read_u32(from + 4 * i);
    }
}

void ga_text_table_write(const uint32_t *from, unsigned char *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ga_write_u32(to + 4 * i, from[i]);
    }
}
