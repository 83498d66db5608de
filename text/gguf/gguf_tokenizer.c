// gguf_tokenizer.c: writes the tokenizer.json that says what the metadata of a GGUF file say: byte-level BPE (gpt2),
// the BPE of sentencepiece (llama), and by other files WordPiece (bert) and Unigram (t5). Encodes nothing.
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#include "gguf_tokenizer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gguf_translation.h"
#include "unicode.h"

// -- Tokens ---------------------------------------------------------------------------------------------------------

static bool is_one_of(struct ga_text_bytes token, const char *const *names)
{
    while (*names && (strlen(*names) != token.length || memcmp(*names, token.bytes, token.length) != 0)) {
        names++;
    }
    return *names != NULL;
}

static void write_added_token(struct ga_text_gguf_translation *t, size_t id, uint32_t type)
{
    static const char *const keep_space[] = {"<unk>", "<s>", "<|endoftext|>", NULL};
    const bool strips = t->vocabulary.strips_right && !is_one_of(t->vocabulary.tokens[id], keep_space);
    ga_text_gguf_raw(t, "{\"id\":");
    ga_text_json_integer(&t->out, (int64_t)id);
    ga_text_gguf_raw(t, ",\"content\":");
    ga_text_gguf_write_token(t, id);
    ga_text_gguf_raw(t, ",\"single_word\":false,\"lstrip\":false,\"rstrip\":");
    ga_text_gguf_raw(t, strips ? "true" : "false");
    ga_text_gguf_raw(t, ",\"normalized\":false,\"special\":");
    ga_text_gguf_raw(t, type == GA_TEXT_GGUF_USER ? "false}" : "true}");
}

// The tokens that are found in a text before it is cut.
static void write_added(struct ga_text_gguf_translation *t)
{
    size_t written = 0;
    ga_text_gguf_raw(t, ",\"added_tokens\":[");
    for (size_t id = 0; id < t->vocabulary.count; id++) {
        const uint32_t type = ga_text_gguf_type(t->gguf, &t->vocabulary, id);
        if (type >= GA_TEXT_GGUF_UNKNOWN_TYPE && type <= GA_TEXT_GGUF_USER) {
            ga_text_gguf_comma(t, written++);
            write_added_token(t, id, type);
        }
    }
    ga_text_gguf_raw(t, "]");
}

// The end of a text first, which templates of chats may name.
static void write_ends(struct ga_text_gguf_translation *t)
{
    size_t written = 0;
    ga_text_gguf_raw(t, ",\"ends\":[");
    if (t->vocabulary.eos >= 0) {
        ga_text_json_integer(&t->out, t->vocabulary.eos);
        written++;
    }
    for (size_t id = 0; id < t->vocabulary.count; id++) {
        if ((int64_t)id != t->vocabulary.eos && ga_text_gguf_ends(t->gguf, &t->vocabulary, id)) {
            ga_text_gguf_comma(t, written++);
            ga_text_json_integer(&t->out, (int64_t)id);
        }
    }
    ga_text_gguf_raw(t, "]");
}

// A chat template that is no text does no harm to who asks for no chat.
static void write_chat_template(struct ga_text_gguf_translation *t)
{
    struct ga_text_bytes text = {NULL, 0};
    const bool is_text = ga_text_gguf_text(t->gguf, GA_TEXT_GGUF_CHAT, &text) == GA_OK && text.length > 0 &&
                         ga_text_valid_utf8(text.bytes, text.length) == text.length &&
                         !memchr(text.bytes, '\0', text.length);
    if (is_text) {
        ga_text_gguf_raw(t, ",\"chat_template\":");
        ga_text_json_string(&t->out, text);
    }
}

// -- Byte-level BPE -------------------------------------------------------------------------------------------------

static enum ga_status write_merge(struct ga_text_gguf_translation *t, size_t i, struct ga_text_bytes merge)
{
    const char *space = merge.length > 1 ? memchr(merge.bytes + 1, ' ', merge.length - 1) : NULL;
    if (!space || ga_text_valid_utf8(merge.bytes, merge.length) != merge.length) {
        return ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_MERGES, "item %zu is not a merge; expected \"left right\"", i);
    }
    const size_t left = (size_t)(space - merge.bytes);
    ga_text_gguf_comma(t, i);
    ga_text_gguf_raw(t, "[");
    ga_text_json_string(&t->out, (struct ga_text_bytes){merge.bytes, left});
    ga_text_gguf_raw(t, ",");
    ga_text_json_string(&t->out, (struct ga_text_bytes){space + 1, merge.length - left - 1});
    ga_text_gguf_raw(t, "]");
    return GA_OK;
}

static enum ga_status write_merges(struct ga_text_gguf_translation *t)
{
    const struct ga_text_gguf_value *merges = &t->gguf->values[GA_TEXT_GGUF_MERGES];
    enum ga_status status = ga_text_gguf_array(t->gguf, GA_TEXT_GGUF_MERGES, GA_TEXT_GGUF_STRING, 0);
    if (status != GA_OK) {
        return status;
    }
    ga_text_gguf_raw(t, ",\"merges\":[");
    for (size_t i = 0, at = 0; i < merges->count && status == GA_OK; i++) {
        status = write_merge(t, i, ga_text_gguf_next(merges, &at));
    }
    ga_text_gguf_raw(t, "]}");
    return status;
}

static enum ga_status find_pre(struct ga_text_gguf_translation *t)
{
    struct ga_text_bytes name = {"default", 7};
    const enum ga_status status = ga_text_gguf_text(t->gguf, GA_TEXT_GGUF_PRE, &name);
    t->pre = status == GA_OK ? ga_text_gguf_pre_of(name) : NULL;
    return status != GA_OK || t->pre
               ? status
               : ga_text_gguf_refuse(t->gguf, GA_TEXT_GGUF_PRE,
                                     "is \"%.*s\", a pre-tokenizer that is not known: --tokenizer "
                                     "takes the tokenizer.json of the model instead",
                                     name.length < 60 ? (int)name.length : 60, name.bytes);
}

static enum ga_status gpt2_defaults(struct ga_text_gguf_translation *t)
{
    const enum ga_status status = find_pre(t);
    t->vocabulary.bos = t->vocabulary.eos = 11; // as in llama.cpp
    t->vocabulary.adds_bos = status == GA_OK && t->pre->adds_bos;
    return status;
}

static enum ga_status write_gpt2(struct ga_text_gguf_translation *t)
{
    ga_text_gguf_raw(t, ",\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[");
    for (size_t i = 0; i < GA_TEXT_GGUF_CUTS && t->pre->cuts[i]; i++) {
        ga_text_gguf_raw(t, "{\"type\":\"Split\",\"pattern\":{\"Regex\":");
        ga_text_json_string(&t->out, (struct ga_text_bytes){t->pre->cuts[i], strlen(t->pre->cuts[i])});
        ga_text_gguf_raw(t, "},\"behavior\":\"Isolated\",\"invert\":false},");
    }
    ga_text_gguf_raw(t,
                     "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":false}]}");
    ga_text_gguf_raw(
        t,
        ",\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":false}");
    ga_text_gguf_raw(t, ",\"model\":{\"type\":\"BPE\",\"ignore_merges\":");
    ga_text_gguf_raw(t, t->pre->ignores_merges ? "true," : "false,");
    ga_text_gguf_write_vocabulary(t);
    enum ga_status status = write_merges(t);
    return status == GA_OK ? ga_text_gguf_write_post(t) : status;
}

// -- The BPE of sentencepiece ---------------------------------------------------------------------------------------

static enum ga_status llama_defaults(struct ga_text_gguf_translation *t)
{
    t->vocabulary.bos = 1;
    t->vocabulary.eos = 2;
    t->vocabulary.unknown = 0;
    t->vocabulary.adds_bos = t->vocabulary.adds_prefix = true;
    return GA_OK;
}

static enum ga_status write_scores(struct ga_text_gguf_translation *t)
{
    const enum ga_status status = ga_text_gguf_check_scores(t);
    if (status != GA_OK) {
        return status;
    }
    ga_text_gguf_raw(t, ",\"merges\":[],\"scores\":[");
    for (size_t i = 0; i < t->vocabulary.count; i++) {
        const uint32_t type = ga_text_gguf_type(t->gguf, &t->vocabulary, i);
        ga_text_gguf_comma(t, i);
        if (type == GA_TEXT_GGUF_CONTROL || type == GA_TEXT_GGUF_UNKNOWN_TYPE) {
            ga_text_gguf_raw(t, "null"); // found in a text before merges, or no token there
        } else {
            ga_text_json_float(&t->out, ga_text_gguf_score(t, i));
        }
    }
    ga_text_gguf_raw(t, "]}");
    return GA_OK;
}

static enum ga_status write_llama(struct ga_text_gguf_translation *t)
{
    ga_text_gguf_raw(t, ",\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[");
    ga_text_gguf_raw(t, t->vocabulary.adds_prefix ? "{\"type\":\"Prepend\",\"prepend\":\"\u2581\"}," : "");
    ga_text_gguf_raw(t, "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"\u2581\"}]}");
    ga_text_gguf_raw(
        t, ",\"pre_tokenizer\":null,\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\","
           "\"pattern\":{\"String\":\"\u2581\"},\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"}");
    ga_text_gguf_raw(t,
                     t->vocabulary.adds_prefix ? ",{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}" : "");
    ga_text_gguf_raw(t, "]},\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"fuse_unk\":true,\"unk_token\":");
    if (t->vocabulary.unknown >= 0) {
        ga_text_gguf_write_token(t, (size_t)t->vocabulary.unknown);
    } else {
        ga_text_gguf_raw(t, "null");
    }
    ga_text_gguf_raw(t, ",");
    ga_text_gguf_write_vocabulary(t);
    enum ga_status status = write_scores(t);
    return status == GA_OK ? ga_text_gguf_write_post(t) : status;
}

// -- By model -------------------------------------------------------------------------------------------------------

static const struct kind {
    const char *name;
    enum ga_status (*defaults)(struct ga_text_gguf_translation *);
    enum ga_status (*write)(struct ga_text_gguf_translation *);
} kinds[] = {
    {"gpt2", gpt2_defaults, write_gpt2},
    {"llama", llama_defaults, write_llama},
    {"bert", ga_text_gguf_bert_defaults, ga_text_gguf_write_bert},
    {"t5", ga_text_gguf_t5_defaults, ga_text_gguf_write_t5},
};

static enum ga_status find_kind(const struct ga_text_gguf *gguf, const struct kind **kind_out)
{
    struct ga_text_bytes name = {"", 0};
    const enum ga_status status = ga_text_gguf_text(gguf, GA_TEXT_GGUF_MODEL, &name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == GA_OK; i++) {
        if (strlen(kinds[i].name) == name.length && memcmp(kinds[i].name, name.bytes, name.length) == 0) {
            *kind_out = &kinds[i];
            return GA_OK;
        }
    }
    if (status != GA_OK) {
        return status;
    }
    const bool is_there = gguf->values[GA_TEXT_GGUF_MODEL].is_there;
    return ga_text_gguf_refuse(gguf, GA_TEXT_GGUF_MODEL,
                               "is %s%.*s%s; expected gpt2, llama, bert or t5: --tokenizer takes the tokenizer.json "
                               "of the model instead",
                               is_there ? "\"" : "missing", name.length < 60 ? (int)name.length : 60, name.bytes,
                               is_there ? "\"" : "");
}

static enum ga_status translate(struct ga_text_gguf_translation *t)
{
    const struct kind *kind = NULL;
    t->vocabulary = (struct ga_text_gguf_vocabulary){.bos = -1, .eos = -1, .unknown = -1, .separator = -1};
    enum ga_status status = find_kind(t->gguf, &kind);
    status = status == GA_OK ? kind->defaults(t) : status;
    status = status == GA_OK ? ga_text_gguf_vocabulary_read(t->gguf, &t->vocabulary) : status;
    if (status != GA_OK) {
        return status;
    }
    ga_text_gguf_raw(t, "{\"version\":\"1.0\"");
    write_ends(t);
    write_chat_template(t);
    write_added(t);
    status = kind->write(t);
    ga_text_gguf_raw(t, "}");
    if (status == GA_OK && t->out.status != GA_OK) {
        status = ga_fail(t->gguf->error, t->out.status, "%s: no memory for its tokenizer", t->gguf->file);
    }
    return status;
}

enum ga_status ga_text_gguf_tokenizer(int fd, const char *name, char **bytes_out, size_t *length_out,
                                      struct ga_error *error)
{
    struct ga_text_gguf gguf;
    struct ga_text_gguf_translation t = {.gguf = &gguf};
    enum ga_status status = ga_text_gguf_open(fd, name, &gguf, error);
    status = status == GA_OK ? translate(&t) : status;
    if (status == GA_OK) {
        *bytes_out = t.out.text.bytes;
        *length_out = t.out.text.length;
    } else {
        ga_text_string_free(&t.out.text);
    }
    ga_text_gguf_vocabulary_free(&t.vocabulary);
    ga_text_gguf_close(&gguf);
    return status;
}

bool ga_text_gguf_has_tokenizer(const char *path)
{
    struct ga_text_gguf gguf;
    const struct kind *kind = NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return false;
    }
    if (ga_text_gguf_open(fd, path, &gguf, NULL) == GA_OK) {
        (void)find_kind(&gguf, &kind);
    }
    ga_text_gguf_close(&gguf);
    (void)close(fd);
    return kind != NULL;
}
