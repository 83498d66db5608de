// texts.h: a file of texts, read one at a time, and the tokenizer that they are for. Knows no tokens.
#ifndef GA_TEXTS_H
#define GA_TEXTS_H

#include <stdbool.h>
#include <stdio.h>

#include "diagnostics.h"
#include "text_library.h"
#include "tokenizer_file.h"

enum { GA_LONGEST_TEXT = 1 << 24 }; // bytes: a line without end is not read further

// The texts of a file. Zeroed memory is none.
struct ga_texts {
    FILE *file;
    const char *path; // for messages
    int end;          // the byte that ends a text: '\n' or 0
    char *text;       // the last one read, [length]
    size_t length;
    size_t room;
    size_t count; // of texts read
};

// Opens path, or standard input where it is "-". nul: texts end with NUL instead of a line's end. GA_EXIT_FAILED after
// a message. The caller closes it.
enum ga_exit ga_texts_open(const struct ga_context *context, const char *path, bool nul, struct ga_texts *texts_out);

// Reads the next text; *found_out: whether there is one. GA_EXIT_FAILED after a message, also for a text that is longer
// than GA_LONGEST_TEXT, of which no more is read.
enum ga_exit ga_texts_next(const struct ga_context *context, struct ga_texts *texts, bool *found_out);

// Of a regular file, how much of it has been read, 0 to 1; 0 where its length is not known.
double ga_texts_share(const struct ga_texts *texts);

void ga_texts_close(struct ga_texts *texts);

// A tokenizer and one context of it.
struct ga_text_tools {
    struct ga_text_tokenizer *tokenizer;
    struct ga_text_context *context;
};

// Opens the tokenizer at `path`; where that is NULL, the one in the packed weights, or else the tokenizer.json in the
// folder of weights. GA_EXIT_FAILED after a message where there is none, or where the program or its model has no text.
// A tokenizer that is another than the model's spec records gets a note, and is a failure where nobody chose it by
// name. The caller closes it.
enum ga_exit ga_text_tools_open(const struct ga_context *context, const char *path, const char *weights,
                                struct ga_text_tools *tools_out);

void ga_text_tools_close(struct ga_text_tools *tools);

// The tokenizer alone, of bytes that were read; checked as ga_text_tools_open says. The caller closes it by
// ga_text_library.
enum ga_exit ga_open_tokenizer(const struct ga_context *context, const struct ga_tokenizer_file *file,
                               struct ga_text_tokenizer **tokenizer_out);

// Why this program can do nothing with text, to follow the model's name; NULL: it can.
const char *ga_text_refusal(const struct ga_model *model);

// Whether this program has text, with a message where it has none, or where its model takes no token ids.
enum ga_exit ga_check_text(const struct ga_context *context);

#endif
