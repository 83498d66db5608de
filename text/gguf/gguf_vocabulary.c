// gguf_vocabulary.c: checks the tokens of a GGUF file and what it says of them. Writes no JSON.
#include "gguf_vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "unicode.h"

// Names of tokens that end a turn or a text, where files do not say so by an id.
static const char *const end_names[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<EOT>",
    "_<EOT>",
    "<eos>",
    "[EOT]",
    "[EOS]",
    "<|return|>",
    "<|call|>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
};

static bool has_end_name(struct ga_text_bytes token)
{
    bool found = false;
    for (size_t i = 0; i < sizeof end_names / sizeof *end_names && !found; i++) {
        found = strlen(end_names[i]) == token.length && memcmp(end_names[i], token.bytes, token.length) == 0;
    }
    return found;
}

uint32_t ga_text_gguf_type(const struct ga_text_gguf *gguf, const struct ga_text_gguf_vocabulary *vocabulary, size_t id)
{
    const struct ga_text_gguf_value *types = &gguf->values[GA_TEXT_GGUF_TYPES];
    return has_end_name(vocabulary->tokens[id]) ? GA_TEXT_GGUF_CONTROL
           : types->is_there                    ? ga_text_gguf_item(types, id)
                                                : GA_TEXT_GGUF_NORMAL;
}

bool ga_text_gguf_ends(const struct ga_text_gguf *gguf, const struct ga_text_gguf_vocabulary *vocabulary, size_t id)
{
    int64_t turn = -1, message = -1;
    (void)ga_text_gguf_number(gguf, GA_TEXT_GGUF_EOT, &turn); // their types were checked
    (void)ga_text_gguf_number(gguf, GA_TEXT_GGUF_EOM, &message);
    const int64_t at = (int64_t)id;
    return at == vocabulary->eos || at == turn || at == message || has_end_name(vocabulary->tokens[id]);
}

// -- Tokens ---------------------------------------------------------------------------------------------------------

static enum ga_status read_token(const struct ga_text_gguf *gguf, size_t i, struct ga_text_bytes token)
{
    const bool is_text = ga_text_valid_utf8(token.bytes, token.length) == token.length &&
                         (token.length == 0 || !memchr(token.bytes, '\0', token.length));
    return is_text
               ? GA_OK
               : ga_text_gguf_refuse(gguf, GA_TEXT_GGUF_TOKENS, "item %zu is not UTF-8 without NUL; expected that", i);
}

static enum ga_status read_tokens(const struct ga_text_gguf *gguf, struct ga_text_gguf_vocabulary *vocabulary)
{
    const struct ga_text_gguf_value *array = &gguf->values[GA_TEXT_GGUF_TOKENS];
    enum ga_status status = ga_text_gguf_array(gguf, GA_TEXT_GGUF_TOKENS, GA_TEXT_GGUF_STRING, 1);
    if (status == GA_OK && array->count > GA_TEXT_IDS) {
        status = ga_text_gguf_refuse(gguf, GA_TEXT_GGUF_TOKENS, "has %llu items; expected at most %d",
                                     (unsigned long long)array->count, GA_TEXT_IDS);
    }
    if (status != GA_OK) {
        return status;
    }
    vocabulary->tokens = malloc((size_t)array->count * sizeof *vocabulary->tokens);
    if (!vocabulary->tokens) {
        return ga_fail(gguf->error, GA_MEMORY, "%s: no memory for its tokens", gguf->file);
    }
    for (size_t at = 0; vocabulary->count < array->count && status == GA_OK; vocabulary->count++) {
        vocabulary->tokens[vocabulary->count] = ga_text_gguf_next(array, &at);
        status = read_token(gguf, vocabulary->count, vocabulary->tokens[vocabulary->count]);
    }
    return status;
}

static enum ga_status check_types(const struct ga_text_gguf *gguf, size_t count)
{
    const struct ga_text_gguf_value *types = &gguf->values[GA_TEXT_GGUF_TYPES];
    return types->is_there ? ga_text_gguf_array(gguf, GA_TEXT_GGUF_TYPES, GA_TEXT_GGUF_I32, count) : GA_OK;
}

// -- Ids ------------------------------------------------------------------------------------------------------------

static enum ga_status read_id(const struct ga_text_gguf *gguf, enum ga_text_gguf_key key, size_t count, int64_t *id)
{
    *id = *id < (int64_t)count ? *id : -1;
    const enum ga_status status = ga_text_gguf_number(gguf, key, id);
    if (status == GA_OK && *id >= (int64_t)count) {
        return ga_text_gguf_refuse(gguf, key, "is %lld; expected the id of one of %zu tokens", (long long)*id, count);
    }
    return status;
}

static bool is_phi3(struct ga_text_bytes name)
{
    bool found = false;
    for (size_t i = 0; i + 4 <= name.length && !found; i++) {
        const char *at = name.bytes + i;
        const bool is_phi = (at[0] | 32) == 'p' && (at[1] | 32) == 'h' && (at[2] | 32) == 'i';
        found = is_phi && (at[3] == '3' || (at[3] == '-' && i + 5 <= name.length && at[4] == '3'));
    }
    return found;
}

static enum ga_status read_ids(const struct ga_text_gguf *gguf, struct ga_text_gguf_vocabulary *vocabulary)
{
    const struct {
        enum ga_text_gguf_key key;
        int64_t *id;
    } ids[] = {
        {GA_TEXT_GGUF_BOS, &vocabulary->bos},         {GA_TEXT_GGUF_EOS, &vocabulary->eos},
        {GA_TEXT_GGUF_UNKNOWN, &vocabulary->unknown}, {GA_TEXT_GGUF_SEPARATOR, &vocabulary->separator},
        {GA_TEXT_GGUF_EOT, &(int64_t){-1}},           {GA_TEXT_GGUF_EOM, &(int64_t){-1}},
    };
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < sizeof ids / sizeof *ids && status == GA_OK; i++) {
        status = read_id(gguf, ids[i].key, vocabulary->count, ids[i].id);
    }
    return status;
}

enum ga_status ga_text_gguf_vocabulary_read(const struct ga_text_gguf *gguf, struct ga_text_gguf_vocabulary *vocabulary)
{
    struct ga_text_bytes name = {NULL, 0};
    enum ga_status status = read_tokens(gguf, vocabulary);
    status = status == GA_OK ? check_types(gguf, vocabulary->count) : status;
    status = status == GA_OK ? read_ids(gguf, vocabulary) : status;
    status = status == GA_OK ? ga_text_gguf_bool(gguf, GA_TEXT_GGUF_ADD_BOS, &vocabulary->adds_bos) : status;
    status = status == GA_OK ? ga_text_gguf_bool(gguf, GA_TEXT_GGUF_ADD_EOS, &vocabulary->adds_eos) : status;
    status = status == GA_OK ? ga_text_gguf_bool(gguf, GA_TEXT_GGUF_ADD_PREFIX, &vocabulary->adds_prefix) : status;
    status = status == GA_OK ? ga_text_gguf_text(gguf, GA_TEXT_GGUF_NAME, &name) : status;
    vocabulary->strips_right = is_phi3(name);
    return status;
}

void ga_text_gguf_vocabulary_free(struct ga_text_gguf_vocabulary *vocabulary)
{
    free(vocabulary->tokens);
    *vocabulary = (struct ga_text_gguf_vocabulary){0};
}
