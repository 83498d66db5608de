// tokens.c: tokens that grow.
#include <stdlib.h>

#include "text_model.h"

enum ga_status ga_text_tokens_append(struct ga_text_tokens *tokens, int32_t id, size_t begin, size_t end)
{
    if (tokens->count == tokens->capacity) {
        void *items = tokens->items;
        const enum ga_status status = ga_text_grow(&items, &tokens->capacity, tokens->count, 1, sizeof *tokens->items);
        tokens->items = items;
        if (status != GA_OK) {
            return status;
        }
    }
    tokens->items[tokens->count++] = (struct ga_text_token){id, (uint32_t)begin, (uint32_t)end};
    return GA_OK;
}

void ga_text_tokens_free(struct ga_text_tokens *tokens)
{
    free(tokens->items);
    *tokens = (struct ga_text_tokens){0};
}
