// text_library.h: libga_text as the program calls it: a table of its functions, so that a program without text links
// none of it. Holds no state.
#ifndef GA_TEXT_LIBRARY_H
#define GA_TEXT_LIBRARY_H

#include "ga_text.h"

// The functions of ga_text.h that commands call; all NULL in a program without text.
struct ga_text_library {
    enum ga_status (*tokenizer_read)(const char *path, char **bytes_out, size_t *length_out, struct ga_error *error);
    enum ga_status (*tokenizer_open_for)(const char *spec, const char *name, const char *bytes, size_t length,
                                         struct ga_text_tokenizer **tokenizer_out, struct ga_error *error);
    enum ga_status (*tokenizer_pack)(const char *name, const char *bytes, size_t length, const char *chat_template,
                                     size_t chat_length, char **packed_out, size_t *size_out, struct ga_error *error);
    struct ga_text_view (*tokenizer_chat_template)(const struct ga_text_tokenizer *tokenizer);
    const char *(*chat_name)(size_t i);
    bool (*chat_named)(const char *name, struct ga_text_chat *chat_out);
    bool (*chat_recognise)(const char *template_text, size_t length, struct ga_text_chat *chat_out);
    enum ga_status (*encode_chat)(struct ga_text_context *context, const struct ga_text_chat *chat, const char *system,
                                  size_t system_length, const char *text, size_t length,
                                  struct ga_text_encoding *encoding_out, int32_t *end_out, struct ga_error *error);
    bool (*tokenizer_beside)(const char *weights, char *path_out, size_t size);
    uint64_t (*tokenizer_hash)(const struct ga_text_tokenizer *tokenizer);
    const int32_t *(*tokenizer_ends)(const struct ga_text_tokenizer *tokenizer, size_t *count_out);
    bool (*recorded_hash)(const char *spec, uint64_t *hash_out);
    bool (*recorded_number)(const char *spec, const char *field, size_t i, int32_t *number_out);
    size_t (*recorded_text)(const char *spec, const char *field, char *text_out, size_t size);
    size_t (*recorded_prompt)(const char *spec, char *prompt_out, size_t size);
    size_t (*prompt_name)(const char *spec, size_t i, char *name_out, size_t size);
    size_t (*named_prompt)(const char *spec, const char *name, char *prompt_out, size_t size);
    void (*tokenizer_close)(struct ga_text_tokenizer *tokenizer);
    size_t (*tokenizer_ids)(const struct ga_text_tokenizer *tokenizer);
    enum ga_status (*context_open)(const struct ga_text_tokenizer *tokenizer, struct ga_text_context **context_out);
    void (*set_limit)(struct ga_text_context *context, size_t max_length);
    void (*context_close)(struct ga_text_context *context);
    enum ga_status (*encode)(struct ga_text_context *context, const char *text, size_t length, const char *pair,
                             size_t pair_length, unsigned flags, struct ga_text_encoding *encoding_out,
                             struct ga_error *error);
    enum ga_status (*decode)(struct ga_text_context *context, const int32_t *ids, size_t count, bool skip_special,
                             struct ga_text_view *text_out, struct ga_error *error);
};

// text/program/text_linked.c has the one of programs with text, text_unlinked.c the other.
extern const struct ga_text_library ga_text_library;

#endif
