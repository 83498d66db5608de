// reader.h: objects of a tokenizer.json, read by tables of fields; refuses what a table does not know, by its path.
// Internal to libga_text. Holds no values: strings and objects are those of the JSON, borrowed while a file is opened.
#ifndef GA_TEXT_READER_H
#define GA_TEXT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "bytes.h"
#include "packed.h"
#include "status.h"

enum {
    GA_TEXT_PATH = 200,    // bytes of a JSON path in messages; a longer one is cut
    GA_TEXT_DEPTH = 16,    // objects of components in each other, at most
    GA_TEXT_PARTS = 64,    // components of one kind after Sequences are unrolled, at most
    GA_TEXT_IDS = 1 << 24, // ids of a vocabulary, at most
};

// Where reading stands.
struct ga_text_reader {
    const char *file;        // for messages
    char path[GA_TEXT_PATH]; // of the object being read: "normalizer.normalizers[2]"
    struct ga_error *error;  // may be NULL

    // Of a packed tokenizer: the tables of the model, whose "vocab" and "merges" are empty; NULL of a tokenizer.json.
    const struct ga_text_tables *tables;
};

enum ga_text_field_kind {
    GA_TEXT_BOOL,    // bool
    GA_TEXT_STRING,  // struct ga_text_bytes, borrowed; bytes NULL where it is null or absent
    GA_TEXT_INTEGER, // int64_t
    GA_TEXT_NUMBER,  // double, of an integer or a real
    GA_TEXT_OBJECT,  // json_t *, borrowed; NULL where it is null or absent
    GA_TEXT_ARRAY,   // json_t *, borrowed; NULL where it is null or absent
    GA_TEXT_ANY,     // json_t *, borrowed, of any type, null too; NULL where it is absent
    GA_TEXT_IGNORED, // nothing is stored, whatever its value
};

enum ga_text_field_need {
    GA_TEXT_REQUIRED, // absent or null is refused
    GA_TEXT_OPTIONAL, // absent keeps the value that target had; null is refused
    GA_TEXT_NULLABLE, // absent and null keep the value that target had
};

// A field of an object: where in the target its value goes.
struct ga_text_field {
    const char *name;
    enum ga_text_field_kind kind;
    enum ga_text_field_need need;
    size_t offset; // offsetof in the target
};

// Reads object's fields into target as fields[count] say. "type" is passed over. A field that is not in the table, is
// missing or has another type is refused: GA_FORMAT, with file, path, what was found and what was expected. Values
// outside a field's range are the caller's to refuse, by ga_text_refuse.
enum ga_status ga_text_read_fields(struct ga_text_reader *reader, json_t *object, const struct ga_text_field *fields,
                                   size_t count, void *target);

// Writes "FILE: PATH.field: found FOUND, expected EXPECTED" to the reader's error and returns GA_FORMAT. field may be
// NULL: the object itself. found: NULL for a value that has no short spelling.
enum ga_status ga_text_refuse(struct ga_text_reader *reader, const char *field, const char *found,
                              const char *expected);

// The same, for a printf-formatted sentence after "FILE: PATH: ".
enum ga_status ga_text_refuse_as(struct ga_text_reader *reader, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Writes that memory has run out to the reader's error; returns GA_MEMORY.
enum ga_status ga_text_refuse_memory(struct ga_text_reader *reader);

// Appends ".name" (or "[index]" where name is NULL) to the reader's path; returns its length before, for
// ga_text_reader_leave.
size_t ga_text_reader_enter(struct ga_text_reader *reader, const char *name, size_t index);
void ga_text_reader_leave(struct ga_text_reader *reader, size_t length);

#endif
