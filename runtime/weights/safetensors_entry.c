// safetensors_entry.c: reads one tensor's entry field by field, believing no number unchecked; knows nothing of the
// other entries.
#include "safetensors_entry.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// -- Messages -------------------------------------------------------------------------------------------------------

const char *ga_json_text(const json_t *value, char *text)
{
    static const char *const types[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    char shown[GA_NAME_TEXT];
    switch (json_typeof(value)) {
    case JSON_STRING:
        ga_name_text(json_string_value(value), shown, sizeof shown);
        (void)snprintf(text, GA_JSON_TEXT, "the string '%s'", shown);
        return text;
    case JSON_INTEGER:
        (void)snprintf(text, GA_JSON_TEXT, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL:
        (void)snprintf(text, GA_JSON_TEXT, "%g, written with a fraction or an exponent", json_real_value(value));
        return text;
    default:
        return types[json_typeof(value)];
    }
}

// -- Places ---------------------------------------------------------------------------------------------------------

static struct ga_place place_of_tensor(const struct ga_header *r, const char *name)
{
    return ga_place_member(r->text, ga_place_object(r->text), name);
}

static struct ga_place place_of_field(const struct ga_header *r, const char *name, const char *field)
{
    return ga_place_member(r->text, place_of_tensor(r, name).value, field);
}

// The byte of the file at which the tensor's field has its value.
static uint64_t at_field(const struct ga_header *r, const char *name, const char *field)
{
    return ga_header_offset(place_of_field(r, name, field).value);
}

// -- One tensor's entry ---------------------------------------------------------------------------------------------

bool ga_safetensors_has_control(const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        if (*c < 0x20 || *c == 0x7F || (c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F)) {
            return true;
        }
    }
    return false;
}

static bool check_name(const struct ga_header *r, const char *name)
{
    const size_t length = strlen(name);
    if (length > 0 && length <= GA_SAFETENSORS_MAX_NAME && !ga_safetensors_has_control(name)) {
        return true;
    }
    const uint64_t offset = ga_header_offset(place_of_tensor(r, name).key);
    if (length == 0) {
        return ga_header_refuse(r, GA_FAULT_NAME_EMPTY, offset, name, "the name is empty; expected 1..%d bytes",
                                GA_SAFETENSORS_MAX_NAME);
    }
    if (length > GA_SAFETENSORS_MAX_NAME) {
        return ga_header_refuse(r, GA_FAULT_NAME_LONG, offset, name, "the name is %zu bytes long; expected at most %d",
                                length, GA_SAFETENSORS_MAX_NAME);
    }
    return ga_header_refuse(r, GA_FAULT_NAME_CONTROL, offset, name,
                            "the name holds a control character; expected none");
}

static const char *const field_names[] = {"dtype", "shape", "data_offsets"};
enum { N_FIELDS = sizeof field_names / sizeof *field_names };

static bool is_field_name(const char *key)
{
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (strcmp(key, field_names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_fields(const struct ga_header *r, const char *name, json_t *fields)
{
    char text[GA_JSON_TEXT];
    if (!json_is_object(fields)) {
        return ga_header_refuse(r, GA_FAULT_ENTRY, ga_header_offset(place_of_tensor(r, name).value), name,
                                "found %s; expected an object of dtype, shape and data_offsets",
                                ga_json_text(fields, text));
    }
    const char *key;
    json_t *value;
    json_object_foreach(fields, key, value)
    {
        if (!is_field_name(key) && !r->rules.allow_unknown_fields) {
            return ga_header_refuse(r, GA_FAULT_FIELD_UNKNOWN, ga_header_offset(place_of_field(r, name, key).key), name,
                                    "unknown field '%s'; expected dtype, shape and data_offsets only",
                                    ga_name_text(key, text, sizeof text));
        }
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (json_object_get(fields, field_names[i]) == NULL) {
            return ga_header_refuse(r, GA_FAULT_FIELD_MISSING, ga_header_offset(place_of_tensor(r, name).value), name,
                                    "no field %s; expected dtype, shape and data_offsets", field_names[i]);
        }
    }
    return true;
}

// Types of the reference's whose elements share bytes.
static bool is_sub_byte(const char *dtype)
{
    static const char *const names[] = {"F4", "F6_E2M3", "F6_E3M2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(dtype, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_dtype(const struct ga_header *r, const char *name, const json_t *value, enum ga_dtype *dtype_out)
{
    const char *dtype = json_string_value(value);
    // The length tells "F32" from "F32\u0000".
    if (dtype != NULL && json_string_length(value) == strlen(dtype) && ga_dtype_parse(dtype, dtype_out)) {
        return true;
    }
#define GA_DTYPE_WORD(name, text, bytes) " " text
    char text[GA_JSON_TEXT];
    return ga_header_refuse(r, dtype != NULL && is_sub_byte(dtype) ? GA_FAULT_DTYPE_SUB_BYTE : GA_FAULT_DTYPE,
                            at_field(r, name, "dtype"), name,
                            "dtype is %s; expected one of" GA_DTYPE_LIST(GA_DTYPE_WORD), ga_json_text(value, text));
#undef GA_DTYPE_WORD
}

// Reads array[i] of the field called what.
static bool read_size(const struct ga_header *r, const char *name, const char *what, const json_t *array, size_t i,
                      size_t *size_out)
{
    const json_t *value = json_array_get(array, i);
    const json_int_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= 0 && (uintmax_t)number <= SIZE_MAX) {
        *size_out = (size_t)number;
        return true;
    }
    char text[GA_JSON_TEXT];
    const size_t place = ga_place_element(r->text, place_of_field(r, name, what).value, i);
    return ga_header_refuse(r, GA_FAULT_NUMBER, ga_header_offset(place), name,
                            "%s[%zu] is %s; expected a whole number of at least 0", what, i, ga_json_text(value, text));
}

// Says which product overflows: of the axes, of the axes but for one of 0, or of elements and their width.
static bool refuse_overflow(const struct ga_header *r, const char *name, const struct ga_tensor *tensor)
{
    size_t elements = 0;
    bool hidden = false;
    char shape[GA_SHAPE_TEXT];
    for (size_t i = 0; i < tensor->rank; i++) {
        hidden = hidden || tensor->shape[i] == 0;
    }
    return ga_header_refuse(r,
                            hidden                                                      ? GA_FAULT_HIDDEN_OVERFLOW
                            : ga_shape_elements(tensor->rank, tensor->shape, &elements) ? GA_FAULT_BYTES_OVERFLOW
                                                                                        : GA_FAULT_SHAPE_OVERFLOW,
                            at_field(r, name, "shape"), name,
                            "shape %s of %s overflows%s; expected a size that fits in memory",
                            ga_shape_text(tensor->rank, tensor->shape, shape, sizeof shape),
                            ga_dtype_name(tensor->dtype), hidden ? " after an axis of 0" : "");
}

static bool read_shape(const struct ga_header *r, const char *name, const json_t *array,
                       struct ga_safetensors_entry *entry)
{
    struct ga_tensor *tensor = &entry->tensor;
    char text[GA_JSON_TEXT];
    if (!json_is_array(array)) {
        return ga_header_refuse(r, GA_FAULT_SHAPE, at_field(r, name, "shape"), name, "shape is %s; expected an array",
                                ga_json_text(array, text));
    }
    tensor->rank = json_array_size(array);
    if (tensor->rank > GA_MAX_RANK) {
        return ga_header_refuse(r, GA_FAULT_RANK, at_field(r, name, "shape"), name,
                                "shape has %zu axes; expected at most %d", tensor->rank, GA_MAX_RANK);
    }
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!read_size(r, name, "shape", array, i, &tensor->shape[i])) {
            return false;
        }
    }
    return ga_tensor_bytes(tensor, &entry->bytes) || refuse_overflow(r, name, tensor);
}

static bool check_offsets(const struct ga_header *r, const char *name, const struct ga_safetensors_entry *entry,
                          size_t end)
{
    const size_t begin = entry->begin;
    const size_t width = ga_dtype_size(entry->tensor.dtype);
    if (end >= begin && end <= r->data_size && end - begin == entry->bytes && begin % width == 0) {
        return true;
    }
    char shape[GA_SHAPE_TEXT];
    const uint64_t offset = at_field(r, name, "data_offsets");
    if (end < begin) {
        return ga_header_refuse(r, GA_FAULT_OFFSETS_REVERSED, offset, name,
                                "data_offsets [%zu, %zu] are reversed; expected the begin first", begin, end);
    }
    if (end > r->data_size) {
        return ga_header_refuse(
            r, GA_FAULT_OFFSETS_PAST_END, offset, name,
            "data_offsets [%zu, %zu] end past the file; expected at most %zu, the bytes of data from byte %zu on",
            begin, end, r->data_size, r->data_start);
    }
    if (end - begin != entry->bytes) {
        return ga_header_refuse(r, GA_FAULT_OFFSETS_SIZE, offset, name,
                                "data_offsets [%zu, %zu] hold %zu bytes; expected %zu for shape %s of %s", begin, end,
                                end - begin, entry->bytes,
                                ga_shape_text(entry->tensor.rank, entry->tensor.shape, shape, sizeof shape),
                                ga_dtype_name(entry->tensor.dtype));
    }
    return ga_header_refuse(
        r, GA_FAULT_MISALIGNED, offset, name,
        "data_offsets [%zu, %zu] begin misaligned; expected a multiple of %zu for %s: save the file "
        "anew with its tensors sorted by width",
        begin, end, width, ga_dtype_name(entry->tensor.dtype));
}

static bool read_offsets(const struct ga_header *r, const char *name, const json_t *array,
                         struct ga_safetensors_entry *entry)
{
    size_t end = 0;
    if (!json_is_array(array) || json_array_size(array) != 2) {
        char text[GA_JSON_TEXT];
        return ga_header_refuse(r, GA_FAULT_OFFSETS, at_field(r, name, "data_offsets"), name,
                                "data_offsets is %s of %zu elements; expected [begin, end]", ga_json_text(array, text),
                                json_array_size(array));
    }
    return read_size(r, name, "data_offsets", array, 0, &entry->begin) &&
           read_size(r, name, "data_offsets", array, 1, &end) && check_offsets(r, name, entry, end);
}

bool ga_safetensors_entry_read(const struct ga_header *r, const char *name, json_t *fields,
                               struct ga_safetensors_entry *entry)
{
    return check_name(r, name) && check_fields(r, name, fields) &&
           read_dtype(r, name, json_object_get(fields, "dtype"), &entry->tensor.dtype) &&
           read_shape(r, name, json_object_get(fields, "shape"), entry) &&
           read_offsets(r, name, json_object_get(fields, "data_offsets"), entry);
}
