// host.c: a program that loads plugin.c's shared object, told as its argument. With LINKED it is linked with the
// library, too, and so has a copy of its models.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(LINKED)
#include "calls.h"
#endif

int main(int argc, char **argv)
{
    void *plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
    void *found = plugin ? dlsym(plugin, "plugin_calls") : NULL;
    int (*plugin_calls)(void);
    if (!found) {
        printf("%s\n", dlerror());
        return 1;
    }
    memcpy(&plugin_calls, &found, sizeof found);
#if defined(LINKED)
    if (calls() != 0) {
        return 1;
    }
#endif
    return plugin_calls();
}
