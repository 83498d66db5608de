// test_tensor.c: element types, checked shape products, shapes and names as text.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "tensor.h"

enum { N_DTYPES = GA_F64 + 1, N_TYPES = GA_IQ4_NL + 1 }; // of safetensors, and with those of blocks

Test(tensor, every_dtype_reads_back_by_its_name)
{
    for (int i = 0; i < N_DTYPES; i++) {
        enum ga_dtype dtype = GA_BOOL;
        const char *name = ga_dtype_name((enum ga_dtype)i);
        cr_expect(ga_dtype_parse(name, &dtype), "%s", name);
        cr_expect_eq(dtype, (enum ga_dtype)i, "%s reads as %d", name, (int)dtype);
    }
}

Test(tensor, dtype_widths_are_those_of_the_format)
{
    static const struct {
        const char *name;
        size_t bytes;
    } rows[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},
                {"U32", 4},  {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}};
    cr_assert_eq(sizeof rows / sizeof *rows, N_DTYPES);
    for (size_t i = 0; i < N_DTYPES; i++) {
        enum ga_dtype dtype = GA_BOOL;
        cr_expect(ga_dtype_parse(rows[i].name, &dtype), "%s", rows[i].name);
        cr_expect_eq(ga_dtype_size(dtype), rows[i].bytes, "%s", rows[i].name);
    }
}

Test(tensor, unknown_dtypes_are_refused)
{
    static const char *const names[] = {"", "f32", "F8_E4M3", "F32 ", "float32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum ga_dtype dtype = GA_I64;
        cr_expect(!ga_dtype_parse(names[i], &dtype), "'%s'", names[i]);
        cr_expect_eq(dtype, GA_I64, "'%s' touched the result", names[i]);
    }
    cr_expect_str_eq(ga_dtype_name((enum ga_dtype)N_TYPES), "?");
    cr_expect_eq(ga_dtype_size((enum ga_dtype) - 1), 0);
}

// Safetensors have none of them, so that no name reads as one.
Test(tensor, blocks_have_elements_that_share_bytes)
{
    static const struct {
        const char *name;
        size_t elements, bytes;
    } rows[] = {{"Q4_0", 32, 18},   {"Q4_1", 32, 20},   {"Q8_0", 32, 34},  {"Q4_K", 256, 144},
                {"Q6_K", 256, 210}, {"Q5_0", 32, 22},   {"Q5_1", 32, 24},  {"Q2_K", 256, 84},
                {"Q3_K", 256, 110}, {"Q5_K", 256, 176}, {"IQ4_NL", 32, 18}};
    cr_assert_eq(sizeof rows / sizeof *rows, N_TYPES - N_DTYPES);
    for (int i = N_DTYPES; i < N_TYPES; i++) {
        size_t bytes = 0;
        enum ga_dtype dtype = GA_I64;
        cr_expect_str_eq(ga_dtype_name((enum ga_dtype)i), rows[i - N_DTYPES].name);
        cr_expect_eq(ga_dtype_block((enum ga_dtype)i, &bytes), rows[i - N_DTYPES].elements);
        cr_expect_eq(bytes, rows[i - N_DTYPES].bytes);
        cr_expect_eq(ga_dtype_size((enum ga_dtype)i), 0);
        cr_expect(!ga_dtype_parse(rows[i - N_DTYPES].name, &dtype));
    }
    cr_expect_eq(ga_dtype_block(GA_F64, NULL), 1);
    cr_expect_eq(ga_dtype_block((enum ga_dtype)N_TYPES, NULL), 0);
}

Test(tensor, shape_products_are_checked)
{
    const size_t half = SIZE_MAX / 2 + 1;
    const struct {
        const char *name;
        size_t rank;
        size_t shape[4];
        bool fits;
        size_t elements;
    } rows[] = {
        {"scalar", 0, {0}, true, 1},
        {"vector", 1, {7}, true, 7},
        {"rank 4", 4, {2, 3, 5, 7}, true, 210},
        {"zero axis", 2, {0, 512}, true, 0},
        {"largest", 2, {SIZE_MAX, 1}, true, SIZE_MAX},
        {"just too large", 2, {half, 2}, false, 0},
        {"overflow after a zero", 3, {0, half, 2}, false, 0},
        {"overflow before a zero", 3, {half, 2, 0}, false, 0},
        {"wraps to a small number", 3, {half, 2, 3}, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t elements = 0;
        cr_expect_eq(ga_shape_elements(rows[i].rank, rows[i].shape, &elements), rows[i].fits, "%s", rows[i].name);
        cr_expect_eq(elements, rows[i].elements, "%s: %zu", rows[i].name, elements);
    }
}

Test(tensor, bytes_are_checked)
{
    const struct {
        const char *name;
        struct ga_tensor tensor;
        bool fits;
        size_t bytes;
    } rows[] = {
        {"F32 [10, 20]", {.dtype = GA_F32, .rank = 2, .shape = {10, 20}}, true, 800},
        {"F64 scalar", {.dtype = GA_F64, .rank = 0}, true, 8},
        {"Q4_K [3, 512]", {.dtype = GA_Q4_K, .rank = 2, .shape = {3, 512}}, true, 864},
        {"Q8_0 of no rows", {.dtype = GA_Q8_0, .rank = 2, .shape = {0, 32}}, true, 0},
        {"Q4_0 in half a block", {.dtype = GA_Q4_0, .rank = 2, .shape = {32, 16}}, false, 0},
        {"Q4_0 scalar", {.dtype = GA_Q4_0, .rank = 0}, false, 0},
        {"width overflows", {.dtype = GA_F32, .rank = 1, .shape = {SIZE_MAX / 2}}, false, 0},
        {"width overflows after a zero", {.dtype = GA_F32, .rank = 2, .shape = {0, SIZE_MAX / 2}}, false, 0},
        {"no such type", {.dtype = (enum ga_dtype)99, .rank = 1, .shape = {1}}, false, 0},
        {"rank too high", {.dtype = GA_F32, .rank = GA_MAX_RANK + 1, .shape = {1}}, false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t bytes = 0;
        cr_expect_eq(ga_tensor_bytes(&rows[i].tensor, &bytes), rows[i].fits, "%s", rows[i].name);
        cr_expect_eq(bytes, rows[i].bytes, "%s: %zu", rows[i].name, bytes);
    }
}

Test(tensor, has_shape_compares_rank_and_every_axis)
{
    const struct ga_tensor tensor = {.dtype = GA_F32, .rank = 2, .shape = {3, 5}};
    cr_expect(ga_tensor_has_shape(&tensor, 2, (size_t[]){3, 5}));
    cr_expect(!ga_tensor_has_shape(&tensor, 2, (size_t[]){5, 3}));
    cr_expect(!ga_tensor_has_shape(&tensor, 1, (size_t[]){3}));
    cr_expect(!ga_tensor_has_shape(&tensor, 3, (size_t[]){3, 5, 1}));
    const struct ga_tensor scalar = {.dtype = GA_F32, .rank = 0};
    cr_expect(ga_tensor_has_shape(&scalar, 0, NULL));
}

Test(tensor, shapes_read_as_text)
{
    char text[GA_SHAPE_TEXT];
    cr_expect_str_eq(ga_shape_text(3, (size_t[]){10, 20, 512}, text, sizeof text), "[10, 20, 512]");
    cr_expect_str_eq(ga_shape_text(0, NULL, text, sizeof text), "[]");
    cr_expect_str_eq(ga_shape_text(1, (size_t[]){7}, text, sizeof text), "[7]");
}

Test(tensor, the_longest_shape_is_not_cut)
{
    size_t shape[GA_MAX_RANK];
    char text[GA_SHAPE_TEXT];
    for (size_t i = 0; i < GA_MAX_RANK; i++) {
        shape[i] = SIZE_MAX;
    }
    ga_shape_text(GA_MAX_RANK, shape, text, sizeof text);
    cr_expect_eq(text[strlen(text) - 1], ']');
}

Test(tensor, shape_text_is_cut_to_every_size)
{
    const char *whole = "[10, 20, 512]";
    for (size_t size = 1; size <= strlen(whole) + 1; size++) {
        char text[32];
        memset(text, '#', sizeof text);
        ga_shape_text(3, (size_t[]){10, 20, 512}, text, size);
        cr_expect_eq(strlen(text), size - 1, "size %zu: '%s'", size, text);
        cr_expect_eq(strncmp(text, whole, size - 1), 0, "size %zu: '%s'", size, text);
        cr_expect_eq(text[size], '#', "size %zu: wrote past the end", size);
    }
}

Test(tensor, names_in_messages_hold_printable_ascii_only)
{
    static const struct {
        const char *name;
        const char *text;
    } rows[] = {{"w_q.weight", "w_q.weight"},
                {"", ""},
                {"a\x1b[2J", "a\\x1b[2J"},
                {"\xc3\xa9", "\\xc3\\xa9"},
                {"\x7f", "\\x7f"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[GA_NAME_TEXT];
        cr_expect_str_eq(ga_name_text(rows[i].name, text, sizeof text), rows[i].text, "row %zu", i);
    }
}

Test(tensor, long_names_are_cut_with_dots)
{
    for (size_t size = 1; size < 32; size++) {
        char text[40];
        memset(text, '#', sizeof text);
        ga_name_text("encoder.\x01.layers.0.attention.w_q", text, size);
        cr_expect_lt(strlen(text), size, "size %zu: '%s'", size, text);
        cr_expect_eq(text[size], '#', "size %zu: wrote past the end", size);
        if (size >= 4) {
            cr_expect_str_eq(text + strlen(text) - 3, "...", "size %zu: '%s'", size, text);
        }
    }
}
