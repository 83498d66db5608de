// fuzz_weights.c: any bytes as a file of weights: refused with a word, or read as tensors that are what they say, that
// come out of a written file as they went in, and that pack where a model takes them.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "load.h"
#include "weights.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char label[] = "fuzz.safetensors";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

// -- Tensors --------------------------------------------------------------------------------------------------------

// Floats of a tensor are its own where it is F32, and else as many as it has elements.
static void check_floats(struct ga_weights *weights, const struct ga_tensor *tensor)
{
    const float *floats = NULL;
    size_t elements = 0;
    const enum ga_status status = ga_weights_floats(weights, tensor, &floats, NULL);
    fuzz_need((status == GA_OK) == ga_weights_are_floats(tensor), "%s: floats with status %d", tensor->name,
              (int)status);
    fuzz_need(tensor->dtype != GA_F32 || floats == tensor->data, "%s: F32 was copied", tensor->name);
    if (status == GA_OK && ga_shape_elements(tensor->rank, tensor->shape, &elements) && elements > 0) {
        volatile float last = floats[elements - 1];
        (void)last;
    }
}

static size_t check_tensor(struct ga_weights *weights, size_t i)
{
    const struct ga_tensor *tensor = ga_weights_at(weights, i);
    const size_t width = ga_dtype_size(tensor->dtype);
    size_t bytes = 0;
    fuzz_need(width > 0 && tensor->rank <= GA_MAX_RANK && ga_tensor_bytes(tensor, &bytes), "tensor %zu is none", i);
    fuzz_need((bytes == 0) == (tensor->data == NULL), "tensor %zu of %zu bytes has wrong data", i, bytes);
    fuzz_need((uintptr_t)tensor->data % width == 0, "tensor %zu is not aligned", i);
    fuzz_need(ga_weights_find(weights, tensor->name) == tensor, "tensor %zu is not found by its name", i);
    check_floats(weights, tensor);
    fuzz_need(i == 0 || strcmp(ga_weights_at(weights, i - 1)->name, tensor->name) < 0, "tensor %zu is not in order", i);
    return bytes;
}

// The tensors cover all that stands after the header, once.
static void check_tensors(struct ga_weights *weights, const uint8_t *data, size_t size)
{
    uint64_t header = 0;
    size_t total = 0;
    const unsigned char *first = NULL, *last = NULL;
    memcpy(&header, data, sizeof header);
    for (size_t i = 0; i < ga_weights_count(weights); i++) {
        const unsigned char *begin = ga_weights_at(weights, i)->data;
        const size_t bytes = check_tensor(weights, i);
        uint64_t offset = 0;
        fuzz_need(strcmp(ga_weights_place(weights, ga_weights_at(weights, i), &offset), label) == 0 &&
                      offset + bytes <= size && (bytes == 0 || memcmp(begin, data + offset, bytes) == 0),
                  "tensor %zu is not at byte %llu", i, (unsigned long long)offset);
        total += bytes;
        first = begin && (!first || begin < first) ? begin : first;
        last = begin && (!last || begin + bytes > last) ? begin + bytes : last;
    }
    const size_t after = size - sizeof header - (size_t)header;
    fuzz_need(total == after && (size_t)(last - first) == after, "tensors of %zu bytes over %zu in %zu", total,
              (size_t)(last - first), after);
    fuzz_need(after == 0 || memcmp(first, data + size - after, after) == 0, "the data are not those of the file");
}

// -- Written and read again -----------------------------------------------------------------------------------------

static void check_same(const struct ga_weights *weights, const struct ga_weights *again)
{
    fuzz_need(ga_weights_count(weights) == ga_weights_count(again), "a written file has other tensors");
    for (size_t i = 0; i < ga_weights_count(weights); i++) {
        const struct ga_tensor *a = ga_weights_at(weights, i), *b = ga_weights_at(again, i);
        size_t bytes = 0;
        fuzz_need(strcmp(a->name, b->name) == 0 && a->dtype == b->dtype && ga_tensor_has_shape(a, b->rank, b->shape) &&
                      ga_tensor_bytes(a, &bytes) && (bytes == 0 || memcmp(a->data, b->data, bytes) == 0),
                  "tensor %zu of a written file is another", i);
    }
}

static void write_and_read(const struct ga_weights *weights)
{
    const size_t count = ga_weights_count(weights);
    struct ga_tensor *tensors = malloc((count + 1) * sizeof *tensors);
    struct ga_weights *again;
    struct ga_error error;
    const char *path = fuzz_path("out.safetensors");
    for (size_t i = 0; tensors && i < count; i++) {
        tensors[i] = *ga_weights_at(weights, i);
    }
    fuzz_need(tensors && ga_weights_write(path, tensors, count, &error) == GA_OK, "not written: %s", error.text);
    fuzz_need(ga_weights_open(path, &again, &error) == GA_OK, "not read: %s", error.text);
    check_same(weights, again);
    ga_weights_close(again);
    free(tensors);
}

// -- Models ---------------------------------------------------------------------------------------------------------

static void pack(const struct ga_model *model, const struct ga_weight_view *views)
{
    const struct ga_variant *variant;
    const struct ga_loaded *loaded;
    struct ga_error error;
    fuzz_need(ga_model_variant(model, NULL, &variant, &error) == GA_OK, "%s", error.text);
    const size_t size = ga_model_packed_size(variant);
    void *block = aligned_alloc(GA_ALIGN, (size + GA_ALIGN - 1) / GA_ALIGN * GA_ALIGN);
    fuzz_need(block && ga_model_pack(model, variant, views, block, size, &loaded, &error) == GA_OK, "not packed: %s",
              error.text);
    free(block);
}

// Which options a file is read and loaded with hangs on its bytes.
static struct ga_weights_options read_options(uint64_t hash)
{
    return (struct ga_weights_options){
        .header_max = hash % 16 == 0 ? 600 : 0,
        .in_place = hash / 16 % 2,
        .allow_leading_blank = hash / 32 % 2,
        .allow_unknown_fields = hash / 64 % 2,
    };
}

static void load(const struct ga_model *model, struct ga_weights *weights, const char *layout, size_t size)
{
    enum { MOST_ROLES = 256 };
    struct ga_weight_view views[MOST_ROLES];
    struct ga_error error = {.status = GA_OK};
    const struct ga_load_options options = {.layout = layout, .strict = size % 2, .finite = size / 2 % 2};
    fuzz_need(model->n_roles <= MOST_ROLES, "%s has %zu roles", model->name, model->n_roles);
    const enum ga_status looked = ga_load_check(model, weights, &options, NULL);
    const enum ga_status status = ga_load_views_with(model, weights, &options, views, &error);
    fuzz_need(options.finite || status == looked, "%s: loads with status %d, is checked with %d", model->name,
              (int)status, (int)looked);
    if (status == GA_OK) {
        pack(model, views);
    } else {
        fuzz_check_error(status, &error, label, size, model->name);
    }
}

static void load_everywhere(struct ga_weights *weights, size_t size)
{
    for (size_t m = 0; m < n_ga_test_models; m++) {
        const struct ga_model *model = ga_test_models[m];
        if (model->n_roles > 0) {
            load(model, weights, NULL, size);
        }
        for (size_t i = 0; i < model->n_maps; i++) {
            load(model, weights, model->maps[i].name, size);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ga_weights *weights = (void *)&weights;
    struct ga_error error = {.status = GA_OK};
    if (size >= 4 && memcmp(data, "GGUF", 4) == 0) {
        return 0; // which fuzz_gguf.c is about
    }
    const struct ga_weights_options options = read_options(fuzz_hash(data, size));
    fuzz_memory_begin();
    const enum ga_status status = ga_weights_parse_with(data, size, label, &options, &weights, &error);
    fuzz_check_memory(fuzz_memory_end(), size);
    if (status != GA_OK) {
        fuzz_need(weights == NULL, "a failed call left a pointer");
        fuzz_check_error(status, &error, label, size, "parse");
        return 0;
    }
    check_tensors(weights, data, size);
    write_and_read(weights);
    load_everywhere(weights, size);
    ga_weights_close(weights);
    return 0;
}
