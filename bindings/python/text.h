// text.h: what Python's encode goes through, declared for bindings/python/declarations.lua: many texts in one call,
// without the interpreter's lock. Only wheels of models with tokens have it.
#ifndef GA_PYTHON_TEXT_H
#define GA_PYTHON_TEXT_H

#include "ga_text.h"

// Many texts, one after the other in bytes: text i is bytes[ends[i - 1]..ends[i]), the first begins at 0. With pairs,
// texts 2i and 2i + 1 are a pair, and count is twice as large. Python's, and only read.
struct ga_python_texts {
    const char *bytes;
    const size_t *ends; // [count]
    size_t count;
    bool pairs;
    unsigned flags; // of enum ga_text_flags
};

// The ids of texts, one after the other.
struct ga_python_ids {
    int32_t *ids;      // [n_ids], of malloc; NULL where there are none
    int32_t *type_ids; // [n_ids], likewise
    size_t *ends;      // [texts, or pairs of them]: where the ids of each end; Python's
    size_t n_ids;
    size_t room;  // ids that ids and type_ids hold
    size_t done;  // texts, or pairs, that are encoded; after an error the number of the one that is wrong
    size_t n_cut; // of those, how many truncation made shorter
};

// Encodes texts with a context. ids: zeros, but for ends; ga_python_ids_free frees what it has then, also after an
// error. Returns GA_OK, or the status of ga_text_encode or GA_MEMORY after an entry in error.
int ga_python_encode(struct ga_text_context *context, const struct ga_python_texts *texts, struct ga_python_ids *ids,
                     struct ga_error *error);

// Frees ids and type_ids.
void ga_python_ids_free(struct ga_python_ids *ids);

#endif
