// search_index.h: a file of the vectors of a corpus's texts: whose texts they are, what made them, whether they are
// whole. Computes no vector.
//
// A safetensors file: "embedding" F32 [texts, width]; "entries" U8 [texts, 24], three little-endian u64 a text: the
// checksum and the bytes of the text, the checksum of its vector; and metadata that say what made it. Checksums are
// XXH64: they find accidents, not forgery.
#ifndef GA_SEARCH_INDEX_H
#define GA_SEARCH_INDEX_H

#include "corpus.h"
#include "load_model.h"
#include "weights.h"

#define GA_INDEX_VECTORS "embedding" // the tensor of vectors

enum { GA_INDEX_ENTRY = 24, GA_INDEX_MADE = 17, GA_INDEX_METADATA = 672 };

// What vectors depend on besides their texts: an index made by something else is of no use.
struct ga_index_maker {
    const char *model;
    char bits[GA_INDEX_MADE];                                                   // the bits revision, as digits
    size_t width;                                                               // of a vector
    char spec[GA_INDEX_MADE], weights[GA_INDEX_MADE], tokenizer[GA_INDEX_MADE]; // checksums, as digits
};

// An index as it lies in a file, mapped. Zeroed memory is an empty one.
struct ga_search_index {
    const char *path;
    struct ga_weights *file;
    size_t count, width;
    const float *vectors;         // [count][width]
    const unsigned char *entries; // [count][GA_INDEX_ENTRY]
    bool *damaged;                // [count], vectors that are not what was written
    size_t n_damaged;
};

// instance: loaded with its checksum. tokenizer: the hash of its file.
struct ga_index_maker ga_index_maker_of(const struct ga_model *model, const struct ga_model_instance *instance,
                                        uint64_t tokenizer);

// The maker as the metadata of a file; returns text.
char *ga_index_metadata(const struct ga_index_maker *maker, char text[GA_INDEX_METADATA]);

// Opens the index in the file at path; the string must live as long as *index_out, which keeps it. *index_out is empty
// where there is no such file. It is empty after a message where the index does not fit (its weights or tokenizer are
// not these) or is damaged (its file is cut short, its header broken). GA_EXIT_FAILED, after a message, for a file that
// is no index: it must not be overwritten. The caller closes *index_out.
enum ga_exit ga_search_index_open(const struct ga_context *context, const char *path,
                                  const struct ga_index_maker *maker, struct ga_search_index *index_out);

struct ga_text_mark ga_index_mark(const struct ga_search_index *index, size_t i);

// Writes the entry of a text and its vector.
void ga_index_put_entry(struct ga_text_mark mark, const float *vector, size_t width,
                        unsigned char entry_out[GA_INDEX_ENTRY]);

void ga_search_index_close(struct ga_search_index *index);

#endif
