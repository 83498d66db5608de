// program.c: a user's program, in C or C++, that is linked with the library. With WEIGHTS also with the part that reads
// weight files.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <string.h>

#include "calls.h"
#if defined(WEIGHTS)
#include "genattn/weights.h"
#endif

int main(void)
{
#if defined(WEIGHTS)
    struct ga_weights *weights = NULL;
    struct ga_error error;
    const enum ga_status status = ga_weights_open("out/there/is/none.safetensors", &weights, &error);
    if (status != GA_IO) {
        printf("no weight file: status %d, not GA_IO\n", (int)status);
        return 1;
    }
#endif
    return calls();
}
