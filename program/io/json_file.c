// json_file.c: jansson's dump with our indent and precision, errors said.
#include "json_file.h"

#include "made_file.h"

static bool dump(FILE *stream, const void *value)
{
    return value && json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9) | JSON_ENSURE_ASCII) == 0 &&
           fputc('\n', stream) != EOF;
}

enum ga_exit ga_json_print(const struct ga_context *context, json_t *value)
{
    const bool done = dump(stdout, value);
    json_decref(value);
    return done ? GA_EXIT_OK : ga_failed(context, "the JSON could not be made or printed");
}

enum ga_exit ga_json_write(const struct ga_context *context, const char *path, json_t *value)
{
    const enum ga_exit code = ga_made_file_write(context, path, "no memory for its JSON", dump, value);
    json_decref(value);
    return code;
}

json_t *ga_json_label(const char *text)
{
    char shown[GA_PRINTABLE];
    json_t *string = json_string(text);
    return string ? string : json_string(ga_printable(text, shown));
}

json_t *ga_json_size(size_t size)
{
    return json_integer((json_int_t)size);
}

json_t *ga_json_shape(size_t rank, const size_t *shape)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rank; i++) {
        json_array_append_new(array, ga_json_size(shape[i]));
    }
    return array;
}
