// test_weights_files.c: weights from and to files: what is not a regular file, round trips, and writes that must not
// happen.
#define _POSIX_C_SOURCE 200809L // mkfifo, truncate
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "weights.h"

TestSuite(weights_files, .init = folder_enter, .fini = folder_leave);

static void expect_not_opened(const char *path, enum ga_status status, const char *expected)
{
    struct ga_error error = {.status = GA_OK};
    struct ga_weights *weights = (struct ga_weights *)&error;
    cr_expect_eq(ga_weights_open(path, &weights, &error), status, "%s: %s", path, error.text);
    cr_expect_null(weights, "%s", path);
    cr_expect_not_null(strstr(error.text, expected), "%s: said '%s', expected '%s'", path, error.text, expected);
    cr_expect_eq(strncmp(error.text, path, strlen(path)), 0, "'%s' does not begin with %s", error.text, path);
}

// -- Opening --------------------------------------------------------------------------------------------------------

Test(weights_files, what_is_no_regular_file_is_refused)
{
    cr_assert_eq(mkdir("dir", 0777), 0);
    cr_assert_eq(mkfifo("fifo", 0666), 0);
    expect_not_opened("absent", GA_IO, "cannot open: No such file");
    expect_not_opened("dir", GA_IO, "a directory; expected a regular file");
    expect_not_opened("fifo", GA_IO, "a pipe or device; expected a regular file");
    expect_not_opened("/dev/null", GA_IO, "a pipe or device; expected a regular file");
}

Test(weights_files, malformed_files_are_refused_by_their_path)
{
    folder_write("empty", "", 0);
    expect_not_opened("empty", GA_FORMAT, "0 bytes long");
    folder_write("short", "\x40\0\0\0\0\0\0\0{}", 10);
    expect_not_opened("short", GA_FORMAT, "a header of 64 bytes");
    folder_write("zeros", "\2\0\0\0\0\0\0\0{}\0\0\0\0", 14);
    expect_not_opened("zeros", GA_FORMAT, "4 bytes of data, and the header lists no tensor");
}

#define LATER "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

static const struct {
    const char *name, *bytes;
    size_t size;
    const char *says; // NULL: of a safetensors file that is damaged
} others[] = {
#define OTHER(name, bytes, says)            \
    {                                       \
        name, bytes, sizeof bytes - 1, says \
    }
    OTHER("torch.pt", "PK\3\4\0\0\10\10" LATER "\12\0\0\0x/data.pkl", "PyTorch file (.pt, .pth, .bin)"),
    OTHER("zip.npz", "PK\3\4\24\0\0\0" LATER "\5\0\0\0x.npy", "this is NumPy arrays (.npz)"),
    OTHER("other.zip", "PK\3\4\24\0\0\0" LATER "\5\0\0\0x.txt", "this is a ZIP archive"),
    OTHER("cut.zip", "PK\3\4\24\0\0\0" LATER "\377\377\0\0x.npy", "this is a ZIP archive"),
    OTHER("old.bin", "\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.", "this is a Python pickle"),
    OTHER("x.npy", "\x93NUMPY\1\0v\0{'descr': '<f4'",
          "expected safetensors: convert it in Python: from safetensors.numpy"),
    OTHER("x.h5", "\x89HDF\r\n\x1a\n\0\0\0\0", "this is an HDF5 file"),
    OTHER("x.onnx", "\10\7\22\7pytorch\32\0052.1.0", "this is an ONNX model"),
    OTHER("x.tflite", "\34\0\0\0TFL3\24\0 \0", "this is a TensorFlow Lite model"),
    OTHER("lfs", "version https://git-lfs.github.com/spec/v1\n", "'git lfs pull'"),
    OTHER("page", "<!DOCTYPE html><html>", "a page of HTML"),
    OTHER("x.gz", "\x1f\x8b\10\0\0\1\2\3\4", "compressed by gzip"),
    OTHER("config.json", "{\n  \"model_type\": \"bert\"}", "this is text as JSON has it"),
    OTHER("header of 123 bytes, cut off", "{\0\0\0\0\0\0\0{\"a\"", NULL),
    OTHER("header of 66176 bytes, cut off", "\x80\2\1\0\0\0\0\0{\"a\"", NULL),
    OTHER("header of 35615 bytes, cut off", "\x1f\x8b\0\0\0\0\0\0{\"a\"", NULL),
};

Test(weights_files, files_of_other_formats_are_told_by_their_first_bytes)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const enum ga_fault fault = others[i].says != NULL ? GA_FAULT_FOREIGN : GA_FAULT_HEADER_PAST_END;
        const char *says = others[i].says != NULL ? others[i].says : "not a safetensors file, or a damaged one";
        struct ga_error error = {.status = GA_OK};
        struct ga_weights *weights;
        folder_write("w.safetensors", others[i].bytes, others[i].size);
        expect_not_opened("w.safetensors", GA_FORMAT, says);
        cr_expect_eq(ga_weights_open("w.safetensors", &weights, &error), GA_FORMAT);
        cr_expect_eq(error.fault, fault, "%s: %d", others[i].name, (int)error.fault);
        cr_expect_eq(error.offset, 0, "%s", others[i].name);
        cr_expect_eq(ga_weights_parse(others[i].bytes, others[i].size, "w.safetensors", &weights, &error), GA_FORMAT);
        cr_expect_eq(error.fault, fault, "%s in memory: %d", others[i].name, (int)error.fault);
        cr_expect_not_null(strstr(error.text, says), "%s in memory: '%s'", others[i].name, error.text);
    }
}

Test(weights_files, missing_arguments_are_refused)
{
    struct ga_weights *weights = NULL;
    cr_expect_eq(ga_weights_open(NULL, &weights, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_weights_open("w", NULL, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_weights_write(NULL, NULL, 0, NULL), GA_ARGUMENT);
    cr_expect_eq(ga_weights_write("w", NULL, 1, NULL), GA_ARGUMENT);
}

// -- Round trips ----------------------------------------------------------------------------------------------------

static const float floats[] = {0.0f, -0.0f, 1.5f, 3.25f, -7.0f, 1e-40f};
static const int64_t longs[] = {-1, INT64_MAX, INT64_MIN};
static const unsigned char bytes[] = {1, 2, 3, 0, 255};

static const struct ga_tensor written[] = {
    {.name = "mask", .dtype = GA_BOOL, .rank = 1, .shape = {5}, .data = bytes},
    {.name = "w \"quoted\" \\ gr\xc3\xb6\xc3\x9f", .dtype = GA_F32, .rank = 2, .shape = {2, 3}, .data = floats},
    {.name = "none", .dtype = GA_F64, .rank = 2, .shape = {0, 4}, .data = NULL},
    {.name = "ids", .dtype = GA_I64, .rank = 1, .shape = {3}, .data = longs},
    {.name = "one", .dtype = GA_F32, .rank = 0, .data = floats + 3},
};
enum { N_WRITTEN = sizeof written / sizeof *written };

static void expect_same(const struct ga_weights *weights, const struct ga_tensor *expected)
{
    const struct ga_tensor *tensor = ga_weights_find(weights, expected->name);
    size_t size = 0;
    cr_assert_not_null(tensor, "%s", expected->name);
    cr_expect_eq(tensor->dtype, expected->dtype, "%s", expected->name);
    cr_expect(ga_tensor_has_shape(tensor, expected->rank, expected->shape), "%s", expected->name);
    cr_assert(ga_tensor_bytes(expected, &size));
    cr_expect(size == 0 || memcmp(tensor->data, expected->data, size) == 0, "%s", expected->name);
    cr_expect_eq((uintptr_t)tensor->data % ga_dtype_size(tensor->dtype), 0, "%s", expected->name);
}

Test(weights_files, what_was_written_reads_back)
{
    struct ga_error error;
    struct ga_weights *weights = NULL;
    cr_assert_eq(ga_weights_write("w", written, N_WRITTEN, &error), GA_OK, "%s", error.text);
    cr_assert_eq(ga_weights_open("w", &weights, &error), GA_OK, "%s", error.text);
    cr_expect_str_eq(ga_weights_label(weights), "w");
    cr_assert_eq(ga_weights_count(weights), N_WRITTEN);
    for (size_t i = 0; i < N_WRITTEN; i++) {
        expect_same(weights, &written[i]);
    }
    ga_weights_close(weights);
    cr_expect_eq(folder_count(), 1, "the temporary file is left");
}

Test(weights_files, no_tensors_make_a_sound_file)
{
    struct ga_error error;
    struct ga_weights *weights = NULL;
    cr_assert_eq(ga_weights_write("w", NULL, 0, &error), GA_OK, "%s", error.text);
    cr_assert_eq(ga_weights_open("w", &weights, &error), GA_OK, "%s", error.text);
    cr_expect_eq(ga_weights_count(weights), 0);
    ga_weights_close(weights);
}

Test(weights_files, the_file_is_laid_out_by_width_then_name)
{
    char text[512];
    cr_assert_eq(ga_weights_write("w", written, N_WRITTEN, NULL), GA_OK);
    FILE *file = fopen("w", "rb");
    cr_assert_not_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const size_t header_size = (unsigned char)text[0] + 256u * (unsigned char)text[1];
    cr_expect_eq(header_size % 8, 0, "header of %zu bytes", header_size);
    cr_assert_eq(size, 8 + header_size + 24 + 24 + 4 + 5);
    text[8 + header_size] = '\0';
    static const char *const order[] = {"\"ids\"", "\"none\"", "\"one\"", "\"w \\\"", "\"mask\""};
    const char *at = text + 8;
    for (size_t i = 0; i < N_WRITTEN; i++) {
        const char *next = strstr(at, order[i]);
        cr_assert_not_null(next, "%s after %s", order[i], at);
        at = next;
    }
}

Test(weights_files, a_written_file_has_the_usual_permissions)
{
    struct stat st;
    umask(027);
    cr_assert_eq(ga_weights_write("w", written, N_WRITTEN, NULL), GA_OK);
    cr_assert_eq(stat("w", &st), 0);
    cr_expect_eq(st.st_mode & 0777, 0640, "%o", (unsigned)st.st_mode);
}

Test(weights_files, a_write_replaces_the_old_file_whole)
{
    struct ga_weights *weights = NULL;
    static const char old[] = "something else, and longer than what comes after it by a good deal .............."
                              "..................................................................................";
    folder_write("w", old, sizeof old);
    cr_assert_eq(ga_weights_write("w", &written[4], 1, NULL), GA_OK);
    cr_assert_eq(ga_weights_open("w", &weights, NULL), GA_OK);
    expect_same(weights, &written[4]);
    ga_weights_close(weights);
}

// -- Shared bytes or a copy -----------------------------------------------------------------------------------------

// Two floats at byte 64, the first one replaced while a handle is open.
static float first_after_overwriting(const struct ga_weights_options *options, const char *header)
{
    static const float other = 9.0f;
    struct ga_weights *weights = NULL;
    char content[128] = {(char)strlen(header)};
    const size_t start = 8 + strlen(header);
    memcpy(content + 8, header, strlen(header));
    memcpy(content + start, floats + 2, 8);
    folder_write("w", content, start + 8);
    cr_assert_eq(ga_weights_open_with("w", options, &weights, NULL), GA_OK);
    FILE *file = fopen("w", "r+b");
    cr_assert(file != NULL && fseek(file, (long)start, SEEK_SET) == 0 && fwrite(&other, 4, 1, file) == 1);
    cr_assert_eq(fclose(file), 0);
    const float found = *(const float *)ga_weights_at(weights, 0)->data;
    ga_weights_close(weights);
    return found;
}

// What makes SIGBUS possible is that the file is mapped; where it is, a change of it shows.
Test(weights_files, a_file_is_mapped_only_where_asked_for_and_aligned)
{
    static const char aligned[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}  ";
    static const char odd[] = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}} ";
    static const struct ga_weights_options in_place = {.in_place = true};
    cr_expect_eq(first_after_overwriting(NULL, aligned), 1.5f);
    cr_expect_eq(first_after_overwriting(&in_place, aligned), 9.0f);
    cr_expect_eq(first_after_overwriting(&in_place, odd), 1.5f);
}

Test(weights_files, a_file_cut_short_behind_an_open_handle_does_no_harm)
{
    struct ga_weights *weights = NULL;
    cr_assert_eq(ga_weights_write("w", written, N_WRITTEN, NULL), GA_OK);
    cr_assert_eq(ga_weights_open("w", &weights, NULL), GA_OK);
    cr_assert_eq(truncate("w", 0), 0);
    for (size_t i = 0; i < N_WRITTEN; i++) {
        expect_same(weights, &written[i]);
    }
    ga_weights_close(weights);
}

// -- Writes that fail -----------------------------------------------------------------------------------------------

Test(weights_files, tensors_no_file_can_hold_are_refused)
{
    static char long_name[258];
    memset(long_name, 'n', sizeof long_name - 1);
    const struct {
        const char *name;
        struct ga_tensor tensor;
        enum ga_status status;
        const char *expected;
    } rows[] = {
        {"no name", {.dtype = GA_U8, .data = bytes}, GA_ARGUMENT, "tensor 0 of 1 has no name"},
        {"empty name", {.name = "", .dtype = GA_U8, .data = bytes}, GA_FORMAT, "the name is empty"},
        {"long name", {.name = long_name, .dtype = GA_U8, .data = bytes}, GA_FORMAT, "257 bytes long"},
        {"control",
         {.name = "a\nb", .dtype = GA_U8, .data = bytes},
         GA_FORMAT,
         "'a\\x0ab', byte 9: the name holds a control"},
        {"not UTF-8", {.name = "a\xff", .dtype = GA_U8, .data = bytes}, GA_ARGUMENT, "'a\\xff': the name is not UTF-8"},
        {"metadata", {.name = "__metadata__", .dtype = GA_U8, .data = bytes}, GA_FORMAT, "__metadata__"},
        {"no such type", {.name = "a", .dtype = (enum ga_dtype)77, .data = bytes}, GA_ARGUMENT, "dtype 77"},
        {"rank 9", {.name = "a", .dtype = GA_U8, .rank = 9, .data = bytes}, GA_ARGUMENT, "rank 9; expected at most 8"},
        {"no data",
         {.name = "a", .dtype = GA_F32, .rank = 1, .shape = {2}},
         GA_ARGUMENT,
         "data is NULL; expected 8 bytes"},
        {"overflow",
         {.name = "a", .dtype = GA_F32, .rank = 2, .shape = {SIZE_MAX, 2}, .data = bytes},
         GA_OVERFLOW,
         "tensor 'a': its size does not fit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_error error = {.text = ""};
        cr_expect_eq(ga_weights_write("w", &rows[i].tensor, 1, &error), rows[i].status, "%s", rows[i].name);
        cr_expect_not_null(strstr(error.text, rows[i].expected), "%s: '%s'", rows[i].name, error.text);
        cr_expect_eq(strncmp(error.text, "w: ", 3), 0, "%s: '%s'", rows[i].name, error.text);
        cr_expect_eq(folder_count(), 0, "%s: a file was made", rows[i].name);
    }
}

Test(weights_files, two_tensors_of_one_name_are_refused)
{
    const struct ga_tensor twins[] = {written[0], written[1], written[0]};
    struct ga_error error;
    cr_expect_eq(ga_weights_write("w", twins, 3, &error), GA_ARGUMENT);
    cr_expect_str_eq(error.text, "w: two tensors are named 'mask'");
    cr_expect_eq(folder_count(), 0);
}

Test(weights_files, tensors_that_together_overflow_are_refused)
{
    const struct ga_tensor huge[] = {
        {.name = "a", .dtype = GA_U8, .rank = 1, .shape = {(size_t)INT64_MAX}, .data = bytes},
        {.name = "b", .dtype = GA_U8, .rank = 1, .shape = {1}, .data = bytes},
    };
    struct ga_error error;
    cr_expect_eq(ga_weights_write("w", huge, 2, &error), GA_OVERFLOW, "%s", error.text);
    cr_expect_eq(folder_count(), 0);
}

Test(weights_files, a_failed_write_leaves_nothing_behind)
{
    struct ga_error error;
    cr_expect_eq(ga_weights_write("absent/w", written, N_WRITTEN, &error), GA_IO);
    cr_expect_not_null(strstr(error.text, "absent/w: cannot make a temporary file in its folder: No such"), "%s",
                       error.text);
    cr_assert_eq(mkdir("taken", 0777), 0);
    cr_expect_eq(ga_weights_write("taken", written, N_WRITTEN, &error), GA_IO);
    cr_expect_not_null(strstr(error.text, "taken: is not a regular file, and only such a one is replaced"), "%s",
                       error.text);
    cr_expect_eq(folder_count(), 1, "the temporary file is left");
}
