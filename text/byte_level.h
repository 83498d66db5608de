// byte_level.h: what the pre-tokenizer and the decoder ByteLevel read. Internal to libga_text.
#ifndef GA_TEXT_BYTE_LEVEL_H
#define GA_TEXT_BYTE_LEVEL_H

#include "reader.h"

struct ga_text_byte_level_fields {
    bool add_prefix_space;
    bool trim_offsets; // of the post-processor of the same name
    bool use_regex;
};

// struct ga_text_component_class's open; *self_out is a struct ga_text_byte_level_fields, which free() closes.
enum ga_status ga_text_byte_level_open(struct ga_text_reader *reader, json_t *object, void **self_out);

#endif
