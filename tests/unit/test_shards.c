// test_shards.c: a model in several files: an index that fits its shards, and every way in which it does not.
#define _POSIX_C_SOURCE 200809L // symlink
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "malformed.h"
#include "weights.h"

#define INDEX "model.safetensors.index.json"

TestSuite(shards, .init = folder_enter, .fini = folder_leave);

static const float numbers[] = {1.0f, 2.0f, 3.0f, 4.0f};
static const struct ga_tensor a = {.name = "a", .dtype = GA_F32, .rank = 1, .shape = {2}, .data = numbers};
static const struct ga_tensor b = {.name = "b", .dtype = GA_F32, .rank = 1, .shape = {2}, .data = numbers + 2};
static const struct ga_tensor c = {.name = "c", .dtype = GA_F32, .rank = 1, .shape = {2}, .data = numbers};

static void write_shard(const char *path, struct ga_tensor first, const struct ga_tensor *second)
{
    const struct ga_tensor tensors[] = {first, second == NULL ? first : *second};
    cr_assert_eq(ga_weights_write(path, tensors, second == NULL ? 1 : 2, NULL), GA_OK);
}

static void write_two(enum malformed_shards shards)
{
    if (shards == SHARD_IS_LINK) {
        write_shard("three.safetensors", b, NULL);
        cr_assert_eq(symlink("three.safetensors", "two.safetensors"), 0);
    } else if (shards == SHARD_IS_FOLDER) {
        cr_assert_eq(mkdir("two.safetensors", 0777), 0);
    } else if (shards != SHARD_IS_MISSING) {
        write_shard("two.safetensors", b, shards == SHARD_HAS_BOTH ? &a : shards == SHARD_HAS_MORE ? &c : NULL);
    }
}

static void write_files(const char *index, enum malformed_shards shards)
{
    write_shard("one.safetensors", a, NULL);
    write_two(shards);
    folder_write(INDEX, index, strlen(index));
}

static void remove_files(void)
{
    (void)remove("one.safetensors");
    (void)remove("two.safetensors");
    (void)remove("three.safetensors");
    (void)remove(INDEX);
}

#define SOUND                                                                                          \
    "{\n \"metadata\": {\"total_size\": 16},\n \"weight_map\": {\"b\": \"two.safetensors\",\n \"a\": " \
    "\"one.safetensors\"}\n}\n"

static struct ga_weights *expect_opened(const char *path, const struct ga_weights_options *options)
{
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    cr_assert_eq(ga_weights_open_model(path, options, &weights, &error), GA_OK, "%s: %s", path, error.text);
    return weights;
}

// -- Models that are whole ------------------------------------------------------------------------------------------

static void expect_both(struct ga_weights *weights, const char *label)
{
    cr_expect_str_eq(ga_weights_label(weights), label);
    cr_assert_eq(ga_weights_count(weights), 2);
    cr_expect_str_eq(ga_weights_at(weights, 0)->name, "a");
    cr_expect_eq(memcmp(ga_weights_find(weights, "a")->data, numbers, 8), 0);
    cr_expect_eq(memcmp(ga_weights_find(weights, "b")->data, numbers + 2, 8), 0);
    ga_weights_close(weights);
}

Test(shards, an_index_and_its_folder_open_all_shards)
{
    static const struct ga_weights_options in_place = {.in_place = true};
    write_files(SOUND, SHARDS_SOUND);
    expect_both(expect_opened(INDEX, NULL), INDEX);
    expect_both(expect_opened(".", NULL), "./" INDEX);
    expect_both(expect_opened("./" INDEX, &in_place), "./" INDEX);
}

Test(shards, a_tensor_knows_its_shard)
{
    uint64_t offset = 0;
    write_files(SOUND, SHARDS_SOUND);
    struct ga_weights *weights = expect_opened(".", NULL);
    cr_expect_str_eq(ga_weights_place(weights, ga_weights_find(weights, "b"), &offset), "./two.safetensors");
    cr_expect_eq(offset, 64, "%llu", (unsigned long long)offset);
    ga_weights_close(weights);
}

Test(shards, totals_may_be_left_out_or_have_a_fraction_of_0)
{
    static const char *const totals[] = {"", "\"metadata\":{},", "\"metadata\":{\"total_size\":16.0},"};
    for (size_t i = 0; i < 3; i++) {
        char index[256];
        snprintf(index, sizeof index, "{%s\"weight_map\":{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}}",
                 totals[i]);
        write_files(index, SHARDS_SOUND);
        ga_weights_close(expect_opened(".", NULL));
        remove_files();
    }
}

Test(shards, one_file_and_its_folder_open_too)
{
    write_shard("model.safetensors", a, &b);
    expect_both(expect_opened("model.safetensors", NULL), "model.safetensors");
    expect_both(expect_opened(".", NULL), "./model.safetensors");
    folder_write(INDEX, "{}", 2);
    expect_both(expect_opened(".", NULL), "./model.safetensors");
}

static void write_module(struct ga_tensor first, const struct ga_tensor *second)
{
    cr_assert_eq(mkdir("2_Dense", 0777), 0);
    write_shard("2_Dense/model.safetensors", first, second);
}

Test(shards, a_folder_opens_its_modules_under_their_names)
{
    uint64_t offset = 0;
    write_shard("model.safetensors", a, &b);
    write_module(b, &c);
    struct ga_weights *weights = expect_opened(".", NULL);
    cr_assert_eq(ga_weights_count(weights), 4);
    const struct ga_tensor *of_module = ga_weights_find(weights, "2_Dense.b");
    cr_assert_not_null(of_module);
    cr_expect_eq(memcmp(of_module->data, numbers + 2, 8), 0);
    cr_expect_eq(memcmp(ga_weights_find(weights, "a")->data, numbers, 8), 0);
    cr_expect_str_eq(ga_weights_place(weights, of_module, &offset), "./2_Dense/model.safetensors");
    ga_weights_close(weights);
    ga_weights_close(expect_opened("model.safetensors", NULL));
}

Test(shards, a_tensor_of_a_module_that_the_model_has_too_is_refused)
{
    const struct ga_tensor same = {.name = "2_Dense.b", .dtype = GA_F32, .rank = 1, .shape = {2}, .data = numbers};
    struct ga_weights *weights;
    struct ga_error error;
    write_shard("model.safetensors", a, &same);
    write_module(b, NULL);
    cr_expect_eq(ga_weights_open_model(".", NULL, &weights, &error), GA_FORMAT);
    cr_expect_null(weights);
    cr_expect_str_eq(error.text, "./2_Dense/model.safetensors: tensor '2_Dense.b' is in ./model.safetensors too; "
                                 "expected it in one file");
}

Test(shards, a_damaged_module_is_refused_by_its_path)
{
    struct ga_weights *weights;
    struct ga_error error;
    write_shard("model.safetensors", a, &b);
    cr_assert_eq(mkdir("2_Dense", 0777), 0);
    folder_write("2_Dense/model.safetensors", "x", 1);
    cr_expect_neq(ga_weights_open_model(".", NULL, &weights, &error), GA_OK);
    cr_expect_null(weights);
    cr_expect_not_null(strstr(error.text, "./2_Dense/model.safetensors: "), "%s", error.text);
}

// -- Models that are not --------------------------------------------------------------------------------------------

static void expect_refused(const char *path, const struct malformed_index *row)
{
    struct ga_error error = {.text = ""};
    struct ga_weights *weights = (struct ga_weights *)&error;
    const uint64_t offset = row->at == NULL ? row->offset : (uint64_t)(strstr(row->text, row->at) - row->text);
    cr_expect_eq(ga_weights_open_model(path, NULL, &weights, &error), row->status, "%s: %s", row->name, error.text);
    cr_expect_null(weights, "%s", row->name);
    cr_expect_eq(error.fault, row->fault, "%s: %s: %s", row->name, ga_fault_text(error.fault), error.text);
    cr_expect_eq(error.offset, offset, "%s: byte %llu, expected %llu: %s", row->name, (unsigned long long)error.offset,
                 (unsigned long long)offset, error.text);
    cr_expect_not_null(strstr(error.text, row->says), "%s: said '%s', expected '%s'", row->name, error.text, row->says);
}

Test(shards, malformed_ones_are_refused)
{
    for (size_t i = 0; i < n_malformed_indices; i++) {
        write_files(malformed_indices[i].text, malformed_indices[i].shards);
        expect_refused(".", &malformed_indices[i]);
        remove_files();
    }
}

Test(shards, a_damaged_shard_is_refused_by_its_path)
{
    write_files(SOUND, SHARDS_SOUND);
    folder_write("two.safetensors", "\2\0\0\0\0\0\0\0{}x", 11);
    expect_refused(INDEX, &(struct malformed_index){.name = "damaged",
                                                    .status = GA_FORMAT,
                                                    .fault = GA_FAULT_NO_TENSORS,
                                                    .offset = 10,
                                                    .says = "two.safetensors: byte 10: 1 bytes of data"});
}

Test(shards, what_is_no_model_is_refused)
{
    struct malformed_index row = {.status = GA_IO, .fault = GA_FAULT_OPEN, .offset = GA_NO_OFFSET};
    row.name = "empty folder", row.says = ".: a folder without weights; expected model.safetensors, or model.safe";
    expect_refused(".", &row);
    row.name = "absent", row.says = "absent: cannot open: No such file";
    expect_refused("absent", &row);
    row.name = "absent index", row.says = "absent.index.json: cannot open: No such file";
    expect_refused("absent.index.json", &row);
    cr_assert_eq(mkfifo("fifo.index.json", 0666), 0);
    row.name = "fifo", row.says = "a pipe or device; expected a regular file", row.fault = GA_FAULT_NOT_REGULAR;
    expect_refused("fifo.index.json", &row);
}

Test(shards, indices_end_at_the_cap)
{
    struct ga_weights *weights = NULL;
    struct ga_error error;
    const struct ga_weights_options at = {.header_max = sizeof SOUND - 1}, below = {.header_max = sizeof SOUND - 2};
    write_files(SOUND, SHARDS_SOUND);
    ga_weights_close(expect_opened(".", &at));
    cr_expect_eq(ga_weights_open_model(".", &below, &weights, &error), GA_FORMAT);
    cr_expect_eq(error.fault, GA_FAULT_HEADER_CAP, "%s", error.text);
    cr_expect_eq(ga_weights_open_model(NULL, NULL, &weights, &error), GA_ARGUMENT);
    cr_expect_eq(ga_weights_open_model(".", NULL, NULL, &error), GA_ARGUMENT);
}
