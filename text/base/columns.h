// columns.h: tables of a packed tokenizer whose numbers take as many bytes as the largest of their column needs. Knows
// no meaning of a number. Internal to libga_text.
#ifndef GA_TEXT_COLUMNS_H
#define GA_TEXT_COLUMNS_H

#include "packed.h"

enum { GA_TEXT_MOST_COLUMNS = 3 };

// Columns of equal length. In the table: for each column one byte, how many bytes (1 to 4) each of its numbers takes;
// then the columns, one after the other, little-endian.
struct ga_text_columns {
    unsigned char *at[GA_TEXT_MOST_COLUMNS]; // in the table, borrowed
    size_t width[GA_TEXT_MOST_COLUMNS];      // bytes of a number
    size_t count;                            // numbers of each column
};

// Makes room in an empty table for n_columns columns of count numbers, of which most[c] is the largest of column c.
// GA_MEMORY; columns_out then is unset.
enum ga_status ga_text_columns_make(struct ga_text_table *table, const uint32_t *most, size_t n_columns, size_t count,
                                    struct ga_text_columns *columns_out);

// Finds the columns of a table; false where it cannot consist of n_columns columns.
bool ga_text_columns_find(const struct ga_text_table *table, size_t n_columns, struct ga_text_columns *columns_out);

// Number i of a column. The number that is set must be at most the largest that ga_text_columns_make was given.
uint32_t ga_text_columns_get(const struct ga_text_columns *columns, size_t column, size_t i);
void ga_text_columns_set(struct ga_text_columns *columns, size_t column, size_t i, uint32_t number);

#endif
