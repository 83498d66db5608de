// tokenizer.h: a tokenizer as it was read, and a thread's context. Internal to libga_text.
#ifndef GA_TEXT_TOKENIZER_H
#define GA_TEXT_TOKENIZER_H

#include "added.h"
#include "chunks.h"
#include "decoder.h"
#include "ga_text.h"
#include "normalizer.h"
#include "post.h"
#include "pretokenizer.h"
#include "text_model.h"
#include "word_cache.h"

#define GA_TEXT_CHAT_TEMPLATE "chat_template" // the field of JSON for it

// A component that was opened: its class, which begins with a struct ga_text_component_class, and its self.
struct ga_text_part {
    const struct ga_text_component_class *base;
    void *self;
};

// Components of one kind in the order in which they act.
struct ga_text_parts {
    struct ga_text_part items[GA_TEXT_PARTS];
    size_t count;
};

struct ga_text_tokenizer {
    struct ga_text_parts normalizers, pretokenizers, decoders;
    struct ga_text_part model;
    struct ga_text_added added;
    struct ga_text_post post;
    int32_t *ends; // [n_ends], ids that end a text
    size_t n_ends;
    char *chat_template; // [chat_template_length], of a GGUF file or packed; or NULL
    size_t chat_template_length;
    uint64_t hash;   // of the file's bytes
    bool is_local;   // ids of chunks are kept; without normalizers those of pieces are found as fast
    bool asks_place; // a pre-tokenizer asks where in the text a piece begins, and spans alone tell it
};

// A text's tokens before templates: with GA_TEXT_OFFSETS, begin and end are bytes of the text, and texts says where the
// token's own text is in surfaces; an empty range at UINT32_MAX: in the vocabulary.
struct ga_text_sequence {
    struct ga_text_tokens tokens;
    struct ga_text_span *texts; // [tokens.count] with GA_TEXT_OFFSETS, room for texts_capacity
    size_t texts_capacity;
    struct ga_text_string surfaces;
};

// Bytes of a text that are somebody's words, so that tokens which steer a model are text there; in order.
struct ga_text_quotes {
    const char *text;
    size_t length;
    struct ga_text_span spans[2];
    size_t count;
};

// A thread's scratch for each component, in the order of the parts.
struct ga_text_scratches {
    void *items[GA_TEXT_PARTS];
};

struct ga_text_context {
    const struct ga_text_tokenizer *tokenizer;
    size_t max_length;                   // of what a text becomes; SIZE_MAX: as the file says
    const struct ga_text_quotes *quotes; // of the present call, which then has alignment; or NULL
    struct ga_text_scratches normalizers, pretokenizers, decoders;
    void *model;
    struct ga_text_word_cache words; // chunks and pieces, where no offsets are asked for
    struct ga_text_sequence sequences[2];
    struct ga_text_string valid[2];      // texts whose invalid bytes were replaced
    struct ga_text_string original;      // a section with alignment
    struct ga_text_string normalized[2]; // between normalizers
    struct ga_text_string rewritten[2];  // between pre-tokenizers
    struct ga_text_cuts cuts[2];
    struct ga_text_tokens piece_tokens;
    struct ga_text_list lists[2]; // between decoders
    struct {
        void *ids, *type_ids, *special, *offsets, *tokens, *characters; // the arrays of an encoding
        size_t ids_room, type_ids_room, special_room, offsets_room, tokens_room, characters_room;
    } out;
};

// -- open.c ---------------------------------------------------------------------------------------------------------

// The text of a token for the caller: the added token's, or the vocabulary's; bytes NULL for an unknown id.
struct ga_text_bytes ga_text_token_text(const struct ga_text_tokenizer *tokenizer, int32_t id);

// -- components.c ---------------------------------------------------------------------------------------------------

// Reads an object of the JSON, or the Sequence that it is, into parts. What the kind of components is, is in messages.
enum ga_status ga_text_read_normalizers(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object);
enum ga_status ga_text_read_pretokenizers(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object);
enum ga_status ga_text_read_decoders(struct ga_text_parts *parts, struct ga_text_reader *reader, json_t *object);
enum ga_status ga_text_read_model(struct ga_text_part *part, struct ga_text_reader *reader, json_t *object);
void ga_text_parts_close(struct ga_text_parts *parts);

// Opens and closes what a thread needs of parts.
enum ga_status ga_text_parts_open_scratch(const struct ga_text_parts *parts, struct ga_text_scratches *scratches);
void ga_text_parts_close_scratch(const struct ga_text_parts *parts, struct ga_text_scratches *scratches);

// -- local.c --------------------------------------------------------------------------------------------------------

// Whether the ids of a text are those of its chunks (component.h), for all that is known of the components.
bool ga_text_is_local(const struct ga_text_tokenizer *tokenizer);

// -- encode.c -------------------------------------------------------------------------------------------------------

// ga_text_encode without the tokens of the post-processor and without truncation, of a text that quotes.
enum ga_status ga_text_encode_quoting(struct ga_text_context *context, const struct ga_text_quotes *quotes,
                                      struct ga_text_encoding *encoding_out, struct ga_error *error);

// -- quotes.c -------------------------------------------------------------------------------------------------------

// Whether a token of the context's tokenizer that covers a span of the text must be no token there: it is special, ends
// a text, or stands in the text outside the quotes, and is not white space alone.
bool ga_text_is_quoted(const struct ga_text_context *context, const struct ga_text_added_token *token,
                       struct ga_text_span span);

// The first match that is not quoted; as ga_text_added_find. spans: of text's bytes, NULL where it is the original.
bool ga_text_find_unquoted(const struct ga_text_context *context, const struct ga_text_matcher *matcher,
                           struct ga_text_bytes text, const struct ga_text_span *spans, size_t shift,
                           struct ga_text_added_search *search, struct ga_text_added_match *match_out);

// GA_FORMAT after an entry in error if the first sequence has a token where it must be text.
enum ga_status ga_text_check_quotes(const struct ga_text_context *context, struct ga_error *error);

// -- section.c ------------------------------------------------------------------------------------------------------

// Runs all normalizers over in. *out_out: in itself, or a string of the context. where: of in.
enum ga_status ga_text_normalize(struct ga_text_context *context, const struct ga_text_string *in,
                                 struct ga_text_where where, const struct ga_text_string **out_out,
                                 struct ga_error *error);

// Appends the tokens of a section, the text between two added tokens, which begins at byte `shift` of the text.
// details: with offsets and texts.
enum ga_status ga_text_encode_section(struct ga_text_context *context, const char *bytes, size_t length, size_t shift,
                                      struct ga_text_where where, bool details, struct ga_text_sequence *sequence,
                                      struct ga_error *error);

// Appends an added token, which search found in bytes (NULL: without details). span: what it covers of the text.
enum ga_status ga_text_append_added(struct ga_text_sequence *sequence, struct ga_text_added_search *search,
                                    const struct ga_text_added_match *match, const char *bytes,
                                    struct ga_text_span span);

#endif
