// safetensors_entry.h: one tensor's entry of a safetensors header. Internal to safetensors.c; knows nothing of the
// other entries.
#ifndef GA_SAFETENSORS_ENTRY_H
#define GA_SAFETENSORS_ENTRY_H

#include <jansson.h>
#include <stdbool.h>

#include "safetensors_header.h"

enum { GA_JSON_TEXT = GA_NAME_TEXT + 32 };

// A JSON value in a few words: itself where that is short, else its type. May use text[GA_JSON_TEXT]; returns the
// words.
const char *ga_json_text(const json_t *value, char *text);

// Reads what stands under `name` into entry, whose tensor has its name already; false once error is filled. Checks all
// that concerns this tensor alone.
bool ga_safetensors_entry_read(const struct ga_header *header, const char *name, json_t *fields,
                               struct ga_safetensors_entry *entry);

#endif
