// added.h: the "added_tokens" of a tokenizer, and where they stand in a text. Internal to libga_text.
#ifndef GA_TEXT_ADDED_H
#define GA_TEXT_ADDED_H

#include "bytes.h"
#include "reader.h"
#include "vocabulary.h"

struct ga_text_added_token {
    int32_t id;
    char *content; // [length], its own
    size_t length;
    char *normalized; // [normalized_length], its own; NULL: as content
    size_t normalized_length;
    bool single_word, lstrip, rstrip, is_normalized, special;
};

// Tokens sorted by the bytes that are looked for.
struct ga_text_matcher {
    const struct ga_text_added_token **tokens; // [count]
    size_t count;
    uint32_t begins[257]; // of those that begin with each byte
    char first;           // what all of them begin with, where n_firsts is 1
    size_t n_firsts;      // how many bytes they begin with
    bool normalized;      // their normalized contents are looked for
};

struct ga_text_added {
    struct ga_text_added_token *tokens; // [count], in the order of the file
    size_t count;
    int32_t *by_id; // [ids]: the place in tokens, or -1
    size_t ids;
    const struct ga_text_added_token **special; // [n_special], sorted by content
    size_t n_special;
    struct ga_text_matcher raw;        // of those that are looked for before normalization
    struct ga_text_matcher normalized; // of those that are looked for after it
};

// One token in a text: the bytes that it covers, with the white space that it takes along.
struct ga_text_added_match {
    const struct ga_text_added_token *token;
    size_t begin, end;
};

// How far a text was searched. All zeros: not yet.
struct ga_text_added_search {
    size_t from;       // where to look for the next token
    size_t taken;      // the end of the last match
    size_t spaces_end; // of the white space that was looked at last: no byte of it is looked at twice
    struct {
        size_t begin, end, at;
    } kept; // the bytes whose text was kept last, and where: a match may lie in those of one before, which strips
};

// Reads the array; vocabulary is the model's, whose ids count. Refuses ids that the package would not give. Returns
// GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's error.
enum ga_status ga_text_added_read(struct ga_text_added *added, struct ga_text_reader *reader, json_t *array,
                                  const struct ga_text_vocabulary *vocabulary);

// Sorts the special tokens, and all into the two matchers, after their normalized contents were set. Returns GA_OK,
// GA_FORMAT or GA_MEMORY after an entry in the reader's error.
enum ga_status ga_text_added_sort(struct ga_text_added *added, struct ga_text_reader *reader);

void ga_text_added_free(struct ga_text_added *added);

// The token of an id, NULL where it is none.
const struct ga_text_added_token *ga_text_added_of(const struct ga_text_added *added, int32_t id);

// What decoding takes a token for.
struct ga_text_bytes ga_text_added_text(const struct ga_text_added_token *token);

// Whether bytes are the content of a special token.
bool ga_text_added_is_special(const struct ga_text_added *added, struct ga_text_bytes bytes);

// Finds the next token in bytes[length]. False: there is none. All calls of a search together take time linear in
// length.
bool ga_text_added_find(const struct ga_text_matcher *matcher, const char *bytes, size_t length,
                        struct ga_text_added_search *search, struct ga_text_added_match *match_out);

#endif
