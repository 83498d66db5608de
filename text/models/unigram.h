// unigram.h: what the files of the model Unigram share. Internal to them.
#ifndef GA_TEXT_UNIGRAM_H
#define GA_TEXT_UNIGRAM_H

#include "double_array.h"
#include "text_model.h"

struct ga_text_unigram {
    struct ga_text_vocabulary vocabulary;
    struct ga_text_double_array array;
    double *scores; // [vocabulary.count]
    double unknown_score;
    int32_t unknown_id; // GA_TEXT_NO_ID: there is none
    bool byte_fallback;
    bool is_gguf;          // unknown characters stay unknown, whatever they are together
    int32_t byte_ids[256]; // of "<0x00>" to "<0xFF>", or GA_TEXT_NO_ID
};

// The best way to the end of the bytes before a place.
struct ga_text_path {
    double score;
    uint32_t begin; // of its last token; GA_TEXT_NO_PATH: there is no way
    int32_t id;     // of that token
};

enum { GA_TEXT_NO_PATH = INT32_MAX };

struct ga_text_unigram_scratch {
    struct ga_text_path *paths; // room for capacity
    size_t capacity;
};

// struct ga_text_model_class's encode.
enum ga_status ga_text_unigram_encode(const void *self, void *scratch, const char *piece, size_t length,
                                      struct ga_text_tokens *out, struct ga_error *error);

#endif
