// test_weights.c: safetensors from memory: what is read, where limits lie, and what damage does. Each kind of malformed
// file has its row in support/malformed_rows.c.
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
    expect_refused(make_file(header, cap + 1, 0), "past the cap",
                   "a header of 16777217 bytes; expected at most 16777216");
    free(header);
}

Test(weights, deep_nesting_is_refused)
{
    enum { DEPTH = 100000 };
    char *header = malloc(DEPTH * 5);
    for (size_t i = 0; i < DEPTH; i++) {
        memcpy(header + i * 5, "{\"a\":", 5);
    }
    expect_refused(make_file(header, DEPTH * 5, 0), "deep nesting", "nested more than 4 deep");
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

// -- In place -------------------------------------------------------------------------------------------------------

static const struct ga_weights_options in_place = {.in_place = true};

// The file's bytes `shift` past an aligned address; the caller frees the block.
static struct ga_weights *parse_shifted(const struct file *file, size_t shift, unsigned char **block_out)
{
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    *block_out = malloc(file->size + 64);
    memcpy(*block_out + shift, file->bytes, file->size);
    cr_assert_eq(ga_weights_parse_with(*block_out + shift, file->size, "w", &in_place, &weights, &error), GA_OK, "%s",
                 error.text);
    return weights;
}

Test(weights, bytes_in_place_are_not_copied_where_they_are_aligned)
{
    static const char header[] = "{\"a\":" F32("0,8") "}  "; // 56 bytes: the data begin at a multiple of 8
    const struct file file = make_file(TEXT(header), 8);
    for (size_t shift = 0; shift < 8; shift++) {
        unsigned char *block = NULL;
        struct ga_weights *weights = parse_shifted(&file, shift, &block);
        const unsigned char *data = ga_weights_at(weights, 0)->data;
        cr_expect_eq(data == block + shift + 64, shift % 4 == 0, "%zu bytes off", shift);
        cr_expect_eq((uintptr_t)data % 4, 0);
        cr_expect_eq(memcmp(data, file.bytes + 64, 8), 0, "%zu bytes off", shift);
        ga_weights_close(weights);
        free(block);
    }
    free(file.bytes);
}

Test(weights, options_out_of_range_are_refused)
{
    struct ga_weights *weights = NULL;
    struct ga_error error;
    struct ga_weights_options options = {.header_max = 100000000};
    const struct file file = make_file(TEXT("{}"), 0);
    cr_expect_eq(ga_weights_parse_with(file.bytes, file.size, "w", &options, &weights, &error), GA_OK);
    ga_weights_close(weights);
    options.header_max++;
    cr_expect_eq(ga_weights_parse_with(file.bytes, file.size, "w", &options, &weights, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "header_max is 100000001; expected at most 100000000");
    cr_expect_eq(ga_weights_open_with("w", &options, &weights, &error), GA_ARGUMENT);
    free(file.bytes);
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
