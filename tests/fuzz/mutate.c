// mutate.c: changes a safetensors file so that it stays nearly one: the length before the header is made right again,
// the header is edited as JSON, offsets follow the shapes and the data what they say - most of the time. Bytes at
// random rarely come as far as the second check of a header.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model_call.h"
#include "support/rng.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { PREFIX = 8, MOST_NAMES = 1024, MOST_TENSOR = 2048 };

// -- Words ----------------------------------------------------------------------------------------------------------

// Names of weights, inputs and outputs that some model of the build knows.
static struct {
    const char *names[MOST_NAMES];
    size_t count;
} known;

static void add_name(const char *name)
{
    if (known.count < MOST_NAMES) {
        known.names[known.count++] = name;
    }
}

static void add_names(const struct ga_model *model)
{
    const char *inputs[GA_INPUTS];
    const size_t count = ga_input_names(model, inputs);
    for (size_t i = 0; i < count; i++) {
        add_name(inputs[i]);
    }
    for (size_t m = 0; m < model->n_maps; m++) {
        for (size_t r = 0; r < model->n_roles; r++) {
            add_name(model->maps[m].sources[r].tensor);
        }
        for (size_t r = 0; r < model->maps[m].n_refused; r++) {
            add_name(model->maps[m].refused[r].tensor);
        }
    }
}

static const char *any_name(struct rng *rng)
{
    static const char *const more[] = {"output", "attention", "hidden_0", "embedding", "logits", "__metadata__", "x"};
    for (size_t m = 0; known.count == 0 && m < n_ga_test_models; m++) {
        add_names(ga_test_models[m]);
    }
    const size_t at = rng_below(rng, known.count + sizeof more / sizeof *more);
    return at < known.count ? known.names[at] : more[at - known.count];
}

static const char *const dtypes[] = {"F32", "I32", "I64", "F16", "BF16", "F64", "BOOL", "U8", "I8", "U16", "F8_E4M3"};

static const char *any_dtype(struct rng *rng)
{
    const size_t likely = rng_below(rng, 4) == 0 ? sizeof dtypes / sizeof *dtypes : 4;
    return dtypes[rng_below(rng, likely)];
}

static json_int_t any_axis(struct rng *rng)
{
    static const json_int_t rare[] = {0, 64, 4096, 65536, 2147483647, 4294967296, 4611686018427387904, -1};
    return rng_below(rng, 8) == 0 ? rare[rng_below(rng, sizeof rare / sizeof *rare)]
                                  : 1 + (json_int_t)rng_below(rng, 8);
}

// -- Edits of a header ----------------------------------------------------------------------------------------------

static json_t *any_shape(struct rng *rng)
{
    json_t *shape = json_array();
    for (size_t axes = rng_below(rng, 5); axes > 0; axes--) {
        json_array_append_new(shape, json_integer(any_axis(rng)));
    }
    return shape;
}

static const char *any_key(struct rng *rng, json_t *root)
{
    size_t left = json_object_size(root) == 0 ? 0 : rng_below(rng, json_object_size(root));
    void *at = json_object_iter(root);
    for (; at && left > 0; left--) {
        at = json_object_iter_next(root, at);
    }
    return at ? json_object_iter_key(at) : NULL;
}

static void edit_axis(struct rng *rng, json_t *entry)
{
    json_t *shape = json_object_get(entry, "shape");
    const size_t axes = json_array_size(shape), at = rng_below(rng, axes + 1);
    const size_t kind = rng_below(rng, 4);
    if (kind == 0) {
        json_array_insert_new(shape, at, json_integer(any_axis(rng)));
    } else if (kind == 1 && axes > 0) {
        json_array_remove(shape, at % axes);
    } else if (axes > 0) {
        json_array_set_new(shape, at % axes, json_integer(any_axis(rng)));
    }
}

static void edit_offset(struct rng *rng, json_t *entry)
{
    json_t *offsets = json_object_get(entry, "data_offsets");
    const size_t at = rng_below(rng, 2);
    const json_int_t now = json_integer_value(json_array_get(offsets, at));
    const bool is_far = now > INT32_MAX || now < INT32_MIN || rng_below(rng, 6) == 0;
    const json_int_t moved = is_far ? any_axis(rng) : now + (json_int_t)rng_below(rng, 17) - 8;
    json_array_set_new(offsets, at, json_integer(moved));
}

static void edit_entry(struct rng *rng, json_t *root, const char *key)
{
    json_t *entry = json_object_get(root, key);
    switch (rng_below(rng, 6)) {
    case 0:
        json_object_set_new(entry, "dtype", json_string(any_dtype(rng)));
        break;
    case 1:
        json_object_set_new(entry, "shape", any_shape(rng));
        break;
    case 2:
        edit_offset(rng, entry);
        break;
    case 3: // under another name
        json_object_set(root, any_name(rng), entry);
        json_object_del(root, key);
        break;
    default:
        edit_axis(rng, entry);
        break;
    }
}

static void add_entry(struct rng *rng, json_t *root)
{
    json_object_set_new(
        root, any_name(rng),
        json_pack("{s:s, s:o, s:[i, i]}", "dtype", any_dtype(rng), "shape", any_shape(rng), "data_offsets", 0, 0));
}

static void edit(struct rng *rng, json_t *root)
{
    const char *key = any_key(rng, root);
    const size_t kind = rng_below(rng, 8);
    if (key == NULL || kind == 0) {
        add_entry(rng, root);
    } else if (kind == 1) {
        json_object_del(root, key);
    } else {
        edit_entry(rng, root, key);
    }
}

// -- Offsets and data that follow ------------------------------------------------------------------------------------

// Bytes that the entry's shape asks for; MOST_TENSOR + 1 where they are none or too many for a file of this kind.
static size_t bytes_of(json_t *entry)
{
    enum ga_dtype dtype;
    const char *name = json_string_value(json_object_get(entry, "dtype"));
    size_t bytes = name && ga_dtype_parse(name, &dtype) ? ga_dtype_size(dtype) : MOST_TENSOR + 1;
    json_t *shape = json_object_get(entry, "shape");
    for (size_t i = 0; i < json_array_size(shape) && bytes <= MOST_TENSOR; i++) {
        const json_int_t axis = json_integer_value(json_array_get(shape, i));
        bytes = axis < 0 || axis > MOST_TENSOR ? MOST_TENSOR + 1 : bytes * (size_t)axis;
    }
    return bytes > MOST_TENSOR ? MOST_TENSOR + 1 : bytes;
}

// Small numbers of the entry's type, so that lengths, ids and places are such.
static void fill(struct rng *rng, json_t *entry, uint8_t *data, size_t bytes)
{
    const char *dtype = json_string_value(json_object_get(entry, "dtype"));
    const bool is_float = strcmp(dtype, "F32") == 0;
    const size_t width = strstr(dtype, "64") ? 8 : strstr(dtype, "32") ? 4 : 1;
    memset(data, 0, bytes);
    for (size_t i = 0; i + width <= bytes; i += width) {
        const float number = (float)rng_below(rng, 9) / 4 - 1;
        const uint8_t small = (uint8_t)rng_below(rng, rng_below(rng, 4) + 1);
        memcpy(data + i, is_float ? (const void *)&number : &small, is_float ? sizeof number : 1);
    }
}

// Entries one after the other, as many bytes of data as they ask for; wide elements would have to come first, and
// sometimes do. Returns the new size of the data.
static size_t repair(struct rng *rng, json_t *root, uint8_t *data, size_t size, size_t room)
{
    const bool anew = rng_below(rng, 2) == 0;
    size_t end = 0;
    const char *key;
    json_t *entry;
    json_object_foreach(root, key, entry)
    {
        const size_t bytes = bytes_of(entry);
        if (bytes <= MOST_TENSOR && bytes <= room - end) {
            json_object_set_new(entry, "data_offsets", json_pack("[I, I]", (json_int_t)end, (json_int_t)(end + bytes)));
            if (anew || end + bytes > size) {
                fill(rng, entry, data + end, bytes);
            }
            end += bytes;
        }
    }
    return end;
}

// -- Files ----------------------------------------------------------------------------------------------------------

// A file in parts, with room for more.
struct parts {
    uint8_t *header, *data;
    size_t header_size, data_size, room; // of each
};

static void split(struct parts *parts, const uint8_t *bytes, size_t size)
{
    uint64_t length = 0;
    for (size_t i = PREFIX; i-- > 0;) {
        length = length << 8 | (i < size ? bytes[i] : 0);
    }
    const size_t after = size > PREFIX ? size - PREFIX : 0;
    parts->header_size = length < after ? (size_t)length : after;
    parts->data_size = after - parts->header_size;
    memcpy(parts->header, bytes + (size > PREFIX ? PREFIX : 0), parts->header_size);
    memcpy(parts->data, bytes + (size > PREFIX ? PREFIX : 0) + parts->header_size, parts->data_size);
}

// Header and data with the length before them; what does not fit is left out.
static size_t join(const struct parts *parts, uint8_t *bytes, size_t max_size)
{
    const size_t header = parts->header_size < max_size - PREFIX ? parts->header_size : max_size - PREFIX;
    const size_t room = max_size - PREFIX - header, data = parts->data_size < room ? parts->data_size : room;
    for (size_t i = 0; i < PREFIX; i++) {
        bytes[i] = (uint8_t)((uint64_t)header >> (8 * i));
    }
    memcpy(bytes + PREFIX, parts->header, header);
    memcpy(bytes + PREFIX + header, parts->data, data);
    return PREFIX + header + data;
}

// Edits the header as JSON; one that is none becomes a small one that is.
static void edit_json(struct rng *rng, struct parts *parts)
{
    json_t *root = json_loadb((const char *)parts->header, parts->header_size, 0, NULL);
    root = root ? root : json_object();
    for (size_t edits = 1 + rng_below(rng, 3); edits > 0; edits--) {
        edit(rng, root);
    }
    if (rng_below(rng, 8) > 0) {
        parts->data_size = repair(rng, root, parts->data, parts->data_size, parts->room);
    }
    const size_t length = json_dumpb(root, (char *)parts->header, parts->room - PREFIX, JSON_COMPACT);
    parts->header_size = length < parts->room - PREFIX ? length : 0;
    while (rng_below(rng, 2) == 0 && parts->header_size % PREFIX != 0) {
        parts->header[parts->header_size++] = ' ';
    }
    json_decref(root);
}

static void mutate(struct rng *rng, struct parts *parts)
{
    switch (rng_below(rng, 5)) {
    case 0:
        parts->header_size = LLVMFuzzerMutate(parts->header, parts->header_size, parts->room);
        break;
    case 1:
        parts->data_size = LLVMFuzzerMutate(parts->data, parts->data_size, parts->room);
        break;
    default:
        edit_json(rng, parts);
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    struct rng rng = rng_seeded(seed);
    struct parts parts = {.room = max_size};
    if (max_size <= PREFIX + 2 || rng_below(&rng, 8) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    parts.header = malloc(max_size);
    parts.data = malloc(max_size);
    if (parts.header && parts.data) {
        split(&parts, data, size);
        mutate(&rng, &parts);
        size = join(&parts, data, max_size);
    }
    free(parts.header);
    free(parts.data);
    return size;
}
