// gguf.c: the tensors of a GGUF header: names, shapes and types, and how they tile the data. Opens no file, decodes no
// block.
#include "gguf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AXES = 4 }; // as ggml has it

bool ga_gguf_begins(const unsigned char *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "GGUF", 4) == 0;
}

// -- Types ----------------------------------------------------------------------------------------------------------

// ggml's types by their numbers; those that are not read have their names alone.
static const struct {
    const char *name;
    bool is_read;
    enum ga_dtype dtype;
} types[] = {
    [0] = {"F32", true, GA_F32},        [1] = {"F16", true, GA_F16},    [2] = {"Q4_0", true, GA_Q4_0},
    [3] = {"Q4_1", true, GA_Q4_1},      [6] = {"Q5_0", true, GA_Q5_0},  [7] = {"Q5_1", true, GA_Q5_1},
    [8] = {"Q8_0", true, GA_Q8_0},      [9] = {.name = "Q8_1"},         [10] = {"Q2_K", true, GA_Q2_K},
    [11] = {"Q3_K", true, GA_Q3_K},     [12] = {"Q4_K", true, GA_Q4_K}, [13] = {"Q5_K", true, GA_Q5_K},
    [14] = {"Q6_K", true, GA_Q6_K},     [15] = {.name = "Q8_K"},        [16] = {.name = "IQ2_XXS"},
    [17] = {.name = "IQ2_XS"},          [18] = {.name = "IQ3_XXS"},     [19] = {.name = "IQ1_S"},
    [20] = {"IQ4_NL", true, GA_IQ4_NL}, [21] = {.name = "IQ3_S"},       [22] = {.name = "IQ2_S"},
    [23] = {.name = "IQ4_XS"},          [24] = {"I8", true, GA_I8},     [25] = {"I16", true, GA_I16},
    [26] = {"I32", true, GA_I32},       [27] = {"I64", true, GA_I64},   [28] = {"F64", true, GA_F64},
    [29] = {.name = "IQ1_M"},           [30] = {"BF16", true, GA_BF16}, [34] = {.name = "TQ1_0"},
    [35] = {.name = "TQ2_0"},           [39] = {.name = "MXFP4"},
};

enum { N_TYPES = sizeof types / sizeof *types };

// -- One tensor -----------------------------------------------------------------------------------------------------

// What the header says of a tensor.
struct info {
    struct ga_gguf_text name;
    uint32_t axes;
    uint64_t shape[MAX_AXES]; // innermost first
    uint32_t type;
    uint64_t offset;
    size_t axes_at, type_at, offset_at; // their bytes of the file
};

static bool read_info(struct ga_gguf_reader *r, struct info *info)
{
    if (!ga_gguf_text(r, "a tensor's name", &info->name)) {
        return false;
    }
    info->axes_at = r->at;
    if (!ga_gguf_u32(r, "a number of axes", &info->axes)) {
        return false;
    }
    if (info->axes > MAX_AXES) {
        return ga_gguf_refuse(r, GA_FAULT_RANK, info->axes_at, NULL, "a tensor of %u axes; expected at most %d",
                              (unsigned)info->axes, MAX_AXES);
    }
    for (size_t i = 0; i < info->axes; i++) {
        if (!ga_gguf_u64(r, "an axis", &info->shape[i])) {
            return false;
        }
    }
    info->type_at = r->at;
    if (!ga_gguf_u32(r, "a tensor's type", &info->type)) {
        return false;
    }
    info->offset_at = r->at;
    return ga_gguf_u64(r, "a tensor's offset", &info->offset);
}

static bool check_name(const struct ga_gguf_reader *r, const struct info *info, const char *name)
{
    const size_t length = info->name.length;
    if (length == 0 || length > GA_SAFETENSORS_MAX_NAME) {
        return ga_gguf_refuse(r, length == 0 ? GA_FAULT_NAME_EMPTY : GA_FAULT_NAME_LONG, info->name.at, name,
                              "the name has %zu bytes; expected 1 to %d", length, GA_SAFETENSORS_MAX_NAME);
    }
    return (strlen(name) == length && !ga_safetensors_has_control(name)) ||
           ga_gguf_refuse(r, GA_FAULT_NAME_CONTROL, info->name.at, name,
                          "the name holds a control character; expected none");
}

static bool check_type(const struct ga_gguf_reader *r, const struct info *info, struct ga_tensor *tensor)
{
    const bool is_known = info->type < N_TYPES && types[info->type].name != NULL;
    if (is_known && types[info->type].is_read) {
        tensor->dtype = types[info->type].dtype;
        return true;
    }
    return ga_gguf_refuse(r, GA_FAULT_DTYPE, info->type_at, tensor->name,
                          "type %u (%s) is not read; expected F32, F16, BF16, F64, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, "
                          "Q3_K, Q4_K, Q5_K, Q6_K or IQ4_NL: take the model quantized so",
                          (unsigned)info->type, is_known ? types[info->type].name : "of no name");
}

static bool refuse_shape(const struct ga_gguf_reader *r, const struct info *info, const struct ga_tensor *tensor)
{
    char shape[GA_SHAPE_TEXT];
    size_t elements = 0;
    const size_t block = ga_dtype_block(tensor->dtype, NULL);
    ga_shape_text(tensor->rank, tensor->shape, shape, sizeof shape);
    if (block > 1 && (tensor->rank == 0 || tensor->shape[tensor->rank - 1] % block != 0)) {
        return ga_gguf_refuse(r, GA_FAULT_GGUF_BLOCKS, info->axes_at, tensor->name,
                              "shape %s of %s; expected rows of a multiple of %zu", shape, ga_dtype_name(tensor->dtype),
                              block);
    }
    const bool is_counted = ga_shape_elements(tensor->rank, tensor->shape, &elements);
    return ga_gguf_refuse(r, is_counted ? GA_FAULT_BYTES_OVERFLOW : GA_FAULT_SHAPE_OVERFLOW, info->axes_at,
                          tensor->name, "shape %s of %s overflows; expected a size that fits in memory", shape,
                          ga_dtype_name(tensor->dtype));
}

static bool check_shape(const struct ga_gguf_reader *r, const struct info *info, struct ga_safetensors_entry *entry)
{
    struct ga_tensor *tensor = &entry->tensor;
    tensor->rank = info->axes;
    for (size_t i = 0; i < info->axes; i++) {
        const uint64_t size = info->shape[info->axes - 1 - i];
        tensor->shape[i] = size > SIZE_MAX ? SIZE_MAX : (size_t)size;
    }
    // Blocks of 4 bits are more elements than bytes, and with an axis of 0 no file's size bounds either.
    size_t elements = 0;
    const bool fits =
        ga_tensor_bytes(tensor, &entry->bytes) && ga_shape_elements(tensor->rank, tensor->shape, &elements);
    return fits || refuse_shape(r, info, tensor);
}

// Checks all of a tensor but where it lies among others; its name is in the table.
static bool check_info(const struct ga_gguf_reader *r, const struct info *info, size_t data_size,
                       struct ga_safetensors_entry *entry)
{
    const char *name = entry->tensor.name;
    if (!check_name(r, info, name) || !check_type(r, info, &entry->tensor) || !check_shape(r, info, entry)) {
        return false;
    }
    entry->begin = info->offset > data_size ? data_size : (size_t)info->offset;
    return (info->offset <= data_size && entry->bytes <= data_size - entry->begin) ||
           ga_gguf_refuse(
               r, GA_FAULT_OFFSETS_PAST_END, info->offset_at, name,
               "%zu bytes at %llu of the data end past the file; expected them within its %zu bytes of data: "
               "it is cut short, or damaged",
               entry->bytes, (unsigned long long)info->offset, data_size);
}

// -- All tensors ----------------------------------------------------------------------------------------------------

static size_t padded(size_t size, size_t alignment)
{
    return size > SIZE_MAX - alignment ? SIZE_MAX : (size + alignment - 1) / alignment * alignment;
}

static int compare_offsets(const void *left, const void *right)
{
    const struct ga_safetensors_entry *a = left, *b = right;
    return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_names(const void *left, const void *right)
{
    const struct ga_safetensors_entry *a = left, *b = right;
    return strcmp(a->tensor.name, b->tensor.name);
}

// True where the entries, in order of their offsets, cover the data but for what aligns them.
static bool check_tiling(const struct ga_gguf_reader *r, const struct ga_safetensors *table, size_t alignment,
                         size_t data_start)
{
    size_t expected = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct ga_safetensors_entry *entry = &table->entries[i];
        if (entry->begin != expected) {
            return ga_gguf_refuse(r, entry->begin > expected ? GA_FAULT_HOLE : GA_FAULT_OVERLAP,
                                  (uint64_t)data_start + entry->begin, entry->tensor.name,
                                  "the data begin here; expected byte %zu, after those of the tensor before and %s",
                                  data_start + expected, "as the alignment has it");
        }
        expected = padded(entry->begin + entry->bytes, alignment);
    }
    const size_t data_size = r->file_size - data_start;
    return data_size <= expected ||
           ga_gguf_refuse(r, table->count == 0 ? GA_FAULT_NO_TENSORS : GA_FAULT_TRAILING_BYTES,
                          (uint64_t)data_start + expected, NULL,
                          "%zu bytes from here on belong to no tensor; expected the last tensor to end the file",
                          data_size - expected);
}

// Goes over the tensors once to see that they are all there, and how many bytes their names take.
static bool count_names(struct ga_gguf_reader *r, uint64_t count, size_t *bytes_out)
{
    struct info info;
    *bytes_out = 1;
    if (count > GA_SAFETENSORS_MAX_TENSORS) {
        return ga_gguf_refuse(r, GA_FAULT_TENSORS_TOO_MANY, 8, NULL, "%llu tensors; expected at most %d",
                              (unsigned long long)count, GA_SAFETENSORS_MAX_TENSORS);
    }
    while (count > 0 && read_info(r, &info)) {
        *bytes_out += info.name.length + 1;
        count--;
    }
    return count == 0;
}

// Fills a table whose arrays are large enough, in the header's order.
static bool read_entries(struct ga_gguf_reader *r, size_t count, size_t data_size, struct ga_safetensors *table)
{
    struct info info;
    char *name = table->names;
    while (table->count < count && read_info(r, &info)) {
        struct ga_safetensors_entry *entry = &table->entries[table->count++];
        entry->tensor.name = memcpy(name, info.name.text, info.name.length);
        name[info.name.length] = '\0';
        name += info.name.length + 1;
        if (!check_info(r, &info, data_size, entry)) {
            return false;
        }
    }
    return table->count == count;
}

// The byte at which the second tensor of a name, of which there are two, has it.
static uint64_t second_place(struct ga_gguf_reader *r, size_t infos, const char *name)
{
    struct info info;
    size_t seen = 0;
    r->at = infos;
    while (seen < 2 && read_info(r, &info)) {
        seen += info.name.length == strlen(name) && memcmp(info.name.text, name, info.name.length) == 0 ? 1 : 0;
    }
    return info.name.at;
}

// The names are sorted.
static bool check_names(struct ga_gguf_reader *r, const struct ga_safetensors *table, size_t infos)
{
    for (size_t i = 1; i < table->count; i++) {
        const char *name = table->entries[i].tensor.name;
        if (strcmp(table->entries[i - 1].tensor.name, name) == 0) {
            return ga_gguf_refuse(r, GA_FAULT_TENSOR_TWICE, second_place(r, infos, name), name,
                                  "a second tensor of this name; expected one");
        }
    }
    return true;
}

static enum ga_status fill_table(struct ga_gguf_reader *r, size_t infos, size_t count, size_t alignment,
                                 size_t data_start, struct ga_safetensors *table)
{
    r->at = infos;
    if (!read_entries(r, count, r->file_size - data_start, table)) {
        return GA_FORMAT;
    }
    qsort(table->entries, count, sizeof *table->entries, compare_offsets);
    if (!check_tiling(r, table, alignment, data_start)) {
        return GA_FORMAT;
    }
    qsort(table->entries, count, sizeof *table->entries, compare_names);
    return check_names(r, table, infos) ? GA_OK : GA_FORMAT;
}

// -- A header -------------------------------------------------------------------------------------------------------

static enum ga_status read_table(struct ga_gguf_reader *r, struct ga_safetensors *table, struct ga_gguf_split *split,
                                 size_t *data_start_out)
{
    uint64_t count = 0, keys = 0;
    size_t alignment = 0, name_bytes = 0, infos = 0;
    if (!ga_gguf_counts(r, &count, &keys) || !ga_gguf_metadata(r, keys, &alignment, split)) {
        return GA_FORMAT;
    }
    infos = r->at;
    if (!count_names(r, count, &name_bytes)) {
        return GA_FORMAT;
    }
    const size_t start = padded(r->at, alignment);
    *data_start_out = start < r->file_size ? start : r->file_size;
    table->entries = calloc((size_t)count + 1, sizeof *table->entries);
    table->names = malloc(name_bytes);
    if (table->entries == NULL || table->names == NULL) {
        return ga_fail_at(r->error, GA_MEMORY, GA_FAULT_NO_MEMORY, GA_NO_OFFSET,
                          "%s: no memory for a table of %zu tensors", r->label, (size_t)count);
    }
    return fill_table(r, infos, (size_t)count, alignment, *data_start_out, table);
}

enum ga_status ga_gguf_read(const unsigned char *bytes, size_t size, size_t file_size, const char *label,
                            struct ga_safetensors *table_out, struct ga_gguf_split *split_out, size_t *data_start_out,
                            size_t *needed_out, struct ga_error *error)
{
    struct ga_gguf_reader r = {.bytes = bytes, .size = size, .file_size = file_size, .label = label, .error = error};
    *table_out = (struct ga_safetensors){0};
    const enum ga_status status = read_table(&r, table_out, split_out, data_start_out);
    *needed_out = r.needed;
    if (status != GA_OK) {
        ga_safetensors_free(table_out);
    }
    return r.needed > 0 ? GA_OK : status;
}
