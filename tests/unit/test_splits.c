// test_splits.c: a model in several GGUF files: the first one's name opens all of them, and each way in which one is
// missing or is not the part that it should be is refused.
#define _POSIX_C_SOURCE 200809L // symlink
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "weights.h"

#define FIRST "m-00001-of-00003.gguf"
#define SECOND "m-00002-of-00003.gguf"
#define THIRD "m-00003-of-00003.gguf"

TestSuite(splits, .init = folder_enter, .fini = folder_leave);

// What a part says of itself, and the name of its one tensor, of two floats: that of the tensor and 0.
struct part {
    uint16_t no, count; // count 0: it says nothing
    uint32_t tensors;
    const char *tensor;
};

static const struct part sound[] = {{0, 3, 3, "a"}, {1, 3, 3, "b"}, {2, 3, 3, "c"}};
static const char *const paths[] = {FIRST, SECOND, THIRD};

// -- Files ----------------------------------------------------------------------------------------------------------

struct bytes {
    unsigned char at[512];
    size_t size;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes->at[bytes->size++] = (unsigned char)(i < sizeof value ? value >> 8 * i : 0);
    }
}

static void put_text(struct bytes *bytes, const char *text)
{
    put(bytes, strlen(text), 8);
    memcpy(bytes->at + bytes->size, text, strlen(text));
    bytes->size += strlen(text);
}

static void put_key(struct bytes *bytes, const char *key, uint32_t type, uint64_t value, size_t size)
{
    put_text(bytes, key);
    put(bytes, type, 4);
    put(bytes, value, size);
}

static void write_part(const char *path, const struct part *part)
{
    struct bytes bytes = {.size = 0};
    const float numbers[] = {(float)part->tensor[0], 0.0f};
    put(&bytes, 0x46554747, 4); // GGUF
    put(&bytes, 3, 4);
    put(&bytes, 1, 8);
    put(&bytes, part->count > 0 ? 3 : 0, 8);
    if (part->count > 0) {
        put_key(&bytes, "split.no", 2, part->no, 2);
        put_key(&bytes, "split.count", 2, part->count, 2);
        put_key(&bytes, "split.tensors.count", 5, part->tensors, 4);
    }
    put_text(&bytes, part->tensor);
    put(&bytes, 1, 4);
    put(&bytes, 2, 8);
    put(&bytes, 0, 4);
    put(&bytes, 0, 8);
    put(&bytes, 0, (32 - bytes.size % 32) % 32);
    memcpy(bytes.at + bytes.size, numbers, sizeof numbers);
    folder_write(path, bytes.at, bytes.size + sizeof numbers);
}

static void write_all(void)
{
    for (size_t i = 0; i < 3; i++) {
        (void)remove(paths[i]);
        write_part(paths[i], &sound[i]);
    }
}

// -- Models that are whole ------------------------------------------------------------------------------------------

Test(splits, the_first_file_opens_all)
{
    static const struct ga_weights_options in_place = {.in_place = true};
    write_all();
    for (int i = 0; i < 2; i++) {
        struct ga_weights *weights = NULL;
        struct ga_error error = {.text = ""};
        cr_assert_eq(ga_weights_open_model("./" FIRST, i == 0 ? NULL : &in_place, &weights, &error), GA_OK, "%s",
                     error.text);
        cr_assert_eq(ga_weights_count(weights), 3);
        for (size_t t = 0; t < 3; t++) {
            uint64_t offset = 0;
            const struct ga_tensor *tensor = ga_weights_at(weights, t);
            cr_expect_str_eq(tensor->name, sound[t].tensor);
            cr_expect_eq(*(const float *)tensor->data, (float)sound[t].tensor[0]);
            cr_expect_str_eq(ga_weights_place(weights, tensor, &offset) + 2, paths[t]);
        }
        ga_weights_close(weights);
    }
}

// One file alone, whether or not it says so, and a part where no model is asked for.
Test(splits, one_file_opens_alone)
{
    static const struct part alone[] = {{0, 0, 0, "a"}, {0, 1, 1, "a"}};
    struct ga_weights *weights = NULL;
    for (size_t i = 0; i < 2; i++) {
        write_part("m.gguf", &alone[i]);
        cr_assert_eq(ga_weights_open_model("m.gguf", NULL, &weights, NULL), GA_OK);
        ga_weights_close(weights);
    }
    write_part(SECOND, &sound[1]);
    cr_assert_eq(ga_weights_open(SECOND, &weights, NULL), GA_OK);
    cr_expect_eq(ga_weights_count(weights), 1);
    ga_weights_close(weights);
}

// -- Models that are not --------------------------------------------------------------------------------------------

static void expect_refused(const char *name, const char *path, enum ga_fault fault, const char *says)
{
    struct ga_error error = {.text = ""};
    struct ga_weights *weights = (struct ga_weights *)&error;
    cr_expect_neq(ga_weights_open_model(path, NULL, &weights, &error), GA_OK, "%s", name);
    cr_expect_null(weights, "%s", name);
    cr_expect_eq(error.fault, fault, "%s: fault %d: %s", name, (int)error.fault, error.text);
    cr_expect_not_null(strstr(error.text, says), "%s: said '%s', expected '%s'", name, error.text, says);
}

// The second file in place of the sound one.
static const struct {
    const char *name;
    struct part part;
    enum ga_fault fault;
    const char *says;
} foreign[] = {
    {"says nothing",
     {0, 0, 0, "b"},
     GA_FAULT_GGUF_SPLIT,
     SECOND ": part 1 of 0, of a model of 0 tensors; expected part"},
    {"the first once more",
     {0, 3, 3, "b"},
     GA_FAULT_GGUF_SPLIT,
     "part 1 of 3, of a model of 3 tensors; expected part 2"},
    {"the third", {2, 3, 3, "b"}, GA_FAULT_GGUF_SPLIT, "part 3 of 3, of a model of 3 tensors; expected part 2 of 3"},
    {"of more files",
     {1, 4, 3, "b"},
     GA_FAULT_GGUF_SPLIT,
     "part 2 of 4, of a model of 3 tensors; expected part 2 of 3"},
    {"of more tensors",
     {1, 3, 4, "b"},
     GA_FAULT_GGUF_SPLIT,
     "of a model of 4 tensors; expected part 2 of 3, of 3 tensors"},
    {"a tensor twice", {1, 3, 3, "a"}, GA_FAULT_SHARD_TENSOR_TWICE, SECOND ": tensor 'a' is in " FIRST " too"},
};

Test(splits, foreign_parts_are_refused)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        write_all();
        write_part(SECOND, &foreign[i].part);
        expect_refused(foreign[i].name, FIRST, foreign[i].fault, foreign[i].says);
    }
}

Test(splits, missing_parts_are_refused)
{
    write_all();
    cr_assert_eq(remove(THIRD), 0);
    expect_refused("missing", FIRST, GA_FAULT_SHARD_MISSING, THIRD ": a part of the model is missing; expected it");
    cr_assert_eq(symlink(SECOND, THIRD), 0);
    expect_refused("a link", FIRST, GA_FAULT_SHARD_LINK, THIRD ": a symbolic link; expected a file");
}

Test(splits, tensors_that_do_not_add_up_are_refused)
{
    for (size_t i = 0; i < 3; i++) {
        struct part part = sound[i];
        part.tensors = 4;
        write_part(paths[i], &part);
    }
    expect_refused("too few", FIRST, GA_FAULT_SHARD_TOTAL, FIRST ": 3 tensors in 3 files; expected 4");
}

Test(splits, other_files_than_the_first_are_refused)
{
    static const struct part beyond = {3, 3, 3, "a"};
    write_all();
    expect_refused("the second", SECOND, GA_FAULT_GGUF_SPLIT,
                   "part 2 of a model in 3 files; expected the first, whose name ends in -00001-of-00003.gguf");
    write_part("m.gguf", &sound[0]);
    expect_refused("another name", "m.gguf", GA_FAULT_GGUF_SPLIT,
                   "the first of 3 files; expected a name that ends in -00001-of-00003.gguf");
    write_part("m.gguf", &beyond);
    expect_refused("a number too high", "m.gguf", GA_FAULT_GGUF_SPLIT, "split.no is 3 and split.count 3; expected");
}
