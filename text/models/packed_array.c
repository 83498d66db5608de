// packed_array.c: a double array as a table of a packed tokenizer, and back. Makes and searches none.
//
// The table has three columns with a number for each node: its base; the byte that leads to it; 0 where there is no
// node, 1 where no token ends, else the token's id and 2. The check of a node is the place of the only node whose base
// is the node's place less its byte.
#include <stdlib.h>

#include "columns.h"
#include "double_array.h"

enum { BASE, BYTE, END, COLUMNS };    // columns
enum { NOTHING, NO_TOKEN, FIRST_ID }; // of END
enum { BYTES = 256 };

static bool is_node(const struct ga_text_double_array *array, size_t place)
{
    return place == GA_TEXT_ARRAY_ROOT || array->nodes[place].check >= 0;
}

static uint32_t end_of(const struct ga_text_double_array *array, size_t place)
{
    const int32_t id = array->nodes[place].id;
    return !is_node(array, place) ? NOTHING : id == GA_TEXT_NO_ID ? NO_TOKEN : FIRST_ID + (uint32_t)id;
}

// The byte that leads to a node; 0 for the root and for a place without a node.
static uint32_t byte_of(const struct ga_text_double_array *array, size_t place)
{
    const int32_t check = array->nodes[place].check;
    return check >= 0 ? (uint32_t)((int32_t)place - array->nodes[check].base) : 0;
}

enum ga_status ga_text_double_array_pack(const struct ga_text_double_array *array, struct ga_text_table *table_out)
{
    uint32_t most[COLUMNS] = {(uint32_t)array->count, BYTES - 1, 0};
    struct ga_text_columns columns;
    for (size_t i = 0; i < array->count; i++) {
        most[END] = end_of(array, i) > most[END] ? end_of(array, i) : most[END];
    }
    const enum ga_status status = ga_text_columns_make(table_out, most, COLUMNS, array->count, &columns);
    for (size_t i = 0; status == GA_OK && i < array->count; i++) {
        ga_text_columns_set(&columns, BASE, i, is_node(array, i) ? (uint32_t)array->nodes[i].base : 0);
        ga_text_columns_set(&columns, BYTE, i, byte_of(array, i));
        ga_text_columns_set(&columns, END, i, end_of(array, i));
    }
    return status;
}

// Fills bases and ids, and owners[base] with the node that has a base; false where a search would leave the array or
// the vocabulary, or two nodes have one base.
static bool read_nodes(struct ga_text_double_array *array, const struct ga_text_columns *columns, size_t ids,
                       int32_t *owners)
{
    const size_t last = array->count - BYTES;
    for (size_t i = 0; i < array->count; i++) {
        const uint32_t base = ga_text_columns_get(columns, BASE, i), end = ga_text_columns_get(columns, END, i);
        if (base > last || (end >= FIRST_ID && end - FIRST_ID >= ids) || (base > 0 && owners[base] != GA_TEXT_FREE)) {
            return false;
        }
        if (base > 0) {
            owners[base] = (int32_t)i;
        }
        const int32_t id = end < FIRST_ID ? GA_TEXT_NO_ID : (int32_t)(end - FIRST_ID);
        array->nodes[i] = (struct ga_text_array_node){(int32_t)base, end == NOTHING ? GA_TEXT_FREE : 0, id};
    }
    return true;
}

// Fills the checks; false where no node leads to one.
static bool read_checks(struct ga_text_double_array *array, const struct ga_text_columns *columns,
                        const int32_t *owners)
{
    array->nodes[GA_TEXT_ARRAY_ROOT].check = GA_TEXT_UNUSED;
    for (size_t i = GA_TEXT_ARRAY_ROOT + 1; i < array->count; i++) {
        const uint32_t byte = ga_text_columns_get(columns, BYTE, i);
        if (array->nodes[i].check == GA_TEXT_FREE) {
            continue;
        }
        if (byte >= BYTES || byte >= i || owners[i - byte] == GA_TEXT_FREE) {
            return false;
        }
        array->nodes[i].check = owners[i - byte];
    }
    return true;
}

static bool read_array(struct ga_text_double_array *array, const struct ga_text_columns *columns, size_t ids,
                       int32_t *owners)
{
    for (size_t i = 0; i < array->count; i++) {
        owners[i] = GA_TEXT_FREE;
    }
    return read_nodes(array, columns, ids, owners) && read_checks(array, columns, owners);
}

enum ga_status ga_text_double_array_read(struct ga_text_double_array *array, struct ga_text_reader *reader,
                                         enum ga_text_table_kind kind, size_t ids)
{
    const struct ga_text_table *table = &reader->tables->of[kind];
    struct ga_text_columns columns;
    *array = (struct ga_text_double_array){0};
    if (!ga_text_columns_find(table, COLUMNS, &columns) || columns.count <= BYTES || columns.count > INT32_MAX) {
        return ga_text_refuse_as(reader, "a double array of %zu bytes, which none has", table->size);
    }
    *array = (struct ga_text_double_array){malloc(columns.count * sizeof(*array->nodes)), columns.count};
    int32_t *owners = malloc(columns.count * sizeof(*owners));
    const bool has_memory = array->nodes != NULL && owners != NULL;
    const bool is_sound = has_memory && read_array(array, &columns, ids, owners);
    free(owners);
    if (is_sound) {
        return GA_OK;
    }
    ga_text_double_array_free(array);
    return !has_memory ? ga_text_refuse_memory(reader)
                       : ga_text_refuse_as(reader, "a double array that leads out of itself or of the vocabulary");
}
