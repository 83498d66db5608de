// components.c: which components there are, by kind, and how a Sequence of them becomes a list.
#include <string.h>

#include "tokenizer.h"

static const struct ga_text_component_class *const normalizers[] = {
    &ga_text_bert_normalizer.base,
    &ga_text_nfc.base,
    &ga_text_nfd.base,
    &ga_text_nfkc.base,
    &ga_text_nfkd.base,
    &ga_text_lowercase.base,
    &ga_text_strip.base,
    &ga_text_strip_accents.base,
    &ga_text_replace.base,
    &ga_text_prepend.base,
    &ga_text_precompiled.base,
    &ga_text_gguf_words.base,
    &ga_text_gguf_spaces.base,
};

static const struct ga_text_component_class *const pretokenizers[] = {
    &ga_text_bert_pretokenizer.base, &ga_text_whitespace.base, &ga_text_whitespace_split.base,
    &ga_text_punctuation.base,       &ga_text_digits.base,     &ga_text_byte_level.base,
    &ga_text_metaspace.base,         &ga_text_split.base,
};

static const struct ga_text_component_class *const decoders[] = {
    &ga_text_wordpiece_decoder.base,     &ga_text_strip_decoder.base,      &ga_text_replace_decoder.base,
    &ga_text_fuse_decoder.base,          &ga_text_byte_level_decoder.base, &ga_text_metaspace_decoder.base,
    &ga_text_byte_fallback_decoder.base, &ga_text_bpe_decoder.base,
};

static const struct ga_text_component_class *const models[] = {
    &ga_text_wordpiece.base,
    &ga_text_bpe.base,
    &ga_text_unigram.base,
};

// A kind of components: those that there are, and the field of a Sequence that holds its parts.
struct kind {
    const struct ga_text_component_class *const *classes;
    size_t count;
    const char *parts;
    const char *what;
};

static const struct kind normalizer_kind = {normalizers, sizeof normalizers / sizeof *normalizers, "normalizers",
                                            "a normalizer that is known"};
static const struct kind pretokenizer_kind = {pretokenizers, sizeof pretokenizers / sizeof *pretokenizers,
                                              "pretokenizers", "a pre-tokenizer that is known"};
static const struct kind decoder_kind = {decoders, sizeof decoders / sizeof *decoders, "decoders",
                                         "a decoder that is known"};
static const struct kind model_kind = {models, sizeof models / sizeof *models, "", "WordPiece, BPE or Unigram"};

static enum ga_status read_part(const struct kind *kind, struct ga_text_reader *reader, json_t *object,
                                struct ga_text_part *part)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    for (size_t i = 0; type && i < kind->count; i++) {
        if (strcmp(kind->classes[i]->type, type) == 0) {
            part->base = kind->classes[i];
            part->self = NULL;
            return part->base->open(reader, object, &part->self);
        }
    }
    return ga_text_refuse(reader, "type", type ? type : "nothing", kind->what);
}

static enum ga_status read_parts(const struct kind *kind, struct ga_text_parts *parts, struct ga_text_reader *reader,
                                 json_t *object, int depth);

static enum ga_status read_sequence(const struct kind *kind, struct ga_text_parts *parts, struct ga_text_reader *reader,
                                    json_t *object, int depth)
{
    json_t *array = NULL;
    const struct ga_text_field field = {kind->parts, GA_TEXT_ARRAY, GA_TEXT_REQUIRED, 0};
    enum ga_status status = ga_text_read_fields(reader, object, &field, 1, &array);
    if (status != GA_OK) {
        return status;
    }
    if (depth == GA_TEXT_DEPTH) {
        return ga_text_refuse_as(reader, "Sequences in each other more than %d deep", GA_TEXT_DEPTH);
    }
    const size_t length = ga_text_reader_enter(reader, kind->parts, 0);
    for (size_t i = 0; i < json_array_size(array) && status == GA_OK; i++) {
        const size_t inside = ga_text_reader_enter(reader, NULL, i);
        status = read_parts(kind, parts, reader, json_array_get(array, i), depth + 1);
        ga_text_reader_leave(reader, inside);
    }
    ga_text_reader_leave(reader, length);
    return status;
}

static enum ga_status read_parts(const struct kind *kind, struct ga_text_parts *parts, struct ga_text_reader *reader,
                                 json_t *object, int depth)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    if (type && strcmp(type, "Sequence") == 0) {
        return read_sequence(kind, parts, reader, object, depth);
    }
    if (parts->count == GA_TEXT_PARTS) {
        return ga_text_refuse_as(reader, "more than %d components of a kind", GA_TEXT_PARTS);
    }
    const enum ga_status status = read_part(kind, reader, object, &parts->items[parts->count]);
    parts->count += status == GA_OK;
    return status;
}

enum ga_status ga_text_read_normalizers(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object)
{
    return read_parts(&normalizer_kind, parts, reader, object, 0);
}

enum ga_status ga_text_read_pretokenizers(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object)
{
    return read_parts(&pretokenizer_kind, parts, reader, object, 0);
}

enum ga_status ga_text_read_decoders(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object)
{
    return read_parts(&decoder_kind, parts, reader, object, 0);
}

enum ga_status ga_text_read_model(struct ga_text_part *part, struct ga_text_reader *reader, json_t *object)
{
    const enum ga_status status = read_part(&model_kind, reader, object, part);
    part->base = status == GA_OK ? part->base : NULL;
    return status;
}

void ga_text_parts_close(struct ga_text_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].base->close) {
            parts->items[i].base->close(parts->items[i].self);
        }
    }
    parts->count = 0;
}

enum ga_status ga_text_parts_open_scratch(const struct ga_text_parts *parts, struct ga_text_scratches *scratches)
{
    enum ga_status status = GA_OK;
    for (size_t i = 0; i < parts->count && status == GA_OK; i++) {
        if (parts->items[i].base->open_scratch) {
            status = parts->items[i].base->open_scratch(parts->items[i].self, &scratches->items[i]);
        }
    }
    return status;
}

void ga_text_parts_close_scratch(const struct ga_text_parts *parts, struct ga_text_scratches *scratches)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].base->close_scratch && scratches->items[i]) {
            parts->items[i].base->close_scratch(scratches->items[i]);
        }
    }
}
