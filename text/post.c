// post.c: reads post-processors and truncation.
#include "post.h"

#include <stdlib.h>
#include <string.h>

#include "byte_level.h"

enum { LONGEST = 64 }; // places of a template

// -- Templates ------------------------------------------------------------------------------------------------------

static void free_template(struct ga_text_template *template)
{
    for (size_t i = 0; i < template->count; i++) {
        free(template->places[i].token);
    }
    free(template->places);
    *template = (struct ga_text_template){0};
}

void ga_text_post_free(struct ga_text_post *post)
{
    free_template(&post->single);
    free_template(&post->pair);
}

static enum ga_status add_place(struct ga_text_template *template, struct ga_text_reader *reader,
                                struct ga_text_place place, struct ga_text_bytes token)
{
    if (!template->places) {
        template->places = calloc(LONGEST, sizeof *template->places);
    }
    if (template->count == LONGEST) {
        return ga_text_refuse_as(reader, "a template of more than %d places", LONGEST);
    }
    if (token.bytes) {
        place.token = malloc(token.length + 1);
        place.length = token.length;
    }
    if (!template->places || (token.bytes && !place.token)) {
        free(place.token);
        return ga_text_refuse_memory(reader);
    }
    if (token.bytes) {
        memcpy(place.token, token.bytes, token.length);
    }
    template->n_special += place.what == GA_TEXT_SPECIAL;
    template->places[template->count++] = place;
    return GA_OK;
}

static enum ga_status add_text(struct ga_text_template *template, struct ga_text_reader *reader, int what,
                               int32_t type_id)
{
    const struct ga_text_place place = {.what = what, .type_id = type_id};
    return add_place(template, reader, place, (struct ga_text_bytes){NULL, 0});
}

// -- BertProcessing and RobertaProcessing ----------------------------------------------------------------------------

struct pair_fields {
    json_t *sep, *cls;
    bool trim_offsets, add_prefix_space;
};

static const struct ga_text_field pair_fields[] = {
    {"sep", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct pair_fields, sep)},
    {"cls", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct pair_fields, cls)},
    {"trim_offsets", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct pair_fields, trim_offsets)},
    {"add_prefix_space", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct pair_fields, add_prefix_space)},
};

static bool is_id(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < GA_TEXT_IDS;
}

// Adds a special token given as [text, id].
static enum ga_status add_named(struct ga_text_template *template, struct ga_text_reader *reader, const char *field,
                                const json_t *given, int32_t type_id)
{
    const json_t *token = json_array_get(given, 0), *id = json_array_get(given, 1);
    if (json_array_size(given) != 2 || !json_is_string(token) || !is_id(id)) {
        return ga_text_refuse(reader, field, NULL, "[token, id]");
    }
    const struct ga_text_place place = {GA_TEXT_SPECIAL, type_id, (int32_t)json_integer_value(id), NULL, 0};
    return add_place(template, reader, place,
                     (struct ga_text_bytes){json_string_value(token), json_string_length(token)});
}

static enum ga_status begin_pair(struct ga_text_template *template, struct ga_text_reader *reader,
                                 const struct pair_fields *given)
{
    enum ga_status status = add_named(template, reader, "cls", given->cls, 0);
    status = status ? status : add_text(template, reader, GA_TEXT_FIRST, 0);
    return status ? status : add_named(template, reader, "sep", given->sep, 0);
}

static enum ga_status read_bert(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    struct pair_fields given = {0};
    enum ga_status status = ga_text_read_fields(reader, object, pair_fields, 2, &given);
    status = status ? status : begin_pair(&post->single, reader, &given);
    status = status ? status : begin_pair(&post->pair, reader, &given);
    status = status ? status : add_text(&post->pair, reader, GA_TEXT_SECOND, 1);
    return status ? status : add_named(&post->pair, reader, "sep", given.sep, 1);
}

static enum ga_status read_roberta(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    struct pair_fields given = {0};
    enum ga_status status = ga_text_read_fields(reader, object, pair_fields, 4, &given);
    status = status ? status : begin_pair(&post->single, reader, &given);
    status = status ? status : begin_pair(&post->pair, reader, &given);
    status = status ? status : add_named(&post->pair, reader, "sep", given.sep, 0);
    status = status ? status : add_text(&post->pair, reader, GA_TEXT_SECOND, 0);
    post->trims = post->trims || given.trim_offsets;
    post->add_prefix_space = given.add_prefix_space;
    return status ? status : add_named(&post->pair, reader, "sep", given.sep, 0);
}

// -- TemplateProcessing ----------------------------------------------------------------------------------------------

struct template_fields {
    json_t *single, *pair, *special_tokens;
};

static const struct ga_text_field template_fields[] = {
    {"single", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct template_fields, single)},
    {"pair", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct template_fields, pair)},
    {"special_tokens", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct template_fields, special_tokens)},
};

struct place_fields {
    struct ga_text_bytes id;
    int64_t type_id;
};

static const struct ga_text_field place_fields[] = {
    {"id", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct place_fields, id)},
    {"type_id", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct place_fields, type_id)},
};

struct special_fields {
    struct ga_text_bytes id;
    json_t *ids, *tokens;
};

static const struct ga_text_field special_fields[] = {
    {"id", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct special_fields, id)},
    {"ids", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct special_fields, ids)},
    {"tokens", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct special_fields, tokens)},
};

// Adds the ids of a special token of the template.
static enum ga_status add_special(struct ga_text_template *template, struct ga_text_reader *reader, json_t *specials,
                                  const struct place_fields *given)
{
    struct special_fields special = {{NULL, 0}, NULL, NULL};
    json_t *object = json_object_get(specials, given->id.bytes);
    if (!object) {
        return ga_text_refuse(reader, "id", given->id.bytes, "one of special_tokens");
    }
    enum ga_status status = ga_text_read_fields(reader, object, special_fields, 3, &special);
    for (size_t i = 0; status == GA_OK && i < json_array_size(special.ids); i++) {
        const json_t *id = json_array_get(special.ids, i), *token = json_array_get(special.tokens, i);
        if (!is_id(id) || !json_is_string(token) || json_array_size(special.ids) != json_array_size(special.tokens)) {
            return ga_text_refuse_as(reader, "special token \"%.60s\": expected as many ids as tokens",
                                     given->id.bytes);
        }
        const struct ga_text_place place = {GA_TEXT_SPECIAL, (int32_t)given->type_id, (int32_t)json_integer_value(id),
                                            NULL, 0};
        status = add_place(template, reader, place,
                           (struct ga_text_bytes){json_string_value(token), json_string_length(token)});
    }
    return status;
}

static enum ga_status read_place(struct ga_text_template *template, struct ga_text_reader *reader, json_t *object,
                                 json_t *specials, bool is_pair)
{
    json_t *sequence = json_object_get(object, "Sequence"), *special = json_object_get(object, "SpecialToken");
    struct place_fields given = {{NULL, 0}, 0};
    if (json_object_size(object) != 1 || (!sequence && !special)) {
        return ga_text_refuse(reader, NULL, NULL, "{ \"Sequence\": ... } or { \"SpecialToken\": ... }");
    }
    const enum ga_status status = ga_text_read_fields(reader, sequence ? sequence : special, place_fields, 2, &given);
    if (status != GA_OK) {
        return status;
    }
    if (given.type_id < 0 || given.type_id > INT32_MAX) {
        return ga_text_refuse(reader, "type_id", "a number out of range", "0 to 2147483647");
    }
    if (special) {
        return add_special(template, reader, specials, &given);
    }
    const bool is_second = strcmp(given.id.bytes, "B") == 0;
    if ((!is_second && strcmp(given.id.bytes, "A") != 0) || (is_second && !is_pair)) {
        return ga_text_refuse(reader, "Sequence.id", given.id.bytes, is_pair ? "A or B" : "A");
    }
    return add_text(template, reader, is_second ? GA_TEXT_SECOND : GA_TEXT_FIRST, (int32_t)given.type_id);
}

static enum ga_status read_places(struct ga_text_template *template, struct ga_text_reader *reader, const char *field,
                                  const json_t *array, json_t *specials, bool is_pair)
{
    enum ga_status status = GA_OK;
    const size_t length = ga_text_reader_enter(reader, field, 0);
    for (size_t i = 0; i < json_array_size(array) && status == GA_OK; i++) {
        const size_t inside = ga_text_reader_enter(reader, NULL, i);
        status = read_place(template, reader, json_array_get(array, i), specials, is_pair);
        ga_text_reader_leave(reader, inside);
    }
    ga_text_reader_leave(reader, length);
    return status;
}

static enum ga_status read_template(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    struct template_fields given = {0};
    enum ga_status status = ga_text_read_fields(reader, object, template_fields, 3, &given);
    status = status ? status : read_places(&post->single, reader, "single", given.single, given.special_tokens, false);
    return status ? status : read_places(&post->pair, reader, "pair", given.pair, given.special_tokens, true);
}

// -- All of them -----------------------------------------------------------------------------------------------------

static enum ga_status read_byte_level(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    void *self;
    const enum ga_status status = ga_text_byte_level_open(reader, object, &self);
    if (status == GA_OK) {
        const struct ga_text_byte_level_fields *given = self;
        post->trims = post->trims || given->trim_offsets;
        post->add_prefix_space = given->add_prefix_space;
        free(self);
    }
    return status;
}

static const struct processor {
    const char *type;
    bool is_template;
    enum ga_status (*read)(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object);
} processors[] = {
    {"BertProcessing", true, read_bert},
    {"RobertaProcessing", true, read_roberta},
    {"TemplateProcessing", true, read_template},
    {"ByteLevel", false, read_byte_level},
};

static enum ga_status read_processor(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    for (size_t i = 0; type && i < sizeof processors / sizeof *processors; i++) {
        if (strcmp(processors[i].type, type) != 0) {
            continue;
        }
        if (processors[i].is_template && post->has_template) {
            return ga_text_refuse(reader, "type", type, "one that adds tokens, not two");
        }
        post->has_template = post->has_template || processors[i].is_template;
        return processors[i].read(post, reader, object);
    }
    return ga_text_refuse(reader, "type", type,
                          "BertProcessing, RobertaProcessing, TemplateProcessing, ByteLevel or Sequence of these");
}

static enum ga_status read_processors(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    const json_t *array = json_object_get(object, "processors");
    if (!type || strcmp(type, "Sequence") != 0 || !json_is_array(array) || json_object_size(object) != 2) {
        return read_processor(post, reader, object);
    }
    enum ga_status status = GA_OK;
    const size_t length = ga_text_reader_enter(reader, "processors", 0);
    for (size_t i = 0; i < json_array_size(array) && i < GA_TEXT_PARTS && status == GA_OK; i++) {
        const size_t inside = ga_text_reader_enter(reader, NULL, i);
        status = read_processor(post, reader, json_array_get(array, i));
        ga_text_reader_leave(reader, inside);
    }
    ga_text_reader_leave(reader, length);
    return status;
}

static enum ga_status add_default(struct ga_text_post *post, struct ga_text_reader *reader)
{
    enum ga_status status = add_text(&post->single, reader, GA_TEXT_FIRST, 0);
    status = status ? status : add_text(&post->pair, reader, GA_TEXT_FIRST, 0);
    return status ? status : add_text(&post->pair, reader, GA_TEXT_SECOND, 1);
}

// -- Truncation ------------------------------------------------------------------------------------------------------

struct truncation_fields {
    struct ga_text_bytes direction, strategy;
    int64_t max_length, stride;
};

static const struct ga_text_field truncation_fields[] = {
    {"direction", GA_TEXT_STRING, GA_TEXT_OPTIONAL, offsetof(struct truncation_fields, direction)},
    {"strategy", GA_TEXT_STRING, GA_TEXT_REQUIRED, offsetof(struct truncation_fields, strategy)},
    {"max_length", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct truncation_fields, max_length)},
    {"stride", GA_TEXT_INTEGER, GA_TEXT_REQUIRED, offsetof(struct truncation_fields, stride)},
};

static const char *const strategies[] = {"LongestFirst", "OnlyFirst", "OnlySecond"};

static enum ga_status read_truncation(struct ga_text_post *post, struct ga_text_reader *reader, json_t *object)
{
    struct truncation_fields given = {{"Right", 5}, {NULL, 0}, 0, 0};
    const enum ga_status status = ga_text_read_fields(reader, object, truncation_fields, 4, &given);
    if (status != GA_OK) {
        return status;
    }
    if (given.max_length < 0 || given.max_length > UINT32_MAX) {
        return ga_text_refuse(reader, "max_length", "a number out of range", "0 to 4294967295");
    }
    if (given.stride < 0 || (given.stride > 0 && given.stride >= given.max_length)) {
        return ga_text_refuse(reader, "stride", "a number out of range", "less than max_length");
    }
    post->from_left = strcmp(given.direction.bytes, "Left") == 0;
    if (!post->from_left && strcmp(given.direction.bytes, "Right") != 0) {
        return ga_text_refuse(reader, "direction", given.direction.bytes, "Left or Right");
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(given.strategy.bytes, strategies[i]) == 0) {
            post->strategy = (enum ga_text_strategy)i;
            post->truncates = true;
            post->max_length = (size_t)given.max_length;
            return GA_OK;
        }
    }
    return ga_text_refuse(reader, "strategy", given.strategy.bytes, "LongestFirst, OnlyFirst or OnlySecond");
}

enum ga_status ga_text_post_read(struct ga_text_post *post, struct ga_text_reader *reader, json_t *processor,
                                 json_t *truncation)
{
    enum ga_status status = GA_OK;
    if (processor) {
        const size_t length = ga_text_reader_enter(reader, "post_processor", 0);
        status = read_processors(post, reader, processor);
        ga_text_reader_leave(reader, length);
    }
    if (status == GA_OK && !post->has_template) {
        status = add_default(post, reader);
    }
    if (status == GA_OK && truncation) {
        const size_t length = ga_text_reader_enter(reader, "truncation", 0);
        status = read_truncation(post, reader, truncation);
        ga_text_reader_leave(reader, length);
    }
    return status;
}

static void clear_types(struct ga_text_template *template)
{
    for (size_t i = 0; i < template->count; i++) {
        template->places[i].type_id = 0;
    }
}

void ga_text_post_set(struct ga_text_post *post, const struct ga_text_settings *settings)
{
    post->from_left = settings->says_side ? settings->from_left : post->from_left;
    if (settings->untyped) {
        clear_types(&post->single);
        clear_types(&post->pair);
    }
}
