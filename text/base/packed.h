// packed.h: a packed tokenizer: the fields of a tokenizer.json, and with them the tables of its model as arrays,
// which no JSON parser has to read. Knows the places of the tables, not what they mean. Internal to libga_text.
//
// All numbers are little-endian; columns are those of columns.h. The tables stand one after the other after the JSON,
// and the last ends the file.
//
//     0     magic: 0x89 "GAT" CR LF 0x1a LF
//     8     u32 version, u32 number of tables (GA_TEXT_TABLES)
//     16    u64 hash of the tokenizer.json, u64 bytes of the JSON
//     32    u64 bytes of each table
//     then  the JSON, whose model has an empty "vocab" and empty "merges"; the tables
#ifndef GA_TEXT_PACKED_H
#define GA_TEXT_PACKED_H

#include "bytes.h"

enum { GA_TEXT_PACKED_VERSION = 2 };

// Models have those that they need; the others are empty.
enum ga_text_table_kind {
    GA_TEXT_TABLE_LENGTHS,    // a column: of each id the bytes of its token and 1; 0: it has none
    GA_TEXT_TABLE_TOKENS,     // the tokens' bytes, in the order of their ids
    GA_TEXT_TABLE_SCORES,     // f64 of each id
    GA_TEXT_TABLE_MERGES,     // u32 left, right, joined: ids; the sooner, the lower the rank
    GA_TEXT_TABLE_BEGINNINGS, // columns of a double array: see double_array.c
    GA_TEXT_TABLE_INSIDES,    // the same, of tokens that go on with a word
    GA_TEXT_TABLES
};

// A table as it is read, borrowed, or as it is made, by malloc.
struct ga_text_table {
    unsigned char *bytes; // NULL: empty
    size_t size;
};

struct ga_text_tables {
    struct ga_text_table of[GA_TEXT_TABLES];
};

struct ga_text_packed {
    uint64_t hash; // of the tokenizer.json
    struct ga_text_bytes json;
    struct ga_text_tables tables;
};

// Whether bytes[length] begin as a packed tokenizer does, which no JSON does.
bool ga_text_is_packed(const char *bytes, size_t length);

// Finds the parts of bytes[length], which begin so and stay the caller's; name stands for them in messages. GA_FORMAT
// or GA_UNSUPPORTED after an entry in error where they are damaged or of another version.
enum ga_status ga_text_packed_read(const char *name, const char *bytes, size_t length,
                                   struct ga_text_packed *packed_out, struct ga_error *error);

// The bytes of a packed tokenizer, by malloc: *bytes_out[*length_out]. GA_MEMORY.
enum ga_status ga_text_packed_write(const struct ga_text_packed *packed, char **bytes_out, size_t *length_out);

// Makes room in a table that is empty. GA_MEMORY.
enum ga_status ga_text_table_make(struct ga_text_table *table, size_t size);

// Frees tables that were made.
void ga_text_tables_free(struct ga_text_tables *tables);

// Numbers of tables. Where a machine is little-endian, compilers see that these copy.
void ga_text_table_read(const unsigned char *from, uint32_t *to, size_t count);
void ga_text_table_write(const uint32_t *from, unsigned char *to, size_t count);

#endif
