// malformed_gguf.c: the table of bad GGUF files. A row says what is wrong once, and nothing else is wrong with it.
#include "malformed_gguf.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 32 };

#define FILE_OF(literal, bytes) .header = literal, .header_size = sizeof(literal) - 1, .data_size = bytes
#define REFUSED(what, byte) .fault = GA_FAULT_##what, .offset = byte

// Numbers below 256, of which the lowest byte is given; others are spelt out.
#define U16(low) low "\0"
#define U32(low) low "\0\0\0"
#define U64(low) low "\0\0\0\0\0\0\0"
#define LARGEST "\377\377\377\377\377\377\377\377"

// Parts of headers: 24 bytes; a text; a key of one letter with its type; a tensor of one letter, of 33 and 8 an axis.
#define HEAD(tensors, keys) "GGUF" U32("\3") U64(tensors) U64(keys)
#define TEXT(length, text) U64(length) text
#define KEY(type) TEXT("\1", "k") U32(type)
#define TENSOR(name, axes, type, offset) TEXT("\1", name) axes U32(type) offset
#define AXIS(size) U32("\1") U64(size)
#define F32_2(name, offset) TENSOR(name, AXIS("\2"), "\0", U64(offset))
#define ALIGNMENT_KEY TEXT("\21", "general.alignment")

const struct malformed_gguf sound_gguf = {
    .name = "sound",
    FILE_OF(HEAD("\3", "\3") TEXT("\3", "x.y") U32("\10") TEXT("\2", "ab")                 //
            TEXT("\1", "n") U32("\11") U32("\10") U64("\2") TEXT("\0", "") TEXT("\1", "w") //
            TEXT("\1", "m") U32("\11") U32("\4") U64("\2") U32("\1") U32("\2")             //
            TENSOR("c", U32("\2") U64("\1") U64("\2"), "\1", U64("\140"))                  //
            TENSOR("b", U32("\2") U64("\40") U64("\1"), "\10", U64("\40")) F32_2("a", "\0"),
            100),
};

const struct malformed_gguf malformed_ggufs[] = {
    // -- Counts --
    {"magic_alone", FILE_OF("GGUF\3\0\0\0", 0), REFUSED(GGUF_SHORT, 8), .says = "the number of tensors takes 8 bytes"},
    {"no_counts", FILE_OF("GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0", 0), REFUSED(GGUF_SHORT, 16),
     .says = "the number of keys takes 8 bytes; expected at most 1"},
    {"version_1", FILE_OF("GGUF" U32("\1") U32("\0") U32("\0"), 0), REFUSED(GGUF_VERSION, 4),
     .says = "GGUF version 1; expected 2 or 3: convert"},
    {"version_4", FILE_OF("GGUF" U32("\4") U64("\0") U64("\0"), 0), REFUSED(GGUF_VERSION, 4),
     .says = "GGUF version 4; expected 2 or 3"},
    {"version_0", FILE_OF("GGUF" U32("\0") U64("\0") U64("\0"), 0), REFUSED(GGUF_VERSION, 4),
     .says = "GGUF version 0; expected 2 or 3"},
    {"big_endian", FILE_OF("GGUF\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0", 0), REFUSED(GGUF_BIG_ENDIAN, 4),
     .says = "is big-endian; expected a little-endian one"},
    {"more_tensors_than_bytes", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0"), 0), REFUSED(GGUF_COUNT, 8),
     .says = "the number of tensors is 2; expected at most 1, which a file of 57 bytes has room for"},
    {"tensors_of_2_64", FILE_OF("GGUF" U32("\3") LARGEST U64("\0"), 0), REFUSED(GGUF_COUNT, 8),
     .says = "the number of tensors is 18446744073709551615; expected at most 0"},
    {"keys_of_2_64", FILE_OF("GGUF" U32("\3") U64("\0") LARGEST, 0), REFUSED(GGUF_COUNT, 16),
     .says = "the number of keys is 18446744073709551615; expected at most 0"},

    // -- Metadata --
    {"split_that_is_a_text", FILE_OF(HEAD("\0", "\1") TEXT("\10", "split.no") U32("\10") TEXT("\1", "1"), 0),
     REFUSED(GGUF_SPLIT, 44), .says = "key 'split.no' is not a whole number; expected one"},
    {"split_past_the_end", FILE_OF(HEAD("\0", "\1") TEXT("\10", "split.no") U32("\2") "\1", 0), REFUSED(GGUF_SHORT, 44),
     .says = "a value takes 2 bytes; expected at most 1"},
    {"key_empty", FILE_OF(HEAD("\0", "\1") TEXT("\0", "") U32("\4") U32("\0"), 0), REFUSED(GGUF_KEY, 32),
     .says = "a key of 0 bytes; expected 1 to 65535"},
    {"key_past_the_end", FILE_OF(HEAD("\0", "\1") TEXT("\44", "k") U32("\4") U32("\0"), 0), REFUSED(GGUF_SHORT, 32),
     .says = "a key takes 36 bytes; expected at most 9"},
    {"key_of_2_64", FILE_OF(HEAD("\0", "\1") LARGEST "k" U32("\4") U32("\0"), 0), REFUSED(GGUF_SHORT, 32),
     .says = "a key takes 18446744073709551615 bytes"},
    {"value_of_type_13", FILE_OF(HEAD("\0", "\1") KEY("\15") U32("\0"), 0), REFUSED(GGUF_VALUE, 33),
     .says = "key 'k' has a value of type 13; expected one of 0 to 12"},
    {"value_cut_off", FILE_OF(HEAD("\0", "\1") KEY("\12") U32("\0"), 0), REFUSED(GGUF_SHORT, 37),
     .says = "a value takes 8 bytes; expected at most 4"},
    {"text_past_the_end", FILE_OF(HEAD("\0", "\1") KEY("\10") TEXT("\5", "abcd"), 0), REFUSED(GGUF_SHORT, 45),
     .says = "a text takes 5 bytes; expected at most 4"},
    {"list_of_lists", FILE_OF(HEAD("\0", "\1") KEY("\11") U32("\11") U64("\0"), 0), REFUSED(GGUF_ARRAY, 37),
     .says = "key 'k' is an array of arrays"},
    {"list_of_type_99", FILE_OF(HEAD("\0", "\1") KEY("\11") U32("c") U64("\0"), 0), REFUSED(GGUF_VALUE, 37),
     .says = "key 'k' has a value of type 99"},
    {"list_past_the_end", FILE_OF(HEAD("\0", "\1") KEY("\11") U32("\4") U64("\3") U64("\0"), 0),
     REFUSED(GGUF_SHORT, 49), .says = "a value takes 12 bytes; expected at most 8"},
    {"list_that_overflows", FILE_OF(HEAD("\0", "\1") KEY("\11") U32("\12") "\1\0\0\0\0\0\0\40" U64("\0"), 0),
     REFUSED(GGUF_SHORT, 49), .says = "a value takes 18446744073709551615 bytes"},
    {"texts_past_the_end", FILE_OF(HEAD("\0", "\1") KEY("\11") U32("\10") LARGEST TEXT("\1", "a"), 0),
     REFUSED(GGUF_SHORT, 58), .says = "a text takes 8 bytes; expected at most 0"},
    {"alignment_of_0", FILE_OF(HEAD("\0", "\1") ALIGNMENT_KEY U32("\4") U32("\0"), 0), REFUSED(GGUF_ALIGNMENT, 53),
     .says = "general.alignment is 0; expected a power of two from 8 to 1048576"},
    {"alignment_of_48", FILE_OF(HEAD("\0", "\1") ALIGNMENT_KEY U32("\4") U32("0"), 0), REFUSED(GGUF_ALIGNMENT, 53),
     .says = "general.alignment is 48; expected"},
    {"alignment_of_4", FILE_OF(HEAD("\0", "\1") ALIGNMENT_KEY U32("\4") U32("\4"), 0), REFUSED(GGUF_ALIGNMENT, 53),
     .says = "general.alignment is 4; expected"},
    {"alignment_of_2_31", FILE_OF(HEAD("\0", "\1") ALIGNMENT_KEY U32("\4") "\0\0\0\200", 0),
     REFUSED(GGUF_ALIGNMENT, 53), .says = "general.alignment is 2147483648; expected"},
    {"alignment_of_text", FILE_OF(HEAD("\0", "\1") ALIGNMENT_KEY U32("\10") TEXT("\0", ""), 0),
     REFUSED(GGUF_ALIGNMENT, 53), .says = "general.alignment is not a U32; expected"},
    {"alignment_twice",
     FILE_OF(HEAD("\0", "\2") ALIGNMENT_KEY U32("\4") U32("\40") ALIGNMENT_KEY U32("\4") U32("\40"), 0),
     REFUSED(GGUF_ALIGNMENT, 86), .says = "general.alignment is there twice"},

    // -- One tensor --
    {"name_empty", FILE_OF(HEAD("\1", "\0") TEXT("\0", "") AXIS("\2") U32("\0") U64("\0"), 8), REFUSED(NAME_EMPTY, 32),
     .tensor = "", .says = "the name has 0 bytes; expected 1 to 256"},
    {"name_past_the_end", FILE_OF(HEAD("\1", "\0") LARGEST "a" AXIS("\2") U32("\0") U64("\0"), 8),
     REFUSED(GGUF_SHORT, 32), .says = "a tensor's name takes 18446744073709551615 bytes"},
    {"name_of_control", FILE_OF(HEAD("\1", "\0") F32_2("\33", "\0"), 8), REFUSED(NAME_CONTROL, 32), .tensor = "\\x1b",
     .says = "the name holds a control character; expected none"},
    {"name_of_nul", FILE_OF(HEAD("\1", "\0") F32_2("\0", "\0"), 8), REFUSED(NAME_CONTROL, 32), .tensor = "",
     .says = "the name holds a control character; expected none"},
    {"axes_of_5", FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\5"), "\0", U64("\0")), 100), REFUSED(RANK, 33),
     .says = "a tensor of 5 axes; expected at most 4"},
    {"axes_of_2_32", FILE_OF(HEAD("\1", "\0") TENSOR("a", "\377\377\377\377", "\0", U64("\0")), 100), REFUSED(RANK, 33),
     .says = "a tensor of 4294967295 axes"},
    {"type_iq2_s", FILE_OF(HEAD("\1", "\0") TENSOR("a", AXIS("\2"), "\26", U64("\0")), 8), REFUSED(DTYPE, 45),
     .tensor = "a", .says = "type 22 (IQ2_S) is not read; expected F32, F16"},
    {"type_4_of_no_name", FILE_OF(HEAD("\1", "\0") TENSOR("a", AXIS("\2"), "\4", U64("\0")), 8), REFUSED(DTYPE, 45),
     .tensor = "a", .says = "type 4 (of no name) is not read"},
    {"type_200", FILE_OF(HEAD("\1", "\0") TENSOR("a", AXIS("\2"), "\310", U64("\0")), 8), REFUSED(DTYPE, 45),
     .tensor = "a", .says = "type 200 (of no name) is not read"},
    {"rows_of_33_in_blocks", FILE_OF(HEAD("\1", "\0") TENSOR("a", AXIS("!"), "\10", U64("\0")), 100),
     REFUSED(GGUF_BLOCKS, 33), .tensor = "a", .says = "shape [33] of Q8_0; expected rows of a multiple of 32"},
    {"scalar_in_blocks", FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\0"), "\16", U64("\0")), 210),
     REFUSED(GGUF_BLOCKS, 33), .tensor = "a", .says = "shape [] of Q6_K; expected rows of a multiple of 256"},
    {"shape_that_overflows",
     FILE_OF(HEAD("\1", "\0") TENSOR("a",
                                     U32("\2") "\0\0\0\0\1\0\0\0"
                                               "\0\0\0\0\1\0\0\0",
                                     "\0", U64("\0")),
             8),
     REFUSED(SHAPE_OVERFLOW, 33), .tensor = "a", .says = "shape [4294967296, 4294967296] of F32 overflows"},
    {"bytes_that_overflow", FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\1") "\0\0\0\0\0\0\0\100", "\0", U64("\0")), 8),
     REFUSED(BYTES_OVERFLOW, 33), .tensor = "a", .says = "shape [4611686018427387904] of F32 overflows"},
    {"blocks_that_overflow", FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\1") "\0\0\0\0\0\0\0\376", "\10", U64("\0")), 8),
     REFUSED(BYTES_OVERFLOW, 33), .tensor = "a", .says = "of Q8_0 overflows; expected a size that fits"},
    {"overflow_after_an_axis_of_0",
     FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\3") LARGEST U64("\0") LARGEST, "\0", U64("\0")), 8),
     REFUSED(SHAPE_OVERFLOW, 33), .tensor = "a", .says = "of F32 overflows"},
    {"elements_that_overflow_where_bytes_fit",
     FILE_OF(HEAD("\1", "\0") TENSOR("a", U32("\3") U64("\40") "\0\0\0\0\0\0\0\10" U64("\0"), "\2", U64("\0")), 8),
     REFUSED(SHAPE_OVERFLOW, 33), .tensor = "a", .says = "of Q4_0 overflows"},

    // -- Where the data are --
    {"data_cut_off", FILE_OF(HEAD("\1", "\0") F32_2("a", "\0"), 7), REFUSED(OFFSETS_PAST_END, 49), .tensor = "a",
     .says = "8 bytes at 0 of the data end past the file; expected them within its 7 bytes"},
    {"no_data", FILE_OF(HEAD("\1", "\0") F32_2("a", "\0"), 0), REFUSED(OFFSETS_PAST_END, 49), .tensor = "a",
     .says = "expected them within its 0 bytes of data"},
    {"offset_past_the_end", FILE_OF(HEAD("\1", "\0") TENSOR("a", AXIS("\2"), "\0", LARGEST), 8),
     REFUSED(OFFSETS_PAST_END, 49), .tensor = "a", .says = "8 bytes at 18446744073709551615 of the data end past"},
    {"second_cut_off", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0") F32_2("b", "\40"), 39), REFUSED(OFFSETS_PAST_END, 82),
     .tensor = "b", .says = "8 bytes at 32 of the data end past the file; expected them within its 39 bytes"},
    {"hole_in_front", FILE_OF(HEAD("\1", "\0") F32_2("a", "\40"), 40), REFUSED(HOLE, 32), .in_data = true,
     .tensor = "a", .says = "the data begin here; expected byte 64"},
    {"hole_between", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0") F32_2("b", "\100"), 72), REFUSED(HOLE, 64),
     .in_data = true, .tensor = "b", .says = "the data begin here; expected byte 128"},
    {"not_aligned", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0") F32_2("b", "\10"), 16), REFUSED(OVERLAP, 8),
     .in_data = true, .tensor = "b",
     .says = "the data begin here; expected byte 128, after those of the tensor before"},
    {"same_bytes_twice", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0") F32_2("b", "\0"), 8), REFUSED(OVERLAP, 0),
     .in_data = true, .says = "the data begin here; expected byte 128"},
    {"trailing_bytes", FILE_OF(HEAD("\1", "\0") F32_2("a", "\0"), 33), REFUSED(TRAILING_BYTES, 32), .in_data = true,
     .says = "1 bytes from here on belong to no tensor"},
    {"data_without_tensors", FILE_OF(HEAD("\0", "\0"), 5), REFUSED(NO_TENSORS, 0), .in_data = true,
     .says = "5 bytes from here on belong to no tensor"},
    {"tensor_twice", FILE_OF(HEAD("\2", "\0") F32_2("a", "\0") F32_2("a", "\40"), 40), REFUSED(TENSOR_TWICE, 65),
     .tensor = "a", .says = "a second tensor of this name; expected one"},
};

const size_t n_malformed_ggufs = sizeof malformed_ggufs / sizeof *malformed_ggufs;

unsigned char *malformed_gguf_bytes(const struct malformed_gguf *row, size_t *size_out)
{
    const size_t start = (row->header_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *size_out = row->data_size > 0 ? start + row->data_size : row->header_size;
    unsigned char *bytes = calloc(1, *size_out);
    if (bytes == NULL) {
        abort();
    }
    memcpy(bytes, row->header, row->header_size);
    for (size_t i = 0; i < row->data_size; i++) {
        bytes[start + i] = (unsigned char)i;
    }
    if (row == &sound_gguf) {
        static const unsigned char halves[] = {0, 0x3C, 0, 0xC0};
        static const float floats[] = {1.0f, -2.0f};
        static const unsigned char block[34] = {0, 0x3C, 1, 0xFE};
        memcpy(bytes + start, floats, sizeof floats);
        memcpy(bytes + start + 32, block, sizeof block);
        memcpy(bytes + start + 96, halves, sizeof halves);
    }
    return bytes;
}
