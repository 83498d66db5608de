// made_file.c: a stream to memory, and the file at once. Knows nothing of what is put.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "made_file.h"

#include <stdlib.h>

#include "atomic_file.h"

enum ga_exit ga_made_file_write(const struct ga_context *context, const char *path, const char *lacking,
                                bool (*put)(FILE *file, const void *data), const void *data)
{
    struct ga_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool is_whole = file && put(file, data) && !ferror(file);
    is_whole = file && fclose(file) == 0 && is_whole;
    enum ga_exit code = GA_EXIT_OK;
    if (!is_whole) {
        code = ga_failed(context, "%s: %s", path, lacking);
    } else if (ga_atomic_file_write(path, text, size, &error) != GA_OK) {
        code = ga_failed(context, "%s", error.text);
    }
    free(text);
    return code;
}
