// gguf_translation.h: a tokenizer.json on its way out of the metadata of a GGUF file. Internal to libga_text.
#ifndef GA_TEXT_GGUF_TRANSLATION_H
#define GA_TEXT_GGUF_TRANSLATION_H

#include "gguf_pre.h"
#include "gguf_vocabulary.h"
#include "json_writer.h"

// What the parts of the JSON are written from.
struct ga_text_gguf_translation {
    const struct ga_text_gguf *gguf;
    struct ga_text_gguf_vocabulary vocabulary;
    struct ga_text_json_writer out;
    const struct ga_text_gguf_pre *pre; // of gpt2
};

// Appends text as it is.
void ga_text_gguf_raw(struct ga_text_gguf_translation *t, const char *text);

// A list's comma before every item but the first.
void ga_text_gguf_comma(struct ga_text_gguf_translation *t, size_t written);

// Appends a token's text as a string; one that the file leaves empty gets a name.
void ga_text_gguf_write_token(struct ga_text_gguf_translation *t, size_t id);

// Appends "vocab" as an object of tokens and ids.
void ga_text_gguf_write_vocabulary(struct ga_text_gguf_translation *t);

// Checks that every token has a score that is finite, GA_FORMAT where not; and that of a token, then.
enum ga_status ga_text_gguf_check_scores(const struct ga_text_gguf_translation *t);
float ga_text_gguf_score(const struct ga_text_gguf_translation *t, size_t id);

// Checks the id of a key that a kind needs: GA_FORMAT where it is -1, the file having none and no token its default.
enum ga_status ga_text_gguf_check_id(const struct ga_text_gguf_translation *t, enum ga_text_gguf_key key, int64_t id);

// Appends the post-processor that puts these ids before and after a text; -1: none.
void ga_text_gguf_write_template(struct ga_text_gguf_translation *t, int64_t bos, int64_t eos);

// Appends the post-processor that the file's switches ask for; GA_FORMAT for a token that it does not name.
enum ga_status ga_text_gguf_write_post(struct ga_text_gguf_translation *t);

// What llama.cpp takes where the file says nothing, and the parts of the JSON that hang on the kind: of WordPiece
// (gguf_wordpiece.c) and of Unigram (gguf_unigram.c).
enum ga_status ga_text_gguf_bert_defaults(struct ga_text_gguf_translation *t);
enum ga_status ga_text_gguf_write_bert(struct ga_text_gguf_translation *t);
enum ga_status ga_text_gguf_t5_defaults(struct ga_text_gguf_translation *t);
enum ga_status ga_text_gguf_write_t5(struct ga_text_gguf_translation *t);

#endif
