// reader.c: fields of JSON objects by tables, and what is said of those that do not fit. Reads no file.
#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// What a field's value must be, by enum ga_text_field_kind.
static const char *const expected_kinds[] = {
    [GA_TEXT_BOOL] = "true or false", [GA_TEXT_STRING] = "a string",  [GA_TEXT_INTEGER] = "an integer",
    [GA_TEXT_NUMBER] = "a number",    [GA_TEXT_OBJECT] = "an object", [GA_TEXT_ARRAY] = "an array",
    [GA_TEXT_ANY] = "a value",        [GA_TEXT_IGNORED] = "a value",
};

size_t ga_text_reader_enter(struct ga_text_reader *reader, const char *name, size_t index)
{
    const size_t length = strlen(reader->path), left = sizeof reader->path - length;
    if (name) {
        snprintf(reader->path + length, left, "%s%s", length ? "." : "", name);
    } else {
        snprintf(reader->path + length, left, "[%zu]", index);
    }
    return length;
}

void ga_text_reader_leave(struct ga_text_reader *reader, size_t length)
{
    reader->path[length] = '\0';
}

enum ga_status ga_text_refuse(struct ga_text_reader *reader, const char *field, const char *found, const char *expected)
{
    return ga_fail(reader->error, GA_FORMAT, "%s: %s%s%s: found %.100s, expected %s", reader->file, reader->path,
                   field && *reader->path ? "." : "", field ? field : "", found ? found : "something else", expected);
}

enum ga_status ga_text_refuse_as(struct ga_text_reader *reader, const char *format, ...)
{
    char sentence[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return ga_fail(reader->error, GA_FORMAT, "%s: %s: %s", reader->file, *reader->path ? reader->path : "the file",
                   sentence);
}

enum ga_status ga_text_refuse_memory(struct ga_text_reader *reader)
{
    return ga_fail(reader->error, GA_MEMORY, "%s: no memory for what it holds", reader->file);
}

// A value as messages show it.
static void describe(const json_t *value, char text[64])
{
    static const char *const names[] = {"an object", "an array", "a string", "an integer",
                                        "a real",    "true",     "false",    "null"};
    if (json_is_string(value)) {
        snprintf(text, 64, "\"%.48s\"", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(text, 64, "%s", names[json_typeof(value)]);
    }
}

static bool has_kind(const json_t *value, enum ga_text_field_kind kind)
{
    switch (kind) {
    case GA_TEXT_BOOL:
        return json_is_boolean(value);
    case GA_TEXT_STRING:
        return json_is_string(value);
    case GA_TEXT_INTEGER:
        return json_is_integer(value);
    case GA_TEXT_NUMBER:
        return json_is_number(value);
    case GA_TEXT_OBJECT:
        return json_is_object(value);
    case GA_TEXT_ARRAY:
        return json_is_array(value);
    default:
        return true;
    }
}

static void store(json_t *value, enum ga_text_field_kind kind, void *place)
{
    switch (kind) {
    case GA_TEXT_BOOL:
        *(bool *)place = json_is_true(value);
        break;
    case GA_TEXT_STRING:
        *(struct ga_text_bytes *)place = (struct ga_text_bytes){json_string_value(value), json_string_length(value)};
        break;
    case GA_TEXT_INTEGER:
        *(int64_t *)place = json_integer_value(value);
        break;
    case GA_TEXT_NUMBER:
        *(double *)place = json_number_value(value);
        break;
    case GA_TEXT_OBJECT:
    case GA_TEXT_ARRAY:
    case GA_TEXT_ANY:
        *(json_t **)place = value;
        break;
    case GA_TEXT_IGNORED:
        break;
    }
}

static enum ga_status read_field(struct ga_text_reader *reader, json_t *object, const struct ga_text_field *field,
                                 void *target)
{
    json_t *value = json_object_get(object, field->name);
    if (!value) {
        return field->need == GA_TEXT_REQUIRED
                   ? ga_text_refuse(reader, field->name, "nothing", expected_kinds[field->kind])
                   : GA_OK;
    }
    if (json_is_null(value) && field->need == GA_TEXT_NULLABLE && field->kind != GA_TEXT_ANY) {
        return GA_OK;
    }
    if (!has_kind(value, field->kind)) {
        char found[64];
        describe(value, found);
        return ga_text_refuse(reader, field->name, found, expected_kinds[field->kind]);
    }
    store(value, field->kind, (char *)target + field->offset);
    return GA_OK;
}

static bool is_known(const char *name, const struct ga_text_field *fields, size_t count)
{
    bool known = strcmp(name, "type") == 0;
    for (size_t i = 0; i < count && !known; i++) {
        known = strcmp(name, fields[i].name) == 0;
    }
    return known;
}

enum ga_status ga_text_read_fields(struct ga_text_reader *reader, json_t *object, const struct ga_text_field *fields,
                                   size_t count, void *target)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object)) {
        return ga_text_refuse(reader, NULL, NULL, "an object");
    }
    json_object_foreach(object, name, value)
    {
        if (!is_known(name, fields, count)) {
            return ga_text_refuse_as(reader, "unknown field \"%.100s\"", name);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const enum ga_status status = read_field(reader, object, &fields[i], target);
        if (status != GA_OK) {
            return status;
        }
    }
    return GA_OK;
}
