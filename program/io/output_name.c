// output_name.c: the endings of files of arrays. A name that says another format would be believed by who reads it.
#include "output_name.h"

#include <stdio.h>
#include <string.h>

bool ga_name_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

// The last dot of a file's name and what follows it; NULL where it has none but the one that hides a file.
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return dot && dot != name ? dot : NULL;
}

enum ga_exit ga_check_output_name(const struct ga_context *context, const char *path, const char *const *endings,
                                  const char *advice)
{
    const char *ending = ending_of(path);
    char known[64] = "";
    for (size_t i = 0, used = 0; ending && endings[i]; i++) {
        if (ga_name_ends_in(path, endings[i])) {
            return GA_EXIT_OK;
        }
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? " or " : "", endings[i]);
    }
    return ending ? ga_misused(context,
                               "--output %s: %s is not a format that this command writes; expected %s, or no "
                               "ending, which is %s%s",
                               path, ending, known, endings[0] + 1, advice)
                  : GA_EXIT_OK;
}
