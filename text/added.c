// added.c: reads the added tokens. Finding them is in added_find.c.
#include "added.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1024, MOST = 1 << 18 }; // bytes of an added token; added tokens

struct token_fields {
    int64_t id;
    struct ga_text_bytes content;
    bool single_word, lstrip, rstrip, normalized, special;
};

static const struct ga_text_field fields[] = {
    {"id", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct token_fields, id)},
    {"content", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct token_fields, content)},
    {"single_word", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct token_fields, single_word)},
    {"lstrip", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct token_fields, lstrip)},
    {"rstrip", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct token_fields, rstrip)},
    {"normalized", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct token_fields, normalized)},
    {"special", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct token_fields, special)},
};

void ga_text_added_free(struct ga_text_added *added)
{
    for (size_t i = 0; i < added->count; i++) {
        free(added->tokens[i].content);
        free(added->tokens[i].normalized);
    }
    free(added->tokens);
    free(added->by_id);
    free(added->special);
    free(added->raw.tokens);
    free(added->normalized.tokens);
    *added = (struct ga_text_added){0};
}

const struct ga_text_added_token *ga_text_added_of(const struct ga_text_added *added, int32_t id)
{
    const bool known = id >= 0 && (size_t)id < added->ids && added->by_id[id] >= 0;
    return known ? &added->tokens[added->by_id[id]] : NULL;
}

struct ga_text_bytes ga_text_added_text(const struct ga_text_added_token *token)
{
    return token->normalized ? (struct ga_text_bytes){token->normalized, token->normalized_length}
                             : (struct ga_text_bytes){token->content, token->length};
}

static enum ga_status check_id(struct ga_text_reader *reader, int64_t id, int64_t expected)
{
    return id == expected ? GA_OK
                          : ga_text_refuse_as(reader, "id: found %lld, expected %lld, which the vocabulary gives it",
                                              (long long)id, (long long)expected);
}

// Reads one token after those that are there. *next: the id of the next one that the model does not have.
static enum ga_status read_token(struct ga_text_added *added, struct ga_text_reader *reader, json_t *object,
                                 const struct ga_text_vocabulary *vocabulary, int64_t *next)
{
    struct token_fields given = {0};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof fields / sizeof *fields, &given);
    if (status != GA_OK) {
        return status;
    }
    if (given.content.length == 0 || given.content.length > LONGEST) {
        return ga_text_refuse(reader, "content", "a string of another length", "1 to 1024 bytes");
    }
    const int32_t known = ga_text_vocabulary_id(vocabulary, given.content.bytes, given.content.length);
    const int64_t id = known == GA_TEXT_NO_ID ? (*next)++ : known;
    status = check_id(reader, given.id, id);
    if (status != GA_OK) {
        return status;
    }
    if (ga_text_added_of(added, (int32_t)id)) {
        return ga_text_refuse_as(reader, "\"%.60s\" is there twice", given.content.bytes);
    }
    char *content = malloc(given.content.length + 1);
    if (!content) {
        return ga_text_refuse_memory(reader);
    }
    memcpy(content, given.content.bytes, given.content.length + 1);
    added->by_id[id] = (int32_t)added->count;
    added->tokens[added->count++] = (struct ga_text_added_token){
        .id = (int32_t)id,
        .content = content,
        .length = given.content.length,
        .single_word = given.single_word,
        .lstrip = given.lstrip,
        .rstrip = given.rstrip,
        .is_normalized = given.normalized,
        .special = given.special,
    };
    return GA_OK;
}

enum ga_status ga_text_added_read(struct ga_text_added *added, struct ga_text_reader *reader, json_t *array,
                                  const struct ga_text_vocabulary *vocabulary)
{
    const size_t count = json_array_size(array);
    if (count > MOST) {
        return ga_text_refuse(reader, NULL, "too many tokens", "at most 262144");
    }
    added->ids = vocabulary->count + vocabulary->n_tokens + count + 1;
    added->tokens = calloc(count + 1, sizeof *added->tokens);
    added->by_id = malloc(added->ids * sizeof *added->by_id);
    if (!added->tokens || !added->by_id) {
        return ga_text_refuse_memory(reader);
    }
    memset(added->by_id, 0xFF, added->ids * sizeof *added->by_id);
    int64_t next = (int64_t)vocabulary->n_tokens;
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < count && status == GA_OK; i++) {
        const size_t length = ga_text_reader_enter(reader, NULL, i);
        status = read_token(added, reader, json_array_get(array, i), vocabulary, &next);
        ga_text_reader_leave(reader, length);
    }
    return status;
}
