// tokens.c: tokens that grow.
#include <stdlib.h>

#include "text_model.h"

enum ga_status ga_text_tokens_reserve(struct ga_text_tokens *tokens, size_t more)
{
    void *items = tokens->items;
    const enum ga_status status = ga_text_grow(&items, &tokens->capacity, tokens->count, more, sizeof *tokens->items);
    tokens->items = items;
    return status;
}

enum ga_status ga_text_tokens_append(struct ga_text_tokens *tokens, int32_t id, size_t begin, size_t end)
{
    const enum ga_status status = tokens->count < tokens->capacity ? GA_OK : ga_text_tokens_reserve(tokens, 1);
    if (status == GA_OK) {
        tokens->items[tokens->count++] = (struct ga_text_token){id, (uint32_t)begin, (uint32_t)end};
    }
    return status;
}

void ga_text_tokens_free(struct ga_text_tokens *tokens)
{
    free(tokens->items);
    *tokens = (struct ga_text_tokens){0};
}
