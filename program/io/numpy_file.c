// numpy_file.c: a header that is a literal of Python, blanks that align what follows, and the numbers.
#include "numpy_file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "atomic_file.h"

enum { PREFIX = 10, ALIGNED = 64, GROWTH = 21 }; // GROWTH: digits that numpy.save leaves room for in the first axis

size_t ga_numpy_header(const char *type, const size_t *shape, size_t rank, char bytes_out[GA_NUMPY_HEADER])
{
    char text[GA_NUMPY_HEADER];
    size_t used = (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    size_t room = rank > 0 ? GROWTH : 0;
    for (size_t i = 0; i < rank; i++) {
        const int digits = snprintf(text + used, sizeof text - used, "%s%zu", i > 0 ? ", " : "", shape[i]);
        used += (size_t)digits;
        room -= i == 0 ? (size_t)digits : 0;
    }
    used += (size_t)snprintf(text + used, sizeof text - used, rank == 1 ? ",), }" : "), }");
    const size_t size = (PREFIX + used + room + 1 + ALIGNED - 1) / ALIGNED * ALIGNED, length = size - PREFIX;
    memcpy(bytes_out, "\x93NUMPY\x01\x00", PREFIX - 2);
    bytes_out[PREFIX - 2] = (char)(length & 0xff);
    bytes_out[PREFIX - 1] = (char)(length >> 8);
    memset(bytes_out + PREFIX, ' ', length);
    memcpy(bytes_out + PREFIX, text, used);
    bytes_out[size - 1] = '\n';
    return size;
}

enum ga_status ga_numpy_write(const char *path, const struct ga_tensor *tensor, struct ga_error *error)
{
    struct ga_atomic_file file;
    char header[GA_NUMPY_HEADER];
    size_t bytes = 0;
    const size_t size = ga_numpy_header(tensor->dtype == GA_I64 ? "<i8" : "<f4", tensor->shape, tensor->rank, header);
    const enum ga_status status = ga_atomic_file_new(path, &file, error);
    if (status != GA_OK) {
        return status;
    }
    const bool good = ga_tensor_bytes(tensor, &bytes) && ga_atomic_file_put(&file, header, size) &&
                      ga_atomic_file_put(&file, tensor->data, bytes);
    return ga_atomic_file_end(&file, good, error);
}
