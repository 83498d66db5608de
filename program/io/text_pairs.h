// text_pairs.h: one text and each of many others as pairs of token ids, as a cross-encoder reads them, and those others
// as they are. Knows nothing of what is made of them.
#ifndef GA_TEXT_PAIRS_H
#define GA_TEXT_PAIRS_H

#include "sequences.h"
#include "texts.h"

// Zeroed memory is none.
struct ga_text_pairs {
    struct ga_sequences sequences; // one for each document; types: where the model adds types of tokens
    char *texts;                   // the documents one after the other
    size_t *ends;                  // [sequences.count], of each in texts
    size_t n_cut;                  // pairs that had more tokens than the model's sequences, and lost some at the ends
};

// Reads all documents, which must be at least one, and pairs the query with each. GA_EXIT_FAILED after a message that
// names --query or the line. The caller calls ga_text_pairs_free whether or not this succeeds.
enum ga_exit ga_text_pairs_read(const struct ga_context *context, struct ga_text_tools *tools, const char *query,
                                struct ga_texts *documents, struct ga_text_pairs *pairs_out);

// A document's bytes, not NUL-terminated.
struct ga_text_view ga_text_pairs_document(const struct ga_text_pairs *pairs, size_t i);

void ga_text_pairs_free(struct ga_text_pairs *pairs);

#endif
