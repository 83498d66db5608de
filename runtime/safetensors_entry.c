// safetensors_entry.c: reads one tensor's entry field by field, believing no number unchecked; knows nothing of the
// other entries.
#include "safetensors_entry.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// -- Messages -------------------------------------------------------------------------------------------------------

bool ga_header_refuse(const struct ga_header *r, const char *name, const char *format, ...)
{
    char sentence[320];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (name == NULL) {
        ga_fail(r->error, GA_FORMAT, "%s: %s", r->label, sentence);
    } else {
        char shown[GA_NAME_TEXT];
        ga_fail(r->error, GA_FORMAT, "%s: tensor '%s': %s", r->label, ga_name_text(name, shown, sizeof shown),
                sentence);
    }
    return false;
}

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

// -- One tensor's entry ---------------------------------------------------------------------------------------------

// Control characters of ASCII and of Latin-1, the second as UTF-8 spells them.
static bool has_control_character(const char *name)
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
    if (length == 0) {
        return ga_header_refuse(r, NULL, "a tensor has an empty name; expected 1..%d bytes", GA_SAFETENSORS_MAX_NAME);
    }
    if (length > GA_SAFETENSORS_MAX_NAME) {
        return ga_header_refuse(r, name, "the name is %zu bytes long; expected at most %d", length,
                                GA_SAFETENSORS_MAX_NAME);
    }
    return !has_control_character(name) ||
           ga_header_refuse(r, name, "the name holds a control character; expected none");
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
        return ga_header_refuse(r, name, "found %s; expected an object of dtype, shape and data_offsets",
                                ga_json_text(fields, text));
    }
    const char *key;
    json_t *value;
    json_object_foreach(fields, key, value)
    {
        if (!is_field_name(key)) {
            return ga_header_refuse(r, name, "unknown field '%s'; expected dtype, shape and data_offsets only",
                                    ga_name_text(key, text, sizeof text));
        }
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (json_object_get(fields, field_names[i]) == NULL) {
            return ga_header_refuse(r, name, "no field %s; expected dtype, shape and data_offsets", field_names[i]);
        }
    }
    return true;
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
    return ga_header_refuse(r, name, "dtype is %s; expected one of" GA_DTYPE_LIST(GA_DTYPE_WORD),
                            ga_json_text(value, text));
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
    return ga_header_refuse(r, name, "%s[%zu] is %s; expected a whole number of at least 0", what, i,
                            ga_json_text(value, text));
}

static bool read_shape(const struct ga_header *r, const char *name, const json_t *array,
                       struct ga_safetensors_entry *entry)
{
    struct ga_tensor *tensor = &entry->tensor;
    char text[GA_JSON_TEXT];
    if (!json_is_array(array)) {
        return ga_header_refuse(r, name, "shape is %s; expected an array", ga_json_text(array, text));
    }
    tensor->rank = json_array_size(array);
    if (tensor->rank > GA_MAX_RANK) {
        return ga_header_refuse(r, name, "shape has %zu axes; expected at most %d", tensor->rank, GA_MAX_RANK);
    }
    for (size_t i = 0; i < tensor->rank; i++) {
        if (!read_size(r, name, "shape", array, i, &tensor->shape[i])) {
            return false;
        }
    }
    char shape[GA_SHAPE_TEXT];
    return ga_tensor_bytes(tensor, &entry->bytes) ||
           ga_header_refuse(r, name, "shape %s of %s overflows; expected a size that fits in memory",
                            ga_shape_text(tensor->rank, tensor->shape, shape, sizeof shape),
                            ga_dtype_name(tensor->dtype));
}

static bool check_offsets(const struct ga_header *r, const char *name, const struct ga_safetensors_entry *entry,
                          size_t end)
{
    const size_t begin = entry->begin;
    const size_t width = ga_dtype_size(entry->tensor.dtype);
    if (end < begin) {
        return ga_header_refuse(r, name, "data_offsets [%zu, %zu] are reversed; expected the begin first", begin, end);
    }
    if (end > r->data_size) {
        return ga_header_refuse(
            r, name, "data_offsets [%zu, %zu] end past the file, which holds %zu bytes of data from byte %zu on", begin,
            end, r->data_size, r->data_start);
    }
    if (end - begin != entry->bytes) {
        char shape[GA_SHAPE_TEXT];
        return ga_header_refuse(r, name, "data_offsets [%zu, %zu] hold %zu bytes; expected %zu for shape %s of %s",
                                begin, end, end - begin, entry->bytes,
                                ga_shape_text(entry->tensor.rank, entry->tensor.shape, shape, sizeof shape),
                                ga_dtype_name(entry->tensor.dtype));
    }
    return begin % width == 0 ||
           ga_header_refuse(
               r, name,
               "data_offsets [%zu, %zu] begin misaligned; expected a multiple of %zu for %s: save the file anew "
               "with its tensors sorted by width",
               begin, end, width, ga_dtype_name(entry->tensor.dtype));
}

static bool read_offsets(const struct ga_header *r, const char *name, const json_t *array,
                         struct ga_safetensors_entry *entry)
{
    size_t end = 0;
    if (!json_is_array(array) || json_array_size(array) != 2) {
        char text[GA_JSON_TEXT];
        return ga_header_refuse(r, name, "data_offsets is %s of %zu elements; expected [begin, end]",
                                ga_json_text(array, text), json_array_size(array));
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
