// gguf_unigram.c: writes the tokenizer.json of a GGUF file with Unigram (t5): sentencepiece's map of characters, its
// spaces, and the scores of tokens that a text is searched for. Encodes nothing.
#include <float.h>
#include <stdlib.h>

#include "charsmap.h"
#include "gguf_translation.h"

enum ga_status ga_text_gguf_t5_defaults(struct ga_text_gguf_translation *t)
{
    t->vocabulary.eos = 1;
    t->vocabulary.unknown = 2;
    t->vocabulary.adds_eos = true;
    return GA_OK;
}

// -- The map --------------------------------------------------------------------------------------------------------

static void write_base64(struct ga_text_json_writer *out, struct ga_text_bytes bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.length; i += 3) {
        const size_t left = bytes.length - i;
        uint32_t three = 0;
        for (size_t k = 0; k < 3; k++) {
            three = three << 8 | (k < left ? (unsigned char)bytes.bytes[i + k] : 0);
        }
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
                             left > 2 ? digits[three & 63] : '=', '\0'};
        ga_text_json_raw(out, four);
    }
}

// Whether the normalizer will take the map; if not, the error names the file's key.
static enum ga_status check_charsmap(const struct ga_text_gguf_translation *t, const struct ga_text_string *base64)
{
    struct ga_text_charsmap charsmap;
    struct ga_text_charsmap_fault fault;
    const enum ga_status status =
        ga_text_charsmap_read(&charsmap, (struct ga_text_bytes){base64->bytes, base64->length}, &fault);
    if (status == GA_FORMAT) {
        return ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_CHARSMAP, "is %s; expected %s", fault.found, fault.expected);
    }
    ga_text_charsmap_free(&charsmap);
    return status == GA_OK ? GA_OK
                           : ga_fail(t->gguf->error, status, "%s: no memory for its map of characters", t->gguf->file);
}

static enum ga_status write_charsmap(struct ga_text_gguf_translation *t)
{
    const struct ga_text_gguf_value *value = &t->gguf->values[GA_TEXT_GGUF_CHARSMAP];
    if (!value->is_there) {
        return GA_OK;
    }
    const uint32_t item = value->item == GA_TEXT_GGUF_I8 ? GA_TEXT_GGUF_I8 : GA_TEXT_GGUF_U8;
    struct ga_text_json_writer base64 = {.status = ga_text_gguf_array(t->gguf, GA_TEXT_GGUF_CHARSMAP, item, 0)};
    if (base64.status != GA_OK) {
        return base64.status;
    }
    write_base64(&base64, value->bytes);
    enum ga_status status = base64.status == GA_OK ? check_charsmap(t, &base64.text) : base64.status;
    if (status == GA_OK) {
        ga_text_gguf_raw(t, "\"precompiled_charsmap\":");
        ga_text_json_string(&t->out, (struct ga_text_bytes){base64.text.bytes, base64.text.length});
        ga_text_gguf_raw(t, ",");
    }
    ga_text_string_free(&base64.text);
    return status;
}

static enum ga_status write_normalizer(struct ga_text_gguf_translation *t)
{
    bool merges = false;
    enum ga_status status = ga_text_gguf_bool(t->gguf, GA_TEXT_GGUF_REMOVE_EXTRA, &merges);
    ga_text_gguf_raw(t, ",\"normalizer\":{\"type\":\"GGUFSpaces\",");
    status = status == GA_OK ? write_charsmap(t) : status;
    ga_text_gguf_raw(t, t->vocabulary.adds_prefix ? "\"add_space_prefix\":true," : "\"add_space_prefix\":false,");
    ga_text_gguf_raw(t, merges ? "\"remove_extra_whitespaces\":true}" : "\"remove_extra_whitespaces\":false}");
    return status;
}

// -- The tokens -----------------------------------------------------------------------------------------------------

static uint32_t type_of(const struct ga_text_gguf_translation *t, size_t id)
{
    const struct ga_text_gguf_value *types = &t->gguf->values[GA_TEXT_GGUF_TYPES];
    return types->is_there ? ga_text_gguf_item(types, id) : GA_TEXT_GGUF_NORMAL;
}

// A token of the user's is worth more than any other, and control tokens and bytes are not searched for.
static void write_score(struct ga_text_gguf_translation *t, size_t id)
{
    const uint32_t type = type_of(t, id);
    if (type == GA_TEXT_GGUF_NORMAL || type == GA_TEXT_GGUF_UNUSED) {
        ga_text_json_double(&t->out, (double)ga_text_gguf_score(t, id));
    } else {
        ga_text_gguf_raw(t, type == GA_TEXT_GGUF_USER ? "0" : "null");
    }
}

static void write_tokens(struct ga_text_gguf_translation *t)
{
    ga_text_gguf_raw(t, ",\"vocab\":[");
    for (size_t id = 0; id < t->vocabulary.count; id++) {
        ga_text_gguf_comma(t, id);
        ga_text_gguf_raw(t, "[");
        ga_text_gguf_write_token(t, id);
        ga_text_gguf_raw(t, ",");
        write_score(t, id);
        ga_text_gguf_raw(t, "]");
    }
    ga_text_gguf_raw(t, "]}");
}

// 10 below the lowest of normal tokens, in floats.
static float unknown_score(const struct ga_text_gguf_translation *t)
{
    float lowest = FLT_MAX;
    for (size_t id = 0; id < t->vocabulary.count; id++) {
        const float score = ga_text_gguf_score(t, id);
        lowest = type_of(t, id) == GA_TEXT_GGUF_NORMAL && score < lowest ? score : lowest;
    }
    return lowest - 10.0F;
}

static void write_decoder(struct ga_text_gguf_translation *t)
{
    ga_text_gguf_raw(t, ",\"pre_tokenizer\":null,\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":"
                        "\"Replace\",\"pattern\":{\"String\":\"\u2581\"},\"content\":\" \"},{\"type\":\"Fuse\"}");
    ga_text_gguf_raw(t, t->vocabulary.adds_prefix ? ",{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}"
                                                  : "]}");
}

enum ga_status ga_text_gguf_write_t5(struct ga_text_gguf_translation *t)
{
    enum ga_status status = ga_text_gguf_check_scores(t);
    status = status == GA_OK ? write_normalizer(t) : status;
    status = status == GA_OK ? ga_text_gguf_check_id(t, GA_TEXT_GGUF_UNKNOWN, t->vocabulary.unknown) : status;
    if (status != GA_OK) {
        return status;
    }
    write_decoder(t);
    ga_text_gguf_raw(t, ",\"model\":{\"type\":\"Unigram\",\"byte_fallback\":false,\"unk_id\":");
    ga_text_json_integer(&t->out, t->vocabulary.unknown);
    ga_text_gguf_raw(t, ",\"unknown_score\":");
    ga_text_json_double(&t->out, (double)unknown_score(t));
    write_tokens(t);
    return ga_text_gguf_write_post(t);
}
