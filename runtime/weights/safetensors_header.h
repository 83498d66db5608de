// safetensors_header.h: a header's text before and around its parsing: what is refused without a parser, and jansson's
// refusals told as faults with their place. Knows nothing of dtypes, shapes and offsets. Internal to the weights
// library.
#ifndef GA_SAFETENSORS_HEADER_H
#define GA_SAFETENSORS_HEADER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "safetensors.h"
#include "weights_json.h"

enum { GA_SAFETENSORS_DEPTH = 4 }; // objects and arrays inside one another; a sound header has 3

// One header being read, and where to complain.
struct ga_header {
    const char *label;
    struct ga_text text;
    size_t data_start; // byte of the file at which the data begin
    size_t data_size;
    struct ga_safetensors_rules rules;
    struct ga_error *error; // may be NULL
};

// The byte of the file at which byte `place` of the header's text stands.
uint64_t ga_header_offset(size_t place);

// Says what is wrong at byte `offset` of the file, with the tensor called name (NULL: with the header),
// printf-formatted; always false, so that a check can `return ga_header_refuse(...)`.
bool ga_header_refuse(const struct ga_header *header, enum ga_fault fault, uint64_t offset, const char *name,
                      const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

// Checks how the text begins, that it holds no NUL, how deep it is nested and how much it holds, so that jansson's work
// is bounded.
bool ga_header_check_text(const struct ga_header *header);

// The byte of the first object or array of a JSON text within more than `most`, counting itself; without one the text's
// size. jansson takes stack for each.
size_t ga_json_too_deep(struct ga_text text, size_t most);

// The kinds of values that a JSON text has too many of. jansson needs far more memory for a value than the text has
// bytes of it, most of all for an empty object, so that values are counted before it reads them.
struct ga_json_excess {
    const char *what; // "objects and arrays" or "values"
    size_t most;      // that a text of this size may hold
    size_t place;     // the byte of the first one beyond
};

enum {
    GA_JSON_MOST_CONTAINERS = 3 * GA_SAFETENSORS_MAX_TENSORS + 4, // objects and arrays of any text: 3 for each tensor
    GA_JSON_MOST_VALUES = 16 * GA_SAFETENSORS_MAX_TENSORS,        // of objects and arrays: a tensor of 8 axes takes 14
    GA_JSON_CONTAINER_BYTES = 16 // a text has so many bytes for each object and array; 3 of a tensor have 50 together
};

// False, and *excess_out filled, where a text holds more than these; says nothing of whether it is sound.
bool ga_json_is_sparse(struct ga_text text, struct ga_json_excess *excess_out);

// What jansson lets pass around the object and inside its numbers.
bool ga_header_check_rest(const struct ga_header *header);

// Says that there is no memory to read the header; returns GA_MEMORY.
enum ga_status ga_header_fail_memory(const struct ga_header *header);

// Refuses what jansson refused.
enum ga_status ga_header_refuse_json(const struct ga_header *header, const json_error_t *why);

// The same for a key that is there twice; `end` is the byte after the second one.
enum ga_status ga_header_refuse_duplicate(const struct ga_header *header, size_t end);

#endif
