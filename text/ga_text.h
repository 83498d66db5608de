// ga_text.h: converts text to token ids and back, as a tokenizer.json of Hugging Face says, with the same results as
// the tokenizers package. It is a separate library: it links jansson, utf8proc and PCRE2, never prints, aborts or
// exits, and has no state in the process.
//
// If a pointer is NULL where it must not be, a call returns GA_ARGUMENT and names the pointer in error; a function
// without a status says what it returns. A text or ids of length 0 may be NULL.
//
// A tokenizer is const after it was opened: any number of threads may use it, each with its own context. The results of
// a context stay valid until the next call with this context, or until it is closed.
#ifndef GA_TEXT_H
#define GA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ga_text_tokenizer;
struct ga_text_context;

enum ga_text_flags {
    GA_TEXT_NO_SPECIAL_TOKENS = 1 << 0, // without the tokens that the post-processor adds ([CLS], </s>, ...)
    GA_TEXT_OFFSETS = 1 << 1,           // also gives offsets and tokens; slower
    GA_TEXT_REPLACE_INVALID = 1 << 2,   // reads each run of bytes that are not UTF-8 as U+FFFD: not an error
    GA_TEXT_NO_TRUNCATION = 1 << 3,     // ignores "truncation" in the file
};

// A range of code points of the text, [begin, end).
struct ga_text_offset {
    uint32_t begin;
    uint32_t end;
};

// Bytes of UTF-8, not NUL-terminated.
struct ga_text_view {
    const char *bytes;
    size_t length;
};

// The encoding of a text. All arrays have count items and belong to the context.
struct ga_text_encoding {
    size_t count;
    const int32_t *ids;
    const int32_t *type_ids;
    const uint8_t *special;               // 1: a token that the post-processor added
    const struct ga_text_offset *offsets; // NULL without GA_TEXT_OFFSETS
    const struct ga_text_view *tokens;    // NULL without GA_TEXT_OFFSETS
    size_t n_cut;                         // number of tokens that truncation removed
};

// Opens a tokenizer.json, or the tokenizer in a GGUF file (models gpt2, llama, bert and t5), which gives the ids of
// llama.cpp. It refuses an unknown component or field by name. Returns GA_OK and *tokenizer_out, which the caller must
// close; or GA_IO, GA_FORMAT or GA_MEMORY, with the reason in error, which may be NULL.
enum ga_status ga_text_tokenizer_open(const char *path, struct ga_text_tokenizer **tokenizer_out,
                                      struct ga_error *error);

// Reads a whole tokenizer.json, for ga_text_tokenizer_open_memory: *bytes_out[*length_out], which the caller must free.
// For a GGUF file it writes a tokenizer.json from the file's metadata. Returns GA_IO, GA_FORMAT (above 256 MB) or
// GA_MEMORY, with the reason in error, which may be NULL.
enum ga_status ga_text_tokenizer_read(const char *path, char **bytes_out, size_t *length_out, struct ga_error *error);

// Packs a tokenizer.json in memory so that it opens several times faster: the tables of its model as arrays, the rest
// as JSON. ga_text_tokenizer_open_memory opens *packed_out[*size_out], which the caller must free, just as it opens the
// file, and gives the same tokenizer with the file's hash. chat_template[chat_length] goes with it; NULL: the one in
// bytes, if any. Only this version of the library can open it. The statuses are the same as for ga_text_tokenizer_open.
enum ga_status ga_text_tokenizer_pack(const char *name, const char *bytes, size_t length, const char *chat_template,
                                      size_t chat_length, char **packed_out, size_t *size_out, struct ga_error *error);

// The name of the attachment with a packed tokenizer, or a tokenizer.json, in a file of packed weights (pack_file.h).
// Its hash is the result of ga_text_tokenizer_hash.
#define GA_TEXT_ATTACHMENT "_tokenizer"

// Writes the path of the tokenizer of weights to path_out[size]. For a GGUF file with a tokenizer this is the file's
// own path; else it is the path of tokenizer.json in the folder `weights`, or in the folder of the file `weights`.
// PATH_MAX bytes are enough for any path. False if it does not fit, or if an argument is NULL.
bool ga_text_tokenizer_beside(const char *weights, char *path_out, size_t size);

// ga_text_tokenizer_open for bytes[length] in memory, which it does not keep. Also GA_UNSUPPORTED: another version
// packed them. Messages call them `name`.
enum ga_status ga_text_tokenizer_open_memory(const char *name, const char *bytes, size_t length,
                                             struct ga_text_tokenizer **tokenizer_out, struct ga_error *error);

// As ga_text_tokenizer_open_memory, or if bytes is NULL as ga_text_tokenizer_open of the file `name`, for a model with
// this spec (the text in struct ga_model). The spec's `text_input` overrides the file: the side of truncation, lower
// case, whether there are token types. It adds the tokens that end a text. NULL: the spec records nothing.
enum ga_status ga_text_tokenizer_open_for(const char *spec, const char *name, const char *bytes, size_t length,
                                          struct ga_text_tokenizer **tokenizer_out, struct ga_error *error);

// Frees a tokenizer, whose contexts must be closed before. NULL is allowed.
void ga_text_tokenizer_close(struct ga_text_tokenizer *tokenizer);

// A hash of the bytes of a tokenizer.json; a model's spec records it as 16 hexadecimal digits. 0 for NULL.
uint64_t ga_text_tokenizer_hash(const struct ga_text_tokenizer *tokenizer);

// The hash of the tokenizer that a model was made for, from its spec (the text in struct ga_model). False if the spec
// records none, or an argument is NULL.
bool ga_text_recorded_hash(const char *spec, uint64_t *hash_out);

// The i-th whole number of a field of `text_input` that a spec records, such as "document_length", or one of a list.
// False if there are fewer, or an argument is NULL.
bool ga_text_recorded_number(const char *spec, const char *field, size_t i, int32_t *number_out);

// The prompt that a spec records: a prefix of each text that is embedded, and of the first text of a pair. Writes as
// many of its UTF-8 bytes as fit to prompt_out[size], without a NUL, and returns the number of its bytes; 0: the spec
// records none, or spec is NULL. GA_TEXT_PROMPT bytes are enough for any prompt. If prompt_out is NULL, nothing is
// written.
enum { GA_TEXT_PROMPT = 1024 };
size_t ga_text_recorded_prompt(const char *spec, char *prompt_out, size_t size);

// The text of a field of `text_input`, such as "pair", as ga_text_recorded_prompt does it; 0 if there is none, or field
// is NULL. GA_TEXT_PAIR bytes are enough for any.
enum { GA_TEXT_PAIR = 4096 };
size_t ga_text_recorded_text(const char *spec, const char *field, char *text_out, size_t size);

// Prompts that a spec records by name. The first writes the i-th name, the second the prompt of a name, as
// ga_text_recorded_prompt does, and both return the number of its bytes. GA_TEXT_NO_PROMPT: there are i names at most,
// or no prompt has this name, or an argument except prompt_out is NULL.
#define GA_TEXT_NO_PROMPT SIZE_MAX
size_t ga_text_prompt_name(const char *spec, size_t i, char *name_out, size_t size);
size_t ga_text_named_prompt(const char *spec, const char *name, char *prompt_out, size_t size);

// The largest id that the tokenizer knows, plus 1. 0 for NULL.
size_t ga_text_tokenizer_ids(const struct ga_text_tokenizer *tokenizer);

// The ids that end a generated text: *count_out of them; the tokenizer owns the array. They are those of a GGUF file,
// its eos_token_id first, and those of the spec that the tokenizer was opened for. There are none for NULL.
const int32_t *ga_text_tokenizer_ends(const struct ga_text_tokenizer *tokenizer, size_t *count_out);

// The largest number of tokens that "truncation" in the file allows; SIZE_MAX if the file has none, and for NULL.
size_t ga_text_tokenizer_max_length(const struct ga_text_tokenizer *tokenizer);

// Memory for one thread: work space and a cache of 4.5 MiB. Returns GA_OK and *context_out, which the caller must close
// before the tokenizer; GA_MEMORY; or GA_ARGUMENT if an argument is NULL.
enum ga_status ga_text_context_open(const struct ga_text_tokenizer *tokenizer, struct ga_text_context **context_out);

// Sets the largest number of tokens of this context, special tokens included, instead of the length and the strategy of
// "truncation" in the file. The longer of a text and its pair is cut first, as in transformers. The direction is still
// that of the file: tokens are removed at the end, unless it says "Left". SIZE_MAX: truncate as the file says. If
// context is NULL, nothing happens.
void ga_text_context_set_limit(struct ga_text_context *context, size_t max_length);

// Frees a context. NULL is allowed.
void ga_text_context_close(struct ga_text_context *context);

// Encodes text[length], and pair[pair_length] after it unless pair is NULL. flags: a set of enum ga_text_flags. Time
// and memory are linear in the lengths, which must be below 2^30. Returns GA_OK; or, with the reason in error,
// GA_OVERFLOW, GA_MEMORY or GA_FORMAT: the text is not UTF-8 (error->offset is the byte), it needs an unknown-token
// that is not in the vocabulary, a pattern exceeds its limits, or truncation leaves no room.
enum ga_status ga_text_encode(struct ga_text_context *context, const char *text, size_t length, const char *pair,
                              size_t pair_length, unsigned flags, struct ga_text_encoding *encoding_out,
                              struct ga_error *error);

// Decodes ids[count] to text. It skips ids that the tokenizer does not know, and with skip_special also special tokens.
// *text_out belongs to the context. Returns GA_OK; or GA_FORMAT, GA_OVERFLOW or GA_MEMORY, with the reason in error.
enum ga_status ga_text_decode(struct ga_text_context *context, const int32_t *ids, size_t count, bool skip_special,
                              struct ga_text_view *text_out, struct ga_error *error);

// A chat template in a form that the library knows. The library reads no Jinja: it knows a form by its words.
struct ga_text_chat {
    const char *form;           // its name, such as "chatml"; a constant of the library
    bool begins;                // a chat begins with the token that begins a text
    struct ga_text_view system; // the system message of the template where the caller gives none; in its bytes
};

// The name of form i, NULL beyond the last.
const char *ga_text_chat_name(size_t i);

// The form of that name. Returns false for another name, and for NULL.
bool ga_text_chat_named(const char *name, struct ga_text_chat *chat_out);

// The form of a chat template, Jinja of length bytes, which chat_out borrows. Returns false if its form is not known,
// or if an argument is NULL.
bool ga_text_chat_recognise(const char *template_text, size_t length, struct ga_text_chat *chat_out);

// The chat template of a tokenizer: the one in its GGUF file or packed with it; no bytes if there is none.
struct ga_text_view ga_text_tokenizer_chat_template(const struct ga_text_tokenizer *tokenizer);

// Encodes a chat of a system message (NULL: that of chat->system, or none) and a message of the user in a form, up to
// the beginning of the answer. Special tokens are tokens where the form has them; in both messages they are text.
// Returns GA_OK; GA_FORMAT after an entry in error, also if the form takes no system message, or if the message of the
// user is blank; and what ga_text_encode returns. *end_out: the id of the token that ends an answer; -1 if there is
// none.
enum ga_status ga_text_encode_chat(struct ga_text_context *context, const struct ga_text_chat *chat, const char *system,
                                   size_t system_length, const char *text, size_t length,
                                   struct ga_text_encoding *encoding_out, int32_t *end_out, struct ga_error *error);

#ifdef __cplusplus
}
#endif

#endif
