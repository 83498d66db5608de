// corpus.h: a file of texts that is read more than once: which texts it has, by checksum, and where. Keeps no text.
#ifndef GA_CORPUS_H
#define GA_CORPUS_H

#include <stdint.h>

#include "checksum.h"
#include "texts.h"

// A text as files of vectors know it: two of one length and checksum are taken to be one.
struct ga_text_mark {
    uint64_t checksum, length;
};

struct ga_corpus {
    const char *path;
    bool nul; // texts end with NUL
    size_t count;
    struct ga_text_mark *marks; // [count]
    uint64_t *places;           // [count], of each in the file
    size_t room;
};

// Of a text that was read.
struct ga_text_mark ga_text_mark(const struct ga_texts *texts);

bool ga_text_marks_equal(struct ga_text_mark a, struct ga_text_mark b);

// Reads all of path, a regular file, which lives as long as the struct. GA_EXIT_FAILED after a message, also where
// there are no texts. The caller calls ga_corpus_free whether or not this succeeds.
enum ga_exit ga_corpus_read(const struct ga_context *context, const char *path, bool nul, struct ga_corpus *corpus_out);

// Reads text i again from texts, the open corpus; GA_EXIT_FAILED after a message, also where it has become another.
enum ga_exit ga_corpus_text(const struct ga_context *context, const struct ga_corpus *corpus, size_t i,
                            struct ga_texts *texts);

// -- All texts as one number ----------------------------------------------------------------------------------------

struct ga_corpus_sum {
    struct ga_checksum sum;
    size_t texts;
    uint64_t bytes;
};

struct ga_corpus_sum ga_corpus_sum_start(void);

void ga_corpus_sum_add(struct ga_corpus_sum *sum, struct ga_text_mark mark);

// Of the texts so far: their checksum, and that of the same texts in the same order whatever ends them.
uint64_t ga_corpus_sum_end(const struct ga_corpus_sum *sum);

// Reads the next text, as ga_texts_next does, and adds it.
enum ga_exit ga_corpus_sum_next(const struct ga_context *context, struct ga_texts *texts, struct ga_corpus_sum *sum,
                                bool *found_out);

// Reads all of an open file of texts, a regular one, and goes back to where it was. GA_EXIT_FAILED after a message.
enum ga_exit ga_corpus_add_up(const struct ga_context *context, struct ga_texts *texts, struct ga_corpus_sum *sum_out);

void ga_corpus_free(struct ga_corpus *corpus);

#endif
