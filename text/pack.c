// pack.c: makes a packed tokenizer of a tokenizer.json: its fields as JSON, the tables of its model as arrays.
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "json.h"
#include "tokenizer.h"
#include "unicode.h"

// The fields of a model that are tables, and what is left of them; others of the same name do not occur.
static const struct {
    const char *name;
    json_type type;
} emptied[] = {{"vocab", JSON_OBJECT}, {"vocab", JSON_ARRAY}, {"merges", JSON_ARRAY}};

static bool empty_tables(json_t *model)
{
    bool good = true;
    for (size_t i = 0; i < sizeof emptied / sizeof *emptied; i++) {
        const json_t *value = json_object_get(model, emptied[i].name);
        if (value && json_typeof(value) == emptied[i].type) {
            json_t *empty = emptied[i].type == JSON_OBJECT ? json_object() : json_array();
            good = json_object_set_new(model, emptied[i].name, empty) == 0 && good;
        }
    }
    return good;
}

// Whether there is memory for a chat template in the JSON; none is set where bytes are NULL.
static bool set_chat_template(json_t *root, struct ga_text_bytes text)
{
    return !text.bytes ||
           json_object_set_new(root, GA_TEXT_CHAT_TEMPLATE, json_stringn_nocheck(text.bytes, text.length)) == 0;
}

// The JSON without tables, by malloc; NULL without memory.
static char *without_tables(struct ga_text_bytes json, struct ga_text_bytes chat_template, size_t *length_out)
{
    struct ga_text_reader reader = {.file = ""};
    json_t *root;
    const bool good = ga_text_json_read(&reader, json, &root) == GA_OK &&
                      empty_tables(json_object_get(root, "model")) && set_chat_template(root, chat_template);
    const size_t length = good ? json_dumpb(root, NULL, 0, JSON_COMPACT) : 0;
    char *text = length > 0 ? malloc(length) : NULL;
    *length_out = text ? json_dumpb(root, text, length, JSON_COMPACT) : 0;
    json_decref(root);
    if (text && *length_out != length) { // memory that jansson's dump needs has run out
        free(text);
        text = NULL;
    }
    return text;
}

// The packed tokenizer of one that is open and came of this JSON.
static enum ga_status pack(const struct ga_text_tokenizer *tokenizer, struct ga_text_bytes json,
                           struct ga_text_bytes chat_template, char **packed_out, size_t *size_out)
{
    const struct ga_text_model_class *model = (const void *)tokenizer->model.base;
    struct ga_text_packed packed = {.hash = tokenizer->hash};
    char *text = without_tables(json, chat_template, &packed.json.length);
    packed.json.bytes = text;
    enum ga_status status = text ? model->pack(tokenizer->model.self, &packed.tables) : GA_MEMORY;
    status = status ? status : ga_text_packed_write(&packed, packed_out, size_out);
    ga_text_tables_free(&packed.tables);
    free(text);
    return status;
}

enum ga_status ga_text_tokenizer_pack(const char *name, const char *bytes, size_t length, const char *chat_template,
                                      size_t chat_length, char **packed_out, size_t *size_out, struct ga_error *error)
{
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_packed from = {.json = {bytes, length}};
    enum ga_status status = GA_TEXT_CHECK("ga_text_tokenizer_pack", error, {"name", name}, {"bytes", bytes},
                                          {"packed_out", packed_out}, {"size_out", size_out});
    if (status != GA_OK) {
        return status;
    }
    *packed_out = NULL;
    *size_out = 0;
    const struct ga_text_bytes chat = {chat_template, chat_length};
    if (chat.bytes && ga_text_valid_utf8(chat.bytes, chat.length) != chat.length) {
        return ga_fail(error, GA_FORMAT, "%s: its chat template is not UTF-8", name);
    }
    status = ga_text_tokenizer_open_memory(name, bytes, length, &tokenizer, error);
    if (status != GA_OK) {
        return status;
    }
    if (ga_text_is_packed(bytes, length)) {
        status = ga_text_packed_read(name, bytes, length, &from, error);
    }
    status = status ? status : pack(tokenizer, from.json, chat, packed_out, size_out);
    ga_text_tokenizer_close(tokenizer);
    return status == GA_MEMORY ? ga_fail(error, GA_MEMORY, "%s: no memory to pack it", name) : status;
}
