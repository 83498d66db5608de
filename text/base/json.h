// json.h: bytes of a file as values of jansson, within bounds and without a failed allocation going unnoticed. Internal
// to libga_text. Knows no field of a tokenizer.json.
#ifndef GA_TEXT_JSON_H
#define GA_TEXT_JSON_H

#include "reader.h"

// Objects and arrays in each other, at most: GA_TEXT_DEPTH Sequences take two each. jansson takes stack for each.
enum { GA_TEXT_NESTING = 64 };

// Reads bytes into *json_out, which the caller decrefs; of equal names in one object none is taken. Returns GA_OK;
// GA_FORMAT or GA_MEMORY after an entry in the reader's error, *json_out then being NULL. Where memory fails for a
// single string, jansson calls that a wrong token, so that GA_FORMAT may mean it; values are never incomplete.
enum ga_status ga_text_json_read(struct ga_text_reader *reader, struct ga_text_bytes bytes, json_t **json_out);

#endif
