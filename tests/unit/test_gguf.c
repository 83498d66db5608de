// test_gguf.c: GGUF files as weights: what a sound one holds, how each bad one is refused, headers longer than a piece,
// and blocks as floats, bit for bit those of the Python package gguf.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "gguf_blocks.h"
#include "gguf_more_blocks.h"
#include "malformed_gguf.h"
#include "weights.h"

TestSuite(gguf, .init = folder_enter, .fini = folder_leave);

static const struct ga_weights_options in_place = {.in_place = true};

// -- A sound file ---------------------------------------------------------------------------------------------------

static void expect_tensor(struct ga_weights *weights, const char *name, enum ga_dtype dtype, size_t rank,
                          const size_t *shape, uint64_t offset)
{
    const struct ga_tensor *tensor = ga_weights_find(weights, name);
    const float *floats = NULL;
    uint64_t place = 0;
    struct ga_error error = {.text = ""};
    cr_assert_not_null(tensor, "%s", name);
    cr_expect_eq(tensor->dtype, dtype, "%s", name);
    cr_expect(ga_tensor_has_shape(tensor, rank, shape), "%s", name);
    cr_expect_not_null(ga_weights_place(weights, tensor, &place), "%s", name);
    cr_expect_eq(place, offset, "%s: byte %zu", name, (size_t)place);
    cr_assert_eq(ga_weights_floats(weights, tensor, &floats, &error), GA_OK, "%s", error.text);
    cr_expect(floats[0] == 1.0f && floats[1] == -2.0f, "%s", name);
}

static void expect_sound(struct ga_weights *weights)
{
    cr_assert_eq(ga_weights_count(weights), 3);
    expect_tensor(weights, "a", GA_F32, 1, (const size_t[]){2}, 256);
    expect_tensor(weights, "b", GA_Q8_0, 2, (const size_t[]){1, 32}, 288);
    expect_tensor(weights, "c", GA_F16, 2, (const size_t[]){2, 1}, 352);
    ga_weights_close(weights);
}

Test(gguf, tensors_are_those_of_the_file)
{
    size_t size = 0;
    unsigned char *bytes = malformed_gguf_bytes(&sound_gguf, &size);
    struct ga_error error = {.text = ""};
    folder_write("w.gguf", bytes, size);
    for (int i = 0; i < 8; i++) {
        struct ga_weights *weights = NULL;
        const struct ga_weights_options *options = i % 2 == 0 ? NULL : &in_place;
        bytes[4] = i < 4 ? 3 : 2; // the versions
        folder_write("w.gguf", bytes, size);
        cr_assert_eq(i / 2 % 2 == 0 ? ga_weights_parse_with(bytes, size, "w", options, &weights, &error)
                                    : ga_weights_open_model("w.gguf", options, &weights, &error),
                     GA_OK, "%d: %s", i, error.text);
        expect_sound(weights);
    }
    free(bytes);
}

// The last tensor may be padded as those before it are.
Test(gguf, padding_may_end_the_file)
{
    struct malformed_gguf row = sound_gguf;
    struct ga_error error = {.text = ""};
    for (row.data_size = 100; row.data_size <= 128; row.data_size++) {
        size_t size = 0;
        struct ga_weights *weights = NULL;
        unsigned char *bytes = malformed_gguf_bytes(&row, &size);
        cr_expect_eq(ga_weights_parse(bytes, size, "w", &weights, &error), GA_OK, "%zu: %s", row.data_size, error.text);
        ga_weights_close(weights);
        free(bytes);
    }
}

// -- Bad files ------------------------------------------------------------------------------------------------------

static void expect_refused(const struct malformed_gguf *row, const struct ga_error *error)
{
    const uint64_t start = row->in_data ? (row->header_size + 31) / 32 * 32 : 0;
    char tensor[32] = "", byte[48];
    cr_expect_eq(error->status, GA_FORMAT, "%s: %s", row->name, error->text);
    cr_expect_eq(error->fault, row->fault, "%s: fault %d (%s): %s", row->name, (int)error->fault,
                 ga_fault_text(error->fault), error->text);
    cr_expect_eq(error->offset, start + row->offset, "%s: byte %zu: %s", row->name, (size_t)error->offset, error->text);
    snprintf(byte, sizeof byte, "byte %zu: ", (size_t)error->offset);
    snprintf(tensor, sizeof tensor, "tensor '%s', ", row->tensor == NULL ? "" : row->tensor);
    cr_expect_not_null(strstr(error->text, byte), "%s: %s", row->name, error->text);
    cr_expect(row->tensor == NULL || strstr(error->text, tensor) != NULL, "%s: %s", row->name, error->text);
    cr_expect_not_null(strstr(error->text, row->says), "%s: said '%s', expected '%s'", row->name, error->text,
                       row->says);
    cr_expect_eq(strncmp(error->text, "w.gguf: ", 8), 0, "%s: %s", row->name, error->text);
}

Test(gguf, bad_files_are_refused)
{
    for (size_t i = 0; i < n_malformed_ggufs; i++) {
        size_t size = 0;
        unsigned char *bytes = malformed_gguf_bytes(&malformed_ggufs[i], &size);
        folder_write("w.gguf", bytes, size);
        for (int from_file = 0; from_file < 2; from_file++) {
            struct ga_error error = {.text = ""};
            struct ga_weights *weights = (struct ga_weights *)&error;
            (void)(from_file ? ga_weights_open("w.gguf", &weights, &error)
                             : ga_weights_parse(bytes, size, "w.gguf", &weights, &error));
            cr_expect_null(weights, "%s", malformed_ggufs[i].name);
            expect_refused(&malformed_ggufs[i], &error);
        }
        free(bytes);
    }
}

// A file that ends anywhere within its header or data.
Test(gguf, cut_off_files_are_refused)
{
    size_t size = 0;
    unsigned char *bytes = malformed_gguf_bytes(&sound_gguf, &size);
    for (size_t cut = 4; cut < size; cut++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = NULL;
        unsigned char *part = malloc(cut);
        cr_assert_not_null(part);
        memcpy(part, bytes, cut);
        cr_expect_eq(ga_weights_parse(part, cut, "w", &weights, &error), GA_FORMAT, "%zu", cut);
        cr_expect(cut < 8 || error.fault == GA_FAULT_GGUF_SHORT || error.fault == GA_FAULT_GGUF_COUNT ||
                      error.fault == GA_FAULT_OFFSETS_PAST_END,
                  "%zu: %s", cut, error.text);
        free(part);
    }
    free(bytes);
}

// -- Long headers ---------------------------------------------------------------------------------------------------

enum { LONG = 300000 }; // bytes of a text: several pieces

// A file with a long text among its metadata, and a tensor of two floats.
static unsigned char *long_file(size_t *size_out)
{
    static const unsigned char head[] = "GGUF\3\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0k\10\0\0\0";
    static const unsigned char tensor[] = "\1\0\0\0\0\0\0\0a\1\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    const size_t length = LONG, header = sizeof head - 1 + 8 + LONG + sizeof tensor - 1,
                 start = (header + 31) / 32 * 32;
    static const float floats[] = {1.0f, -2.0f};
    unsigned char *bytes = calloc(1, start + sizeof floats);
    cr_assert_not_null(bytes);
    memcpy(bytes, head, sizeof head - 1);
    for (size_t i = 0; i < 8; i++) {
        bytes[sizeof head - 1 + i] = (unsigned char)((uint64_t)length >> 8 * i);
    }
    memcpy(bytes + header - (sizeof tensor - 1), tensor, sizeof tensor - 1);
    memcpy(bytes + start, floats, sizeof floats);
    *size_out = start + sizeof floats;
    return bytes;
}

Test(gguf, a_long_header_is_read_in_pieces)
{
    size_t size = 0;
    unsigned char *bytes = long_file(&size);
    folder_write("w.gguf", bytes, size);
    struct ga_error error = {.text = ""};
    struct ga_weights *weights = NULL;
    cr_assert_eq(ga_weights_open("w.gguf", &weights, &error), GA_OK, "%s", error.text);
    expect_tensor(weights, "a", GA_F32, 1, (const size_t[]){2}, size - 8);
    ga_weights_close(weights);
    free(bytes);
}

Test(gguf, a_header_above_the_limit_is_refused)
{
    static const struct ga_weights_options options = {.header_max = LONG};
    size_t size = 0;
    unsigned char *bytes = long_file(&size);
    folder_write("w.gguf", bytes, size);
    for (int from_file = 0; from_file < 2; from_file++) {
        struct ga_error error = {.text = ""};
        struct ga_weights *weights = NULL;
        cr_expect_eq(from_file ? ga_weights_open_with("w.gguf", &options, &weights, &error)
                               : ga_weights_parse_with(bytes, size, "w", &options, &weights, &error),
                     GA_FORMAT);
        cr_expect_eq(error.fault, GA_FAULT_HEADER_CAP, "%s", error.text);
        cr_expect_not_null(strstr(error.text, "a header of at least 300045 bytes; expected at most 300000"), "%s",
                           error.text);
    }
    free(bytes);
}

// -- Blocks ---------------------------------------------------------------------------------------------------------

static const struct {
    enum ga_dtype dtype;
    unsigned char number; // ggml's
    const unsigned char *blocks;
    size_t size;
    const uint32_t *floats;
    size_t count;
} types[] = {
#define TYPE(dtype, number, name)                                                                   \
    {                                                                                               \
        dtype, number, name##_blocks, sizeof name##_blocks, name##_floats, sizeof name##_floats / 4 \
    }
    TYPE(GA_Q8_0, 8, q8_0),  TYPE(GA_Q4_0, 2, q4_0),  TYPE(GA_Q4_1, 3, q4_1),      TYPE(GA_Q4_K, 12, q4_k),
    TYPE(GA_Q6_K, 14, q6_k), TYPE(GA_Q5_0, 6, q5_0),  TYPE(GA_Q5_1, 7, q5_1),      TYPE(GA_Q2_K, 10, q2_k),
    TYPE(GA_Q3_K, 11, q3_k), TYPE(GA_Q5_K, 13, q5_k), TYPE(GA_IQ4_NL, 20, iq4_nl),
};

// A file of one tensor, [2, half of the elements], of a type's two blocks.
static struct ga_weights *weights_of(size_t t)
{
    unsigned char header[96] = "GGUF\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0a\2\0\0\0", *bytes;
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    header[37] = (unsigned char)(types[t].count / 2 % 256);
    header[38] = (unsigned char)(types[t].count / 2 / 256);
    header[45] = 2;
    header[53] = types[t].number;
    bytes = malloc(sizeof header + types[t].size);
    cr_assert_not_null(bytes);
    memcpy(bytes, header, sizeof header);
    memcpy(bytes + sizeof header, types[t].blocks, types[t].size);
    cr_assert_eq(ga_weights_parse(bytes, sizeof header + types[t].size, "w", &weights, &error), GA_OK, "%s",
                 error.text);
    free(bytes);
    return weights;
}

Test(gguf, blocks_are_decoded_to_the_bits_of_the_package)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct ga_weights *weights = weights_of(t);
        const struct ga_tensor *tensor = ga_weights_at(weights, 0);
        const float *floats = NULL, *again = NULL;
        size_t bytes = 0;
        cr_expect_eq(tensor->dtype, types[t].dtype);
        cr_expect(ga_tensor_bytes(tensor, &bytes) && bytes == types[t].size, "%zu bytes", bytes);
        cr_assert_eq(ga_weights_floats(weights, tensor, &floats, NULL), GA_OK);
        cr_assert_eq(ga_weights_floats(weights, tensor, &again, NULL), GA_OK);
        cr_expect_eq(floats, again, "%s: decoded a second time", ga_dtype_name(types[t].dtype));
        for (size_t i = 0; i < types[t].count; i++) {
            uint32_t bits;
            memcpy(&bits, &floats[i], sizeof bits);
            cr_assert_eq(bits, types[t].floats[i], "%s, element %zu: 0x%08x, expected 0x%08x",
                         ga_dtype_name(types[t].dtype), i, (unsigned)bits, (unsigned)types[t].floats[i]);
        }
        ga_weights_close(weights);
    }
}

// No safetensors file has blocks, so that none is written.
Test(gguf, blocks_are_not_written)
{
    struct ga_weights *weights = weights_of(0);
    struct ga_error error = {.text = ""};
    cr_expect_eq(ga_weights_write("w.safetensors", ga_weights_at(weights, 0), 1, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "w.safetensors: tensor 'a' is Q8_0; expected a type that safetensors have");
    ga_weights_close(weights);
}
