// fuzz_gguf.c: any bytes as a GGUF file: refused with a word, or read as tensors that lie within the file, in order and
// without overlap, and whose elements can be had; from a file as from memory.
#include <string.h>

#include "fuzz.h"
#include "weights.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char label[] = "fuzz.gguf";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_start();
    return 0;
}

// Its bytes are those of the file, and so many that its floats can be had.
static void check_tensor(struct ga_weights *weights, size_t i, const uint8_t *data, size_t size)
{
    const struct ga_tensor *tensor = ga_weights_at(weights, i);
    const float *floats = NULL;
    size_t bytes = 0, elements = 0;
    uint64_t offset = 0;
    fuzz_need(tensor->rank <= GA_MAX_RANK && ga_tensor_bytes(tensor, &bytes) &&
                  ga_shape_elements(tensor->rank, tensor->shape, &elements),
              "tensor %zu is none", i);
    fuzz_need((bytes == 0) == (tensor->data == NULL), "tensor %zu of %zu bytes has wrong data", i, bytes);
    fuzz_need(ga_weights_place(weights, tensor, &offset) != NULL && offset + bytes <= size &&
                  (bytes == 0 || memcmp(tensor->data, data + offset, bytes) == 0),
              "tensor %zu is not at byte %llu", i, (unsigned long long)offset);
    fuzz_need(ga_weights_find(weights, tensor->name) == tensor, "tensor %zu is not found by its name", i);
    const enum ga_status status = ga_weights_floats(weights, tensor, &floats, NULL);
    fuzz_need((status == GA_OK) == ga_weights_are_floats(tensor), "%s: floats with status %d", tensor->name,
              (int)status);
    if (status == GA_OK && elements > 0) {
        volatile float last = floats[elements - 1];
        (void)last;
    }
}

// No two tensors share a byte.
static void check_overlap(const struct ga_weights *weights)
{
    for (size_t i = 0; i < ga_weights_count(weights); i++) {
        for (size_t j = 0; j < i; j++) {
            const struct ga_tensor *a = ga_weights_at(weights, i), *b = ga_weights_at(weights, j);
            size_t a_bytes = 0, b_bytes = 0;
            (void)ga_tensor_bytes(a, &a_bytes);
            (void)ga_tensor_bytes(b, &b_bytes);
            fuzz_need(a_bytes == 0 || b_bytes == 0 || (uintptr_t)a->data >= (uintptr_t)b->data + b_bytes ||
                          (uintptr_t)b->data >= (uintptr_t)a->data + a_bytes,
                      "tensors %zu and %zu share bytes", i, j);
        }
    }
}

// A file is read as its bytes are: with the same outcome.
static void check_file(const uint8_t *data, size_t size, const struct ga_weights_options *options,
                       enum ga_status expected, const struct ga_error *said)
{
    struct ga_weights *weights = NULL;
    struct ga_error error = {.status = GA_OK};
    const enum ga_status status = ga_weights_open_with(fuzz_write("in.gguf", data, size), options, &weights, &error);
    fuzz_need(status == expected, "status %d from a file, %d from memory", (int)status, (int)expected);
    fuzz_need(status == GA_OK || (error.fault == said->fault && error.offset == said->offset),
              "from a file: %s; from memory: %s", error.text, said->text);
    ga_weights_close(weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ga_weights *weights = (void *)&weights;
    struct ga_error error = {.status = GA_OK};
    const uint64_t hash = fuzz_hash(data, size);
    const struct ga_weights_options options = {.header_max = hash % 16 == 0 ? 300 : 0, .in_place = hash / 16 % 2};
    if (size < 8 || memcmp(data, "GGUF", 4) != 0) {
        return -1; // is not kept: fuzz_weights.c is about it
    }
    fuzz_memory_begin();
    const enum ga_status status = ga_weights_parse_with(data, size, label, &options, &weights, &error);
    fuzz_check_memory(fuzz_memory_end(), size);
    fuzz_need(status == GA_OK || weights == NULL, "a failed call left a pointer");
    if (status != GA_OK) {
        fuzz_check_error(status, &error, label, size, "parse");
    }
    for (size_t i = 0; status == GA_OK && i < ga_weights_count(weights); i++) {
        check_tensor(weights, i, data, size);
    }
    if (status == GA_OK) {
        check_overlap(weights);
        ga_weights_close(weights);
    }
    check_file(data, size, &options, status, &error);
    return 0;
}
