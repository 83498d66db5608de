// safetensors.h: the header of a safetensors file, read into a table of checked tensors; opens no file and holds no
// data. Internal to the weights library: applications use weights.h.
//
// What is read is a strict subset of what the reference implementation reads. Refused here beyond it: duplicate names
// (also over the same bytes), unknown fields, entries that are no objects, `__metadata__` that is no object of strings,
// leading blanks, padding other than spaces, data misaligned for its type, shapes whose product overflows after a zero
// axis, and whatever passes the limits below.
#ifndef GA_SAFETENSORS_H
#define GA_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "status.h"
#include "tensor.h"

enum {
    GA_SAFETENSORS_PREFIX = 8, // bytes before the header: its length, little-endian
    GA_SAFETENSORS_MAX_TENSORS = 65536,
    GA_SAFETENSORS_MAX_NAME = 256, // bytes
};

#define GA_SAFETENSORS_METADATA "__metadata__" // the one name that is no tensor's

// What the reference takes and the specification forbids or does not know; all zero refuses it.
struct ga_safetensors_rules {
    bool allow_leading_blank;  // blanks before the header's '{'
    bool allow_unknown_fields; // fields of a tensor besides dtype, shape and data_offsets; they are not read
};

struct ga_safetensors_entry {
    struct ga_tensor tensor; // its data is NULL; its name lies in the table
    size_t begin;            // first byte, counted from the end of the header; a multiple of the element's width
    size_t bytes;            // 0 where an axis is
    size_t shard;            // of several files, the one it is in, for whoever joins tables; 0
};

// Entries tile the data without hole or overlap.
struct ga_safetensors {
    struct ga_safetensors_entry *entries; // [count], sorted by name
    size_t count;
    char *names; // what the entries' names point into
};

// Reads the `size` bytes of a header that `data_size` bytes of data follow. On GA_OK the table is the caller's, to be
// given to ga_safetensors_free; otherwise it is empty and error (may be NULL) says what is wrong where. Offsets in
// messages count from the start of the file; label names it. rules may be NULL: the strict ones.
enum ga_status ga_safetensors_read(const char *header, size_t size, size_t data_size,
                                   const struct ga_safetensors_rules *rules, const char *label,
                                   struct ga_safetensors *table_out, struct ga_error *error);

// Whether a name holds a control character of ASCII or of Latin-1, the second as UTF-8 spells them.
bool ga_safetensors_has_control(const char *name);

// Frees what ga_safetensors_read made and empties the table.
void ga_safetensors_free(struct ga_safetensors *table);

#endif
