// bpe.c: the model BPE: reads its object of the JSON. Encodes nothing: that is bpe_encode.c.
#include "bpe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unicode.h"

// -- Reading --------------------------------------------------------------------------------------------------------

// The object as the JSON has it.
struct bpe_fields {
    double dropout;
    struct ga_text_bytes unknown, prefix, suffix;
    bool fuse_unknown, byte_fallback, ignore_merges;
    json_t *vocabulary, *merges;
    json_t *scores; // of a tokenizer of sentencepiece in a GGUF file, in the place of merges; no tokenizer.json has it
};

static const struct ga_text_field fields[] = {
    {"dropout", GA_TEXT_NUMBER, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, dropout)},
    {"unk_token", GA_TEXT_STRING, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, unknown)},
    {"continuing_subword_prefix", GA_TEXT_STRING, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, prefix)},
    {"end_of_word_suffix", GA_TEXT_STRING, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, suffix)},
    {"fuse_unk", GA_TEXT_BOOL, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, fuse_unknown)},
    {"byte_fallback", GA_TEXT_BOOL, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, byte_fallback)},
    {"ignore_merges", GA_TEXT_BOOL, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, ignore_merges)},
    {"vocab", GA_TEXT_OBJECT, GA_TEXT_REQUIRED, offsetof(struct bpe_fields, vocabulary)},
    {"merges", GA_TEXT_ARRAY, GA_TEXT_REQUIRED, offsetof(struct bpe_fields, merges)},
    {"scores", GA_TEXT_ARRAY, GA_TEXT_NULLABLE, offsetof(struct bpe_fields, scores)},
};

static enum ga_status read_affix(struct ga_text_reader *reader, const char *field, struct ga_text_bytes text,
                                 struct ga_text_affix *out)
{
    if (text.length > GA_TEXT_BPE_AFFIX) {
        return ga_text_refuse(reader, field, "a longer string", "at most 64 bytes");
    }
    if (text.length > 0) {
        memcpy(out->bytes, text.bytes, text.length);
    }
    out->length = text.length;
    return GA_OK;
}

static enum ga_status read_tables(struct ga_text_bpe *bpe, struct ga_text_reader *reader, const struct bpe_fields *read)
{
    const size_t path = ga_text_reader_enter(reader, "vocab", 0);
    enum ga_status status = ga_text_vocabulary_read(&bpe->vocabulary, reader, read->vocabulary);
    ga_text_reader_leave(reader, path);
    if (status == GA_OK && read->scores) {
        status = ga_text_merges_of_scores(&bpe->merges, reader, read->scores, &bpe->vocabulary);
    } else if (status == GA_OK) {
        status = ga_text_merges_read(&bpe->merges, reader, read->merges, &bpe->vocabulary, bpe->prefix.length);
    }
    return status;
}

static int32_t id_of(const struct ga_text_bpe *bpe, const char *bytes, size_t length)
{
    return ga_text_vocabulary_id(&bpe->vocabulary, bytes, length);
}

static void find_ids(struct ga_text_bpe *bpe, struct ga_text_bytes unknown)
{
    bpe->has_unknown = unknown.bytes != NULL;
    bpe->unknown_id = bpe->has_unknown ? id_of(bpe, unknown.bytes, unknown.length) : GA_TEXT_NO_ID;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[8];
        snprintf(name, sizeof(name), "<0x%02X>", byte);
        bpe->byte_ids[byte] = id_of(bpe, name, 6);
    }
    for (uint32_t code_point = 0; code_point < GA_TEXT_BPE_CHARACTERS; code_point++) {
        char bytes[4];
        bpe->characters[code_point] = id_of(bpe, bytes, ga_text_utf8(code_point, bytes));
    }
}

static enum ga_status read(struct ga_text_bpe *bpe, struct ga_text_reader *reader, json_t *object)
{
    struct bpe_fields in = {0};
    enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof(fields) / sizeof(*fields), &in);
    if (status == GA_OK && in.dropout != 0) {
        status = ga_text_refuse(reader, "dropout", NULL, "null or 0: tokens are not drawn at random here");
    }
    status = status == GA_OK ? read_affix(reader, "continuing_subword_prefix", in.prefix, &bpe->prefix) : status;
    status = status == GA_OK ? read_affix(reader, "end_of_word_suffix", in.suffix, &bpe->suffix) : status;
    status = status == GA_OK ? read_tables(bpe, reader, &in) : status;
    if (status == GA_OK) {
        bpe->has_scores = in.scores != NULL;
        bpe->fuse_unknown = in.fuse_unknown;
        bpe->byte_fallback = in.byte_fallback;
        bpe->ignore_merges = in.ignore_merges;
        find_ids(bpe, in.unknown);
    }
    return status;
}

// -- The class ------------------------------------------------------------------------------------------------------

static void close_bpe(void *self)
{
    struct ga_text_bpe *bpe = self;
    if (bpe != NULL) {
        ga_text_vocabulary_free(&bpe->vocabulary);
        ga_text_merges_free(&bpe->merges);
        free(bpe);
    }
}

static enum ga_status open_bpe(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct ga_text_bpe *bpe = calloc(1, sizeof(*bpe));
    if (bpe == NULL) {
        return ga_text_refuse_memory(reader);
    }
    const enum ga_status status = read(bpe, reader, object);
    if (status != GA_OK) {
        close_bpe(bpe);
        return status;
    }
    bpe->cuts_at_marks = !bpe->ignore_merges && ga_text_bpe_cuts_at(bpe, (struct ga_text_bytes){"\xe2\x96\x81", 3});
    *self_out = bpe;
    return GA_OK;
}

static enum ga_status open_scratch(const void *self, void **scratch_out)
{
    (void)self;
    *scratch_out = calloc(1, sizeof(struct ga_text_symbols));
    return *scratch_out == NULL ? GA_MEMORY : GA_OK;
}

static void close_scratch(void *scratch)
{
    if (scratch != NULL) {
        ga_text_symbols_free(scratch);
        free(scratch);
    }
}

static enum ga_status pack(const void *self, struct ga_text_tables *tables)
{
    const struct ga_text_bpe *bpe = self;
    const enum ga_status status = ga_text_vocabulary_pack(&bpe->vocabulary, tables);
    return status == GA_OK && !bpe->has_scores ? ga_text_merges_pack(&bpe->merges, tables) : status;
}

static const struct ga_text_vocabulary *vocabulary_of(const void *self)
{
    return &((const struct ga_text_bpe *)self)->vocabulary;
}

static bool prove(const void *self, struct ga_text_edges *edges)
{
    const struct ga_text_bpe *bpe = self;
    return edges->are_solid && !bpe->ignore_merges && ga_text_bpe_cuts_at(bpe, ga_text_lead_bytes(edges->lead));
}

static bool has_words(const void *self)
{
    return ((const struct ga_text_bpe *)self)->cuts_at_marks;
}

const struct ga_text_model_class ga_text_bpe = {
    .base = {"BPE", open_bpe, close_bpe, open_scratch, close_scratch},
    .encode = ga_text_bpe_encode,
    .vocabulary = vocabulary_of,
    .pack = pack,
    .has_words = has_words,
    .word_end = ga_text_bpe_word_end,
    .edges = prove,
};
