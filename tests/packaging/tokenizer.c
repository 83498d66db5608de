// tokenizer.c: a program that uses an installed libga_text, as users of it write one. Tokenizes nothing.
#include <stdio.h>

#include "genattn/ga_text.h"

int main(void)
{
    struct ga_text_tokenizer *tokenizer = NULL;
    struct ga_error error;
    const enum ga_status status = ga_text_tokenizer_open("there/is/none.json", &tokenizer, &error);
    printf("status %d: %s\n", (int)status, error.text);
    return status == GA_IO ? 0 : 1;
}
