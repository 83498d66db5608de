// byte_level_fields.c: what the pre-tokenizer and the decoder ByteLevel read. Rewrites no text.
#include <stdlib.h>

#include "byte_level.h"

static const struct ga_text_field fields[] = {
    {"add_prefix_space", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct ga_text_byte_level_fields, add_prefix_space)},
    {"trim_offsets", GA_TEXT_BOOL, GA_TEXT_REQUIRED, offsetof(struct ga_text_byte_level_fields, trim_offsets)},
    {"use_regex", GA_TEXT_BOOL, GA_TEXT_OPTIONAL, offsetof(struct ga_text_byte_level_fields, use_regex)},
};

enum ga_status ga_text_byte_level_open(struct ga_text_reader *reader, json_t *object, void **self_out)
{
    struct ga_text_byte_level_fields *self = malloc(sizeof(*self));
    if (self == NULL) {
        return ga_text_refuse_memory(reader);
    }
    *self = (struct ga_text_byte_level_fields){.use_regex = true};
    const enum ga_status status = ga_text_read_fields(reader, object, fields, sizeof(fields) / sizeof(*fields), self);
    if (status != GA_OK) {
        free(self);
        return status;
    }
    *self_out = self;
    return GA_OK;
}
