// weights.c: a program that reads weights from files, as users of an installed library write it. Opens none.
#include <stdio.h>

#include "genattn/load.h"
#include "genattn/weights.h"
#include "mha_512_8.h"

int main(void)
{
    struct ga_weights *weights = NULL;
    struct ga_error error;
    const enum ga_status status = ga_weights_open("there/is/none.safetensors", &weights, &error);
    printf("%s: status %d\n", mha_512_8_model.name, (int)status);
    return status == GA_IO ? 0 : 1;
}
