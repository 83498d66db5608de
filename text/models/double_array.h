// double_array.h: the tokens that a text begins with, by a double array over bytes. Internal to libga_text.
#ifndef GA_TEXT_DOUBLE_ARRAY_H
#define GA_TEXT_DOUBLE_ARRAY_H

#include "vocabulary.h"

// A node. The child by byte b of the node at place p is at base + b, if the check there is p.
struct ga_text_array_node {
    int32_t base;  // 0: it has no children
    int32_t check; // the parent's place; below 0: there is no node here, or the root
    int32_t id;    // of the token that ends here, or GA_TEXT_NO_ID
};

enum { GA_TEXT_FREE = -1, GA_TEXT_UNUSED = -2, GA_TEXT_ARRAY_ROOT = 0 };

// Zeroed memory is one without nodes, for ga_text_double_array_free alone.
struct ga_text_double_array {
    struct ga_text_array_node *nodes; // [count]; the root, and room for every byte after each base
    size_t count;
};

// Makes an array of the tokens of a vocabulary that begin with a prefix and are longer, without it. Memory is linear in
// their bytes. Returns GA_OK, GA_MEMORY or GA_OVERFLOW; array then is without nodes.
enum ga_status ga_text_double_array_make(struct ga_text_double_array *array,
                                         const struct ga_text_vocabulary *vocabulary, struct ga_text_bytes prefix);

// The nodes as a table of a packed tokenizer (packed_array.c). GA_MEMORY.
enum ga_status ga_text_double_array_pack(const struct ga_text_double_array *array, struct ga_text_table *table_out);

// Reads what ga_text_double_array_pack has made, of a vocabulary of `ids` ids; whatever the table holds, what is read
// is safe to search. Returns GA_OK, GA_FORMAT or GA_MEMORY after an entry in the reader's error; array then is without
// nodes.
enum ga_status ga_text_double_array_read(struct ga_text_double_array *array, struct ga_text_reader *reader,
                                         enum ga_text_table_kind kind, size_t ids);

void ga_text_double_array_free(struct ga_text_double_array *array);

// The place of the child of the node at `place` by a byte, or GA_TEXT_FREE.
static inline int32_t ga_text_array_child(const struct ga_text_double_array *array, int32_t place, unsigned char byte)
{
    const int32_t child = array->nodes[place].base + byte;
    return array->nodes[child].check == place ? child : GA_TEXT_FREE;
}

// The id of the longest token that bytes[length] begins with, *size_out its bytes; GA_TEXT_NO_ID where there is none.
static inline int32_t ga_text_array_longest(const struct ga_text_double_array *array, const char *bytes, size_t length,
                                            size_t *size_out)
{
    int32_t found = GA_TEXT_NO_ID, place = GA_TEXT_ARRAY_ROOT;
    for (size_t i = 0; i < length && i < GA_TEXT_LONGEST_TOKEN; i++) { // a packed array may be deeper
        place = ga_text_array_child(array, place, (unsigned char)bytes[i]);
        if (place == GA_TEXT_FREE) {
            break;
        }
        if (array->nodes[place].id != GA_TEXT_NO_ID) {
            found = array->nodes[place].id;
            *size_out = i + 1;
        }
    }
    return found;
}

#endif
