// test_weights.c: safetensors from memory: what is read, and every kind of malformed header refused by its own message.
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights.h"

// -- Making files ---------------------------------------------------------------------------------------------------

struct file {
    unsigned char *bytes;
    size_t size;
};

// prefix, header, and data bytes 0, 1, 2, ...; a block of exactly that size, so that a sanitizer sees reads past it.
static struct file make_file(const char *header, size_t header_size, size_t data_size)
{
    struct file file = {.size = 8 + header_size + data_size};
    file.bytes = malloc(file.size);
    cr_assert_not_null(file.bytes);
    for (size_t i = 0; i < 8; i++) {
        file.bytes[i] = (unsigned char)((uint64_t)header_size >> (8 * i));
    }
    memcpy(file.bytes + 8, header, header_size);
    for (size_t i = 0; i < data_size; i++) {
        file.bytes[8 + header_size + i] = (unsigned char)i;
    }
    return file;
}

// Parses and frees the file; a failure must leave no weights and a sentence that names the label.
static enum ga_status parse(struct file file, const char *what, struct ga_weights **weights, struct ga_error *error)
{
    *error = (struct ga_error){.status = GA_OK};
    *weights = (struct ga_weights *)file.bytes;
    const enum ga_status status = ga_weights_parse(file.bytes, file.size, "w.safetensors", weights, error);
    free(file.bytes);
    cr_expect_eq(*weights == NULL, status != GA_OK, "%s: status %d", what, (int)status);
    cr_expect_eq(error->status, status, "%s", what);
    if (status != GA_OK) {
        cr_expect_eq(strncmp(error->text, "w.safetensors: ", 15), 0, "%s: '%s'", what, error->text);
    }
    return status;
}

static void expect_refused(struct file file, const char *what, const char *expected)
{
    struct ga_weights *weights;
    struct ga_error error;
    cr_expect_eq(parse(file, what, &weights, &error), GA_FORMAT, "%s: status %d", what, (int)error.status);
    cr_expect_not_null(strstr(error.text, expected), "%s: said '%s', expected '%s'", what, error.text, expected);
    ga_weights_close(weights);
}

#define TEXT(literal) literal, sizeof(literal) - 1
#define F32(offsets) "{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[" offsets "]}"

// -- Sound files ----------------------------------------------------------------------------------------------------

Test(weights, sound_headers_are_read)
{
    static const struct {
        const char *name, *header;
        size_t size, data_size, count;
    } rows[] = {
        {"no tensors", TEXT("{}"), 0, 0},
        {"metadata only", TEXT("{\"__metadata__\":{\"format\":\"pt\"}}"), 0, 0},
        {"empty metadata", TEXT("{\"__metadata__\":{},\"a\":" F32("0,8") "}"), 8, 1},
        {"NUL in metadata", TEXT("{\"__metadata__\":{\"k\":\"\\u0000\"}}"), 0, 0},
        {"minus in a string", TEXT("{\"a-b\":" F32("0,8") ",\"\\\"-\\\\\":" F32("8,16") "}"), 16, 2},
        {"padded", TEXT("{\"a\":" F32("0,8") "}    "), 8, 1},
        {"blanks inside", TEXT("{ \"a\" :\n\t" F32("0,8") "\r }"), 8, 1},
        {"out of order", TEXT("{\"a\":" F32("8,16") ",\"b\":" F32("0,8") "}"), 16, 2},
        {"scalar", TEXT("{\"a\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}"), 8, 1},
        {"rank 8", TEXT("{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,3],\"data_offsets\":[0,3]}}"), 3, 1},
        {"no elements", TEXT("{\"a\":{\"dtype\":\"F32\",\"shape\":[0,7],\"data_offsets\":[0,0]}}"), 0, 1},
        {"no elements at the end",
         TEXT("{\"a\":" F32("0,8") ",\"z\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[8,8]}}"), 8, 2},
        {"no elements between",
         TEXT("{\"z\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[8,8]},\"a\":" F32("0,8") ",\"b\":" F32(
             "8,16") "}"),
         16, 3},
        {"escaped name", TEXT("{\"\\u0061\":" F32("0,8") "}"), 8, 1},
        {"name in UTF-8",
         TEXT("{\"gr\xc3\xb6\xc3\x9f"
              "e\":" F32("0,8") "}"),
         8, 1},
        {"fields in another order", TEXT("{\"a\":{\"data_offsets\":[0,8],\"shape\":[2],\"dtype\":\"F32\"}}"), 8, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_weights *weights;
        struct ga_error error;
        const struct file file = make_file(rows[i].header, rows[i].size, rows[i].data_size);
        cr_expect_eq(parse(file, rows[i].name, &weights, &error), GA_OK, "%s: %s", rows[i].name, error.text);
        cr_expect(weights == NULL || ga_weights_count(weights) == rows[i].count, "%s", rows[i].name);
        ga_weights_close(weights);
    }
}

Test(weights, tensors_are_sorted_found_and_aligned)
{
    static const char header[] = "{\"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]},"
                                 "\"c\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[16,19]},"
                                 "\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]}}";
    struct ga_weights *weights;
    struct ga_error error;
    cr_assert_eq(parse(make_file(TEXT(header), 19), "file", &weights, &error), GA_OK, "%s", error.text);
    cr_expect_str_eq(ga_weights_label(weights), "w.safetensors");
    cr_assert_eq(ga_weights_count(weights), 3);
    static const char *const names[] = {"a", "b", "c"};
    static const unsigned char firsts[] = {0, 8, 16};
    for (size_t i = 0; i < 3; i++) {
        const struct ga_tensor *tensor = ga_weights_at(weights, i);
        cr_expect_str_eq(tensor->name, names[i]);
        cr_expect_eq(tensor, ga_weights_find(weights, names[i]), "%s", names[i]);
        cr_expect_eq(*(const unsigned char *)tensor->data, firsts[i], "%s", names[i]);
        cr_expect_eq((uintptr_t)tensor->data % ga_dtype_size(tensor->dtype), 0, "%s", names[i]);
    }
    const struct ga_tensor *b = ga_weights_find(weights, "b");
    cr_expect_eq(b->dtype, GA_F32);
    cr_expect(ga_tensor_has_shape(b, 2, (size_t[]){1, 2}));
    cr_expect_null(ga_weights_find(weights, "d"));
    cr_expect_null(ga_weights_find(weights, ""));
    ga_weights_close(weights);
}

// -- Malformed files ------------------------------------------------------------------------------------------------

Test(weights, malformed_prefixes_are_refused)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        const char *expected;
    } rows[] = {
        {"empty file", TEXT(""), "0 bytes long"},
        {"7 bytes", TEXT("\2\0\0\0\0\0\0"), "7 bytes long"},
        {"prefix only", TEXT("\2\0\0\0\0\0\0\0"), "a header of 2 bytes; expected 1..0"},
        {"header of 0 bytes", TEXT("\0\0\0\0\0\0\0\0{}"), "a header of 0 bytes"},
        {"header past the end", TEXT("\3\0\0\0\0\0\0\0{}"), "a header of 3 bytes; expected 1..2"},
        {"header of 2^64-1", TEXT("\377\377\377\377\377\377\377\377{}"), "18446744073709551615 bytes"},
        {"header of 2^64-8", TEXT("\370\377\377\377\377\377\377\377{}"), "18446744073709551608 bytes"},
        {"header of 2^63", TEXT("\0\0\0\0\0\0\0\200{}"), "9223372036854775808 bytes"},
        {"a pickle", TEXT("\x80\2}q\0(X\7\0\0\0module"), "not a safetensors file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct file file = {malloc(rows[i].size + 1), rows[i].size};
        memcpy(file.bytes, rows[i].bytes, rows[i].size);
        expect_refused(file, rows[i].name, rows[i].expected);
    }
}

#define ENTRY(dtype, shape, offsets) "{\"a\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static const struct {
    const char *name, *header;
    size_t size, data_size;
    const char *expected;
} malformed[] = {
    {"not JSON", TEXT("{hello}"), 0, "not sound JSON at byte"},
    {"cut off", TEXT("{\"a\":"), 0, "not sound JSON"},
    {"array", TEXT("[]"), 0, "byte 8 is not '{'"},
    {"null", TEXT("null"), 0, "byte 8 is not '{'"},
    {"leading blank", TEXT(" {}"), 0, "byte 8 is not '{'"},
    {"byte order mark", TEXT("\xef\xbb\xbf{}"), 0, "byte 8 is not '{'"},
    {"invalid UTF-8", TEXT("{\"\xff\":" F32("0,8") "}"), 8, "not sound JSON"},
    {"overlong UTF-8", TEXT("{\"\xc0\xaf\":" F32("0,8") "}"), 8, "not sound JSON"},
    {"surrogate in UTF-8", TEXT("{\"\xed\xa0\x80\":" F32("0,8") "}"), 8, "not sound JSON"},
    {"lone surrogate", TEXT("{\"\\ud800\":" F32("0,8") "}"), 8, "not sound JSON"},
    {"trailing NUL", TEXT("{}\0"), 0, "byte 10 is NUL"},
    {"NUL after a number", TEXT(ENTRY("\"F32\"", "[2\0]", "[0,8]")), 8, "byte 38 is NUL"},
    {"trailing garbage", TEXT("{}x"), 0, "not sound JSON"},
    {"second object", TEXT("{}{}"), 0, "not sound JSON"},
    {"trailing newline", TEXT("{}\n"), 0, "byte 10 ends the header"},
    {"trailing tab, then spaces", TEXT("{}\t  "), 0, "byte 10 ends the header"},
    {"comment", TEXT("{/* */}"), 0, "not sound JSON"},
    {"trailing comma", TEXT("{\"a\":" F32("0,8") ",}"), 8, "not sound JSON"},
    {"single quotes", TEXT("{'a':1}"), 0, "not sound JSON"},
    {"NaN", TEXT(ENTRY("\"F32\"", "[NaN]", "[0,8]")), 8, "not sound JSON"},
    {"escape in the message", TEXT("{\x1b[2J}"), 0, "\\x1b"},

    {"duplicate name, other bytes", TEXT("{\"a\":" F32("0,8") ",\"a\":" F32("8,16") "}"), 16, "duplicate object key"},
    {"duplicate name, same bytes", TEXT("{\"a\":" F32("0,8") ",\"a\":" F32("0,8") "}"), 8, "duplicate object key"},
    {"duplicate by escape", TEXT("{\"a\":" F32("0,8") ",\"\\u0061\":" F32("0,8") "}"), 8, "duplicate object key"},
    {"duplicate field", TEXT("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}"), 8,
     "duplicate object key"},
    {"duplicate metadata", TEXT("{\"__metadata__\":{},\"__metadata__\":{}}"), 0, "duplicate object key"},
    {"duplicate in metadata", TEXT("{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}"), 0, "duplicate object key"},
    {"metadata of numbers", TEXT("{\"__metadata__\":{\"k\":1}}"), 0, "__metadata__: 'k' is 1; expected a string"},
    {"metadata null", TEXT("{\"__metadata__\":null}"), 0, "__metadata__ is null; expected an object of strings"},
    {"metadata as tensor", TEXT("{\"__metadata__\":" F32("0,8") "}"), 8, "'shape' is an array; expected a string"},

    {"entry as array", TEXT("{\"a\":[\"F32\",[2],[0,8]]}"), 8, "tensor 'a': found an array; expected an object"},
    {"entry null", TEXT("{\"a\":null}"), 0, "tensor 'a': found null"},
    {"deep nesting", TEXT("{\"a\":{\"dtype\":{\"x\":{\"y\":{}}},\"shape\":[],\"data_offsets\":[0,0]}}"), 0,
     "tensor 'a': dtype is an object"},
    {"unknown field", TEXT("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"strides\":[1]}}"), 8,
     "tensor 'a': unknown field 'strides'"},
    {"no dtype", TEXT("{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}"), 8, "tensor 'a': no field dtype"},
    {"no shape", TEXT("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}"), 8, "tensor 'a': no field shape"},
    {"no offsets", TEXT("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}"), 8, "tensor 'a': no field data_offsets"},
    {"unknown dtype", TEXT(ENTRY("\"F31\"", "[2]", "[0,8]")), 8, "dtype is the string 'F31'; expected one of BOOL"},
    {"lower-case dtype", TEXT(ENTRY("\"f32\"", "[2]", "[0,8]")), 8, "dtype is the string 'f32'"},
    {"dtype with NUL", TEXT(ENTRY("\"F32\\u0000\"", "[2]", "[0,8]")), 8, "tensor 'a': dtype is"},
    {"dtype no string", TEXT(ENTRY("32", "[2]", "[0,8]")), 8, "dtype is 32; expected one of"},
    {"sub-byte dtype", TEXT(ENTRY("\"F4\"", "[3]", "[0,2]")), 2, "dtype is the string 'F4'"},

    {"shape no array", TEXT(ENTRY("\"F32\"", "2", "[0,8]")), 8, "shape is 2; expected an array"},
    {"negative size", TEXT(ENTRY("\"F32\"", "[-2]", "[0,8]")), 8, "shape[0] is -2; expected a whole number"},
    {"fraction", TEXT(ENTRY("\"F32\"", "[2.0]", "[0,8]")), 8, "shape[0] is 2, written with a fraction"},
    {"exponent", TEXT(ENTRY("\"F32\"", "[2e0]", "[0,8]")), 8, "shape[0] is 2, written with a fraction or an exp"},
    {"size as string", TEXT(ENTRY("\"F32\"", "[\"2\"]", "[0,8]")), 8, "shape[0] is the string '2'"},
    {"leading zero", TEXT(ENTRY("\"F32\"", "[02]", "[0,8]")), 8, "not sound JSON"},
    {"plus sign", TEXT(ENTRY("\"F32\"", "[+2]", "[0,8]")), 8, "not sound JSON"},
    {"minus zero in shape", TEXT(ENTRY("\"F32\"", "[-0]", "[0,0]")), 0, "byte 37 begins a number with '-'"},
    {"minus zero in offsets", TEXT(ENTRY("\"F32\"", "[2]", "[-0,8]")), 8, "begins a number with '-'"},
    {"2^64", TEXT(ENTRY("\"F32\"", "[18446744073709551616]", "[0,8]")), 8, "too big integer"},
    {"2^64-1 behind a zero", TEXT(ENTRY("\"F32\"", "[0,18446744073709551615]", "[0,0]")), 0, "too big integer"},
    {"shape overflows", TEXT(ENTRY("\"F32\"", "[4294967296,4294967296]", "[0,0]")), 0,
     "shape [4294967296, 4294967296] of F32 overflows"},
    {"bytes overflow", TEXT(ENTRY("\"F32\"", "[4611686018427387904]", "[0,0]")), 0, "of F32 overflows"},
    {"overflow behind a zero", TEXT(ENTRY("\"F32\"", "[0,4294967296,4294967296]", "[0,0]")), 0, "overflows"},
    {"rank 9", TEXT(ENTRY("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]")), 4, "shape has 9 axes; expected at most 8"},

    {"one offset", TEXT(ENTRY("\"F32\"", "[2]", "[0]")), 8, "data_offsets is an array of 1 elements"},
    {"three offsets", TEXT(ENTRY("\"F32\"", "[2]", "[0,8,8]")), 8, "data_offsets is an array of 3 elements"},
    {"offsets no array", TEXT(ENTRY("\"F32\"", "[2]", "\"0,8\"")), 8, "data_offsets is the string '0,8'"},
    {"negative offset", TEXT(ENTRY("\"F32\"", "[2]", "[-8,0]")), 8, "data_offsets[0] is -8"},
    {"reversed", TEXT(ENTRY("\"F32\"", "[2]", "[8,0]")), 8, "data_offsets [8, 0] are reversed"},
    {"past the end", TEXT(ENTRY("\"F32\"", "[2]", "[0,8]")), 7, "end past the file, which holds 7 bytes"},
    {"near 2^63", TEXT(ENTRY("\"F32\"", "[2]", "[9223372036854775799,9223372036854775807]")), 8, "end past the file"},
    {"too few bytes for the shape", TEXT(ENTRY("\"F32\"", "[3]", "[0,8]")), 8, "hold 8 bytes; expected 12 for shape"},
    {"too many bytes for the shape", TEXT(ENTRY("\"F32\"", "[1]", "[0,8]")), 8, "hold 8 bytes; expected 4 for shape"},
    {"bytes for no elements", TEXT(ENTRY("\"F32\"", "[0]", "[0,8]")), 8, "hold 8 bytes; expected 0"},
    {"misaligned", TEXT("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":" F32("1,9") "}"), 9,
     "tensor 'b': data_offsets [1, 9] begin misaligned; expected a multiple of 4"},
    {"hole at the start", TEXT("{\"a\":" F32("8,16") "}"), 16,
     "tensor 'a': the data begin at byte 71; expected byte 63"},
    {"hole between", TEXT("{\"a\":" F32("0,8") ",\"b\":" F32("12,20") "}"), 20, "tensor 'b': the data begin at byte"},
    {"overlap", TEXT("{\"a\":" F32("0,8") ",\"b\":" F32("4,12") "}"), 12, "tensor 'b': the data begin"},
    {"same bytes twice", TEXT("{\"a\":" F32("0,8") ",\"b\":" F32("0,8") "}"), 8, "overlap tensor '"},
    {"no elements inside another",
     TEXT("{\"a\":" F32("0,8") ",\"z\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}"), 8,
     "tensor 'z': the data begin at byte"},
    {"no elements past the data", TEXT(ENTRY("\"F32\"", "[0]", "[4,4]")), 4, "there is a hole between"},
    {"bytes after the last tensor", TEXT("{\"a\":" F32("0,8") "}"), 12, "4 bytes from byte 70 on belong to no tensor"},
    {"data but no tensors", TEXT("{}"), 4, "4 bytes from byte 10 on belong to no tensor"},

    {"empty name", TEXT("{\"\":" F32("0,8") "}"), 8, "a tensor has an empty name"},
    {"NUL in a name", TEXT("{\"a\\u0000b\":" F32("0,8") "}"), 8, "NUL byte in object key"},
    {"raw control in a name", TEXT("{\"a\x01\":" F32("0,8") "}"), 8, "control character"},
    {"escaped control in a name", TEXT("{\"a\\u001b\":" F32("0,8") "}"), 8,
     "tensor 'a\\x1b': the name holds a control"},
    {"DEL in a name", TEXT("{\"a\x7f\":" F32("0,8") "}"), 8, "the name holds a control character"},
    {"Latin-1 control in a name", TEXT("{\"a\\u009b\":" F32("0,8") "}"), 8, "the name holds a control character"},
};

Test(weights, malformed_headers_are_refused)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        expect_refused(make_file(malformed[i].header, malformed[i].size, malformed[i].data_size), malformed[i].name,
                       malformed[i].expected);
    }
}

// -- Limits ---------------------------------------------------------------------------------------------------------

static enum ga_status parse_name_of(size_t length, struct ga_error *error)
{
    char header[512];
    struct ga_weights *weights;
    memset(header, 'n', sizeof header);
    memcpy(header, "{\"", 2);
    const int rest = snprintf(header + 2 + length, sizeof header - 2 - length, "\":%s}", F32("0,8"));
    const enum ga_status status = parse(make_file(header, 2 + length + (size_t)rest, 8), "long name", &weights, error);
    ga_weights_close(weights);
    return status;
}

Test(weights, names_end_at_256_bytes)
{
    struct ga_error error;
    cr_expect_eq(parse_name_of(256, &error), GA_OK, "%s", error.text);
    cr_expect_eq(parse_name_of(257, &error), GA_FORMAT);
    cr_expect_not_null(strstr(error.text, "the name is 257 bytes long; expected at most 256"), "%s", error.text);
}

// A header of count tensors without elements.
static struct file many_tensors(size_t count)
{
    static const char one[] = "\"%06zu\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}%c";
    char *header = malloc(2 + count * (sizeof one + 8));
    size_t used = (size_t)sprintf(header, "{");
    for (size_t i = 0; i < count; i++) {
        used += (size_t)sprintf(header + used, one, i, i + 1 < count ? ',' : '}');
    }
    const struct file file = make_file(header, used, 0);
    free(header);
    return file;
}

Test(weights, tensors_end_at_65536)
{
    struct ga_weights *weights;
    struct ga_error error;
    cr_expect_eq(parse(many_tensors(65536), "65536 tensors", &weights, &error), GA_OK, "%s", error.text);
    cr_expect(weights != NULL && ga_weights_find(weights, "065535") != NULL);
    ga_weights_close(weights);
    expect_refused(many_tensors(65537), "65537 tensors", "lists 65537 tensors; expected at most 65536");
}

Test(weights, headers_end_at_16_mib)
{
    const size_t cap = 16 * 1048576;
    struct ga_weights *weights;
    struct ga_error error;
    char *header = malloc(cap + 1);
    memset(header, ' ', cap + 1);
    memcpy(header, "{}", 2);
    cr_expect_eq(parse(make_file(header, cap, 0), "at the cap", &weights, &error), GA_OK, "%s", error.text);
    ga_weights_close(weights);
    expect_refused(make_file(header, cap + 1, 0), "past the cap", "a header of 16777217 bytes; expected 1..16777216");
    free(header);
}

Test(weights, deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *header = malloc(DEPTH * 5);
    for (size_t i = 0; i < DEPTH; i++) {
        memcpy(header + i * 5, "{\"a\":", 5);
    }
    expect_refused(make_file(header, DEPTH * 5, 0), "deep nesting", "not sound JSON");
    free(header);
}

// -- Damage ---------------------------------------------------------------------------------------------------------

static const char damaged[] = "{\"__metadata__\":{\"k\":\"v\"},\"a\":" F32("0,8") ",\"b\":" F32("8,16") "}  ";

Test(weights, every_truncation_is_refused)
{
    const struct file whole = make_file(TEXT(damaged), 16);
    for (size_t size = 0; size < whole.size; size++) {
        struct file part = {malloc(size + 1), size};
        memcpy(part.bytes, whole.bytes, size);
        char what[48];
        snprintf(what, sizeof what, "cut to %zu bytes", size);
        expect_refused(part, what, "");
    }
    free(whole.bytes);
}

Test(weights, no_flipped_bit_gets_past_the_checks)
{
    const size_t header_end = 8 + sizeof damaged - 1;
    for (size_t bit = 0; bit < header_end * 8; bit++) {
        struct file file = make_file(TEXT(damaged), 16);
        struct ga_weights *weights;
        struct ga_error error;
        char what[48];
        snprintf(what, sizeof what, "bit %zu", bit);
        file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        const enum ga_status status = parse(file, what, &weights, &error);
        cr_expect(status == GA_OK || status == GA_FORMAT, "%s: status %d", what, (int)status);
        size_t covered = 0;
        for (size_t i = 0; weights != NULL && i < ga_weights_count(weights); i++) {
            size_t bytes = 0;
            cr_expect(ga_tensor_bytes(ga_weights_at(weights, i), &bytes), "%s", what);
            covered += bytes;
        }
        cr_expect(weights == NULL || covered == 16, "%s: %zu bytes", what, covered);
        ga_weights_close(weights);
    }
}

Test(weights, missing_arguments_are_refused)
{
    struct ga_weights *weights = NULL;
    struct ga_error error;
    cr_expect_eq(ga_weights_parse(NULL, 0, "w", &weights, &error), GA_ARGUMENT);
    cr_expect_eq(ga_weights_parse("", 0, NULL, &weights, &error), GA_ARGUMENT);
    cr_expect_eq(ga_weights_parse("", 0, "w", NULL, &error), GA_ARGUMENT);
    cr_expect_eq(ga_weights_parse("", 0, "w", &weights, NULL), GA_FORMAT, "an error nobody asked for is no crash");
    ga_weights_close(NULL);
}
