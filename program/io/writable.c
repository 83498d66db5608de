// writable.c: whether a file can be written, asked before the work whose result it is to hold. Writes none.
#include "atomic_file.h"
#include "command.h"

enum ga_exit ga_check_writable(const struct ga_context *context, const char *option, const char *path)
{
    struct ga_error error;
    struct ga_atomic_file file;
    if (path && ga_atomic_file_new(path, &file, &error) != GA_OK) {
        return ga_failed(context, "--%s %s", option, error.text);
    }
    if (path) {
        (void)ga_atomic_file_end(&file, false, NULL); // nothing is left of it
    }
    return GA_EXIT_OK;
}
