// json_file.c: jansson's dump with our indent and precision, errors said.
#include "json_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool dump(json_t *value, FILE *stream)
{
    return json_dumpf(value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 && fputc('\n', stream) != EOF;
}

enum ga_exit ga_json_print(const struct ga_context *context, json_t *value)
{
    bool done = value && dump(value, stdout);
    json_decref(value);
    return done ? GA_EXIT_OK : ga_failed(context, "the JSON could not be made or printed");
}

enum ga_exit ga_json_write(const struct ga_context *context, const char *path, json_t *value)
{
    FILE *stream = value ? fopen(path, "w") : NULL;
    bool done = stream && dump(value, stream);
    if (stream && fclose(stream) != 0) {
        done = false;
    }
    int reason = errno;
    json_decref(value);
    return done ? GA_EXIT_OK : ga_failed(context, "%s: could not be written: %s", path, strerror(reason));
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
