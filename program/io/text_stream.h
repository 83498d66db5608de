// text_stream.h: token ids one after the other to text that is printed as soon as it is certain. Runs no model.
#ifndef GA_TEXT_STREAM_H
#define GA_TEXT_STREAM_H

#include "texts.h"

struct ga_text_stream {
    const struct ga_context *context;
    const struct ga_text_tools *tools;
    const char *const *stops; // [n_stops], the texts that end it, not printed; an empty one never does
    size_t n_stops;
    int32_t *ids; // [count], with room for more; the stream's
    size_t count, room;
    size_t begin, shown; // ids from begin on are decoded together; those before shown have become text
    char *held;          // [n_held], text that may be the start of one of stops; the stream's
    size_t n_held, held_room;
};

// Takes the ids[count] that those added come after. They are not printed, but decoders look at them.
enum ga_exit ga_text_stream_begin(struct ga_text_stream *stream, const int32_t *ids, size_t count);

// Adds an id and prints what is certain of the text. *stopped_out: one of stops was found, and all before it is
// printed. GA_EXIT_FAILED after a message. The caller ends it with ga_text_stream_close. Zeroed memory with context and
// tools set is a stream.
enum ga_exit ga_text_stream_add(struct ga_text_stream *stream, int32_t id, bool *stopped_out);

// Prints what is held, as nothing comes after it.
enum ga_exit ga_text_stream_end(struct ga_text_stream *stream);

void ga_text_stream_close(struct ga_text_stream *stream);

#endif
