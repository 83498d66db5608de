// json_file.c: jansson's dump with our indent and precision, errors said.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "json_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "atomic_file.h"

static bool dump(json_t *value, FILE *stream)
{
    return json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9) | JSON_ENSURE_ASCII) == 0 &&
           fputc('\n', stream) != EOF;
}

enum ga_exit ga_json_print(const struct ga_context *context, json_t *value)
{
    bool done = value && dump(value, stdout);
    json_decref(value);
    return done ? GA_EXIT_OK : ga_failed(context, "the JSON could not be made or printed");
}

enum ga_exit ga_json_write(const struct ga_context *context, const char *path, json_t *value)
{
    struct ga_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = value ? open_memstream(&text, &size) : NULL;
    bool done = stream && dump(value, stream);
    if (stream && fclose(stream) != 0) {
        done = false;
    }
    json_decref(value);
    enum ga_exit code = GA_EXIT_OK;
    if (!done) {
        code = ga_failed(context, "%s: no memory for its JSON", path);
    } else if (ga_atomic_file_write(path, text, size, &error) != GA_OK) {
        code = ga_failed(context, "%s", error.text);
    }
    free(text);
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
