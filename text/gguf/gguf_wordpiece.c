// gguf_wordpiece.c: writes the tokenizer.json of a GGUF file with WordPiece (bert): tokens that begin a word begin with
// U+2581, the others have no mark. llama.cpp looks for the longest tokens of U+2581 and the word, without regard to
// which is which, and so does this: a U+2581 in a word may begin such a token too.
#include "gguf_translation.h"

enum ga_status ga_text_gguf_bert_defaults(struct ga_text_gguf_translation *t)
{
    t->vocabulary.bos = 101;
    t->vocabulary.unknown = 100;
    t->vocabulary.separator = 102;
    return GA_OK;
}

// Words of a text begin with a space, and lose it before punctuation and in contractions, as llama.cpp writes them.
static void write_decoder(struct ga_text_gguf_translation *t)
{
    static const char *const pairs[][2] = {
        {" ?", "?"},   {" !", "!"},   {" .", "."},     {" ,", ","},     {" ' ", "'"},
        {" 's", "'s"}, {" 'm", "'m"}, {" 're", "'re"}, {" 've", "'ve"},
    };
    ga_text_gguf_raw(t, ",\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{"
                        "\"String\":\"\u2581\"},\"content\":\" \"},{\"type\":\"Fuse\"}");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ga_text_gguf_raw(t, ",{\"type\":\"Replace\",\"pattern\":{\"String\":\"");
        ga_text_gguf_raw(t, pairs[i][0]);
        ga_text_gguf_raw(t, "\"},\"content\":\"");
        ga_text_gguf_raw(t, pairs[i][1]);
        ga_text_gguf_raw(t, "\"}");
    }
    ga_text_gguf_raw(t, ",{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}");
}

static enum ga_status write_normalizer(struct ga_text_gguf_translation *t)
{
    bool lowercase = true, strip_accents;
    enum ga_status status = ga_text_gguf_bool(t->gguf, GA_TEXT_GGUF_LOWERCASE, &lowercase);
    strip_accents = lowercase;
    status = status == GA_OK ? ga_text_gguf_bool(t->gguf, GA_TEXT_GGUF_STRIP_ACCENTS, &strip_accents) : status;
    ga_text_gguf_raw(t, ",\"normalizer\":{\"type\":\"GGUFWords\",\"lowercase\":");
    ga_text_gguf_raw(t, lowercase ? "true" : "false");
    ga_text_gguf_raw(t, strip_accents ? ",\"strip_accents\":true}" : ",\"strip_accents\":false}");
    return status;
}

// Every text has both ids around it, whatever add_bos_token and add_eos_token say.
enum ga_status ga_text_gguf_write_bert(struct ga_text_gguf_translation *t)
{
    const struct ga_text_gguf_vocabulary *v = &t->vocabulary;
    enum ga_status status = ga_text_gguf_check_id(t, GA_TEXT_GGUF_BOS, v->bos);
    status = status == GA_OK ? ga_text_gguf_check_id(t, GA_TEXT_GGUF_UNKNOWN, v->unknown) : status;
    status = status == GA_OK ? ga_text_gguf_check_id(t, GA_TEXT_GGUF_SEPARATOR, v->separator) : status;
    status = status == GA_OK ? write_normalizer(t) : status;
    if (status != GA_OK) {
        return status;
    }
    ga_text_gguf_raw(t, ",\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}");
    write_decoder(t);
    ga_text_gguf_raw(t, ",\"model\":{\"type\":\"WordPiece\",\"continuing_subword_prefix\":\"\","
                        "\"max_input_chars_per_word\":65536,\"unk_token\":");
    ga_text_gguf_write_token(t, (size_t)v->unknown);
    ga_text_gguf_raw(t, ",");
    ga_text_gguf_write_vocabulary(t);
    ga_text_gguf_raw(t, "}");
    ga_text_gguf_write_template(t, v->bos, v->separator);
    return GA_OK;
}
