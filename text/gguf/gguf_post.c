// gguf_post.c: parts of the JSON that kinds of tokenizers in GGUF files share: tokens, their scores, and the templates
// with those that begin and end a text. Knows no model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gguf_translation.h"

void ga_text_gguf_raw(struct ga_text_gguf_translation *t, const char *text)
{
    ga_text_json_raw(&t->out, text);
}

void ga_text_gguf_comma(struct ga_text_gguf_translation *t, size_t written)
{
    ga_text_gguf_raw(t, written > 0 ? "," : "");
}

void ga_text_gguf_write_token(struct ga_text_gguf_translation *t, size_t id)
{
    char name[32];
    struct ga_text_bytes token = t->vocabulary.tokens[id];
    if (token.length == 0) {
        token = (struct ga_text_bytes){name, (size_t)snprintf(name, sizeof name, "[EMPTY_%zu]", id)};
    }
    ga_text_json_string(&t->out, token);
}

void ga_text_gguf_write_vocabulary(struct ga_text_gguf_translation *t)
{
    ga_text_gguf_raw(t, "\"vocab\":{");
    for (size_t id = 0; id < t->vocabulary.count; id++) {
        ga_text_gguf_comma(t, id);
        ga_text_gguf_write_token(t, id);
        ga_text_gguf_raw(t, ":");
        ga_text_json_integer(&t->out, (int64_t)id);
    }
    ga_text_gguf_raw(t, "}");
}

enum ga_status ga_text_gguf_check_scores(const struct ga_text_gguf_translation *t)
{
    enum ga_status status = ga_text_gguf_array(t->gguf, GA_TEXT_GGUF_SCORES, GA_TEXT_GGUF_F32, t->vocabulary.count);
    for (size_t i = 0; status == GA_OK && i < t->vocabulary.count; i++) {
        if (!isfinite(ga_text_gguf_score(t, i))) {
            status = ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_SCORES, "item %zu is not finite; expected a number", i);
        }
    }
    return status;
}

float ga_text_gguf_score(const struct ga_text_gguf_translation *t, size_t id)
{
    const uint32_t bits = ga_text_gguf_item(&t->gguf->values[GA_TEXT_GGUF_SCORES], id);
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

enum ga_status ga_text_gguf_check_id(const struct ga_text_gguf_translation *t, enum ga_text_gguf_key key, int64_t id)
{
    return id >= 0 ? GA_OK
                   : ga_text_gguf_refuse(t->gguf, key,
                                         "is missing, and its default is not the id of one of %zu tokens; expected it",
                                         t->vocabulary.count);
}

enum { FIRST = -2, SECOND = -3 }; // places of a template that are no token's

static void write_place(struct ga_text_gguf_translation *t, int64_t what, int type_id)
{
    ga_text_gguf_raw(t, what < 0 ? "{\"Sequence\":{\"id\":" : "{\"SpecialToken\":{\"id\":");
    if (what < 0) {
        ga_text_gguf_raw(t, what == FIRST ? "\"A\"" : "\"B\"");
    } else {
        ga_text_gguf_write_token(t, (size_t)what);
    }
    ga_text_gguf_raw(t, type_id ? ",\"type_id\":1}}" : ",\"type_id\":0}}");
}

// bos A eos, and for a pair bos A eos B eos; -1: left out.
static void write_template(struct ga_text_gguf_translation *t, const char *name, const int64_t *places,
                           const int *types, size_t count)
{
    size_t written = 0;
    ga_text_gguf_raw(t, name);
    for (size_t i = 0; i < count; i++) {
        if (places[i] != -1) {
            ga_text_gguf_comma(t, written++);
            write_place(t, places[i], types[i]);
        }
    }
    ga_text_gguf_raw(t, "]");
}

static void write_special(struct ga_text_gguf_translation *t, int64_t id, size_t *written)
{
    if (id < 0) {
        return;
    }
    ga_text_gguf_comma(t, (*written)++);
    ga_text_gguf_write_token(t, (size_t)id);
    ga_text_gguf_raw(t, ":{\"id\":");
    ga_text_gguf_write_token(t, (size_t)id);
    ga_text_gguf_raw(t, ",\"ids\":[");
    ga_text_json_integer(&t->out, id);
    ga_text_gguf_raw(t, "],\"tokens\":[");
    ga_text_gguf_write_token(t, (size_t)id);
    ga_text_gguf_raw(t, "]}");
}

void ga_text_gguf_write_template(struct ga_text_gguf_translation *t, int64_t bos, int64_t eos)
{
    const int64_t places[] = {bos, FIRST, eos, SECOND, eos};
    const int types[] = {0, 0, 0, 1, 1};
    size_t written = 0;
    write_template(t, ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[", places, types, 3);
    write_template(t, ",\"pair\":[", places, types, 5);
    ga_text_gguf_raw(t, ",\"special_tokens\":{");
    write_special(t, bos, &written);
    write_special(t, eos == bos ? -1 : eos, &written);
    ga_text_gguf_raw(t, "}}");
}

enum ga_status ga_text_gguf_write_post(struct ga_text_gguf_translation *t)
{
    const struct ga_text_gguf_vocabulary *v = &t->vocabulary;
    if (v->adds_bos && v->bos < 0) {
        return ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_ADD_BOS, "is true, but no bos_token_id is there");
    }
    if (v->adds_eos && v->eos < 0) {
        return ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_ADD_EOS, "is true, but no eos_token_id is there");
    }
    ga_text_gguf_write_template(t, v->adds_bos ? v->bos : -1, v->adds_eos ? v->eos : -1);
    return GA_OK;
}
