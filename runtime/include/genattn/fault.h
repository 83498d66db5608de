// fault.h: a number for each thing that can be wrong with a file, for programs that must distinguish them. It does not
// say what a program should do: a status does.
#ifndef GA_FAULT_H
#define GA_FAULT_H

#ifdef __cplusplus
extern "C" {
#endif

// One row per fault: the end of its enumerator, its number, and its sentence for ga_fault_text. A number never changes
// its meaning and is never used again. Its hundreds say where the fault is.
#define GA_FAULT_LIST(X)                                                                                  \
    X(NONE, 0, "no fault of a file")                                                                      \
    /* The first eight bytes of a safetensors file, which are its header's length. */                     \
    X(FILE_SHORT, 101, "the file is too short for a header's length")                                     \
    X(HEADER_EMPTY, 102, "the file says that its header is empty")                                        \
    X(HEADER_PAST_END, 103, "the file says that its header is longer than the file")                      \
    X(HEADER_CAP, 104, "the header is longer than the limit")                                             \
    X(HEADER_HUGE, 105, "the file says that its header is longer than any file can be")                   \
    X(FOREIGN, 106, "the file is of another format")                                                      \
    /* The header's text. */                                                                              \
    X(NOT_AN_OBJECT, 201, "the header does not begin as a JSON object")                                   \
    X(NOT_UTF8, 202, "the header is not UTF-8")                                                           \
    X(BYTE_ORDER_MARK, 203, "the header begins with a byte order mark")                                   \
    X(LEADING_BLANK, 204, "the header begins with a blank")                                               \
    X(TRAILING_TEXT, 205, "there is something after the header's object")                                 \
    X(NUL_BYTE, 206, "the header holds a NUL byte")                                                       \
    X(PADDING, 207, "the header is padded with something other than spaces")                              \
    X(SYNTAX, 208, "the header is not valid JSON")                                                        \
    X(SURROGATE, 209, "the header holds half a surrogate pair")                                           \
    X(NESTING, 210, "the header, or the index, is nested too deep")                                       \
    X(TENSOR_TWICE, 211, "two tensors have one name")                                                     \
    X(TENSOR_TWICE_SAME_BYTES, 212, "two tensors have one name and the same bytes")                       \
    X(TENSOR_TWICE_ESCAPED, 213, "two tensors have one name, spelt with an escape")                       \
    X(FIELD_TWICE, 214, "a tensor has one field twice")                                                   \
    X(METADATA_TWICE, 215, "the metadata, or one of their keys, occur twice")                             \
    X(METADATA, 216, "the metadata are not an object of strings")                                         \
    X(METADATA_TENSOR, 217, "a tensor is named __metadata__")                                             \
    X(TENSORS_TOO_MANY, 218, "the header lists too many tensors")                                         \
    X(VALUES_TOO_MANY, 219, "the header, or the index, holds more values than one of its size may have")  \
    /* One tensor's entry in the header. */                                                               \
    X(NAME_EMPTY, 301, "a tensor's name is empty")                                                        \
    X(NAME_CONTROL, 302, "a name holds a control character")                                              \
    X(NAME_LONG, 303, "a tensor's name is too long")                                                      \
    X(ENTRY, 304, "a tensor's entry is not an object")                                                    \
    X(FIELD_UNKNOWN, 305, "a tensor has an unknown field")                                                \
    X(FIELD_MISSING, 306, "a tensor lacks a field")                                                       \
    X(DTYPE, 307, "a tensor has an unknown element type")                                                 \
    X(DTYPE_SUB_BYTE, 308, "a tensor has an element type of less than a byte")                            \
    X(NUMBER, 309, "a number is not a whole number of at least 0, or does not fit")                       \
    X(SHAPE, 310, "a shape is not an array")                                                              \
    X(RANK, 311, "a shape has too many axes")                                                             \
    X(SHAPE_OVERFLOW, 312, "a shape has more elements than can be counted")                               \
    X(BYTES_OVERFLOW, 313, "a tensor has more bytes than can be counted")                                 \
    X(HIDDEN_OVERFLOW, 314, "without its axis of 0 a shape would have more elements than can be counted") \
    X(OFFSETS, 315, "a tensor's offsets are not a pair")                                                  \
    X(OFFSETS_REVERSED, 316, "a tensor ends before it begins")                                            \
    X(OFFSETS_PAST_END, 317, "a tensor ends past the file")                                               \
    X(OFFSETS_SIZE, 318, "a tensor's bytes are not what its shape and type need")                         \
    X(MISALIGNED, 319, "a tensor is not aligned to its elements")                                         \
    /* How the tensors share the data. */                                                                 \
    X(HOLE, 401, "bytes between tensors belong to no tensor")                                             \
    X(OVERLAP, 402, "two tensors share bytes")                                                            \
    X(TRAILING_BYTES, 403, "bytes after the last tensor belong to no tensor")                             \
    X(NO_TENSORS, 404, "there are data but no tensors")                                                   \
    X(EMPTY_MISPLACED, 405, "a tensor without elements lies inside another or in a hole")                 \
    /* What a model takes. */                                                                             \
    X(TENSOR_MISSING, 501, "a tensor the model needs is missing")                                         \
    X(TENSOR_EXTRA, 502, "the file has a tensor that the model does not take")                            \
    X(TENSOR_LEFT_OUT, 503, "the file has a tensor that the model was generated without")                 \
    X(TENSOR_SHAPE, 504, "a tensor has another shape than the model takes")                               \
    X(TENSOR_TRANSPOSED, 505, "a tensor is transposed")                                                   \
    X(TENSOR_DTYPE, 506, "a tensor's element type is not a floating-point type")                          \
    X(NOT_FINITE, 507, "a weight is NaN or infinite")                                                     \
    /* Several files with an index. */                                                                    \
    X(INDEX, 601, "the index does not have the form of an index")                                         \
    X(SHARD_NAME, 602, "a shard's name is not the plain name of a file in the folder of the index")       \
    X(SHARD_LINK, 603, "a shard is a symbolic link")                                                      \
    X(SHARD_MISSING, 604, "a shard is missing")                                                           \
    X(SHARD_TENSOR_MISSING, 605, "a shard lacks a tensor that the index says it has")                     \
    X(SHARD_TENSOR_TWICE, 606, "a tensor is in two shards")                                               \
    X(SHARD_TENSOR_UNLISTED, 607, "a shard has a tensor that the index does not list")                    \
    X(SHARD_TOTAL, 608, "the shards together are not as large as the index says")                         \
    X(INDEX_EMPTY, 609, "the index lists no tensor")                                                      \
    /* The machine. */                                                                                    \
    X(OPEN, 701, "a file cannot be opened")                                                               \
    X(NOT_REGULAR, 702, "a file is not a regular file")                                                   \
    X(SHRUNK, 703, "a file became shorter while it was read")                                             \
    X(READ, 704, "a file cannot be read")                                                                 \
    X(NO_MEMORY, 705, "there was not enough memory")                                                      \
    X(BIG_ENDIAN, 706, "this machine is big-endian, the file little-endian")                              \
    X(FILE_HUGE, 707, "the file is larger than this machine's memory can be")                             \
    /* A file of packed weights. */                                                                       \
    X(PACK_MAGIC, 801, "the file is not one of packed weights")                                           \
    X(PACK_VERSION, 802, "the packed weights are of another format version")                              \
    X(PACK_SIZE, 803, "the file of packed weights is cut off, or longer than it was written")             \
    X(PACK_HEADER, 804, "the header of the packed weights is damaged")                                    \
    X(PACK_DAMAGED, 805, "the packed weights are damaged")                                                \
    X(PACK_MODEL, 806, "the weights were packed for another model")                                       \
    X(PACK_SPEC, 807, "the weights were packed from another spec")                                        \
    X(PACK_BUILD, 808, "the weights were packed by a build that packs differently")                       \
    X(PACK_BYTE_ORDER, 809, "the weights were packed by a machine of the other byte order")               \
    X(PACK_ISA, 810, "the weights were packed for other instruction sets")                                \
    /* A GGUF file; what it has in common with safetensors is above. */                                   \
    X(GGUF_SHORT, 901, "a GGUF file ends within its header")                                              \
    X(GGUF_VERSION, 902, "a GGUF file has a version that cannot be read")                                 \
    X(GGUF_BIG_ENDIAN, 903, "a GGUF file is big-endian")                                                  \
    X(GGUF_COUNT, 904, "a GGUF file counts more than it has bytes for")                                   \
    X(GGUF_KEY, 905, "a key of a GGUF file's metadata is empty or too long")                              \
    X(GGUF_VALUE, 906, "a value of a GGUF file's metadata is of an unknown type")                         \
    X(GGUF_ARRAY, 907, "an array of a GGUF file's metadata holds arrays")                                 \
    X(GGUF_ALIGNMENT, 908, "a GGUF file's alignment is not valid")                                        \
    X(GGUF_BLOCKS, 909, "a tensor's rows are not whole blocks")                                           \
    X(GGUF_SPLIT, 910, "a GGUF file is not the part of a model that it should be")

enum ga_fault {
#define GA_FAULT_ENUM(name, number, sentence) GA_FAULT_##name = number,
    GA_FAULT_LIST(GA_FAULT_ENUM)
#undef GA_FAULT_ENUM
};

// The sentence for a fault, in static storage. Never NULL, not even for a number that is not a fault.
const char *ga_fault_text(enum ga_fault fault);

#ifdef __cplusplus
}
#endif
#endif
