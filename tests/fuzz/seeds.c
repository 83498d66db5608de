// seeds.c: writes what fuzzing begins with: good files of weights for each model and each of its maps, also packed,
// good files of inputs, texts, and the bad files of support/malformed_rows.c and support/malformed_gguf.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "fuzz.h"
#include "pack_file.h"
#include "support/malformed.h"
#include "support/malformed_gguf.h"
#include "text/gguf_make.h"
#include "text/text_fixture.h"
#include "weights.h"

enum { MOST_TENSORS = 64, MOST_ELEMENTS = 256, MOST_PATH = 512 };

static const char *folder;

// The path of a seed; its folder is made.
static const char *path_of(const char *target, const char *name)
{
    static char path[MOST_PATH];
    (void)snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    return path;
}

static void write_tensors(const char *target, const char *name, const struct ga_tensor *tensors, size_t count)
{
    struct ga_error error;
    if (ga_weights_write(path_of(target, name), tensors, count, &error) != GA_OK) {
        fprintf(stderr, "seeds: %s\n", error.text);
        exit(1);
    }
}

// -- Weights --------------------------------------------------------------------------------------------------------

static float numbers[MOST_ELEMENTS];

static bool is_listed(const struct ga_tensor *tensors, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tensors[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void write_map(const struct ga_model *model, const struct ga_weight_map *map)
{
    struct ga_tensor tensors[MOST_TENSORS];
    size_t count = 0;
    char name[MOST_PATH];
    for (size_t r = 0; r < model->n_roles && count < MOST_TENSORS; r++) {
        const struct ga_weight_source *source = &map->sources[r];
        if (!is_listed(tensors, count, source->tensor)) {
            struct ga_tensor tensor = {.name = source->tensor, .dtype = GA_F32, .rank = source->rank, .data = numbers};
            memcpy(tensor.shape, source->shape, sizeof source->shape);
            tensors[count++] = tensor;
        }
    }
    (void)snprintf(name, sizeof name, "%s-%s.safetensors", model->name, map->name);
    write_tensors("weights", name, tensors, count);
}

// The model's weights packed, all of the same few numbers, in one file alone and in one with an attachment.
static void write_packed(const struct ga_model *model)
{
    enum { MOST_ROLES = 128 };
    struct ga_weight_view views[MOST_ROLES];
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
    struct ga_error error;
    char name[MOST_PATH];
    for (size_t r = 0; r < model->n_roles && r < MOST_ROLES; r++) {
        views[r] = (struct ga_weight_view){
            .data = numbers, .row_stride = model->roles[r].rank == 2 ? model->roles[r].shape[1] : 1, .col_stride = 1};
    }
    bool ok = ga_model_variant(model, NULL, &variant, &error) == GA_OK;
    const size_t size = ok ? ga_model_packed_size(variant) : 0;
    void *block = aligned_alloc(GA_ALIGN, (size + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN);
    ok = ok && block && ga_model_pack(model, variant, views, block, size, &loaded, &error) == GA_OK;
    static const struct ga_pack_attachment tokenizer = {"_tokenizer", 1, "{}", 2};
    for (int attached = 0; attached < 2; attached++) {
        (void)snprintf(name, sizeof name, "%s%s.gap", model->name, attached ? "-attached" : "");
        ok = ok &&
             ga_pack_write_with(path_of("pack", name), &loaded, 1, 0, attached ? &tokenizer : NULL, &error) == GA_OK;
    }
    free(block);
    if (!ok) {
        fprintf(stderr, "seeds: %s: %s\n", name, error.text);
        exit(1);
    }
}

// -- Inputs ---------------------------------------------------------------------------------------------------------

static const int32_t ones[MOST_ELEMENTS], lengths[] = {2, 1}, ids[MOST_ELEMENTS] = {1, 2, 3, 0, 4, 1};
static const int64_t wide[] = {3, 0};
static const uint8_t shown[MOST_ELEMENTS] = {1, 0, 1, 1, 0, 0, 1, 1, 1};

// A row with a NaN among its scores has no maximum, and the exponentials of others may be asked for far above 0.
static const float wild[MOST_ELEMENTS] = {1, -3e38F, NAN, 3e38F, 1e30F, -INFINITY, 1e-40F, 2e30F, NAN, -1, 0.5F, 1e38F};

struct seed {
    const char *name;
    struct ga_tensor tensors[6];
};

#define FLOATS(name, ...)                                                                      \
    {                                                                                          \
        name, GA_F32, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), {__VA_ARGS__}, numbers \
    }
#define WILD(name, ...)                                                                     \
    {                                                                                       \
        name, GA_F32, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), {__VA_ARGS__}, wild \
    }
#define IDS(name, ...)                                                                     \
    {                                                                                      \
        name, GA_I32, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), {__VA_ARGS__}, ids \
    }

static const struct seed inputs[] = {
    {"layer", {FLOATS("query", 2, 3, 4), {"mask", GA_BOOL, 2, {3, 3}, shown}, {"q_lengths", GA_I32, 1, {2}, lengths}}},
    {"layer-mask", {FLOATS("query", 2, 3, 4), {"mask", GA_U8, 4, {2, 2, 3, 3}, shown}}},
    {"layer-cross",
     {FLOATS("query", 2, 3, 4),
      FLOATS("key", 2, 5, 4),
      FLOATS("value", 2, 5, 4),
      {"kv_lengths", GA_I64, 1, {2}, wide},
      {"position", GA_I32, 1, {2}, lengths},
      {"kv_position", GA_I32, 1, {2}, lengths}}},
    {"layer-tokens", {IDS("tokens", 2, 3), {"q_lengths", GA_I64, 1, {2}, wide}}},
    {"cache",
     {FLOATS("query", 2, 3, 4),
      FLOATS("cache_keys", 2, 1, 4, 2),
      FLOATS("cache_values", 2, 1, 4, 2),
      {"cache_lengths", GA_I32, 1, {2}, lengths}}},
    {"cache-alone", {FLOATS("query", 6, 4)}},
    {"heads",
     {FLOATS("query", 2, 1, 4, 3), FLOATS("key", 2, 1, 5, 3), FLOATS("value", 2, 1, 5, 5), FLOATS("mask", 4, 5)}},
    {"heads-bare", {FLOATS("query", 4, 3), FLOATS("key", 5, 3), FLOATS("value", 5, 5)}},
    {"stack", {IDS("tokens", 2, 3), {"token_types", GA_I32, 2, {2, 3}, ones}, {"lengths", GA_I32, 1, {2}, lengths}}},
    {"stack-rows", {FLOATS("x", 3, 4)}},
    {"both",
     {IDS("src", 2, 4),
      IDS("trg", 2, 3),
      {"src_lengths", GA_I32, 1, {2}, lengths},
      {"trg_lengths", GA_I64, 1, {2}, wide}}},
    {"both-rows", {FLOATS("src", 4, 4), FLOATS("trg", 3, 4)}},
    {"layer-wild", {WILD("query", 2, 6, 4)}},
    {"heads-wild", {WILD("query", 6, 3), FLOATS("key", 6, 3), WILD("value", 6, 5)}},
    {"both-wild", {WILD("src", 5, 4), WILD("trg", 6, 4)}},
    {"expected", {FLOATS("output", 2, 3, 4), FLOATS("attention", 2, 2, 3, 3)}},
};

static void write_inputs(void)
{
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        char name[MOST_PATH];
        size_t count = 0;
        while (count < sizeof inputs[i].tensors / sizeof *inputs[i].tensors && inputs[i].tensors[count].name) {
            count++;
        }
        (void)snprintf(name, sizeof name, "%s.safetensors", inputs[i].name);
        write_tensors("inputs", name, inputs[i].tensors, count);
    }
}

// -- Texts ----------------------------------------------------------------------------------------------------------

static const char *const texts[] = {
    "n7",
    "n3,40,1000",
    "n1e-3",
    "n-1",
    "nall",
    "n18446744073709551615",
    "oscalar",
    "ooutput,cache_keys",
    "ow_q",
    "o2",
    "o--threads=2",
    "o-h",
    "e1 2 3\n4,5\n",
    "e\n\r\n6\t6 6 6 6 6 6",
    "e99999999999999999999\n",
    "da\nb\nc\n",
    "d\xc3\xa9\n<&>\n\xe2\x82\xac",
    "d1\r\n2\r\n3",
    "i{\"metadata\":{\"total_size\":48},\"weight_map\":{\"query\":\"in.safetensors\"}}",
};

static void write_bytes(const char *target, const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(target, name), "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "seeds: %s cannot be written\n", name);
        exit(1);
    }
}

static void write_texts(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char name[MOST_PATH];
        (void)snprintf(name, sizeof name, "%zu.txt", i);
        write_bytes("text", name, texts[i], strlen(texts[i]));
    }
}

// As weights and as inputs; those that are bad by being large are left out.
static void write_malformed(void)
{
    enum { LARGEST = 4096 };
    for (size_t i = 0; i < n_malformed_rows; i++) {
        char name[MOST_PATH];
        size_t size = 0;
        unsigned char *bytes = malformed_bytes(&malformed_rows[i], &size);
        (void)snprintf(name, sizeof name, "%02d_%s", malformed_rows[i].number, malformed_rows[i].name);
        if (size <= LARGEST) {
            write_bytes("weights", name, bytes, size);
            write_bytes("inputs", name, bytes, size);
        }
        free(bytes);
    }
}

static void write_gguf(const struct malformed_gguf *row)
{
    size_t size = 0;
    unsigned char *bytes = malformed_gguf_bytes(row, &size);
    write_bytes("gguf", row->name, bytes, size);
    free(bytes);
}

static void write_ggufs(void)
{
    write_gguf(&sound_gguf);
    for (size_t i = 0; i < n_malformed_ggufs; i++) {
        write_gguf(&malformed_ggufs[i]);
    }
}

// The fixture of the tests of libga_text between what is before it and what comes after its NUL.
static void write_tokenizer(const char *name, const char *before, const void *rest, size_t size)
{
    FILE *file = fopen(path_of("tokenizer", name), "wb");
    const size_t length = strlen(before);
    const bool written = file && fwrite(before, 1, length, file) == length &&
                         fwrite(fixture_json, 1, sizeof fixture_json, file) == sizeof fixture_json &&
                         fwrite(rest, 1, size, file) == size;
    if (!file || fclose(file) != 0 || !written) {
        fprintf(stderr, "seeds: the tokenizer cannot be written\n");
        exit(1);
    }
}

// A file and a text for it; one that is packed and damaged: a size of a table, a length, a node.
static void write_tokenizers(void)
{
    static const char text[] = "The cats!  <x>a na\xC3\xAFve dog";
    static const unsigned char damage[] = {32, 0, 0, 40, 0, 4, 0, 9, 0, 16, 0, 255};
    write_tokenizer("bert", "", text, sizeof text - 1);
    write_tokenizer("damaged", "\x01", damage, sizeof damage);
}

// A GGUF file of a few tokens of every type, with all keys that any kind of tokenizer reads.
static void write_gguf_tokenizer(const char *model, const char *unigram_map, size_t size)
{
    static const char *const tokens[] = {"<unk>", "<s>", "</s>", "\u2581the", "\u2581", "cat", "s", "<x>", "cats"};
    enum { COUNT = sizeof tokens / sizeof *tokens };
    static const float scores[COUNT] = {0, 0, 0, -3, -4, -5, -6, -7, -8};
    static const unsigned char types[COUNT] = {2, 3, 3, 1, 1, 1, 5, 4, 1};
    struct gguf_file file = begin_file(model, "default");
    put_array(&file, "tokenizer.ggml.tokens", STRING, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        put_text(&file, tokens[i]);
    }
    put_array(&file, "tokenizer.ggml.token_type", I32, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        put_number(&file, types[i], 4);
    }
    put_floats(&file, "tokenizer.ggml.scores", scores, COUNT);
    put_array(&file, "tokenizer.ggml.merges", STRING, 1);
    put_text(&file, "cat s");
    put_id(&file, "tokenizer.ggml.bos_token_id", 1);
    put_id(&file, "tokenizer.ggml.eos_token_id", 2);
    put_id(&file, "tokenizer.ggml.seperator_token_id", 2);
    put_id(&file, "tokenizer.ggml.unknown_token_id", 0);
    put_switch(&file, "tokenizer.ggml.add_space_prefix", true);
    put_switch(&file, "tokenizer.ggml.remove_extra_whitespaces", true);
    put_switch(&file, "tokenizer.ggml.normalizer.lowercase", true);
    put_array(&file, "tokenizer.ggml.precompiled_charsmap", U8, size);
    memcpy(file.bytes + file.length, unigram_map, size);
    file.length += size;
    count_keys(&file);
    write_bytes("tokenizer", model, (const unsigned char *)file.bytes, file.length);
}

// The map of Unigram has three units, and the texts "a" and "".
static void write_gguf_tokenizers(void)
{
    static const char map[] = "\x0c\0\0\0\0\x04\0\0\1\1\0\0\0\0\0\x80"
                              "a\0";
    static const char *const models[] = {"llama", "gpt2", "bert", "t5"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        write_gguf_tokenizer(models[i], map, sizeof map);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\nWrites what fuzzing begins with to FOLDER, which there is.\n", argv[0]);
        return 2;
    }
    folder = argv[1];
    for (size_t i = 0; i < MOST_ELEMENTS; i++) {
        numbers[i] = (float)((double)(i % 7) / 4 - 0.5);
    }
    for (size_t m = 0; m < n_ga_test_models; m++) {
        for (size_t i = 0; i < ga_test_models[m]->n_maps; i++) {
            write_map(ga_test_models[m], &ga_test_models[m]->maps[i]);
        }
        write_packed(ga_test_models[m]);
    }
    write_inputs();
    write_texts();
    write_malformed();
    write_ggufs();
    write_tokenizers();
    write_gguf_tokenizers();
    return 0;
}
