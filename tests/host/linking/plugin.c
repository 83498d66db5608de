// plugin.c: a user's shared object, itself linked with the library, that a program loads.
#include <string.h>

#include "calls.h"

#if defined(__cplusplus)
extern "C"
#endif
    int
    plugin_calls(void);

int plugin_calls(void)
{
    return calls();
}
