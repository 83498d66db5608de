// token_vectors.h: a vector for each token of many texts, and how well those of a query match those of a document (late
// interaction, as in ColBERT). Reads and writes no file.
#ifndef GA_TOKEN_VECTORS_H
#define GA_TOKEN_VECTORS_H

#include "pooling.h"

// Vectors of texts, one after the other. Zeroed memory is none.
struct ga_token_vectors {
    float *rows;    // [starts[count]][width]
    size_t *starts; // [count + 1], of each text in rows
    size_t count, width;
};

// Whether the model's vectors of tokens are made to be compared one by one: its logits have length one.
bool ga_compares_tokens(const struct ga_model *model);

// Numbers of a vector.
size_t ga_token_vectors_width(const struct ga_model *model);

// What makes them: vectors of length one, or the rows of the last layer of another model.
struct ga_pooling ga_pooling_of_tokens(const struct ga_context *context, const struct ga_model_instance *instance);

// Makes *vectors_out of what ga_pooling_of_tokens returns. are_documents: without the tokens that the spec does not
// score (text_input.unscored). GA_EXIT_FAILED after a message. The caller calls ga_token_vectors_free in either case.
enum ga_exit ga_token_vectors_make(struct ga_pooling *pooling, const struct ga_sequences *sequences, bool are_documents,
                                   struct ga_token_vectors *vectors_out);

// The sum over the tokens of text `a` of `queries` of the largest inner product with a token of text `b` of documents,
// in double precision (MaxSim). 0 for a document without tokens.
double ga_max_similarity(const struct ga_token_vectors *queries, size_t a, const struct ga_token_vectors *documents,
                         size_t b);

void ga_token_vectors_free(struct ga_token_vectors *vectors);

#endif
