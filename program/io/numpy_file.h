// numpy_file.h: NumPy's own format for one array, version 1.0: what numpy.load reads of a name that ends in .npy.
// Reads none.
#ifndef GA_NUMPY_FILE_H
#define GA_NUMPY_FILE_H

#include <stddef.h>

#include "status.h"
#include "tensor.h"

enum { GA_NUMPY_HEADER = 256 }; // bytes before the numbers, at most

// The header of an array of a type, "<f4" for little-endian f32 or "<i8" for 64-bit integers, the last axis fastest, as
// numpy.save writes it; returns its size, which the first axis does not change.
size_t ga_numpy_header(const char *type, const size_t *shape, size_t rank, char bytes_out[GA_NUMPY_HEADER]);

// Writes an F32 or I64 tensor to path, in the place of whatever has that name.
enum ga_status ga_numpy_write(const char *path, const struct ga_tensor *tensor, struct ga_error *error);

#endif
