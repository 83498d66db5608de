// columns.c: reads and writes numbers of 1 to 4 bytes. Trusts no width of a table.
#include "columns.h"

enum { MOST_WIDTH = sizeof(uint32_t) };

static void place_columns(struct ga_text_columns *columns, unsigned char *bytes, size_t n_columns)
{
    unsigned char *at = bytes + n_columns;
    for (size_t c = 0; c < n_columns; c++) {
        columns->at[c] = at;
        at += columns->width[c] * columns->count;
    }
}

static size_t width_of(uint32_t most)
{
    size_t width = 1;
    while (width < MOST_WIDTH && most >> (8 * width) > 0) {
        width++;
    }
    return width;
}

enum ga_status ga_text_columns_make(struct ga_text_table *table, const uint32_t *most, size_t n_columns, size_t count,
                                    struct ga_text_columns *columns_out)
{
    struct ga_text_columns columns = {.count = count};
    size_t row = 0;
    for (size_t c = 0; c < n_columns; c++) {
        columns.width[c] = width_of(most[c]);
        row += columns.width[c];
    }
    if (ga_text_table_make(table, n_columns + count * row) != GA_OK) {
        return GA_MEMORY;
    }
    for (size_t c = 0; c < n_columns; c++) {
        table->bytes[c] = (unsigned char)columns.width[c];
    }
    place_columns(&columns, table->bytes, n_columns);
    *columns_out = columns;
    return GA_OK;
}

bool ga_text_columns_find(const struct ga_text_table *table, size_t n_columns, struct ga_text_columns *columns_out)
{
    struct ga_text_columns columns = {.count = 0};
    size_t row = 0;
    bool good = table->size >= n_columns;
    for (size_t c = 0; good && c < n_columns; c++) {
        columns.width[c] = table->bytes[c];
        row += columns.width[c];
        good = columns.width[c] >= 1 && columns.width[c] <= MOST_WIDTH;
    }
    good = good && (table->size - n_columns) % row == 0;
    if (good) {
        columns.count = (table->size - n_columns) / row;
        place_columns(&columns, table->bytes, n_columns);
        *columns_out = columns;
    }
    return good;
}

uint32_t ga_text_columns_get(const struct ga_text_columns *columns, size_t column, size_t i)
{
    const size_t width = columns->width[column];
    const unsigned char *at = columns->at[column] + i * width;
    uint32_t number = 0;
    for (size_t byte = 0; byte < width; byte++) {
        number |= (uint32_t)at[byte] << (8 * byte);
    }
    return number;
}

void ga_text_columns_set(struct ga_text_columns *columns, size_t column, size_t i, uint32_t number)
{
    const size_t width = columns->width[column];
    unsigned char *at = columns->at[column] + i * width;
    for (size_t byte = 0; byte < width; byte++) {
        at[byte] = (unsigned char)(number >> (8 * byte) & 0xFF);
    }
}
