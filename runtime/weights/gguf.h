// gguf.h: the header of a GGUF file, read into a table of checked tensors; opens no file and holds no data. Internal to
// the weights library: applications use weights.h.
//
// What is read is a strict subset of what ggml reads: versions 2 and 3, little-endian, tensors of floats, whole numbers
// and the types of blocks of tensor.h. As ggml has it, each tensor begins where the one before it ends, but for the
// alignment; beyond that, nothing may come after the last one, arrays hold no arrays, and names hold no control
// character. Dimensions, which GGUF counts from the innermost on, are turned round.
#ifndef GA_GGUF_H
#define GA_GGUF_H

#include "gguf_reader.h"
#include "safetensors.h"

// Whether a file that begins so is a GGUF file. No safetensors file begins so: its header would have a gigabyte.
bool ga_gguf_begins(const unsigned char *bytes, size_t size);

// Reads a header from the first `size` bytes of a file of file_size. On GA_OK either *needed_out is 0, and the table,
// the caller's to be given to ga_safetensors_free, has entries that count from *data_start_out; or the header goes on
// past these bytes to *needed_out ones at least, and the table is empty. Otherwise it is empty too and error (may be
// NULL) says what is wrong where. label names the file in messages. split_out: whether it is one of several files.
enum ga_status ga_gguf_read(const unsigned char *bytes, size_t size, size_t file_size, const char *label,
                            struct ga_safetensors *table_out, struct ga_gguf_split *split_out, size_t *data_start_out,
                            size_t *needed_out, struct ga_error *error);

#endif
