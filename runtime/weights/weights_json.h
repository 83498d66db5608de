// weights_json.h: a JSON text read by jansson, and at which byte of it each part begins, for messages: jansson keeps no
// positions. Refuses nothing itself. Internal to the weights library.
#ifndef GA_WEIGHTS_JSON_H
#define GA_WEIGHTS_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct ga_text {
    const char *bytes; // not NUL-terminated
    size_t size;
};

// Reads the text with these flags of jansson, without duplicate keys. NULL after a failure: *why says what jansson
// refused, and its text is empty where there was no memory. The caller's to decref.
json_t *ga_json_read(struct ga_text text, size_t flags, json_error_t *why);

// The functions below take texts that jansson found sound, or the sound part before an error.

// The first byte that is no blank: where the outermost object begins.
size_t ga_place_object(struct ga_text text);

// A member of an object: where its key's first quote and its value's first byte are; both the text's size where the
// object has no such key.
struct ga_place {
    size_t key;
    size_t value;
};

// The first member called key of the object whose '{' is at byte `object`.
struct ga_place ga_place_member(struct ga_text text, size_t object, const char *key);

// The first byte of element i of the array whose '[' is at byte `array`; that byte itself where it has none.
size_t ga_place_element(struct ga_text text, size_t array, size_t i);

// The byte after the string that begins at byte `quote`.
size_t ga_place_string_end(struct ga_text text, size_t quote);

// The string whose first quote is at byte `quote`, decoded; NULL where it is no sound string. The caller's to decref.
json_t *ga_place_string(struct ga_text text, size_t quote);

// Where a reader of the text is once it has read the first `end` bytes.
struct ga_place_context {
    size_t depth;       // of objects and arrays
    size_t last_string; // first quote of the last string that began, or size
    size_t outer_key;   // first quote of the last key of the outermost object, or size
    bool in_string;
};

struct ga_place_context ga_place_context(struct ga_text text, size_t end);

#endif
