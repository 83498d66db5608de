// ga_text.h: text to token ids and back, as a tokenizer.json of Hugging Face says, with the values of the tokenizers
// package. A library of its own: it links jansson, utf8proc and PCRE2, never prints, aborts or exits, and has no state
// in the process.
//
// A pointer that is NULL where none may be is refused: GA_ARGUMENT after an entry in error that names it, or what a
// function without a status says. A text or ids of no length may be NULL.
//
// A tokenizer is const after it was opened, and may be used by any number of threads, each with a context of its own.
// What a context gives stays valid until the next call with that context, or until it is closed.
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
    GA_TEXT_OFFSETS = 1 << 1,           // offsets and tokens are wanted as well; slower
    GA_TEXT_REPLACE_INVALID = 1 << 2,   // each run of bytes that is not UTF-8 counts as U+FFFD instead of an error
    GA_TEXT_NO_TRUNCATION = 1 << 3,     // what "truncation" in the file says is not done
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

// What a text became; all arrays are of count items and belong to the context.
struct ga_text_encoding {
    size_t count;
    const int32_t *ids;
    const int32_t *type_ids;
    const uint8_t *special;               // 1: a token that the post-processor added
    const struct ga_text_offset *offsets; // NULL without GA_TEXT_OFFSETS
    const struct ga_text_view *tokens;    // NULL without GA_TEXT_OFFSETS
    size_t n_cut;                         // tokens that truncation left out
};

// Opens a tokenizer.json, or the tokenizer that a GGUF file holds (models gpt2 and llama), whose ids are those of
// llama.cpp. A component or a field that is not known is refused by its name. Returns GA_OK and
// *tokenizer_out, which the caller closes; GA_IO, GA_FORMAT or GA_MEMORY after an entry in error, which may be NULL.
enum ga_status ga_text_tokenizer_open(const char *path, struct ga_text_tokenizer **tokenizer_out,
                                      struct ga_error *error);

// Reads a tokenizer.json whole, for ga_text_tokenizer_open_memory: *bytes_out[*length_out], which the caller frees.
// Of a GGUF file it gives the tokenizer.json that says what its metadata say.
// GA_IO, GA_FORMAT (above 256 MB) or GA_MEMORY after an entry in error, which may be NULL.
enum ga_status ga_text_tokenizer_read(const char *path, char **bytes_out, size_t *length_out, struct ga_error *error);

// Packs a tokenizer.json in memory, so that it opens some times faster: the tables of its model as arrays, the rest as
// JSON. ga_text_tokenizer_open_memory takes *packed_out[*size_out], which the caller frees, as it takes the file, and
// gives the same tokenizer with the hash of the file. It is for this version of the library alone. The statuses are
// those of ga_text_tokenizer_open.
enum ga_status ga_text_tokenizer_pack(const char *name, const char *bytes, size_t length, char **packed_out,
                                      size_t *size_out, struct ga_error *error);

// The attachment that holds a packed tokenizer, or a tokenizer.json, in a file of packed weights (pack_file.h); its
// hash is ga_text_tokenizer_hash's.
#define GA_TEXT_ATTACHMENT "_tokenizer"

// Writes the path of the tokenizer of weights to path_out[size]: of a GGUF file that holds one its own path, else that
// of the tokenizer.json beside weights, a file or a folder that has it. PATH_MAX bytes hold any that
// the system takes. False where it does not fit, or one of them is NULL.
bool ga_text_tokenizer_beside(const char *weights, char *path_out, size_t size);

// ga_text_tokenizer_open of bytes[length] in memory, which are not kept; GA_UNSUPPORTED also where they were packed by
// another version. name stands for them in messages.
enum ga_status ga_text_tokenizer_open_memory(const char *name, const char *bytes, size_t length,
                                             struct ga_text_tokenizer **tokenizer_out, struct ga_error *error);

// As ga_text_tokenizer_open_memory, or where bytes are NULL as ga_text_tokenizer_open of the file `name`, for the model
// whose spec this is, the text in struct ga_model: what it records of texts (its `text_input`: the side that truncation
// takes, lower case, whether there are types) is done, whatever the file says. NULL: it records nothing.
enum ga_status ga_text_tokenizer_open_for(const char *spec, const char *name, const char *bytes, size_t length,
                                          struct ga_text_tokenizer **tokenizer_out, struct ga_error *error);

// Frees a tokenizer, whose contexts are closed. NULL is allowed.
void ga_text_tokenizer_close(struct ga_text_tokenizer *tokenizer);

// A number that tells one tokenizer.json from another, by its bytes; a model's spec records it as 16 hexadecimal
// digits. 0 of NULL.
uint64_t ga_text_tokenizer_hash(const struct ga_text_tokenizer *tokenizer);

// The hash of the tokenizer that a model was made for, as its spec records it: the text in struct ga_model. False where
// it records none, or an argument is NULL.
bool ga_text_recorded_hash(const char *spec, uint64_t *hash_out);

// The prompt that a spec records, which stands before each text that is embedded and before the first of a pair. Writes
// as many of its bytes of UTF-8 as fit to prompt_out[size], no NUL, and returns how many there are; 0: it records none,
// or spec is NULL. GA_TEXT_PROMPT bytes hold any; where prompt_out is NULL none is written.
enum { GA_TEXT_PROMPT = 1024 };
size_t ga_text_recorded_prompt(const char *spec, char *prompt_out, size_t size);

// The largest id that the tokenizer knows, and 1. 0 of NULL.
size_t ga_text_tokenizer_ids(const struct ga_text_tokenizer *tokenizer);

// The ids that end a text that a model goes on with: *count_out of them, the tokenizer's. None of
// a tokenizer.json, nor of NULL.
const int32_t *ga_text_tokenizer_ends(const struct ga_text_tokenizer *tokenizer, size_t *count_out);

// The tokens that "truncation" in the file leaves of a text, SIZE_MAX where it says nothing, and of NULL.
size_t ga_text_tokenizer_max_length(const struct ga_text_tokenizer *tokenizer);

// Memory for one thread: work space and a cache of 4.5 MiB. Returns GA_OK and *context_out, which the caller closes
// before the tokenizer; GA_MEMORY, or GA_ARGUMENT where one of them is NULL.
enum ga_status ga_text_context_open(const struct ga_text_tokenizer *tokenizer, struct ga_text_context **context_out);

// Has this context cut texts to max_length tokens, special ones too, whatever length and strategy "truncation" in the
// file has: the longer of a text and its pair gives way first, as transformers does it. Of "truncation" only the
// direction counts: tokens go from the end, unless it says "Left". SIZE_MAX: all is as the file says. A context that is
// NULL is passed over.
void ga_text_context_set_limit(struct ga_text_context *context, size_t max_length);

// Frees a context. NULL is allowed.
void ga_text_context_close(struct ga_text_context *context);

// Encodes text[length], with pair[pair_length] after it unless pair is NULL. flags: of enum ga_text_flags. Time and
// memory are linear in the lengths, which are below 2^30. Returns GA_OK; after an entry in error: GA_FORMAT where the
// text is not UTF-8 (error->offset is the byte), where it needs an unknown-token that the vocabulary lacks, where a
// pattern passes its limits, or where truncation leaves no room; GA_OVERFLOW, GA_MEMORY.
enum ga_status ga_text_encode(struct ga_text_context *context, const char *text, size_t length, const char *pair,
                              size_t pair_length, unsigned flags, struct ga_text_encoding *encoding_out,
                              struct ga_error *error);

// The text that ids[count] stand for; ids that the tokenizer does not know are left out, and special tokens where
// skip_special says so. *text_out belongs to the context. Returns GA_OK; GA_FORMAT, GA_OVERFLOW or GA_MEMORY after an
// entry in error.
enum ga_status ga_text_decode(struct ga_text_context *context, const int32_t *ids, size_t count, bool skip_special,
                              struct ga_text_view *text_out, struct ga_error *error);

#ifdef __cplusplus
}
#endif

#endif
