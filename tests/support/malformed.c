// malformed.c: makes the bytes of bad files from their rows.
#include "malformed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ga_weight_role roles[] = {{"weight", 2, {2, 3}}};
static const struct ga_weight_source sources[] = {{.tensor = "w.weight", .rank = 2, .shape = {2, 3}}};
static const struct ga_weight_refused refused[] = {{"bias", "w.bias", false}};
static const struct ga_weight_map maps[] = {{.name = "plain", .sources = sources, .refused = refused, .n_refused = 1}};
const struct ga_model malformed_model = {
    .abi = GA_ABI, .name = "tiny", .roles = roles, .n_roles = 1, .maps = maps, .n_maps = 1};

static const char long_rest[] = "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}";

static char *room(size_t size)
{
    char *bytes = malloc(size + 1);
    if (bytes == NULL) {
        abort();
    }
    return bytes;
}

static char *long_name_header(size_t length, size_t *size_out)
{
    char *header = room(2 + length + sizeof long_rest);
    memset(header, 'n', 2 + length);
    memcpy(header, "{\"", 2);
    memcpy(header + 2 + length, long_rest, sizeof long_rest);
    *size_out = strlen(header);
    return header;
}

static char *many_tensors_header(size_t count, size_t *size_out)
{
    static const char one[] = "%c\"%06zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}";
    char *header = room(1 + count * (sizeof one + 6));
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        used += (size_t)sprintf(header + used, one, i == 0 ? '{' : ',', i);
    }
    header[used++] = '}';
    *size_out = used;
    return header;
}

static char *copied_header(const struct malformed *row, size_t *size_out)
{
    char *header = room(row->header_size);
    memcpy(header, row->header, row->header_size);
    *size_out = row->header_size;
    return header;
}

static char *header_of(const struct malformed *row, size_t *size_out)
{
    return row->n_tensors > 0     ? many_tensors_header(row->n_tensors, size_out)
           : row->name_length > 0 ? long_name_header(row->name_length, size_out)
                                  : copied_header(row, size_out);
}

// A block of exactly `size` bytes, so that a sanitizer sees what reads past it.
static unsigned char *exactly(size_t size)
{
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL) {
        abort();
    }
    return bytes;
}

unsigned char *malformed_bytes(const struct malformed *row, size_t *size_out)
{
    if (row->raw != NULL) {
        unsigned char *bytes = exactly(row->raw_size);
        memcpy(bytes, row->raw, row->raw_size);
        *size_out = row->raw_size;
        return bytes;
    }
    size_t header_size = 0;
    char *header = header_of(row, &header_size);
    *size_out = 8 + header_size + row->data_size;
    unsigned char *bytes = exactly(*size_out);
    for (size_t i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)((uint64_t)header_size >> (8 * i));
    }
    memcpy(bytes + 8, header, header_size);
    for (size_t i = 0; i < row->data_size; i++) {
        bytes[8 + header_size + i] = row->data != NULL ? (unsigned char)row->data[i] : (unsigned char)i;
    }
    free(header);
    return bytes;
}

uint64_t malformed_offset(const struct malformed *row)
{
    if (row->in_data) {
        return 8 + row->header_size + row->offset;
    }
    const char *at = row->at == NULL ? NULL : strstr(row->header, row->at);
    return at == NULL ? row->offset : 8 + (uint64_t)(at - row->header);
}
