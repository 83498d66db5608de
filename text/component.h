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

// A tokenizer that is *local* is asked for the ids of one *chunk* of a text at a time, and ids of chunks are cached.
//
// A text is cut into chunks before each U+0020 that stands between a character that is a letter or an ASCII byte from
// 0x21 to 0x7E, and another such. So a chunk is " word", but for the first, and a run of several spaces lies inside a
// chunk. A tokenizer is local if the tokens of a text are those of its chunks, one after the other, each chunk being
// told whether it is the first (struct ga_text_where). local.c proves that of the components one after the other, by
// what is known of the edges, the places where chunks meet.

// What every chunk but the first begins with.
enum ga_text_lead {
    GA_TEXT_LEAD_SPACE, // U+0020
    GA_TEXT_LEAD_MARK,  // U+2581
    GA_TEXT_LEAD_BYTE,  // U+0120, which ByteLevel spells a space as
};

struct ga_text_edges {
    enum ga_text_lead lead;
    bool are_solid; // before each lead and after it stands a character, neither white space nor U+2581
    bool are_cut;   // each of them lies between two pieces
};

// The UTF-8 of a lead.
struct ga_text_bytes ga_text_lead_bytes(enum ga_text_lead lead);

// A component's part of the proof. Of chunks that meet at such edges: whether what the component makes of all of them
// together is what it makes of each, one after the other, but for cuts at edges, which it may make in a chunk and not
// in the whole unless it says that they are cut. Then edges says what is known of what it made. A component that has
// no such function proves nothing, and texts are not cut into chunks for it.
typedef bool ga_text_edges_function(const void *self, struct ga_text_edges *edges);

// For components that look at one character at a time and change no lead: what is not white space stays so, or may
// become white space or go.
ga_text_edges_function ga_text_keeps_edges, ga_text_loosens_edges;

// Where what a component is given stands.
struct ga_text_where {
    bool section_start; // it begins a section: the text between two added tokens
    bool text_start;    // it begins the text
};

#endif
