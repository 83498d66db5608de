// component.h: what normalizers, pre-tokenizers, models and decoders have in common: they are opened from an object of
// the JSON, are const after that, and may have memory of their own in each context. Internal to libga_text.
#ifndef GA_TEXT_COMPONENT_H
#define GA_TEXT_COMPONENT_H

#include "reader.h"

// The beginning of every class of components. Functions that are NULL do nothing.
struct ga_text_component_class {
    const char *type; // its "type" in the JSON

    // Reads object (whose "type" is this one) and gives what the other functions take as self. The reader's path is
    // that of the object. Returns GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's error; *self_out is not
    // used then, and nothing stays allocated. It copies what it keeps of object.
    enum ga_status (*open)(struct ga_text_reader *reader, json_t *object, void **self_out);
    void (*close)(void *self);

    // Memory for one thread: *scratch_out is what the other functions take as scratch. GA_OK or GA_MEMORY. Where NULL,
    // scratch is NULL.
    enum ga_status (*open_scratch)(const void *self, void **scratch_out);
    void (*close_scratch)(void *scratch);
};

// Whether a component is local. A tokenizer whose components are all local is asked for the ids of one *chunk* of a
// text at a time, and ids of chunks are cached.
//
// A text is cut into chunks before each U+0020 that stands between a character that is a letter or an ASCII byte from
// 0x21 to 0x7E, and another such. So a chunk is " word", but for the first, and a run of several spaces lies inside a
// chunk. A component is local if what it makes of the text is what it makes of the chunks one after the other, each
// being told whether it is the first (struct ga_text_where).
typedef bool ga_text_local_function(const void *self);

// Where what a component is given stands.
struct ga_text_where {
    bool section_start; // it begins a section: the text between two added tokens
    bool text_start;    // it begins the text
};

#endif
