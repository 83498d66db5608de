// context.c: a thread's memory for a tokenizer.
#include <stdlib.h>

#include "tokenizer.h"

enum ga_status ga_text_context_open(const struct ga_text_tokenizer *tokenizer, struct ga_text_context **context_out)
{
    if (!tokenizer || !context_out) {
        return GA_ARGUMENT;
    }
    struct ga_text_context *context = calloc(1, sizeof *context);
    *context_out = NULL;
    if (!context) {
        return GA_MEMORY;
    }
    context->tokenizer = tokenizer;
    context->max_length = SIZE_MAX;
    enum ga_status status = ga_text_parts_open_scratch(&tokenizer->normalizers, &context->normalizers);
    status = status ? status : ga_text_parts_open_scratch(&tokenizer->pretokenizers, &context->pretokenizers);
    status = status ? status : ga_text_parts_open_scratch(&tokenizer->decoders, &context->decoders);
    if (status == GA_OK && tokenizer->model.base->open_scratch) {
        status = tokenizer->model.base->open_scratch(tokenizer->model.self, &context->model);
    }
    status = status ? status : ga_text_word_cache_open(&context->words);
    if (status != GA_OK) {
        ga_text_context_close(context);
        return status;
    }
    *context_out = context;
    return GA_OK;
}

void ga_text_context_set_limit(struct ga_text_context *context, size_t max_length)
{
    if (context) {
        context->max_length = max_length;
    }
}

static void free_sequence(struct ga_text_sequence *sequence)
{
    ga_text_tokens_free(&sequence->tokens);
    free(sequence->texts);
    ga_text_string_free(&sequence->surfaces);
}

void ga_text_context_close(struct ga_text_context *context)
{
    if (!context) {
        return;
    }
    const struct ga_text_tokenizer *tokenizer = context->tokenizer;
    ga_text_parts_close_scratch(&tokenizer->normalizers, &context->normalizers);
    ga_text_parts_close_scratch(&tokenizer->pretokenizers, &context->pretokenizers);
    ga_text_parts_close_scratch(&tokenizer->decoders, &context->decoders);
    if (context->model && tokenizer->model.base->close_scratch) {
        tokenizer->model.base->close_scratch(context->model);
    }
    ga_text_word_cache_close(&context->words);
    ga_text_string_free(&context->original);
    ga_text_tokens_free(&context->piece_tokens);
    for (int i = 0; i < 2; i++) {
        free_sequence(&context->sequences[i]);
        ga_text_string_free(&context->valid[i]);
        ga_text_string_free(&context->normalized[i]);
        ga_text_string_free(&context->rewritten[i]);
        ga_text_cuts_free(&context->cuts[i]);
        ga_text_list_free(&context->lists[i]);
    }
    free(context->out.ids);
    free(context->out.type_ids);
    free(context->out.special);
    free(context->out.offsets);
    free(context->out.tokens);
    free(context->out.characters);
    free(context);
}
